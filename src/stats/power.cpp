// How large a difference must be for the sign-flipping test to find it: suites are drawn and
// tested.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "stats/likelihood.h"

namespace minpair::stats {
namespace {

constexpr double kMostItems = 3e7;  // drawn for a power
constexpr uint64_t kExact = 12;     // clusters whose signs are all tried

// As clustered_permutation(); of many clusters the flipped sums are normal.
bool finds(const ClusterSums& differences, double alpha) {
  double sum = 0, squares = 0;
  uint64_t clusters = 0;
  for (double d : differences.sum) {
    sum += d;
    squares += d * d;
    clusters += d != 0;
  }
  if (clusters <= kExact) return clustered_permutation(differences) <= alpha;
  const double z = normal_quantile(1 - alpha / 2);
  return sum * sum > z * z * squares;
}

// How many of so many: balls from an urn, each returned with another of its kind.
double drawn(double number, double share, double correlation, Random& random) {
  double of_kind = 0;
  for (double n = 0; n < number; ++n)
    of_kind += random.uniform() * (1 - correlation + n * correlation) <
               share * (1 - correlation) + of_kind * correlation;
  return of_kind;
}

}  // namespace

double power_of_sign_flips(const PairedModel& model, double difference, double alpha,
                           uint64_t seed) {
  const double items = std::accumulate(model.sizes.begin(), model.sizes.end(), 0.0);
  const auto suites = uint64_t(std::clamp(kMostItems / 10 / items, 100.0, 400.0));
  const double differing = std::max(model.differing, difference);
  const double first = (1 + difference / differing) / 2;
  ClusterSums sums{std::vector<double>(model.sizes.size()), model.sizes};
  uint64_t found = 0;
  for (uint64_t suite = 0; suite < suites; ++suite) {
    Random random(seed * 0x9e3779b97f4a7c15 +
                  suite);  // the same draws for every difference, so that power only rises
    for (size_t g = 0; g < sums.sum.size(); ++g) {
      const double differ = drawn(model.sizes[g], differing, model.correlation, random);
      sums.sum[g] = 2 * drawn(differ, first, model.same_side, random) - differ;
    }
    found += finds(sums, alpha);
  }
  return double(found) / double(suites);
}

double detectable_difference(const PairedModel& model, double alpha, double power) {
  double low = 0, high = 1;
  if (!(power_of_sign_flips(model, high, alpha) >= power)) return std::nan("");
  // To a hundredth of itself, which is finer than the power of so many suites is known.
  while (high - low > 0.01 * high) {
    // Small differences are the usual ones.
    const double middle = low == 0 ? high / 4 : (low + high) / 2;
    if (high < 1e-6) break;
    (power_of_sign_flips(model, middle, alpha) >= power ? high : low) = middle;
  }
  return high;
}

}  // namespace minpair::stats
