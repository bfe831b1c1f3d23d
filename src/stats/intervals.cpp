#include <algorithm>
#include <cmath>

#include "stats/stats.h"

namespace minpair::stats {

Interval score_interval(double share, double n, double z) {
  double center = share + z * z / (2 * n), scale = 1 + z * z / n;
  double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, (center - half) / scale), std::min(1.0, (center + half) / scale)};
}

Interval wilson(double correct, double n, double level) {
  if (!(n > 0)) return {0, 1};
  return score_interval(correct / n, n, normal_quantile(0.5 + level / 2));
}

Interval exact_interval(double correct, double n, double level) {
  if (!(n > 0)) return {0, 1};
  double alpha = 1 - level, below = std::floor(correct), above = std::ceil(correct);
  double low = below == 0 ? 0 : beta_quantile(alpha / 2, below, n - below + 1);
  double high = above == n ? 1 : beta_quantile(1 - alpha / 2, above + 1, n - above);
  return {low, high};
}

}  // namespace minpair::stats
