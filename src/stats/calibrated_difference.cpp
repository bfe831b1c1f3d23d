// The interval of a difference between two accuracies on the same items, calibrated by simulation.
// Only items that one of the two gets right and the other wrong tell anything. Which share of a
// cluster's items those are is beta-distributed over clusters, and so is which share of them is the
// first one's. A difference that might be the true one is rejected if t is further out in the data
// than in all but one of twenty suites that this model draws, with the parameters that fit the data
// best among those that have this difference.

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "stats/share.h"
#include "stats/simulated.h"

namespace minpair::stats {
namespace {

constexpr double kMostRounds = 4000;
constexpr double kPlenty = 40;
constexpr double kLargest = 1 - 1e-9;  // of a difference
constexpr size_t kTables = 256;        // larger numbers of items are drawn in two steps

// All that t needs to know of the differences.
struct Moments {
  double sum = 0, squares = 0, by_size = 0;
  void add(double difference, double size) {
    sum += difference;
    squares += difference * difference;
    by_size += difference * size;
  }
};

// How many of some items are the first one's. Tables are made when they are needed.
class Directions {
 public:
  Directions(double share, double precision)
      : share_(share), precision_(precision), tables_(kTables) {}

  double operator()(size_t items, Random& random) {
    const size_t tabled = std::min(items, kTables);
    std::vector<Draws>& table = tables_[tabled - 1];
    if (table.empty()) table.emplace_back(tabled, share_, precision_);
    const auto known = double(table[0](random.uniform()));
    const auto rest = double(items - tabled);
    if (!(rest > 0)) return known;
    // Given so many, the others are as in an urn: nearly normal.
    const double precision = precision_ + double(tabled);
    const double share = (share_ * precision_ + known) / precision;
    const double variance = rest * share * (1 - share) * (precision + rest) / (precision + 1);
    const double z = normal_quantile(std::clamp(random.uniform(), 1e-12, 1 - 1e-12));
    return known + std::clamp(std::round(rest * share + z * std::sqrt(variance)), 0.0, rest);
  }

 private:
  double share_, precision_;
  std::vector<std::vector<Draws>> tables_;
};

// How often the two differ, how often then in favour of the first, and the correlations of both
// within clusters, as logits.
struct Parameters {
  double differ = 0, first = 0, correlation = 0, of_first = 0;
};

class PairedSimulation {
 public:
  explicit PairedSimulation(const PairedSums& data) : clusters_(double(data.count.size())) {
    for (size_t i = 0; i < data.count.size(); ++i) {
      const double n = data.count[i], first = data.first[i], second = data.second[i];
      differ_.add(first + second, n - first - second);
      first_.add(first, second);
      observed_.add(first - second, n);
      items_ += n;
      squares_ += n * n;
    }
  }

  // The two differ in many clusters: Student's table will do.
  bool is_plain() const { return differ_.with_yes() >= kPlenty; }

  double p_value(double difference, double alpha) const {
    const Parameters fit = fit_at(difference);
    std::vector<Draws> draws;
    for (const auto& [size, clusters] : differ_.sizes())
      draws.emplace_back(size_t(size), fit.differ, std::exp(-fit.correlation));
    Directions directions(fit.first, std::exp(-fit.of_first));
    Random random(1);  // the same numbers for every difference, so that p changes smoothly
    return simulated_p_value(t_of(observed_, difference), alpha, kMostRounds,
                             [&] { return t_of(drawn(draws, directions, random), difference); });
  }

 private:
  BetaBinomial differ_, first_;
  Moments observed_;
  double clusters_, items_ = 0, squares_ = 0;

  double t_of(const Moments& m, double difference) const {
    const double mean = m.sum / items_, away = mean - difference;
    const double between = m.squares - 2 * mean * m.by_size + mean * mean * squares_;
    if (!(between > 1e-9)) return std::abs(away) < 1e-12 ? 0 : std::copysign(kFurthest, away);
    return away * items_ / std::sqrt(between * clusters_ / (clusters_ - 1));
  }

  Moments drawn(const std::vector<Draws>& draws, Directions& directions, Random& random) const {
    Moments m;
    auto draw = draws.begin();
    for (const auto& [size, clusters] : differ_.sizes()) {
      const double none = draw->none();
      // Where most clusters have no such item, from one that has to the next.
      const double skip = none > 0.5 && none < 1 ? 1 / std::log(none) : 0;
      for (double c = 0; c < clusters; ++c) {
        if (skip < 0) c += std::floor(std::log(1 - random.uniform()) * skip);
        if (!(c < clusters)) break;
        const double at = random.uniform();
        const size_t items = (*draw)(skip < 0 ? none + (1 - none) * at : at);
        if (items > 0) m.add(2 * directions(items, random) - double(items), size);
      }
      ++draw;
    }
    return m;
  }

  Parameters fit_at(double difference) const;
};

constexpr double kLeastCorrelation = -9, kMostCorrelation = 5;
constexpr double kSpreadOfPrecisions = 1.5;

// The most likely correlations with these shares. If the three kinds of items had Dirichlet's
// distribution over clusters, one precision would be the other times `differ`; few clusters say
// little of the second, so that it is not believed to be far from that.
class Correlations {
 public:
  Correlations(const BetaBinomial& differ, const BetaBinomial& first, Parameters at)
      : differ_(differ), first_(first), at_(at) {
    search(0.5 * (kLeastCorrelation + kMostCorrelation),
           0.5 * (kLeastCorrelation + kMostCorrelation), 7, 1);
    for (double step = 0.5; step > 0.1; step /= 2) search(at_.correlation, at_.of_first, 1, step);
  }
  double log_likelihood() const { return most_; }
  const Parameters& parameters() const { return at_; }

 private:
  const BetaBinomial &differ_, &first_;
  Parameters at_;
  double most_ = -HUGE_VAL;

  // All pairs of values up to `reach` steps from these.
  void search(double correlation, double of_first, ptrdiff_t reach, double step) {
    std::vector<double> one, other;
    for (ptrdiff_t i = -reach; i <= reach; ++i) {
      one.push_back(differ_.log_likelihood(at_.differ, std::exp(-correlation - double(i) * step)));
      other.push_back(first_.log_likelihood(at_.first, std::exp(-of_first - double(i) * step)));
    }
    for (ptrdiff_t i = -reach; i <= reach; ++i)
      for (ptrdiff_t k = -reach; k <= reach; ++k) {
        const double x = correlation + double(i) * step, y = of_first + double(k) * step;
        const double off = (x - std::log(at_.differ) - y) / kSpreadOfPrecisions;
        const double l = one[size_t(i + reach)] + other[size_t(k + reach)] - off * off / 2;
        if (!(l > most_)) continue;
        most_ = l;
        at_.correlation = x;
        at_.of_first = y;
      }
  }
};

// The two differ at least as often as the difference says.
Parameters PairedSimulation::fit_at(double difference) const {
  Parameters fit;
  double best = 0, most = -HUGE_VAL;
  auto try_at = [&](double x) {
    const double least = std::abs(difference);
    Parameters at;
    at.differ = least + (1 - least) * logistic(x);
    at.first = std::clamp((1 + difference / at.differ) / 2, 1e-9, 1 - 1e-9);
    const Correlations fitted(differ_, first_, at);
    if (!(fitted.log_likelihood() > most)) return;
    most = fitted.log_likelihood();
    fit = fitted.parameters();
    best = x;
  };
  constexpr double kLeast = -12, kMost = 9, kStep = 1.5;
  for (double x = kLeast; x <= kMost; x += kStep) try_at(x);
  for (double step = kStep / 2; step > 0.05; step /= 2)
    for (double x : {best - step, best + step}) try_at(x);
  return fit;
}

PairedSums turned(const PairedSums& data) { return {data.second, data.first, data.count}; }

// A against B is B against A with the sign turned, to the last digit: differences are simulated
// from 0 upwards only.
class EitherWay {
 public:
  explicit EitherWay(const PairedSums& data) : up_(data), down_(turned(data)) {}
  bool is_plain() const { return up_.is_plain(); }
  double p_value(double difference, double alpha) const {
    const PairedSimulation& side = difference < 0 ? down_ : up_;
    return side.p_value(std::min(std::abs(difference), kLargest), alpha);
  }

 private:
  PairedSimulation up_, down_;
};

bool has_shares(const std::vector<double>& sums) {
  return std::any_of(sums.begin(), sums.end(),
                     [](double sum) { return std::floor(2 * sum) < 2 * sum; });
}

}  // namespace

ClusterSums PairedSums::differences() const {
  ClusterSums sums{first, count};
  for (size_t i = 0; i < second.size(); ++i) sums.sum[i] -= second[i];
  return sums;
}

PairedSums sum_pairs_by_cluster(std::span<const double> first, std::span<const double> second,
                                std::span<const uint64_t> cluster) {
  std::vector<double> only_first, only_second;
  for (size_t i = 0; i < first.size(); ++i) {
    only_first.push_back(std::max(0.0, first[i] - second[i]));
    only_second.push_back(std::max(0.0, second[i] - first[i]));
  }
  ClusterSums a = sum_by_cluster(only_first, cluster);
  return {std::move(a.sum), sum_by_cluster(only_second, cluster).sum, std::move(a.count)};
}

double difference_p_value(const PairedSums& data, double difference) {
  const EitherWay simulation(data);
  if (!simulation.is_plain()) return simulation.p_value(difference, 0.05);
  const Estimate e = clustered_difference(data.differences());
  return student_two_sided_p((e.value - difference) / e.standard_error, double(e.clusters - 1));
}

Estimate calibrated_difference(const PairedSums& data, double level) {
  const ClusterSums sums = data.differences();
  Estimate e = clustered_difference(sums, level);
  if (e.clusters < kFewestClusters || has_shares(data.first) || has_shares(data.second)) return e;
  const EitherWay simulation(data);
  if (simulation.is_plain()) return e;
  const double alpha = 1 - level, least = 1 / (20 * sums.items());
  const double mean = std::clamp(e.value, least - 1, 1 - least), inside = std::atanh(mean);
  const double step = e.standard_error > 0 ? 1.5 * e.standard_error / (1 - mean * mean) : 0.1;
  auto p_value = [&](double x) { return simulation.p_value(std::tanh(x), alpha); };
  e.interval = {e.value > -1 ? std::tanh(end_of(p_value, inside, -step, alpha)) : -1,
                e.value < 1 ? std::tanh(end_of(p_value, inside, step, alpha)) : 1};
  return e;
}

}  // namespace minpair::stats
