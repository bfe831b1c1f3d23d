// Regressions with and without a model's surprisals, on words that they have not seen.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/rows.h"
#include "reading/reading.h"

namespace minpair::reading {
namespace {

// The predictors of one model, or the controls alone.
class Design {
 public:
  Design(const Joined& joined, const Question& question, std::optional<size_t> model)
      : joined_(joined), folds_(question.folds), model_(model) {
    width_ = joined.controls.size() + (model ? joined.predictors.size() : 0);
  }

  stats::LinearFit whole() const {
    stats::LeastSquares all(width_);
    for (const stats::LeastSquares& fold : parts()) all.add(fold);
    return checked(all.fit());
  }

  // The log-density of every observation under the fit to the other folds.
  std::vector<double> held_out() const {
    const std::vector<stats::LeastSquares> folds = parts();
    std::vector<stats::LinearFit> fits;
    for (uint32_t left_out = 0; left_out < folds_; ++left_out) {
      stats::LeastSquares others(width_);
      for (uint32_t fold = 0; fold < folds_; ++fold)
        if (fold != left_out) others.add(folds[fold]);
      fits.push_back(checked(others.fit()));
    }
    std::vector<double> all;
    for (const Observation& o : joined_.observations)
      all.push_back(fits[joined_.places[o.place].fold].log_density(row(o), o.time));
    return all;
  }

 private:
  const Joined& joined_;
  uint32_t folds_;
  std::optional<size_t> model_;
  size_t width_;

  std::vector<double> row(const Observation& o) const {
    const Place& place = joined_.places[o.place];
    std::vector<double> row = place.controls;
    if (!model_) return row;
    auto own = place.surprisals.begin() + std::ptrdiff_t(*model_ * joined_.predictors.size());
    row.insert(row.end(), own, own + std::ptrdiff_t(joined_.predictors.size()));
    return row;
  }

  std::vector<stats::LeastSquares> parts() const {
    std::vector<stats::LeastSquares> folds(folds_, stats::LeastSquares(width_));
    for (const Observation& o : joined_.observations)
      folds[joined_.places[o.place].fold].add(row(o), o.time);
    return folds;
  }

  stats::LinearFit checked(stats::LinearFit fit) const {
    const size_t controls = joined_.controls.size();
    if (fit.dependent)
      throw bad_input(
          fmt::format(
              "{}'{}' can be computed from the other predictors, so nothing can be said about it",
              model_ ? joined_.models[*model_] + ": " : "",
              *fit.dependent < controls ? joined_.controls[*fit.dependent]
                                        : joined_.predictors[*fit.dependent - controls]))
          .hint("are there enough words, and are they different ones?");
    if (fit.rows <= width_ || !(fit.residual_squares > 0))
      throw bad_input(
          fmt::format("{} observations are too few for {} predictors", fit.rows, width_));
    return fit;
  }
};

double total_squares(const Joined& joined) {
  stats::LeastSquares mean(1);
  for (const Observation& o : joined.observations) mean.add(std::vector{1.0}, o.time);
  return mean.fit().residual_squares;
}

double mean_surprisal(const Joined& joined, size_t model) {
  double sum = 0;
  for (const Place& p : joined.places) sum += p.surprisals[model * joined.predictors.size()];
  return sum / double(joined.places.size());
}

}  // namespace

std::vector<Gain> gains(const Joined& joined, const Question& question) {
  const Design controls(joined, question, std::nullopt);
  const stats::LinearFit base = controls.whole();
  const std::vector<double> without = controls.held_out();
  const double total = total_squares(joined);
  std::vector<uint64_t> units;
  for (const Observation& o : joined.observations) units.push_back(joined.places[o.place].unit);
  std::vector<Gain> all;
  for (size_t m = 0; m < joined.models.size(); ++m) {
    const Design design(joined, question, m);
    std::vector<double> gain = design.held_out();
    for (size_t i = 0; i < gain.size(); ++i) gain[i] -= without[i];
    const stats::ClusterSums sums = stats::sum_by_cluster(gain, units);
    Gain g{joined.models[m], stats::clustered_mean(sums)};
    g.p = stats::clustered_permutation(sums, 10000, question.seed);
    g.mean_surprisal = mean_surprisal(joined, m);
    g.fit = design.whole();
    g.base_log_likelihood = base.log_likelihood();
    g.log_likelihood = g.fit.log_likelihood();
    g.base_r2 = 1 - base.residual_squares / total;
    g.r2 = 1 - g.fit.residual_squares / total;
    all.push_back(std::move(g));
  }
  return all;
}

std::string joined_csv(const Joined& joined) {
  std::vector<std::string> fields = {"text", "position", "word", "time", "fold"};
  fields.insert(fields.end(), joined.controls.begin() + 1, joined.controls.end());
  for (const std::string& model : joined.models)
    for (const std::string& predictor : joined.predictors)
      fields.push_back(fmt::format("{}.{}", model, predictor));
  std::string text;
  append_row(text, fields, ',', true);
  for (const Observation& o : joined.observations) {
    const Place& p = joined.places[o.place];
    fields = {p.text, std::to_string(p.position), p.word, fmt::format("{}", o.time),
              std::to_string(p.fold + 1)};
    for (size_t i = 1; i < p.controls.size(); ++i)
      fields.push_back(fmt::format("{}", p.controls[i]));
    for (double s : p.surprisals) fields.push_back(fmt::format("{}", s));
    append_row(text, fields, ',', true);
  }
  return text;
}

}  // namespace minpair::reading
