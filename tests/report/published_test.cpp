// The papers' tables from the scores that their authors released.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/released.h"
#include "report/report.h"
#include "suite/formats/format.h"
#include "support.h"

namespace minpair::report {
namespace {

using testing::data_dir;
using testing::no_data;
using testing::TemporaryFolder;

class Gevalm : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (data_dir().empty()) return;
    folder = std::make_unique<TemporaryFolder>();
    store = std::make_unique<store::Store>(*folder / "p.db", store::Store::Mode::write);
    auto items = suite::find_format("gevalm").read(data_dir() / "gevalm/output", {});
    engine::Released done =
        engine::store_released(*store, *items, "gevalm", engine::published_manifest("gevalm"));
    EXPECT_EQ(done.items, (std::map<std::string, uint64_t>{{kModel, 18230}}));
  }
  static void TearDownTestSuite() {
    store.reset();
    folder.reset();
  }
  void SetUp() override {
    if (data_dir().empty()) GTEST_SKIP() << no_data();
  }

  Table table(std::vector<std::string> by, judge::Lengths lengths) {
    ReportOptions options;
    options.by = std::move(by);
    options.policy.lengths = lengths;
    options.policy.ties = judge::Ties::paper;
    return make_tables(*store, options).at(0);
  }

  // "test condition" -> "accuracy of pairs"
  static std::map<std::string, std::string> cells(const Table& t) {
    std::map<std::string, std::string> all;
    for (const Row& row : t.rows)
      all[join(row.keys, " ")] =
          fmt::format("{:.4f} of {}", row.cells[0].accuracy, row.cells[0].tally.pairs);
    return all;
  }

  static std::map<std::string, std::string> printed(const suite::Manifest& m, bool conditions) {
    std::map<std::string, std::string> all;
    for (const suite::PublishedResult& r : m.results)
      if (r.model == kModel && r.condition.empty() != conditions)
        all[conditions ? r.test + " " + r.condition : r.test] =
            fmt::format("{:.4f} of {}", r.accuracy, *r.pairs);
    return all;
  }

  static constexpr const char* kModel = "bert-base-german-dbmdz-cased";
  static inline std::unique_ptr<TemporaryFolder> folder;
  static inline std::unique_ptr<store::Store> store;
};

TEST_F(Gevalm, Table1) {
  std::map<std::string, std::string> expected =
      printed(engine::published_manifest("gevalm"), false);
  ASSERT_EQ(expected.size(), 14u);
  EXPECT_EQ(expected["SimplSent"], "0.9420 of 69");
  // One file was never released: 120 of 468 pairs, of which 113 were right.
  EXPECT_EQ(expected["SVVorf"], "0.8355 of 468");
  expected["SVVorf"] = "0.7989 of 348";
  // 239 of 240; the printed figure is the mean of the two conditions' rounded figures.
  EXPECT_EQ(expected["SVModifier"], "0.9959 of 240");
  expected["SVModifier"] = "0.9958 of 240";
  EXPECT_EQ(cells(table({"test"}, judge::Lengths::equal)), expected);
}

TEST_F(Gevalm, Table2) {
  std::map<std::string, std::string> expected = printed(engine::published_manifest("gevalm"), true);
  ASSERT_EQ(expected.size(), 48u);
  // Printed the other way round, and one condition without a file.
  std::swap(expected["SVVorf sgpl"], expected["SVVorf plsg"]);
  EXPECT_EQ(expected.erase("SVVorf plpl"), 1u);
  // 1221 of 1350 is 0.90444.
  EXPECT_EQ(expected["RA_acc SentCompl"], "0.9045 of 1350");
  expected["RA_acc SentCompl"] = "0.9044 of 1350";
  Table t = table({"condition"}, judge::Lengths::equal);
  EXPECT_EQ(cells(t), expected);
  EXPECT_EQ(t.notes.size(), 6u);
}

TEST_F(Gevalm, EveryItemIsAccountedFor) {
  for (judge::Lengths lengths : {judge::Lengths::equal, judge::Lengths::all}) {
    Table t = table({"test"}, lengths);
    const Tally& total = t.total.cells[0].tally;
    uint64_t sum = total.pairs;
    for (const auto& [reason, n] : total.excluded) sum += n;
    EXPECT_EQ(sum, 18230u);
    EXPECT_EQ(total.items, 18230u);
    EXPECT_EQ(total.pairs, lengths == judge::Lengths::equal ? 13002u : 18230u);
  }
}

TEST_F(Gevalm, ReadingItTwiceChangesNothing) {
  auto items = suite::find_format("gevalm").read(data_dir() / "gevalm/output", {});
  engine::store_released(*store, *items, "gevalm", engine::published_manifest("gevalm"));
  EXPECT_EQ(store->runs().size(), 1u);
  EXPECT_EQ(table({"test"}, judge::Lengths::all).total.cells[0].tally.items, 18230u);
}

TEST(BertSyntax, Table2) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  TemporaryFolder folder;
  store::Store store(folder / "p.db", store::Store::Mode::write);
  auto items = suite::find_format("bert-syntax-results")
                   .read(data_dir() / "gulordava/gulordava_results_base.txt", {});
  engine::Released done = engine::store_released(store, *items, "bert-syntax-results",
                                                 engine::published_manifest("bert-syntax-results"));
  EXPECT_EQ(done.no_items["is or are"], 14u);
  ReportOptions options;
  options.by = {"condition"};
  options.policy.ties = judge::Ties::paper;
  Table t = make_tables(store, options).at(0);
  auto cell = [](const Row& row) {
    return fmt::format("{:.2f} of {}", row.cells[0].accuracy, row.cells[0].tally.pairs);
  };
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(cell(t.total), "0.83 of 383");
  EXPECT_EQ(cell(t.rows[0]), "0.84 of 311");
  EXPECT_EQ(cell(t.rows[1]), "0.81 of 63");
  EXPECT_EQ(cell(t.rows[2]), "0.89 of 9");
  EXPECT_TRUE(t.notes.empty());
}

}  // namespace
}  // namespace minpair::report
