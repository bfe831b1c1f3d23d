// What was found inside models, in the results file: kept, merged, checked.

#include "store/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "store/check.h"
#include "store/merge.h"
#include "store/sqlite.h"
#include "support.h"

namespace minpair::store {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

suite::Item item_of(const std::string& id) {
  suite::Item item;
  item.id = id, item.test = "simple";
  item.sentences = {{{"Er lacht " + id}, {}, true}, {{"Er lachen " + id}, {}, false}};
  suite::align_loci(item.sentences);
  return item;
}

const SweepName kLens{"lens", 1, "{}"};

void add(const std::filesystem::path& file, const std::vector<uint64_t>& ordinals,
         const std::optional<ShardRecord>& shard = {}, double more = 0) {
  Store store(file, Store::Mode::write);
  Store::Transaction transaction(store);
  suite::Manifest manifest;
  manifest.name = "suite";
  const int64_t suite = store.add_suite({0, "suite", "f", 9, manifest});
  const int64_t model = store.add_model({0, "mini", "w", "t", "fp32", "masked", "bert", 5, {}});
  const int64_t sweep = add_sweep(store, suite, model, kLens, {{"version", "1"}});
  for (uint64_t o : ordinals) {
    store.add_item(suite, o, item_of(std::to_string(o)));
    add_effects(store, sweep, o,
                {o == 2 ? "too long" : "", {"lacht", "lachen"}, {double(o) + more}});
  }
  if (shard) add_sweep_shard(store, sweep, *shard);
  transaction.commit();
}

std::vector<double> first_values(const std::filesystem::path& file) {
  Store store(file, Store::Mode::read);
  std::vector<double> values;
  for (const SweepRecord& sweep : sweeps(store))
    each_effects(store, sweep.id, [&](uint64_t, std::string_view, const Effects& effects) {
      values.push_back(effects.values.at(0));
    });
  return values;
}

TEST(Effects, ComeBackAsTheyWere) {
  const Effects effects{"", {"", "über"}, {0.1, -HUGE_VAL, 1e300}};
  EXPECT_EQ(unpack_effects(pack_effects(effects)), effects);
  EXPECT_TRUE(std::isnan(unpack_effects(pack_effects({"", {}, {std::nan("")}})).values[0]));
  const std::string bytes = pack_effects(effects);
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(unpack_effects(std::string_view(bytes).substr(0, n)), Error);
  EXPECT_THROW(unpack_effects(bytes + "x"), Error);
}

TEST(Effects, AreFoundByWhatTheyDependOn) {
  TemporaryFolder dir;
  add(dir / "a.db", {0, 2});
  add(dir / "a.db", {1, 2}, {}, 100);  // what is there stays
  EXPECT_THAT(first_values(dir / "a.db"), ElementsAre(0, 101, 2));
  Store store(dir / "a.db", Store::Mode::read);
  const std::vector<SweepRecord> all = sweeps(store);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, kLens);
  EXPECT_EQ(all[0].suite.name, "suite");
  EXPECT_EQ(all[0].model.architecture, "bert");
  EXPECT_THAT(swept(store, all[0].id), ElementsAre(0, 1, 2));
  EXPECT_THAT(store.runs(), IsEmpty());
}

TEST(Effects, OfShardsGiveTheBytesOfOne) {
  TemporaryFolder dir;
  add(dir / "whole.db", {0, 1, 2, 3});
  add(dir / "1.db", {0, 1}, ShardRecord{1, 2, "plan"});
  EXPECT_THROW(merge_results({dir / "1.db"}, dir / "early.db"), Error);
  add(dir / "2.db", {2, 3}, ShardRecord{2, 2, "plan"});
  EXPECT_EQ(merge_results({dir / "1.db", dir / "2.db"}, dir / "merged.db").sweeps, 1u);
  EXPECT_EQ(read_file(dir / "merged.db", 1 << 26), read_file(dir / "whole.db", 1 << 26));
  add(dir / "other.db", {3}, {}, 7);
  try {
    merge_results({dir / "whole.db", dir / "other.db"}, dir / "both.db");
    FAIL() << "two say different things";
  } catch (const Error& e) {
    EXPECT_THAT(e.message(), HasSubstr("from item 4 on"));
  }
}

TEST(Effects, AreChecked) {
  TemporaryFolder dir;
  add(dir / "a.db", {0, 1});
  Checked checked = check_results(dir / "a.db");
  EXPECT_THAT(checked.findings, IsEmpty());
  EXPECT_EQ(checked.sweeps, 1u);
  EXPECT_EQ(checked.effects, 2u);
  Database(dir / "a.db", SQLITE_OPEN_READWRITE)
      .run("UPDATE effects SET effects = 'x' WHERE ordinal = 1");
  EXPECT_THAT(check_results(dir / "a.db").findings,
              ElementsAre("what sweep 1 found for item 2 is damaged"));
  EXPECT_THROW(first_values(dir / "a.db"), Error);
  Database(dir / "a.db", SQLITE_OPEN_READWRITE).run("UPDATE sweeps SET what = 'patch'");
  EXPECT_THAT(check_results(dir / "a.db").findings[0], HasSubstr("the sweep 1 is damaged"));
}

}  // namespace
}  // namespace minpair::store
