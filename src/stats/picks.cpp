#include "stats/picks.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stats/gamma.h"

namespace minpair::stats {

double shared_by_chance(std::span<const Picks> sets, uint64_t shared) {
  if (shared == 0) return 1;
  auto log_choose = [](uint64_t n, uint64_t k) {
    return log_gamma(double(n) + 1) - log_gamma(double(k) + 1) - log_gamma(double(n - k) + 1);
  };
  std::vector<double> chances{1};  // of 0, 1, 2, ... in both
  for (const Picks& set : sets) {
    const uint64_t most = std::min(set.first, set.second);
    std::vector<double> more(chances.size() + most);
    for (uint64_t k = 0; k <= most; ++k) {
      if (set.second - k > set.of - set.first) continue;
      const double one =
          std::exp(log_choose(set.first, k) + log_choose(set.of - set.first, set.second - k) -
                   log_choose(set.of, set.second));
      for (size_t i = 0; i < chances.size(); ++i) more[i + k] += chances[i] * one;
    }
    chances = std::move(more);
  }
  double sum = 0;
  for (size_t i = chances.size(); i-- > shared;) sum += chances[i];
  return std::min(1.0, sum);
}

}  // namespace minpair::stats
