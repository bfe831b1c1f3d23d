#include "papers/papers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
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
  Source source{.files = {"a.csv"}};
  void SetUp() override {
    write(folder / "a.csv",
          "id,kind,good,bad,group\r\n1,x,3,1,a\n2,x,2,2,a\n3,\"y, z\",1,5,b\n4,x,7,\"6\",b\n");
  }
  double value(const std::string& formula) {
    Frame::Tables tables;
    return Formula::parse(formula).value(Frame::read(source, folder.path(), tables));
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

TEST_F(Formulas, GroupsInsideAndOneAfterTheOther) {
  write(folder / "a.csv", "suite,item,right\na,1,1\na,1,1\na,1,0\na,2,0\nb,1,1\nb,1,0\n");
  EXPECT_DOUBLE_EQ(value("mean(right by suite, item by suite)"), ((2. / 3 + 0) / 2 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(value("count(mean(right by suite, item) > 0.5 by suite, item)"), 1);
  EXPECT_DOUBLE_EQ(value("mean(sum(right by suite) where item = 2)"), 2);
  // Of a group without such rows there is no number.
  EXPECT_TRUE(std::isnan(value("mean(mean(right by suite where item = 2) where suite = \"b\")")));
  EXPECT_THAT(error("mean(pearson(right, item))"), HasSubstr("cannot stand inside another"));
}

TEST_F(Formulas, TextsAndFunctions) {
  EXPECT_DOUBLE_EQ(value("count(ends(kind, \"z\"))"), 1);
  EXPECT_DOUBLE_EQ(value("count(has(kind, \", \") or alike(id, good))"), 2);
  EXPECT_DOUBLE_EQ(value("sqrt(sum(good) + 3)"), 4);
  EXPECT_NEAR(value("student_p(2.086, 20)"), 0.05, 1e-4);
  EXPECT_NEAR(value("exact_high(408, 1000)"), 0.439195, 1e-6);
  EXPECT_THAT(error("sqrt(1, 2)"), HasSubstr("sqrt takes 1"));
  EXPECT_THAT(error("mean(abs(\"x\"))"), HasSubstr("'abs' takes a number, not a text"));
  EXPECT_THAT(error(std::string(5000, '(')), HasSubstr("too many brackets in brackets"));
  EXPECT_THAT(error("1" + std::string(20000, ' ')), HasSubstr("too long"));
  // What is left out need not be a number.
  write(folder / "a.csv", "größe,v\n1,x\n2,5\n");
  EXPECT_DOUBLE_EQ(value("count(größe = 2 and v = 5)"), 1);
}

TEST_F(Formulas, ColumnsInAnyOrderAndMoreOfThem) {
  write(folder / "b.csv", "\xEF\xBB\xBFnotes,bad,good\n\"a \"\"b\"\"\",1,2\n,5,4\n");
  source = {.files = {"a.csv", "b.csv"}};
  EXPECT_DOUBLE_EQ(value("count(good > bad)"), 3);
}

TEST_F(Formulas, TablesFromASpreadsheet) {
  write(folder / "a.csv",
        "\xEF\xBB\xBF\"good\"; bad ;notiz\r\n2;\" 1\";\"a;\r\nb\"\r\n5;7;,\r\n;;\r\n");
  EXPECT_DOUBLE_EQ(value("count(good > bad)"), 1);
  EXPECT_DOUBLE_EQ(value("sum(good + bad)"), 15);
  write(folder / "a.csv", "good\tbad\n2\t1\n");
  EXPECT_DOUBLE_EQ(value("count(good > bad)"), 1);
  write(folder / "l.txt", "\xEF\xBB\xBF ein satz 2.5\r\nein wort 1.5\r\n");
  source = {.files = {"l.txt"}, .format = "scored-lines", .pairs = true};
  EXPECT_DOUBLE_EQ(value("count(first.text = \"ein satz\" and second.score = 1.5)"), 1);
}

TEST_F(Formulas, WhatAPaperNamesIsItsOwn) {
  write(folder / "a.csv", "file,star,kind,over,v_a,v_b\nx,y,zz,q,1,2\n");
  source = {
      .files = {"*.csv"}, .stack = {{}, {{"v", "v_#"}}}, .derived = {{"kind", "kind", "^z", "a"}}};
  EXPECT_DOUBLE_EQ(value("count(file = \"a\" and star = \"a\" and kind = \"az\")"), 2);
  EXPECT_DOUBLE_EQ(value("sum(v where over = \"b\")"), 2);
  source.stack.columns = {{"v", "w_#"}};
  EXPECT_THAT(error("sum(v)"), HasSubstr("no column is called 'w_#'"));
}

TEST_F(Formulas, FilesPackedOrNot) {
  write(folder / "._a.csv", "not a table");
  testing::run_command("gzip " + (folder / "a.csv").string());
  EXPECT_DOUBLE_EQ(value("sum(good)"), 13);
  for (const char* name : {"a.csv.xz", "*.csv", "*.csv.xz"}) {
    source = {.files = {name}};
    EXPECT_DOUBLE_EQ(value("sum(good where file = \"a\")"), 13) << name;
  }
  testing::run_command("gzip -dk " + (folder / "a.csv.gz").string());
  EXPECT_DOUBLE_EQ(value("sum(good where star = \"a\")"), 13);  // once
}

TEST_F(Formulas, StackedAndDerivedColumns) {
  write(folder / "a.csv", "id,vote_1,vote_3,name\nx,0,1,a-1ans1\ny,1,1,b-2ans2\n");
  source = {.files = {"a.csv"},
            .stack = {{"1", "3"}, {{"vote", "vote_#"}}},
            .derived = {{"bare", "name", "ans[12]$", ""}}};
  EXPECT_DOUBLE_EQ(value("mean(vote where over = 3)"), 1);
  EXPECT_DOUBLE_EQ(value("count(mean(vote by id) > 0.5 by id)"), 1);
  EXPECT_DOUBLE_EQ(value("count(bare = \"b-2\")"), 2);
  source.derived = {{"bare", "name", "^[a-z]|[0-9]", "#"}};
  EXPECT_DOUBLE_EQ(value("count(bare = \"#-#ans#\")"), 4);
  source.derived = {{"bare", "name", "x*", "."}};
  EXPECT_DOUBLE_EQ(value("count(bare = \".a.-.1.a.n.s.1.\")"), 2);
  source.stack = {{}, {{"vote", "vote_1"}}};
  EXPECT_THAT(error("count(id = 1)"), HasSubstr("'vote_1' has no # that columns could differ in"));
  source.stack = {};
  source.derived = {{"bare", "name", "(", ""}};
  EXPECT_THAT(error("count(id = 1)"), HasSubstr("'(' is not a regular expression"));
}

TEST_F(Formulas, JsonItemsAndPackedFiles) {
  write(folder / "p.json",
        R"json({"t": {"one": {"p": [{"v": 1}, {"v": 2}]}, "two": {"p": [{"v": 4}]}}})json");
  source = {.files = {"p.json"}, .rows = "t.*.p.*"};
  EXPECT_DOUBLE_EQ(value("sum(v where `*1` = \"one\")"), 3);
  source.rows = "t.three.*";
  EXPECT_THAT(error("sum(v)"), HasSubstr("nothing at 't.three.*'"));
  write(folder / "de_evalset.txt", "True\tder Autor lacht\nFalse\tder Autor lachen\n");
  source = {.files = {"de_evalset.txt"}, .format = "items"};
  EXPECT_DOUBLE_EQ(value("count(locus.0 = \"lacht\" and locus.1 = \"lachen\")"), 1);
  testing::run_command("gzip -k " + (folder / "p.json").string() + " && xz -k " +
                       (folder / "a.csv").string());
  source = {.files = {"p.json.gz"}, .rows = "t.*.p.*"};
  EXPECT_DOUBLE_EQ(value("sum(v)"), 7);
  source = {.files = {"a.csv.xz"}};
  EXPECT_DOUBLE_EQ(value("sum(good)"), 13);
  write(folder / "a.csv.xz", "no xz");
  EXPECT_THAT(error("sum(good)"), HasSubstr("xz data is damaged"));
}

TEST_F(Formulas, PairsJoinsAndOtherFormats) {
  write(folder / "l.txt", "ein satz 2.5\nzwei 1.5\ndrei x 1\nvier 1\n");
  source = {.files = {"l.txt"}, .format = "scored-lines", .pairs = true};
  EXPECT_DOUBLE_EQ(value("count(second.score < first.score)"), 1);
  EXPECT_DOUBLE_EQ(value("count(first.text = \"drei x\")"), 1);
  write(folder / "m.csv", "id,extra\n4,40\n1,10\n9,90\n");
  source = {.files = {"a.csv"}, .joins = {{"m.csv", {"id"}, "m."}}};
  EXPECT_DOUBLE_EQ(value("sum(good * m.extra)"), 30 + 280);
  write(folder / "j.jsonl", "{\"p\":{\"x\":1,\"y\":2},\"t\":[[\"a\",\"b\"],[\"c\"]]}\n");
  source = {.files = {"*.jsonl"}};
  EXPECT_DOUBLE_EQ(value("sum(p.1) + sum(t.0.length)"), 4);
}

TEST_F(Formulas, JoinsByEitherOfTwoColumnsInOrder) {
  // "x" is the bad sentence of two pairs; the one that comes next is meant.
  write(folder / "gold.csv", "task,good,bad\nT,a,x\nT,b,y\nT,c,x\nU,q,r\nU,s,s\nT,Größe,groß\n");
  write(folder / "a.csv", "task,said\nt, Y \nt,x\nt,größe\nu,q\nu,S\nu,never\n");
  source = {.files = {"a.csv"}};
  source.joins = {{.file = "gold.csv",
                   .on = {"task"},
                   .prefix = "g.",
                   .column = "said",
                   .either = {"good", "bad"},
                   .alike = true,
                   .in_order = true}};
  EXPECT_DOUBLE_EQ(value("count(g.good = \"c\" and g.by = \"bad\")"), 1);
  EXPECT_DOUBLE_EQ(value("count(g.good = \"a\")"), 0);
  EXPECT_DOUBLE_EQ(value("count(g.by = \"both\")"), 1);
  EXPECT_DOUBLE_EQ(value("count(g.by = \"good\")"), 2);
  Frame::Tables tables;
  EXPECT_THAT(Frame::read(source, folder.path(), tables).alone(),
              ::testing::ElementsAre(HasSubstr("1 row has no partner in gold.csv; the first: ")));
  source.joins[0].in_order = false;
  EXPECT_DOUBLE_EQ(value("count(g.good = \"a\")"), 1);
}

TEST_F(Formulas, PiecesBecomeWordsThatKnowTheOneBefore) {
  write(
      folder / "a.csv",
      "token,lp,story\nDer,,0\n Auto,-1,0\nr,-2,0\n lacht,-4,0\n.,-0.5,0\n\" \n\",-9,0\nEr,-1,1\n "
      "geht,-3,1\n");
  source.then = {{.words = Words{"token", "story", {"lp"}}},
                 {.where = "lp != \"\"",
                  .derived = {{"code", "{text}.{position}", "", ""}},
                  .computed = {{"size", "length(word)"}},
                  .before = Before{"text", "position", {"lp"}}}};
  EXPECT_DOUBLE_EQ(value("count(word = \"Autor\" and lp = -3 and pieces = 2 and size = 5)"), 1);
  EXPECT_DOUBLE_EQ(value("sum(before.lp where word = \"lacht.\")"), -3);
  EXPECT_DOUBLE_EQ(value("count(before.lp = \"\")"), 2);
  EXPECT_DOUBLE_EQ(value("count(code = \"1.2\" and lp = -3)"), 1);
  write(folder / "a.csv", "token,lp,story\nzwei Wörter,1,0\n");
  EXPECT_THAT(error("count(lp = 1)"), HasSubstr("a.csv:2: 'zwei Wörter' is a piece of two words"));
}

TEST_F(Formulas, Regressions) {
  // Two lines through three points each: slopes 1 and 1.5.
  write(folder / "a.csv",
        "x,kind,y,right,n,g\n1,a,2,1,4,p\n2,a,3.5,2,4,q\n3,a,4,2,4,p\n4,b,9,3,4,q\n5,b,8,3,5,p\n6,"
        "b,12,4,"
        "5,q\n7,a,?,,,\n");
  source.then = {
      {.fit = Fit{.model = "y ~ x * kind", .where = "y != \"?\"", .without = {"x:kind"}}}};
  EXPECT_NEAR(value("mean(`estimate.kind.b`)"), 1, 1e-9);
  EXPECT_NEAR(value("mean(estimate.x)"), 1, 1e-9);
  EXPECT_NEAR(value("mean(`estimate.x:kind.b`)"), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(value("mean(rows)"), 6);
  EXPECT_NEAR(value("mean(`p.without.x:kind`)"), 0.561835101, 1e-8);
  EXPECT_NEAR(value("mean(log_likelihood)"), -7.537363998, 1e-8);
  source.then[0].fit->reference = {{"kind", "b"}};
  EXPECT_NEAR(value("mean(`estimate.kind.a`)"), -1, 1e-9);
  source.then[0].fit = Fit{.model = "right ~ x + (1 | g)", .trials = "n", .where = "n != \"\""};
  EXPECT_LT(value("mean(log_likelihood)"), 0);
  EXPECT_GE(value("mean(sd.g.intercept)"), 0);
  source.then[0].fit = Fit{.model = "y ~ x"};
  EXPECT_THAT(error("mean(AIC)"), HasSubstr("a.csv:8: column 'y': '?' is not a number"));
  source.then[0].fit = Fit{.model = "y x"};
  EXPECT_THAT(error("mean(AIC)"), HasSubstr("has no ~"));
  source.then[0].fit = Fit{.model = "y ~ x", .where = "n != \"\"", .without = {"z"}};
  EXPECT_THAT(error("mean(AIC)"), HasSubstr("no term 'z' to leave out"));
  source.then[0].fit->reference = {{"kind", "c"}};
  source.then[0].fit->model = "y ~ kind";
  EXPECT_THAT(error("mean(AIC)"), HasSubstr("never has 'c'"));
}

TEST_F(Formulas, SayWhatIsWrong) {
  EXPECT_THAT(error("mean(goood)"), HasSubstr("did you mean 'good'?"));
  EXPECT_THAT(error("mean(goood)"), HasSubstr("a.csv:1: there is no column 'goood'"));
  EXPECT_THAT(error("mean(kind)"), HasSubstr("a.csv:2: column 'kind': 'x' is not a number"));
  // Of several files, the one that is wrong.
  write(folder / "b.csv", "id,good\n7,1\n8,much\n");
  write(folder / "c.csv", "id,good\n9,1\n");
  source.files = {"a.csv", "b.csv", "c.csv"};
  EXPECT_THAT(error("mean(good)"), HasSubstr("b.csv:3: column 'good': 'much' is not a number"));
  source.files = {"a.csv"};
  EXPECT_THAT(error("good"), HasSubstr("one number is wanted"));
  EXPECT_THAT(error("mean(good"), HasSubstr("closing bracket"));
  EXPECT_THAT(error("mode(good)"), HasSubstr("no function 'mode'"));
  EXPECT_THAT(error("mean(good where id = 77)"), HasSubstr("no row is left"));
  EXPECT_THAT(error("mean(good) )"), HasSubstr("not understood"));
  write(folder / "a.csv", "a,b\n1,2\n3\n");
  EXPECT_THAT(error("mean(a)"), HasSubstr(":3: 1 field, 2 were expected"));
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

TEST(Papers, ATableMayNeedMoreFilesThanThereAre) {
  testing::TemporaryFolder folder;
  write(folder / "a1.csv", "v\n1\n");
  write(
      folder / "p.json",
      R"json({"title": "T", "tables": [{"title": "one", "from": {"file": "a*.csv"}, "needs": "both files",
  "files": ["a*.csv", 2], "columns": [["sum", "sum(v)"]], "rows": [["all", "3"]]}]})json");
  const Paper paper = read_paper(folder / "p.json");
  EXPECT_EQ(check(paper, folder.path())[0].verdict, Verdict::needs);
  EXPECT_EQ(check(paper, folder.path())[0].why, "both files");
  write(folder / "a2.csv", "v\n2\n");
  EXPECT_EQ(check(paper, folder.path())[0].verdict, Verdict::same);
  EXPECT_TRUE(check(paper, folder.path(), "another table").empty());
}

TEST(Papers, AFormulaNeedsFiles) {
  testing::TemporaryFolder folder;
  write(folder / "p.json", R"json({"title": "T", "tables": [{"title": "one",
  "columns": [["sum", "sum(v)"]], "rows": [["all", "3"]]}]})json");
  EXPECT_THROW(check(read_paper(folder / "p.json"), folder.path()), Error);
}

TEST(Papers, SumsOfPrintedNumbersAndThePage) {
  testing::TemporaryFolder folder;
  write(
      folder / "p.json",
      R"json({"title": "T", "citation": "A (2020): B.", "source": "here", "notes": ["A note."], "tables": [
  {"title": "Table 1", "needs": "a model", "columns": [["a"]], "rows": [["x", "1.5"], ["y", "2.5"]]},
  {"title": "Sum", "from": {"print": "Table 1"}, "columns": [["a", "sum(a)"]],
   "rows": [["all", "4.0"], ["of another", ["5.0", "a slip"]]]}]})json");
  Paper paper = read_paper(folder / "p.json");
  std::string page = fidelity_page({{paper, check(paper, "")}});
  EXPECT_THAT(page, HasSubstr("| [p](#p) | 4 | 1 | 1 | 2 |"));
  EXPECT_THAT(page, HasSubstr("A (2020): B. Files: here (licence not stated).\n\nA note."));
  EXPECT_THAT(page, HasSubstr("| x | 1.5 · |\n| y | 2.5 · |\n\n· needs a model\n"));
  EXPECT_THAT(page,
              HasSubstr("| all | 4.0 ✓ |\n| of another | 5.0 ≠ 4 |\n\n- of another, a: a slip"));
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

class Shelf : public ::testing::TestWithParam<std::string> {};

TEST_P(Shelf, NumbersComeOutAndThePageSaysSo) {
  Paper paper = find_paper(GetParam());
  std::filesystem::path data = testing::data_dir();
  if (data.empty() || !std::filesystem::is_directory(data / paper.folder))
    GTEST_SKIP() << "the published files of '" << paper.name << "' are not here (MINPAIR_DATA)";
  std::vector<Checked> numbers = check(paper, data / paper.folder);
  for (const Checked& c : numbers)
    EXPECT_NE(c.verdict, Verdict::differs)
        << c.table << ", " << c.row << ", " << c.column << ": printed " << c.printed << ", here "
        << c.ours << " " << c.why;
  std::string page = fidelity_page({{paper, numbers}});
  std::string docs = read_file(testing::source_dir() / "docs/fidelity.md");
  size_t line = page.find("| [" + paper.name + "]"), section = page.find("\n## ");
  for (const std::string& part :
       {page.substr(line, page.find('\n', line) - line), page.substr(section)})
    EXPECT_NE(docs.find(part), docs.npos)
        << "make it anew: minpair reproduce all --format page -o docs/fidelity.md";
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Paper& paper : all_papers()) all.push_back(paper.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Papers, Shelf, ::testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace minpair::papers
