#pragma once
// The item that is the same but for one feature: the subject has the other number, so that the
// forms at the locus change places; or the attractor has it, and they stay.
//
//   std::vector<Counterpart> others = find_counterparts(items, whole_suite(suite), Swap::subject);

#include <span>
#include <vector>

#include "engine/engine.h"
#include "introspect/patch.h"

namespace minpair::introspect {

struct Counterpart {
  suite::Item item;
  Span here, there;                // the first words that differ, in the right sentences
  Reason excluded = Reason::none;  // why there is none
};

// What the item itself states (the feature patch_prefix); else, of all items with the same test,
// language, cluster and forms, in which at most one part of the condition differs, and as many
// words: the one in which fewest words differ, then fewest letters are replaced.
std::vector<Counterpart> find_counterparts(std::span<const suite::Item> items,
                                           const engine::SuiteSource& whole, Swap swap);

}  // namespace minpair::introspect
