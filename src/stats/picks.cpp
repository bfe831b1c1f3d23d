#include "stats/picks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "stats/stats.h"

namespace minpair::stats {

double shared_by_chance(std::span<const Picks> sets, uint64_t shared) {
  if (shared == 0) return 1;
  std::vector<double> chances{1};  // of 0, 1, 2, ... in both
  for (const Picks& set : sets) {
    const uint64_t most = std::min(set.first, set.second);
    std::vector<double> more(chances.size() + most);
    for (uint64_t k = 0; k <= most; ++k) {
      const double one = hypergeometric_density(k, set.first, set.second, set.of);
      for (size_t i = 0; i < chances.size(); ++i) more[i + k] += chances[i] * one;
    }
    chances = std::move(more);
  }
  double sum = 0;
  for (size_t i = chances.size(); i-- > shared;) sum += chances[i];
  return std::min(1.0, sum);
}

}  // namespace minpair::stats
