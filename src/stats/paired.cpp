#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

bool is_tie(double outcome) { return outcome != 0 && outcome != 1; }

// Sums of sign-flipped differences come from the same numbers in another order: equal up to
// rounding.
bool at_least_as_extreme(double sum, double observed) {
  return std::abs(sum) >= std::abs(observed) * (1 - 1e-12) - 1e-12;
}

double exhaustive_permutation(const std::vector<double>& d, double observed) {
  // In the order of a Gray code, each of all sign vectors differs from the one before in one sign.
  // Half of them are the other half turned round.
  const uint64_t all = uint64_t{1} << (d.size() - 1);
  std::vector<double> step;
  for (double x : d) step.push_back(-2 * x);
  double sum = observed;
  uint64_t hits = 1;
  for (uint64_t i = 1; i < all; ++i) {
    double& change = step[size_t(std::countr_zero(i))];
    sum += change;
    change = -change;
    hits += at_least_as_extreme(sum, observed);
  }
  return double(hits) / double(all);
}

std::vector<size_t> ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

PairedCounts count_pairs(std::span<const double> first, std::span<const double> second) {
  PairedCounts c;
  for (size_t i = 0; i < first.size() && i < second.size(); ++i) {
    if (is_tie(first[i]) || is_tie(second[i]))
      ++c.with_ties;
    else if (first[i] == 1)
      ++(second[i] == 1 ? c.both_right : c.only_first);
    else
      ++(second[i] == 1 ? c.only_second : c.both_wrong);
  }
  return c;
}

double mcnemar_exact(uint64_t only_first, uint64_t only_second) {
  uint64_t n = only_first + only_second, fewer = std::min(only_first, only_second);
  if (n == 0) return 1;
  return std::min(1.0, 2 * binomial_cdf(fewer, n, 0.5));
}

double clustered_permutation(const ClusterSums& differences, uint64_t permutations, uint64_t seed) {
  std::vector<double> d;
  for (double s : differences.sum)
    if (s != 0) d.push_back(s);
  double observed = std::accumulate(d.begin(), d.end(), 0.0);
  if (d.empty()) return 1;
  if (d.size() <= 16) return exhaustive_permutation(d, observed);
  Random random(seed);
  uint64_t hits = 1, bits = 0;
  for (uint64_t i = 0; i < permutations; ++i) {
    double sum = 0;
    for (size_t k = 0; k < d.size(); ++k) {
      bits = k % 64 == 0 ? random.next() : bits >> 1;
      sum += bits & 1 ? -d[k] : d[k];
    }
    hits += at_least_as_extreme(sum, observed);
  }
  return double(hits) / double(permutations + 1);
}

double smallest_p(uint64_t clusters) {
  return std::ldexp(1.0, 1 - int(std::min<uint64_t>(clusters, 1000)));
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  double running = 0, m = double(p.size()), rank = 0;
  for (size_t i : ascending(p)) {
    running = std::max(running, std::min(1.0, (m - rank) * p[i]));
    adjusted[i] = running;
    ++rank;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  std::vector<size_t> order = ascending(p);
  double running = 1, m = double(p.size());
  for (size_t k = order.size(); k > 0; --k) {
    running = std::min(running, m / double(k) * p[order[k - 1]]);
    adjusted[order[k - 1]] = running;
  }
  return adjusted;
}

}  // namespace minpair::stats
