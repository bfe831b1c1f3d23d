#pragma once
// Effects in a results file: what it has is not asked again, what is new is stored beside it, and
// all that was requested is read back. An interrupted call resumes where it stopped.
//
//   SweepRequest request{store, sources_of(suite), {.sample = 100}};
//   LensReadings read = cached_lens(model, request);
//   std::vector<report::Grid> tables = effect_tables(store, {});

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "introspect/attribute.h"
#include "introspect/introspect.h"
#include "introspect/patch.h"
#include "store/effects.h"

namespace minpair::introspect {

// One suite, three times: as a run reads it; its items with subject and attractor; and all that its
// grammars know, where counterparts are looked for.
struct Sources {
  engine::SuiteSource plain, roles, whole;
};
Sources sources_of(const suite::Suite& suite);

bool is_results(const std::filesystem::path& file);  // by its name: .db, .sqlite

struct SweepRequest {
  store::Store& store;
  Sources suite;
  engine::Selection selection;
  engine::Shard shard;
  model::LoadOptions load;  // how the model was loaded, for the facts
  engine::Tick tick;
};

LensReadings cached_lens(query::Model& model, const SweepRequest& request);
WordReadings cached_erasure(query::Model& model, const SweepRequest& request,
                            const std::string& evidence);
WordReadings cached_alti(query::Model& model, const SweepRequest& request,
                         const std::string& evidence);
Direct cached_direct(query::Model& model, const SweepRequest& request);
PatchReadings cached_patches(query::Model& model, const SweepRequest& request,
                             const PatchOptions& options);
AblateReadings cached_ablations(query::Model& model, const SweepRequest& request,
                                const AblateOptions& options);

using AnyReadings = std::variant<LensReadings, WordReadings, Direct, PatchReadings, AblateReadings>;
// A row for every item and layer, word, part, place or component, the same columns for all; one row
// for every item that was excluded, and for every place that it lacks.
tidy::Frame effect_rows(const AnyReadings& read);

// Which effects of a results file, and how they are shown. Empty lists mean all.
struct EffectView {
  std::vector<std::string> suites, models, tests, conditions, languages;
  std::string by;   // "all", "test", "condition"; empty: as 'introspect' does
  size_t top = 20;  // heads, neurons and units
};

// One for each sweep. Throws when there is none.
std::vector<report::Grid> effect_tables(store::Store& store, const EffectView& view);
// The rows of all of them.
tidy::Frame effect_rows(store::Store& store, const EffectView& view);

}  // namespace minpair::introspect
