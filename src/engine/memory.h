#pragma once
// The most memory that a run takes, known before it begins.

#include <cstdint>

#include "engine/engine.h"

namespace minpair::engine {

// Bytes, as `ulimit -v` counts them, after a dry run of the same in this process; 0 where the
// system does not say. The number of items does not matter: what does not fit into the plan's
// memory is sorted in files.
uint64_t most_memory(const PlanOptions& plan);

}  // namespace minpair::engine
