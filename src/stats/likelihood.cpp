#include "stats/likelihood.h"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <map>
#include <unordered_map>

#include "stats/cluster_likelihood.h"

namespace minpair::stats {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double p) { return std::log(p / (1 - p)); }

// From `inside`, where f is below zero, to where it crosses zero, or to `most`.
double crossing(const std::function<double(double)>& f, double inside, double step, double most) {
  double outside = inside;
  do {
    inside = outside;
    outside = step > 0 ? std::min(inside + step, most) : std::max(inside + step, most);
    if (outside == inside) return most;
    step *= 1.6;
  } while (f(outside) < 0);
  boost::uintmax_t rounds = 60;
  const auto [low, high] =
      boost::math::tools::toms748_solve(f, std::min(inside, outside), std::max(inside, outside),
                                        boost::math::tools::eps_tolerance<double>(30), rounds);
  return (low + high) / 2;
}

double peak(const std::function<double(double)>& profile, double near, double reach) {
  const auto minus = [&](double x) { return -profile(x); };
  boost::uintmax_t rounds = 60;
  return boost::math::tools::brent_find_minima(minus, near - 3 * reach, near + 3 * reach, 24,
                                               rounds)
      .first;
}

// Clusters can vary more than the model allows: some fail altogether while the others are alike.
// Then the standard error over clusters exceeds the one that the likelihood's curvature implies,
// and the likelihood is flattened by the ratio of the variances (Kent 1982; Rotnitzky and Jewell
// 1990).
double flattening(const std::function<double(double)>& profile, double at, double h,
                  double variance) {
  if (!(variance > 0)) return 1;
  const double curvature = (2 * profile(at) - profile(at - h) - profile(at + h)) / (h * h);
  return std::max(1.0, curvature * variance);
}

// Items with shares of their own vary less than what is right or wrong.
bool has_shares(const ClusterSums& data) {
  const auto whole = [](double x) { return x == std::round(x); };
  return std::all_of(data.count.begin(), data.count.end(), whole) &&
         !std::all_of(data.sum.begin(), data.sum.end(), [&](double s) { return whole(2 * s); });
}

double allowed_drop(double level) {
  const double z = normal_quantile(0.5 + level / 2);
  return z * z / 2;
}

}  // namespace

Estimate likelihood_share(const ClusterSums& data, double level) {
  Estimate e = clustered_share(data, level);
  if (e.clusters < kFewestClusters || double(e.clusters) == data.items() || has_shares(data))
    return e;
  ClusterLikelihood<2> likelihood;
  for (size_t i = 0; i < data.sum.size(); ++i)
    likelihood.add({data.sum[i], data.count[i] - data.sum[i]});
  const auto profile = [&](double x) {
    return likelihood.profile({logistic(x), logistic(-x)}).value;
  };
  constexpr double kFarthest = 16;  // on the logit scale
  const double p = e.value, at = std::clamp(logit(p), -kFarthest, kFarthest);
  const bool none = p == 0, all = p == 1;
  const double deviation = none || all ? 0 : e.standard_error / (p * (1 - p));
  double best = at;
  if (!none && !all) best = peak(profile, at, std::clamp(deviation, 0.3, 2.0));
  const double flat = flattening(profile, best, 0.05, deviation * deviation);
  const double least = profile(best) - flat * allowed_drop(level);
  // Where clusters have unequal sizes, their most likely mean is not quite that over items.
  const auto above = [&](double x) { return least - profile(x + best - at); };
  const double step = std::clamp(deviation, 0.3, 2.0);
  e.interval = {none ? 0 : logistic(crossing(above, at, -step, -2 * kFarthest)),
                all ? 1 : logistic(crossing(above, at, step, 2 * kFarthest))};
  e.method = Method::likelihood;
  return e;
}

ClusterSums PairedSums::differences() const {
  ClusterSums sums{first, count};
  for (size_t i = 0; i < second.size(); ++i) sums.sum[i] -= second[i];
  return sums;
}

uint64_t PairedSums::differing() const {
  uint64_t n = 0;
  for (size_t i = 0; i < first.size(); ++i) n += first[i] != 0 || second[i] != 0;
  return n;
}

PairedSums sum_pairs_by_cluster(std::span<const double> first, std::span<const double> second,
                                std::span<const uint64_t> cluster) {
  std::vector<double> only_first, only_second;
  for (size_t i = 0; i < first.size(); ++i) {
    only_first.push_back(std::max(0.0, first[i] - second[i]));
    only_second.push_back(std::max(0.0, second[i] - first[i]));
  }
  ClusterSums of_first = sum_by_cluster(only_first, cluster);
  return {std::move(of_first.sum), sum_by_cluster(only_second, cluster).sum,
          std::move(of_first.count)};
}

namespace {

// The likelihood of differences, at the share of differing items and the correlations that fit
// best.
class DifferenceProfile {
 public:
  explicit DifferenceProfile(const PairedSums& data) {
    for (size_t i = 0; i < data.count.size(); ++i) {
      const double differ = data.first[i] + data.second[i];
      differing_.add({differ, data.count[i] - differ});
      if (differ > 0) direction_.add({data.first[i], data.second[i]});
    }
  }
  struct Best {
    double value = 0;
    PairedModel model = {};
  };
  Best best(double difference) const {
    const double least = std::abs(difference);
    const auto differing = [&](double y) { return least + (1 - least) * logistic(y); };
    const auto minus = [&](double y) { return -at(difference, differing(y)).value; };
    boost::uintmax_t rounds = 40;
    const double y = boost::math::tools::brent_find_minima(minus, -18.0, 12.0, 20, rounds).first;
    return at(difference, differing(y));
  }

 private:
  Best at(double difference, double differing) const {
    const auto how_many = differing_.profile({differing, 1 - differing});
    const double first = (1 + difference / differing) / 2;
    const auto which = direction_.profile({first, 1 - first});
    return {how_many.value + which.value, {{}, differing, how_many.correlation, which.correlation}};
  }
  ClusterLikelihood<2> differing_, direction_;
};

}  // namespace

Difference likelihood_difference(const PairedSums& data, double level, uint64_t permutations,
                                 uint64_t seed) {
  const ClusterSums sums = data.differences();
  if (sums.total() < 0) {  // to the last digit the same as turned round
    Difference turned =
        likelihood_difference({data.second, data.first, data.count}, level, permutations, seed);
    turned.value = -turned.value;
    turned.interval = {-turned.interval.high, -turned.interval.low};
    return turned;
  }
  Difference e{clustered_difference(sums, level)};
  e.p = clustered_permutation(sums, permutations, seed);
  if (e.clusters < kFewestClusters) return e;
  const DifferenceProfile likelihood(data);
  constexpr double kLargest = 1 - 1e-9;
  const auto profile = [&](double x) {
    return likelihood.best(std::clamp(x, -kLargest, kLargest)).value;
  };
  const double at = std::min(e.value, kLargest), reach = std::clamp(e.standard_error, 0.02, 0.3);
  double best = at;
  if (e.value > 0 && e.value < 1) best = peak(profile, at, std::min(reach, (1 - at) / 3));
  const double h = std::min({0.1 * e.standard_error, (1 - best) / 2, 0.01});
  const double flat =
      h > 1e-6 ? flattening(profile, best, h, e.standard_error * e.standard_error) : 1;
  const double least = profile(best) - flat * allowed_drop(level);
  const auto above = [&](double x) { return least - profile(x + best - at); };
  e.interval = {crossing(above, at, -reach, -kLargest),
                e.value < 1 ? crossing(above, at, reach, kLargest) : 1};
  // Of all differences, that of zero has an exact test.
  auto& [low, high] = e.interval;
  if (e.p > 1 - level)
    low = std::min(low, 0.0), high = std::max(high, 0.0);
  else
    low = std::max(low, 0.0);
  e.method = Method::likelihood;
  return e;
}

double detectable_difference(const PairedSums& data, double alpha, double power) {
  if (data.differing() < kFewestDiffering) return std::nan("");
  PairedModel model = DifferenceProfile(data).best(data.differences().mean()).model;
  model.sizes = data.count;
  return detectable_difference(model, alpha, power);
}

}  // namespace minpair::stats
