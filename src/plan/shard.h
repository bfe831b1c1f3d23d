#pragma once
// A suite split over machines that do not talk to each other. Every one of them plans the whole
// suite, and all come to the same split: items that ask alike stand side by side, so that little is
// computed twice, and the cuts are where the tokens are even.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/distinct.h"

namespace minpair {

struct Shard {
  uint32_t number = 1, of = 1;  // from 1
  bool whole() const { return of == 1; }
};

Shard parse_shard(const std::string& text);  // "3/8"
std::string shard_text(const Shard& shard);

// Which of the plan's items belong to the shard. Items that ask nothing belong to the first.
std::vector<bool> items_of(const Shard& shard, SortedRecords& questions, uint64_t items,
                           QueryOrder order);

}  // namespace minpair
