#include "store/effects.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/checksum.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/sweeps.h"

namespace minpair::store {
namespace {

constexpr const char* kSweepIsWhole =
    "row_checksum(sweep, sweeps.suite, sweeps.model, what, version, options, facts) = "
    "sweeps.checksum";
constexpr const char* kEffectsAreWhole =
    "row_checksum(effects.sweep, effects.ordinal, effects) = effects.checksum";

bool has(Database& database, const char* table) {
  return database.number(fmt::format("SELECT 1 FROM sqlite_schema WHERE name = '{}'", table)) != 0;
}

std::string called(int64_t sweep, uint64_t ordinal) {
  return fmt::format("what sweep {} found for item {}", sweep, ordinal + 1);
}

class EffectRows : public StoredItems {
 public:
  EffectRows(Database& database, int64_t sweep)
      : database_(database),
        sweep_(sweep),
        rows_(database, std::string("SELECT effects.ordinal, effects, item, ") + kEffectsAreWhole +
                            " AND " + is_whole("items") +
                            " FROM effects JOIN sweeps ON sweeps.sweep = effects.sweep LEFT JOIN "
                            "items ON items.suite = sweeps.suite AND items.ordinal = "
                            "effects.ordinal WHERE effects.sweep = ? ORDER BY effects.ordinal") {
    rows_.bind(sweep);
  }

  bool next(StoredItem& item) override {
    if (!rows_.step()) return false;
    item.ordinal = uint64_t(rows_.integer(0));
    if (!rows_.integer(3)) throw damaged(database_, called(sweep_, item.ordinal));
    item.tokens = rows_.text(1);
    item.item = rows_.text(2);
    return true;
  }

 private:
  Database& database_;
  int64_t sweep_;
  Statement rows_;
};

}  // namespace

std::string pack_effects(const Effects& effects) {
  std::string bytes;
  auto text = [&](const std::string& t) {
    append_number(bytes, t.size());
    bytes += t;
  };
  text(effects.excluded);
  append_number(bytes, effects.texts.size());
  for (const std::string& t : effects.texts) text(t);
  append_number(bytes, effects.values.size());
  for (double value : effects.values) append_raw(bytes, value);
  return bytes;
}

Effects unpack_effects(std::string_view bytes) {
  auto text = [&] {
    const size_t size = take_count(bytes);
    std::string taken(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return taken;
  };
  Effects effects{text(), {}, {}};
  for (size_t n = take_count(bytes); n > 0; --n) effects.texts.push_back(text());
  for (size_t n = take_count(bytes, sizeof(double)); n > 0; --n)
    effects.values.push_back(take_raw<double>(bytes));
  if (!bytes.empty()) throw bad_input("effects continue after their end");
  return effects;
}

int64_t add_sweep(Store& store, int64_t suite, int64_t model, const SweepName& name,
                  const Facts& facts) {
  Database& database = store.database();
  database.run(kSweepTables);
  const std::string made = facts_json(facts);
  Statement find(database,
                 "SELECT sweep, facts FROM sweeps WHERE suite = ? AND model = ? AND what = ? AND "
                 "version = ? AND options = ?");
  find.bind(suite).bind(model).bind(name.what).bind(int64_t{name.version}).bind(name.options);
  int64_t sweep = database.number("SELECT coalesce(max(sweep), 0) + 1 FROM sweeps");
  if (find.step()) {
    if (find.text(1) == made) return find.integer(0);
    sweep = find.integer(0);
  }
  find.reset();
  Statement(database, "INSERT OR REPLACE INTO sweeps " + values_with_checksum(7))
      .bind(sweep)
      .bind(suite)
      .bind(model)
      .bind(name.what)
      .bind(int64_t{name.version})
      .bind(name.options)
      .bind(made)
      .run();
  return sweep;
}

void add_effects(Store& store, int64_t sweep, uint64_t ordinal, const Effects& effects) {
  Statement(store.database(), "INSERT OR IGNORE INTO effects " + values_with_checksum(3))
      .bind(sweep)
      .bind(int64_t(ordinal))
      .bind_blob(pack_effects(effects))
      .run();
}

void add_sweep_shard(Store& store, int64_t sweep, const ShardRecord& shard) {
  store.database().run(kSweepShardsTable);
  Statement(store.database(), "INSERT OR IGNORE INTO sweep_shards VALUES (?,?,?,?)")
      .bind(sweep)
      .bind(shard.plan)
      .bind(int64_t{shard.of})
      .bind(int64_t{shard.number})
      .run();
}

std::vector<SweepRecord> sweeps(Store& store) {
  Database& database = store.database();
  std::vector<SweepRecord> all;
  if (!has(database, "sweeps")) return all;
  // LEFT: a sweep whose suite or model lost its number is damaged, not absent.
  Statement s(database, std::string("SELECT sweep, what, version, options, facts, ") +
                            kSweepIsWhole + " AND " + suite_and_model_are_whole() + ", " +
                            kSuiteAndModel +
                            " FROM sweeps LEFT JOIN suites ON suites.suite = sweeps.suite LEFT "
                            "JOIN models ON models.model = sweeps.model ORDER BY sweep");
  while (s.step()) {
    if (!s.integer(5))
      throw damaged(database, fmt::format("what is said about sweep {}", s.integer(0)));
    all.push_back({s.integer(0),
                   suite_in(s, 6, store.path().string()),
                   model_in(s, 6),
                   {s.string(1), int(s.integer(2)), s.string(3)},
                   parse_facts(s.text(4), store.path().string())});
  }
  return all;
}

std::vector<ShardRecord> sweep_shards(Store& store, int64_t sweep) {
  std::vector<ShardRecord> shards;
  if (!has(store.database(), "sweep_shards")) return shards;
  Statement s(store.database(),
              "SELECT shard, shards, plan FROM sweep_shards WHERE sweep = ? ORDER BY plan, shards, "
              "shard");
  s.bind(sweep);
  while (s.step()) shards.push_back({uint32_t(s.integer(0)), uint32_t(s.integer(1)), s.string(2)});
  return shards;
}

std::set<uint64_t> swept(Store& store, int64_t sweep) {
  std::set<uint64_t> ordinals;
  Statement s(store.database(), "SELECT ordinal FROM effects WHERE sweep = ? ORDER BY ordinal");
  s.bind(sweep);
  while (s.step()) ordinals.insert(ordinals.end(), uint64_t(s.integer(0)));
  return ordinals;
}

void each_effects(Store& store, int64_t sweep,
                  const std::function<void(uint64_t, std::string_view, const Effects&)>& each) {
  EffectRows rows(store.database(), sweep);
  for (StoredItem item; rows.next(item);)
    each(item.ordinal, item.item, unpack_effects(item.tokens));
}

std::unique_ptr<StoredItems> effect_items(Store& store, int64_t sweep) {
  return std::make_unique<EffectRows>(store.database(), sweep);
}

CheckedEffects check_effects(Database& database, const std::function<void(std::string)>& find) {
  CheckedEffects checked;
  if (!has(database, "sweeps")) return checked;
  checked.sweeps = uint64_t(database.number("SELECT count(*) FROM sweeps"));
  Statement s(database, std::string("SELECT sweep FROM sweeps WHERE NOT ") + kSweepIsWhole);
  while (s.step()) find(fmt::format("the sweep {} is damaged", s.integer(0)));
  Statement rows(database, std::string("SELECT effects.sweep, effects.ordinal, effects, ") +
                               kEffectsAreWhole +
                               ", items.ordinal FROM effects LEFT JOIN sweeps ON sweeps.sweep = "
                               "effects.sweep LEFT JOIN items ON items.suite = sweeps.suite AND "
                               "items.ordinal = effects.ordinal ORDER BY 1, 2");
  for (; rows.step(); ++checked.items) {
    const std::string what = called(rows.integer(0), uint64_t(rows.integer(1)));
    if (!rows.integer(3)) {
      find(what + " is damaged");
      continue;
    }
    if (rows.is_null(4)) find(what + ": its item is missing");
    try {
      unpack_effects(rows.text(2));
    } catch (const Error& e) {
      find(what + ": " + e.message());
    }
  }
  return checked;
}

}  // namespace minpair::store
