#pragma once
// Effects in a results file: what it has is not asked again, what is new is stored beside it, and
// all that was wanted is read back. Who is killed goes on where it stopped.
//
//   Keeping keeping{store, sources_of(suite), {.sample = 100}};
//   LensReadings read = keep_lens(model, keeping);
//   std::vector<report::Grid> tables = effect_tables(store, {});

#include <filesystem>
#include <string>
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

struct Keeping {
  store::Store& store;
  Sources suite;
  engine::Selection selection;
  engine::Shard shard;
  model::LoadOptions load;  // how the model was loaded, for the facts
  engine::Tick tick;
};

LensReadings keep_lens(query::Model& model, const Keeping& keeping);
WordReadings keep_erasure(query::Model& model, const Keeping& keeping, const std::string& evidence);
WordReadings keep_alti(query::Model& model, const Keeping& keeping, const std::string& evidence);
Direct keep_direct(query::Model& model, const Keeping& keeping);
PatchReadings keep_patches(query::Model& model, const Keeping& keeping,
                           const PatchOptions& options);
AblateReadings keep_ablations(query::Model& model, const Keeping& keeping,
                              const AblateOptions& options);

// Which effects of a results file, and how they are shown. Empty lists mean all.
struct EffectView {
  std::vector<std::string> suites, models, tests, conditions, languages;
  std::string by;   // "all", "test", "condition"; empty: as 'introspect' does
  size_t top = 20;  // heads, neurons and units
};

// One for each sweep. Throws when there is none.
std::vector<report::Grid> effect_tables(store::Store& store, const EffectView& view);
// A row for every item and layer, word, part, place or component, the same columns for all.
tidy::Frame effect_rows(store::Store& store, const EffectView& view);

}  // namespace minpair::introspect
