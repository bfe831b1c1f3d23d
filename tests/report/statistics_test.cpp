#include "report/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results.h"

namespace minpair::report {
namespace {

using testing::add_run_of;
using testing::GivenItem;

// 20 items in each of the four conditions; so many of them wrong.
std::vector<GivenItem> crossed(int sgsg, int sgpl, int plsg, int plpl) {
  std::vector<GivenItem> all;
  auto add = [&](const std::string& condition, int wrong) {
    for (int i = 0; i < 20; ++i)
      all.push_back({"t", condition, "c" + std::to_string(i), i < wrong ? -3.0 : -1.0, -2.0, ""});
  };
  add("sg_sg", sgsg);
  add("sg_pl", sgpl);
  add("pl_sg", plsg);
  add("pl_pl", plpl);
  return all;
}

double number(const GridValue& v) { return std::get<double>(v); }

TEST(Statistics, TheSaturatedModelGivesTheLogOddsOfTheConditions) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_run_of(store, "s", "A", "masked", crossed(2, 8, 10, 4));
  std::vector<Grid> grids = statistics_grids(store, {});
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(number(grids[0].rows[0][2]), 20);  // clusters
  EXPECT_DOUBLE_EQ(number(grids[0].rows[0][3]), 56.0 / 80);
  EXPECT_GT(number(grids[0].rows[0][7]), 1);  // wrong together: worth fewer items
  auto odds = [](double wrong) { return std::log((20 - wrong) / wrong); };
  ASSERT_EQ(grids[1].rows.size(), 3u);
  double differ = (odds(8) + odds(10) - odds(2) - odds(4)) / 2;
  double plural_subject = (odds(10) - odds(8) + odds(4) - odds(2)) / 2;
  EXPECT_NEAR(number(grids[1].rows[0][2]), plural_subject, 1e-8);
  EXPECT_NEAR(number(grids[1].rows[2][2]), differ, 1e-8);
}

TEST(Statistics, ConditionsWithoutMistakesGetFirthsEstimate) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_run_of(store, "s", "A", "masked", crossed(0, 8, 10, 4));
  std::vector<Grid> grids = statistics_grids(store, {});
  ASSERT_EQ(grids[1].rows.size(), 3u);
  // Saturated: half a sentence is added to every cell.
  auto odds = [](double wrong) { return std::log((20.5 - wrong) / (wrong + 0.5)); };
  double differ = (odds(8) + odds(10) - odds(0) - odds(4)) / 2;
  EXPECT_NEAR(number(grids[1].rows[2][2]), differ, 1e-8);
  EXPECT_EQ(std::get<std::string>(grids[1].rows[2][6]), "Firth");
  // It knows no clusters, so nothing is said of how sure it is.
  for (size_t column : {3, 4, 5}) EXPECT_TRUE(std::isnan(number(grids[1].rows[2][column])));
  EXPECT_EQ(grids[1].notes.size(), 2u);
}

TEST(Statistics, AHandfulOfClustersCarriesNoInterval) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  std::vector<GivenItem> given = crossed(2, 8, 10, 4);
  for (size_t i = 0; i < given.size(); ++i) given[i].cluster = "c" + std::to_string(i % 4);
  add_run_of(store, "s", "A", "masked", given);
  std::string text = render_grids(statistics_grids(store, {}), "table");
  EXPECT_THAT(text, ::testing::HasSubstr("0.7000     –   –              –"));
  EXPECT_THAT(text, ::testing::HasSubstr("fewer than 5 clusters carry no interval"));
  EXPECT_THAT(text, ::testing::HasSubstr("fewer than 5 clusters carry no standard error"));
}

// What goes to print has the intervals of --stats, not narrower ones over items.
TEST(Statistics, TablesCanHaveTheSameIntervals) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_run_of(store, "s", "A", "masked", crossed(2, 8, 10, 4));
  const Grid grid = statistics_grids(store, {})[0];
  ReportOptions options;
  const Table without = make_tables(store, options).at(0);
  options.with_values = true;
  const Table clustered = make_tables(store, options).at(0);
  // Whoever asks for no intervals gets none, rather than others.
  EXPECT_TRUE(std::isnan(without.rows[0].cells[0].interval.low));
  EXPECT_EQ(clustered.clusters, "clusters: as the suite states them");
  const Cell& cell = clustered.rows.at(0).cells.at(0);
  EXPECT_DOUBLE_EQ(cell.accuracy, 56.0 / 80);
  EXPECT_DOUBLE_EQ(cell.interval.low, number(grid.rows[0][4]));
  EXPECT_DOUBLE_EQ(cell.interval.high, number(grid.rows[0][5]));
  EXPECT_DOUBLE_EQ(clustered.total.cells.at(0).interval.low, cell.interval.low);
  // One condition alone, and other clusters: each item is its own.
  options.by = {"condition"};
  options.cluster = "item";
  const Cell one = make_tables(store, options).at(0).rows.at(1).cells.at(0);
  EXPECT_DOUBLE_EQ(one.interval.low, stats::wilson(12, 20).low);
  EXPECT_EQ(one.method, stats::Method::wilson);
  // Four clusters carry none.
  options.cluster = "template";
  EXPECT_TRUE(std::isnan(make_tables(store, options).at(0).total.cells.at(0).interval.low));
}

TEST(Statistics, NamesThatNoItemHasAreErrors) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_run_of(store, "s", "A", "masked", crossed(2, 8, 10, 4));
  EXPECT_THROW(statistics_grids(store, {{.tests = {"typo"}}}), Error);
  EXPECT_THROW(make_tables(store, {{.conditions = {"sg_sp"}}}), Error);
  EXPECT_THROW(make_tables(store, {{.languages = {"xx"}}}), Error);
}

TEST(Statistics, MethodsAgree) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_run_of(store, "s", "A", "masked", crossed(2, 8, 10, 4));
  add_run_of(store, "s", "A", "ce", crossed(2, 8, 10, 8));
  std::vector<Grid> grids = statistics_grids(store, {});
  const Grid& agreement = grids.back();
  EXPECT_EQ(agreement.key, "agreement");
  EXPECT_DOUBLE_EQ(number(agreement.rows.at(0)[3]), 76.0 / 80);
  for (const Grid& g : grids) EXPECT_THAT(g.notes, ::testing::Contains("a tie counts one half"));
}

TEST(Statistics, ObeyThePolicyAndSayIt) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  suite::Manifest paper;
  paper.ties = "right";  // the method's paper says wrong
  std::vector<GivenItem> given = {{"t", "", "", -1, -2, ""}, {"t", "", "", -3, -2, ""}};
  for (int i = 0; i < 6; ++i) given.push_back({"t", "", "", -2, -2, ""});
  given.push_back({"t", "", "", 0, 0, "unknown_locus"});
  add_run_of(store, "s", "A", "masked", given, paper);
  auto grid = [&](const judge::Policy& policy) {
    ReportOptions o;
    o.policy = policy;
    return statistics_grids(store, o).at(0);
  };
  auto accuracy = [&](const judge::Policy& policy) { return number(grid(policy).rows[0][3]); };
  EXPECT_DOUBLE_EQ(accuracy({}), 4.0 / 8);
  EXPECT_DOUBLE_EQ(accuracy({.ties = judge::Ties::right}), 7.0 / 8);
  EXPECT_DOUBLE_EQ(accuracy({.ties = judge::Ties::wrong}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(accuracy({.ties = judge::Ties::paper}), 7.0 / 8);
  EXPECT_DOUBLE_EQ(accuracy({.oov = judge::Oov::wrong}), 4.0 / 9);
  EXPECT_EQ(grid({.ties = judge::Ties::right}).notes.back(), "a tie counts as right");
}

TEST(Statistics, NamesOfConditions) {
  bool a = false, b = true;
  EXPECT_TRUE(numbers_of_condition("pl_sg", a, b));
  EXPECT_TRUE(a);
  EXPECT_FALSE(b);
  EXPECT_TRUE(numbers_of_condition("sgpl", a, b));
  EXPECT_FALSE(numbers_of_condition("sg", a, b));
  EXPECT_FALSE(numbers_of_condition("acc_dat", a, b));
}

}  // namespace
}  // namespace minpair::report
