#pragma once
// Sweeps as merging and checking see them.

#include <functional>
#include <memory>
#include <string>

#include "store/effects.h"

namespace minpair::store {

// The packed effects stand in `tokens`.
std::unique_ptr<StoredItems> effect_items(Store& store, int64_t sweep);

struct CheckedEffects {
  uint64_t sweeps = 0, items = 0;
};
CheckedEffects check_effects(Database& database, const std::function<void(std::string)>& find);

}  // namespace minpair::store
