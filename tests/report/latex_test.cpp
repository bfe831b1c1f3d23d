// Tables for papers: digits, per cent, intervals, labels; long and wide ones; columns that were
// chosen.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "report/report.h"

namespace minpair::report {

using ::testing::HasSubstr;
using ::testing::Not;

static Table table_of(size_t models, size_t rows) {
  Table t;
  t.title = "A_title";
  t.by = {"test"};
  for (size_t m = 0; m < models; ++m)
    t.columns.push_back({"model" + std::to_string(m), "lp", "sum", "", false, false, 0});
  const auto cells = [&](double accuracy) {
    std::vector<Cell> all(models);
    for (Cell& c : all) {
      c.present = true;
      c.tally.pairs = c.tally.items = 1000;
      c.accuracy = accuracy;
      c.interval = {accuracy - 0.02, accuracy + 0.02};
    }
    return all;
  };
  for (size_t r = 0; r < rows; ++r)
    t.rows.push_back({{"t"}, {"test " + std::to_string(r)}, "", cells(0.94217)});
  t.total = {{""}, {"All"}, "", cells(0.9)};
  return t;
}

TEST(Latex, DigitsPercentIntervalsLabel) {
  const std::vector<Table> tables = {table_of(1, 2), table_of(1, 2)};
  const std::string plain = latex_tables(tables);
  EXPECT_THAT(plain, HasSubstr("& 0.9422 &"));
  EXPECT_THAT(plain, Not(HasSubstr("\\label")));
  EXPECT_THAT(plain, HasSubstr("\\begin{adjustbox}{max width=\\linewidth}"));
  const std::string styled = latex_tables(tables, {1, true, true, false, "tab:de"});
  EXPECT_THAT(styled, HasSubstr("& 94.2 {\\scriptsize[92.2, 96.2]} &"));
  EXPECT_THAT(styled, HasSubstr("\\label{tab:de}"));
  EXPECT_THAT(plain, HasSubstr("\\begin{table}"));
  EXPECT_THAT(latex_tables(tables, {.wide = true}), HasSubstr("\\end{table*}"));
  EXPECT_THAT(styled, HasSubstr("\\label{tab:de-2}"));
  EXPECT_THAT(styled, HasSubstr("A\\_title: accuracy in per cent."));
}

TEST(Latex, LineBreaksInNamesEndNoComment) {
  Table table = table_of(1, 2);
  const std::string evil = "m\n\\input{x}\r\\immediate";
  table.title = table.columns[0].model = table.rows[0].titles[0] = table.rows[0].section = evil;
  table.notes = table.account = table.made = {evil};
  Grid grid{"key", evil, {{"name", evil}}, {{evil}}, false, {evil}, {}, ""};
  for (const std::string& text : {latex_tables({table}), render_grids({grid}, "latex")}) {
    EXPECT_THAT(text, Not(HasSubstr("\n\\input")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
  }
}

static size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Latex, LongTablesGoOverPagesAndWideOnesIntoParts) {
  EXPECT_EQ(count(latex_tables({table_of(2, 45)}), "\\begin{longtable}"), 0u);
  const std::string narrow = latex_tables({table_of(2, 46)});
  EXPECT_EQ(count(narrow, "\\begin{longtable}"), 1u);
  EXPECT_EQ(count(narrow, "\\endhead"), 1u);
  const std::string wide = latex_tables({table_of(20, 46)}, {4, false, false, false, "tab:x"});
  EXPECT_GT(count(wide, "\\begin{longtable}"), 1u);
  EXPECT_EQ(count(wide, "\\begin{longtable}"), count(wide, "\\label{tab:x"));
  for (int m : {0, 19})  // every column is in some part
    EXPECT_THAT(wide, HasSubstr("model" + std::to_string(m)));
  EXPECT_EQ(count(wide, "{"), count(wide, "}"));
}

// Beside two columns of labels there is no room for numbers: the test stands above its conditions.
TEST(Latex, LongTablesHaveTheTestAboveItsConditions) {
  Table t = table_of(2, 46);
  t.by = {"test", "condition"};
  for (size_t r = 0; r < t.rows.size(); ++r)
    t.rows[r].titles = {r < 23 ? "Across a subject relative" : "Across an object relative",
                        "sentential_complement"};
  const std::string text = latex_tables({t});
  EXPECT_EQ(count(text, "\\begin{longtable}{@{}lrrr@{}}"), 1u);
  EXPECT_EQ(count(text, "\\multicolumn{4}{@{}l}{\\emph{Across a subject relative}} \\\\*\n"), 1u);
  EXPECT_EQ(count(text, "\\quad sentential\\_complement & 0.9422 & 0.9422 & "), 46u);
  EXPECT_EQ(count(text, "All & 0.9000 & 0.9000 &"), 1u);
  // A short one has them side by side.
  t.rows.resize(4);
  EXPECT_EQ(count(latex_tables({t}), "\\begin{tabular}{@{}llrrr@{}}"), 1u);
}

TEST(Latex, IntervalsSayWhatTheyAreOver) {
  Table t = table_of(1, 2);
  t.clusters = "clusters: as the suite states them";
  t.rows[1].cells[0].interval = {std::nan(""), std::nan("")};  // too few clusters
  const std::string text = latex_tables({t}, {4, false, true, false, ""});
  EXPECT_THAT(
      text, HasSubstr("interval (profile likelihood over clusters; none below five; Wilson's where "
                      "each item is its own). Clusters: as the suite states them."));
  EXPECT_THAT(text, HasSubstr("test 0 & 0.9422 {\\scriptsize[0.9222, 0.9622]} &"));
  EXPECT_THAT(text, HasSubstr("test 1 & 0.9422 &"));
}

TEST(Latex, ColumnsAreChosenByName) {
  std::vector<Table> tables = {table_of(3, 2)};
  tables[0].columns[1].model = "GBERT large";
  tables[0].rows[0].cells[2].accuracy = 0.25;
  choose_columns(tables, {"model2:lp", "GBERT large"});
  ASSERT_EQ(tables[0].columns.size(), 2u);
  EXPECT_EQ(tables[0].columns[0].model, "model2");
  EXPECT_EQ(tables[0].rows[0].cells[0].accuracy, 0.25);
  EXPECT_EQ(tables[0].total.cells.size(), 2u);
  try {
    choose_columns(tables, {"model3"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'model2'?"));
  }
}

}  // namespace minpair::report
