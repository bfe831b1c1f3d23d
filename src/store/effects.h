#pragma once
// What was found inside models, beside their scores in the same file. A sweep is one way of looking
// into one model over a suite; it has the effects of every item that was looked at.
// docs/results-format.md has the tables.
//
//   Store store("results.db", Store::Mode::write);
//   Store::Transaction t(store);
//   int64_t sweep = add_sweep(store, suite, model, {"lens", 1, "{}"}, {});
//   add_effects(store, sweep, ordinal, {"", {"lacht", "lachen"}, {0.5, 1.25}});
//   t.commit();

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "store/store.h"

namespace minpair::store {

// What sweeps of one suite and model are told apart by.
struct SweepName {
  std::string what;  // "lens"
  int version = 1;
  std::string options = "{}";  // all that the effects depend on, one JSON object in one line
  bool operator==(const SweepName&) const = default;
};

struct SweepRecord {
  int64_t id = 0;
  SuiteRecord suite;
  ModelRecord model;
  SweepName name;
  Facts facts;  // of the call that last added effects
};

// Of one item; who looks knows what the texts and values are.
struct Effects {
  std::string excluded;  // why it was not asked, or empty
  std::vector<std::string> texts;
  std::vector<double> values;
  bool operator==(const Effects&) const = default;
};

int64_t add_sweep(Store& store, int64_t suite, int64_t model, const SweepName& name,
                  const Facts& facts);  // gives the one that is there already, with new facts
// The item must be there (Store::add_item). Does nothing when the sweep has it already.
void add_effects(Store& store, int64_t sweep, uint64_t ordinal, const Effects& effects);
void add_sweep_shard(Store& store, int64_t sweep, const ShardRecord& shard);

std::vector<SweepRecord> sweeps(Store& store);
std::vector<ShardRecord> sweep_shards(Store& store, int64_t sweep);  // empty: it was not split
std::set<uint64_t> swept(Store& store, int64_t sweep);               // the items that it has
// In the order of the suite; `item` is its line of the suite.
void each_effects(Store& store, int64_t sweep,
                  const std::function<void(uint64_t ordinal, std::string_view item,
                                           const Effects& effects)>& each);

std::string pack_effects(const Effects& effects);
Effects unpack_effects(std::string_view bytes);  // throws on anything malformed

}  // namespace minpair::store
