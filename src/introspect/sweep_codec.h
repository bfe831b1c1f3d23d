#pragma once
// Readings as the results file has them, and back.

#include <functional>
#include <variant>

#include "introspect/sweep_cache.h"

namespace minpair::introspect {

// What the effects of a sweep depend on, besides the suite and the model.
store::SweepName sweep_of(const LensReadings& read);
store::SweepName sweep_of(const WordReadings& read);
store::SweepName sweep_of(const Direct& read);
store::SweepName sweep_of(const PatchReadings& read);
store::SweepName sweep_of(const AblateReadings& read);

std::string_view name_of(How how);

store::Effects packed(const LensReadings& read, size_t item);
store::Effects packed(const WordReadings& read, size_t item);
store::Effects packed(const Direct& read, size_t item);
store::Effects packed(const PatchReadings& read, size_t item);
store::Effects packed(const AblateReadings& read, size_t item);

using WantItem = std::function<bool(uint64_t ordinal, const suite::Item& item)>;
AnyReadings load_sweep(store::Store& store, const store::SweepRecord& sweep, const WantItem& want);

WantItem wanted_by(const EffectView& view);
struct Grids {
  report::Grid by_test, by_condition;
};
Grids grids_of(const AnyReadings& read, const EffectView& view);

// Those of a file that were asked for. Throws when there is none.
std::vector<store::SweepRecord> wanted_sweeps(store::Store& store, const EffectView& view);

}  // namespace minpair::introspect
