#pragma once
// The effects of a results file as the page shows them (web/src/inside.ts).
//
//   std::string json = effects_json(store, {});

#include <string>

#include "introspect/sweep_cache.h"

namespace minpair::introspect {

// Tables of every sweep by test and condition, and single sentences with what their words do. Empty
// where the file has no effects.
std::string effects_json(store::Store& store, const EffectView& view);

}  // namespace minpair::introspect
