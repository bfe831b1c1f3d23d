#include "papers/papers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "papers/formula.h"
#include "support.h"

namespace minpair::papers {
namespace {

using ::testing::HasSubstr;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

class Formulas : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  Source source{{"a.csv"}, "", {}, false, {}};
  void SetUp() override {
    write(folder / "a.csv",
          "id,kind,good,bad,group\r\n1,x,3,1,a\n2,x,2,2,a\n3,\"y, z\",1,5,b\n4,x,7,\"6\",b\n");
  }
  double value(const std::string& formula) {
    return Formula::parse(formula).value(Frame::read(source, folder.path()));
  }
  std::string error(const std::string& formula) {
    try {
      value(formula);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(Formulas, CountAndAverage) {
  EXPECT_DOUBLE_EQ(value("mean(good > bad)"), 0.5);
  EXPECT_DOUBLE_EQ(value("mean((good > bad) + 0.5 * (good = bad))"), 0.625);
  EXPECT_DOUBLE_EQ(value("count(good >= bad and kind = \"x\")"), 3);
  EXPECT_DOUBLE_EQ(value("sum(good) / sum(bad) - 1"), 13.0 / 14 - 1);
  EXPECT_DOUBLE_EQ(value("100 * mean(good where kind != \"x\" or id = 1)"), 200);
  EXPECT_DOUBLE_EQ(value("median(good)"), 2.5);
  EXPECT_DOUBLE_EQ(value("max(`good`) - min(abs(0 - bad))"), 6);
  EXPECT_DOUBLE_EQ(value("count(starts(kind, \"y\"))"), 1);
  EXPECT_DOUBLE_EQ(value("2 + 3 * 4 - 1"), 13);
}

TEST_F(Formulas, GroupsAreAveragedFirst) {
  write(folder / "a.csv", "g,v\na,1\na,3\nb,10\n");
  EXPECT_DOUBLE_EQ(value("mean(v by g)"), 6);
  EXPECT_DOUBLE_EQ(value("mean(v)"), 14.0 / 3);
  EXPECT_DOUBLE_EQ(value("sd(v by g)"), std::sqrt(32.0));
  EXPECT_DOUBLE_EQ(value("mean(v by g where v > 1)"), 6.5);
}

TEST_F(Formulas, PairsJoinsAndOtherFormats) {
  write(folder / "l.txt", "ein satz 2.5\nzwei 1.5\ndrei x 1\nvier 1\n");
  source = {{"l.txt"}, "scored-lines", {}, true, {}};
  EXPECT_DOUBLE_EQ(value("count(second.score < first.score)"), 1);
  EXPECT_DOUBLE_EQ(value("count(first.text = \"drei x\")"), 1);
  write(folder / "m.csv", "id,extra\n4,40\n1,10\n9,90\n");
  source = {{"a.csv"}, "", {}, false, {{"m.csv", "id", "m."}}};
  EXPECT_DOUBLE_EQ(value("sum(good * m.extra)"), 30 + 280);
  write(folder / "j.jsonl", "{\"p\":{\"x\":1,\"y\":2},\"t\":[[\"a\",\"b\"],[\"c\"]]}\n");
  source = {{"*.jsonl"}, "", {}, false, {}};
  EXPECT_DOUBLE_EQ(value("sum(p.1) + sum(t.0.length)"), 4);
}

TEST_F(Formulas, SayWhatIsWrong) {
  EXPECT_THAT(error("mean(goood)"), HasSubstr("did you mean 'good'?"));
  EXPECT_THAT(error("mean(kind)"), HasSubstr("'x' is no number"));
  EXPECT_THAT(error("good"), HasSubstr("one number is wanted"));
  EXPECT_THAT(error("mean(good"), HasSubstr("closing bracket"));
  EXPECT_THAT(error("mode(good)"), HasSubstr("no function 'mode'"));
  EXPECT_THAT(error("mean(good where id = 77)"), HasSubstr("no row is left"));
  EXPECT_THAT(error("mean(good) )"), HasSubstr("not understood"));
  write(folder / "a.csv", "a,b\n1,2\n3\n");
  EXPECT_THAT(error("mean(a)"), HasSubstr(":3: 1 fields, 2 were expected"));
}

TEST(Papers, NumbersAreComparedToThePrintedDigit) {
  testing::TemporaryFolder folder;
  write(folder / "d.csv", "v\n1\n2\n2\n");
  write(folder / "p.json",
        R"json({"title": "T", "tables": [{"title": "one", "from": {"file": "d.csv"},
  "columns": [["mean", "mean(v)"], ["models"]], "needs": "the model",
  "rows": [["right", "1.667", null], ["wrong", "1.66", null], ["known", ["1.7e1", "a slip"], "0.5"],
           ["stale", ["1.67", "no longer"], null]]}]})json");
  Paper paper = read_paper(folder / "p.json");
  EXPECT_EQ(paper.numbers(), 5u);
  EXPECT_EQ(paper.recomputed(), 4u);
  std::vector<Checked> all = check(paper, folder.path());
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].verdict, Verdict::same);
  EXPECT_EQ(all[1].verdict, Verdict::differs);
  EXPECT_EQ(all[2].verdict, Verdict::known);
  EXPECT_EQ(all[2].why, "a slip");
  EXPECT_EQ(all[3].verdict, Verdict::needs);
  EXPECT_EQ(all[3].why, "the model");
  EXPECT_EQ(all[4].verdict, Verdict::differs);  // said to differ, but it does not
  write(folder / "p.json", R"json({"title": "T", "tables": [{"columns": []}]})json");
  EXPECT_THROW(read_paper(folder / "p.json"), Error);
}

// Every formula that ships is understood, with or without the files.
TEST(Papers, AllThatShipAreWellFormed) {
  size_t numbers = 0;
  for (const Paper& paper : all_papers()) {
    numbers += paper.numbers();
    EXPECT_FALSE(paper.citation.empty()) << paper.name;
    for (const PaperTable& table : paper.tables)
      for (const Column& column : table.columns)
        EXPECT_FALSE(column.formula.empty() && table.needs.empty()) << table.title;
  }
  EXPECT_GE(numbers, 500u);
  EXPECT_THROW(find_paper("zoro"), Error);
}

TEST(Papers, PublishedNumbersComeOut) {
  std::filesystem::path data = testing::data_dir();
  size_t same = 0;
  bool found = false;
  for (const Paper& paper : all_papers()) {
    if (!std::filesystem::is_directory(data / paper.folder)) continue;
    found = true;
    for (const Checked& c : check(paper, data / paper.folder)) {
      EXPECT_NE(c.verdict, Verdict::differs)
          << paper.name << ": " << c.table << ", " << c.row << ", " << c.column << ": printed "
          << c.printed << ", here " << c.ours << " " << c.why;
      same += c.verdict == Verdict::same;
    }
  }
  if (!found) GTEST_SKIP() << "no published data (MINPAIR_DATA)";
  EXPECT_GE(same, 500u);
}

}  // namespace
}  // namespace minpair::papers
