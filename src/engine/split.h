#pragma once
// How a plan is cut into shards.

#include <cstdint>
#include <vector>

#include "engine/distinct.h"
#include "engine/engine.h"

namespace minpair::engine {

// Which of the plan's items belong to the shard. Items that ask nothing belong to the first.
std::vector<bool> items_of(const Shard& shard, SortedRecords& questions,
                           const query::Reducers& reducers, uint64_t items, QueryOrder order);

}  // namespace minpair::engine
