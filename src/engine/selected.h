#pragma once
// The selected items of a suite, as a run reads them.
//
//   each_selected(suite, {.tests = {"simple_sentence"}, .sample = 100}, use);

#include <functional>

#include "engine/engine.h"

namespace minpair::engine {

// The suite as results files know it.
struct SuiteContent {
  std::string fingerprint;
  uint64_t items = 0;
};

// Calls `use` with every selected item and its place in the suite. Throws when there is none.
SuiteContent each_selected(
    const SuiteSource& suite, const Selection& selection,
    const std::function<void(uint64_t ordinal, const suite::Item& item)>& use);

}  // namespace minpair::engine
