#pragma once
// Two picks from the same set, and how many they share.

#include <cstdint>
#include <span>

namespace minpair::stats {

// So many of a set, picked twice, independently.
struct Picks {
  uint64_t of = 0, first = 0, second = 0;
};

// The chance that over all sets at least `shared` are in both picks: a sum of hypergeometric
// variables.
double shared_by_chance(std::span<const Picks> sets, uint64_t shared);

}  // namespace minpair::stats
