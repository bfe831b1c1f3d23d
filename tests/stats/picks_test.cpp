// Two picks from the same set: what they share by chance, against counting all of them.

#include "stats/picks.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace minpair::stats {
namespace {

// Every second pick of every set beside the first so many, one after the other.
double counted(const std::vector<Picks>& sets, uint64_t shared) {
  std::vector<double> chances{1};
  for (const Picks& set : sets) {
    std::vector<double> all(set.of + 1), next(chances.size() + set.of);
    double picks = 0;
    for (uint32_t second = 0; second < 1u << set.of; ++second) {
      if (uint64_t(std::popcount(second)) != set.second) continue;
      ++picks, ++all[size_t(std::popcount(second & ((1u << set.first) - 1)))];
    }
    for (size_t i = 0; i < chances.size(); ++i)
      for (size_t k = 0; k < all.size(); ++k) next[i + k] += chances[i] * all[k] / picks;
    chances = next;
  }
  double sum = 0;
  for (size_t i = shared; i < chances.size(); ++i) sum += chances[i];
  return sum;
}

TEST(Picks, AreSharedByChance) {
  for (const std::vector<Picks>& sets : {std::vector<Picks>{{10, 3, 3}},
                                         {{8, 5, 6}},
                                         {{6, 1, 1}, {6, 1, 1}, {6, 1, 1}},
                                         {{9, 4, 2}, {5, 5, 1}, {7, 0, 3}}})
    for (uint64_t shared = 0; shared < 8; ++shared)
      EXPECT_NEAR(shared_by_chance(sets, shared), counted(sets, shared), 1e-12) << shared;
  EXPECT_EQ(shared_by_chance(std::vector<Picks>{{10, 3, 3}}, 0), 1);
  EXPECT_EQ(shared_by_chance(std::vector<Picks>{{10, 3, 3}}, 4), 0);
  EXPECT_EQ(shared_by_chance({}, 0), 1);
  // By whole numbers of any length.
  EXPECT_NEAR(shared_by_chance(std::vector<Picks>{{3072, 154, 154}}, 20), 5.6882626312963e-5,
              1e-13);
}

}  // namespace
}  // namespace minpair::stats
