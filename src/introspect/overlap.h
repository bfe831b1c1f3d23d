#pragma once
// Do the same heads, neurons or units serve other tests, other languages, other models? A view of
// effects in a results file. docs/interventions.md says what each figure is.
//
//   std::vector<report::Grid> tables = overlap_tables(store, {}, 0.05);

#include <vector>

#include "introspect/sweep_cache.h"

namespace minpair::introspect {

// The strongest `share` of each layer's parts in one group of items and in another, pair by pair; a
// group with itself: in the two halves of its items. A table for each site and way to change it.
// Throws when no parts were changed one by one.
std::vector<report::Grid> overlap_tables(store::Store& store, const EffectView& view, double share);
// The same; none where no parts were changed one by one.
std::vector<report::Grid> overlap_tables_if_any(store::Store& store, const EffectView& view,
                                                double share);

}  // namespace minpair::introspect
