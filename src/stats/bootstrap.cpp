#include <algorithm>
#include <cmath>
#include <thread>

#include "base/random.h"
#include "base/team.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

// R's boot: interpolates the order statistic (R+1)·alpha on the normal scale.
double order_statistic(const std::vector<double>& sorted, double alpha) {
  double r = double(sorted.size()), rank = (r + 1) * alpha;
  double k = std::floor(rank);
  if (k <= 0) return sorted.front();
  if (k >= r) return sorted.back();
  auto i = size_t(k);
  if (rank == k) return sorted[i - 1];
  double at = normal_quantile(alpha), before = normal_quantile(k / (r + 1)),
         after = normal_quantile((k + 1) / (r + 1));
  return sorted[i - 1] + (at - before) / (after - before) * (sorted[i] - sorted[i - 1]);
}

double one_replicate(const ClusterSums& data, uint64_t seed) {
  // Every replicate has a generator of its own, so that threads share nothing. Two draws from each
  // 64 random bits: a multiply and a shift, whose bias is below clusters / 2^32.
  Random random(seed);
  uint64_t clusters = data.sum.size(), bits = 0;
  double sum = 0, count = 0;
  for (uint64_t i = 0; i < clusters; ++i) {
    bits = i % 2 == 0 ? random.next() : bits >> 32;
    uint64_t pick = ((bits & 0xffffffffu) * clusters) >> 32;
    sum += data.sum[pick];
    count += data.count[pick];
  }
  return count > 0 ? sum / count : 0;
}

std::vector<double> all_replicates(const ClusterSums& data, const BootstrapOptions& options) {
  std::vector<double> replicates(options.replicates);
  unsigned available = std::max(1u, std::thread::hardware_concurrency());
  unsigned threads = options.threads > 0 ? unsigned(options.threads) : available;
  // Starting threads takes longer than a few draws.
  if (options.replicates * data.sum.size() < 2'000'000) threads = 1;
  share(replicates.size(), threads, [&](size_t i) {
    replicates[i] = one_replicate(data, options.seed * 0x9e3779b97f4a7c15 + i);
  });
  return replicates;
}

}  // namespace

Interval percentile_interval(std::vector<double> replicates, double level) {
  if (replicates.empty()) return {0, 1};
  std::sort(replicates.begin(), replicates.end());
  double alpha = (1 - level) / 2;
  return {order_statistic(replicates, alpha), order_statistic(replicates, 1 - alpha)};
}

Interval bca_interval(std::vector<double> replicates, double observed,
                      std::span<const double> jackknife, double level) {
  if (replicates.empty()) return {0, 1};
  std::sort(replicates.begin(), replicates.end());
  // With few clusters many replicates equal the observed value: half of them lie below it.
  auto [first, last] = std::equal_range(replicates.begin(), replicates.end(), observed);
  double below = 0.5 * double((first - replicates.begin()) + (last - replicates.begin()));
  double bias = normal_quantile(below / double(replicates.size()));
  // Influence values: leaving a helpful cluster out lowers the statistic.
  double center = mean(jackknife), squares = 0, cubes = 0;
  for (double j : jackknife) {
    double l = center - j;
    squares += l * l;
    cubes += l * l * l;
  }
  if (!std::isfinite(bias) || !(squares > 0))
    return percentile_interval(std::move(replicates), level);
  double acceleration = cubes / (6 * std::pow(squares, 1.5));
  auto adjusted = [&](double alpha) {
    double z = bias + normal_quantile(alpha);
    return order_statistic(replicates, normal_cdf(bias + z / (1 - acceleration * z)));
  };
  double alpha = (1 - level) / 2;
  return {adjusted(alpha), adjusted(1 - alpha)};
}

Bootstrap bootstrap_mean(const ClusterSums& data, const BootstrapOptions& options) {
  Bootstrap b;
  b.observed = data.mean();
  b.clusters = data.sum.size();
  b.replicates = options.replicates;
  b.percentile = b.bca = {std::nan(""), std::nan("")};
  if (b.clusters < kFewestClusters || options.replicates == 0) return b;
  std::vector<double> replicates = all_replicates(data, options);
  b.standard_error = standard_deviation(replicates);
  b.percentile = percentile_interval(replicates, options.level);
  b.bca = bca_interval(std::move(replicates), b.observed, leave_one_out(data), options.level);
  return b;
}

}  // namespace minpair::stats
