// The interval of an accuracy over clusters whose coverage is simulated. For an accuracy that might
// be the true one, the beta-binomial model with the correlation that fits the data best draws
// suites with clusters of the given sizes. The accuracy is rejected if t, on the logit scale, is
// further out in the data than in all but one of twenty of these.

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "stats/share.h"
#include "stats/simulated.h"

namespace minpair::stats {
namespace {

// All that t needs to know of a suite's right items.
struct Moments {
  double right = 0, squares = 0, by_size = 0;
  void add(double number, double size) {
    right += number;
    squares += number * number;
    by_size += number * size;
  }
};

constexpr double kLeastSpread = 0.5;  // of the variance of independent items
constexpr double kMostRounds = 4000;
constexpr double kManyClusters = 50;  // for more, half as many rounds
constexpr double kPlenty = 40;
constexpr double kLeastCorrelation = -14, kMostCorrelation = 4.6;  // logits: 1e-6, 0.99

class Simulation {
 public:
  explicit Simulation(const ClusterSums& data) : clusters_(double(data.sum.size())) {
    for (size_t i = 0; i < data.sum.size(); ++i) {
      const double n = data.count[i], right = data.sum[i];
      model_.add(right, n - right);
      observed_.add(right, n);
      items_ += n;
      squares_ += n * n;
    }
  }

  double mean() const { return observed_.right / items_; }

  // Many clusters with a mistake, and many with something right: Student's table will do.
  bool is_plain() const { return model_.with_no() >= kPlenty && model_.with_yes() >= kPlenty; }

  // `alpha`: what the p-value is compared with.
  double p_value(double accuracy, double alpha) const {
    const double correlation = logistic(correlation_at(accuracy));
    const double precision = (1 - correlation) / correlation;
    std::vector<std::pair<Draws, double>> draws;
    for (const auto& [size, clusters] : model_.sizes())
      draws.emplace_back(Draws(size_t(size), accuracy, precision), clusters);
    Random random(1);  // the same numbers for every accuracy, so that p changes smoothly
    return simulated_p_value(t_of(observed_, accuracy), alpha,
                             clusters_ > kManyClusters ? kMostRounds / 2 : kMostRounds,
                             [&] { return t_of(drawn(draws, random), accuracy); });
  }

 private:
  BetaBinomial model_;
  Moments observed_;
  double clusters_, items_ = 0, squares_ = 0;

  // t on the logit scale; the standard error is the linearised one over clusters. By chance
  // clusters may be more alike than items that have nothing to do with each other; that is not
  // taken as proof that they are.
  double t_of(const Moments& m, double accuracy) const {
    const double share = m.right / items_, odds = share * (1 - share);
    if (!(odds > 0)) return share > accuracy ? kFurthest : -kFurthest;
    const double between = m.squares - 2 * share * m.by_size + share * share * squares_;
    const double variance =
        std::max(between * clusters_ / (clusters_ - 1), kLeastSpread * items_ * odds);
    return (logit(share) - logit(accuracy)) * odds * items_ / std::sqrt(variance);
  }

  Moments drawn(const std::vector<std::pair<Draws, double>>& draws, Random& random) const {
    Moments m;
    auto next = draws.begin();
    for (const auto& [size, clusters] : model_.sizes()) {
      for (double c = 0; c < clusters; ++c) m.add(double(next->first(random.uniform())), size);
      ++next;
    }
    return m;
  }

  // The most likely correlation, as a logit: the best of some, then closing in on it.
  double correlation_at(double accuracy) const {
    constexpr int kNodes = 16;
    constexpr double kStep = (kMostCorrelation - kLeastCorrelation) / kNodes;
    double best = kLeastCorrelation, most = -HUGE_VAL;
    auto try_at = [&](double x) {
      if (double l = model_.log_likelihood(accuracy, std::exp(-x)); l > most) {
        most = l;
        best = x;
      }
    };
    for (int i = 0; i <= kNodes; ++i) try_at(kLeastCorrelation + i * kStep);
    for (double step = kStep / 2; step > 0.02; step /= 2)
      for (double x : {best - step, best + step})
        if (x > kLeastCorrelation && x < kMostCorrelation) try_at(x);
    return best;
  }
};

Interval calibrated_interval(const ClusterSums& data, const Estimate& e, double level) {
  const Simulation simulation(data);
  if (simulation.is_plain()) return e.interval;
  const double alpha = 1 - level, mean = simulation.mean();
  // Where nothing is wrong, begin so near to 1 that no suite of this size could tell.
  const double least = 1 / (20 * data.items());
  const double inside = logit(std::clamp(mean, least, 1 - least));
  const double step = mean > 0 && mean < 1 && e.standard_error > 0
                          ? 1.5 * e.standard_error / (mean * (1 - mean))
                          : 1;
  auto p_value = [&](double x) { return simulation.p_value(logistic(x), alpha); };
  return {mean > 0 ? logistic(end_of(p_value, inside, -step, alpha)) : 0,
          mean < 1 ? logistic(end_of(p_value, inside, step, alpha)) : 1};
}

}  // namespace

double share_p_value(const ClusterSums& data, double accuracy) {
  return Simulation(data).p_value(accuracy, 0.05);
}

Estimate calibrated_share(const ClusterSums& data, double level) {
  Estimate e = clustered_share(data, level);
  const bool independent = double(e.clusters) == data.items();
  // Some views give an item a share of its own. Those vary less than what is right or wrong.
  const bool shares = std::any_of(data.sum.begin(), data.sum.end(),
                                  [](double right) { return std::floor(2 * right) < 2 * right; });
  if (independent || shares || e.clusters < kFewestClusters) return e;
  e.interval = calibrated_interval(data, e, level);
  return e;
}

}  // namespace minpair::stats
