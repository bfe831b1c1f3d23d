#include "papers/papers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "papers/database.h"
#include "support.h"

namespace minpair::papers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Queries : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  void SetUp() override {
    write("a.csv",
          "id,kind,good,bad,group\r\n1,x,3,1,a\n2,x,2,2,a\n3,\"y, z\",1,5,b\n4,x,7,\"6\",b\n");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }
  // The first value of the last statement.
  std::string text(const std::string& sql) {
    Database database(folder.path(), "p.sql");
    return text_of(database.query({sql, 1}).rows.at(0).at(0));
  }
  double value(const std::string& sql) { return std::stod(text(sql)); }
  double over_a(const std::string& what) {
    return value(
        "create virtual table a using released('a.csv', id integer, kind text, good real,"
        "bad real, \"group\" text); select " +
        what + " from a");
  }
  std::string error(const std::string& sql) {
    try {
      text(sql);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(Queries, AggregatesThatSqliteLacks) {
  EXPECT_DOUBLE_EQ(over_a("mean(good > bad)"), 0.5);
  EXPECT_DOUBLE_EQ(over_a("median(good)"), 2.5);
  EXPECT_DOUBLE_EQ(over_a("sum(good) / sum(bad) - 1"), 13.0 / 14 - 1);
  EXPECT_DOUBLE_EQ(over_a("sd(m) from (select mean(good) as m from a group by \"group\")--"),
                   std::sqrt(1.125));
  EXPECT_NEAR(over_a("pearson(good, bad)"), 0.4526, 1e-4);
  EXPECT_NEAR(over_a("spearman(good, bad)"), 0.2, 1e-9);
  EXPECT_DOUBLE_EQ(
      over_a("sum(good - m) from (select good, mean(good) over (partition by \"group\")"
             " as m from a)--"),
      0);
  EXPECT_DOUBLE_EQ(over_a("median(good) over (order by id rows 1 preceding)"), 3);
  EXPECT_NEAR(over_a("student_p(2.086, 20)"), 0.05, 1e-4);
  EXPECT_NEAR(over_a("exact_high(408, 1000)"), 0.439195, 1e-6);
  EXPECT_NEAR(over_a("chi_square_p(11.198, 1)"), 0.0008187, 1e-6);
  EXPECT_EQ(text("select lower('ÄÖ') || number(' 1.5 ')"), "äö1.5");
}

// SQLite's own would skip a missing value and take a text for 0.
TEST_F(Queries, NanIsRefused) {
  EXPECT_THAT(error("select mean(null)"), HasSubstr("mean: a value is missing"));
  EXPECT_THAT(error("select sum('x')"), HasSubstr("sum: 'x' is not a number"));
  EXPECT_THAT(error("select sqrt('x')"), HasSubstr("sqrt: 'x' is not a number"));
  EXPECT_THAT(error("select number('much')"), HasSubstr("number: 'much' is not a number"));
  EXPECT_THAT(error("select avg(1)"), HasSubstr("not authorized to use function: avg"));
  EXPECT_THAT(error("select \"x\""), HasSubstr("no such column"));
}

TEST_F(Queries, ErrorsNameTheLine) {
  EXPECT_THAT(error("select 1;\nselect\n  goood"),
              HasSubstr("p.sql:3: SQLite: no such column: goood"));
}

TEST_F(Queries, ReadOnlyFilesBelowTheFolder) {
  for (const char* sql :
       {"attach 'other.db' as other", "pragma writable_schema = on", "vacuum into 'copy.db'",
        "select load_extension('x.so')", "select random()", "create virtual table t using fts5(x)"})
    EXPECT_THAT(error(sql), ::testing::ContainsRegex("not authorized|authorization denied")) << sql;
  EXPECT_FALSE(std::filesystem::exists("copy.db"));
  for (const char* name : {"/etc/passwd", "../a.csv", "x/../../a.csv", ""})
    EXPECT_THAT(error("create virtual table t using released('" + std::string(name) +
                      "', format=lines, line text)"),
                HasSubstr("is not below the folder"));
  EXPECT_THAT(error("create virtual table t using results('../r.db')"),
              HasSubstr("a results file in the folder"));
}

TEST_F(Queries, TimeAndMemoryAreLimited) {
  EXPECT_THAT(error("select length(zeroblob(1000000000))"), HasSubstr("too big"));
  Database database(folder.path(), "p.sql", {std::chrono::milliseconds(20), 1000});
  const std::string endless = "with recursive n(n) as (select 1 union all select n + 1 from n)";
  EXPECT_THAT(
      [&] {
        database.query({endless + " select count(*) from n", 1});
      },
      ::testing::ThrowsMessage<Error>(HasSubstr("takes too long")));
  EXPECT_EQ(text_of(database.query({"select 1", 1}).rows[0][0]), "1");  // others still run
  EXPECT_THAT(
      [&] {
        database.query({endless + " select n from n", 1});
      },
      ::testing::ThrowsMessage<Error>(HasSubstr("p.sql:1: this query gives too many rows")));
}

TEST_F(Queries, ColumnsAreChecked) {
  const auto read = [&](const std::string& columns) {
    return error("create virtual table a using released('*.csv', " + columns +
                 "); select count(*) from a");
  };
  EXPECT_EQ(read("good real"), "");
  EXPECT_THAT(read("goood real"), HasSubstr("a.csv: there is no column 'goood'"));
  EXPECT_THAT(read("goood real"), HasSubstr("did you mean 'good'?"));
  EXPECT_THAT(read("kind real"), HasSubstr("a.csv:2: column 'kind': 'x' is not a number"));
  EXPECT_THAT(read("kind number"), HasSubstr("'kind number' is no column"));
  EXPECT_THAT(read("good real never"), HasSubstr("'good real never' is no column"));
  write("b.csv", "id,good\n7,1\n8,NA\n9,1.5\n");
  EXPECT_THAT(read("good real"), HasSubstr("b.csv:3: column 'good': 'NA' is not a number"));
  EXPECT_THAT(read("good text"), HasSubstr("b.csv:3: column 'good': 'NA' says nothing"));
  EXPECT_THAT(read("good integer null"), HasSubstr("b.csv:4: column 'good': '1.5' is not a whole"));
  EXPECT_EQ(read("good real null"), "");
  write("b.csv", "a,b\n1,2\n3\n");
  EXPECT_THAT(read("id text"), HasSubstr("b.csv"));
  write("b.csv", "id\n");
  EXPECT_THAT(read("id text"), HasSubstr("there are no rows in this file"));
  EXPECT_THAT(error("create virtual table a using released('c*.csv', id text); select * from a"),
              HasSubstr("no file is called 'c*.csv'"));
}

TEST_F(Queries, ColumnsInAnyOrderAndTablesFromASpreadsheet) {
  write("b.csv", "\xEF\xBB\xBFnotes,group,bad,kind,good,id\n\"a \"\"b\"\"\",c,1,x,2,5\n");
  EXPECT_DOUBLE_EQ(value("create virtual table a using released('*.csv', good real, bad real);"
                         "select sum(good > bad) from a"),
                   3);
  write("c.csv", "\xEF\xBB\xBF\"good\"; bad ;notiz\r\n2;\" 1\";\"a;\r\nb\"\r\n5;7;,\r\n;;\r\n");
  const std::string c = "create virtual table c using released('c.csv', good real, bad real);";
  EXPECT_DOUBLE_EQ(value(c + "select sum(good + bad) from c"), 15);
  write("c.csv", "good\tbad\nTrue\t1e-1\n");
  EXPECT_DOUBLE_EQ(value(c + "select sum(good + bad) from c"), 1.1);
  write("d.gold", "1\tx \"\n2\ty\n");
  EXPECT_EQ(text("create virtual table d using released('d.gold', format=tsv-plain, header=none,"
                 "n integer, t text); select t from d where n = 1"),
            "x \"");
}

TEST_F(Queries, EachRowKnowsItsPlace) {
  std::filesystem::create_directory(folder / "x");
  write("x/a_1.csv", "id,file,star\n1,f,s\n2,f,s\n");
  EXPECT_EQ(text("create virtual table t using released('*/a_*.csv', id text);"
                 "select star || file || number || over from t where id = 2"),
            "xa_12");
  // One that the file has too is called _file.
  EXPECT_EQ(text("create virtual table t using released('*/a_*.csv', id text, file text);"
                 "select file || star || _file from t where id = 2"),
            "fxa_1");
  EXPECT_THAT(text("create virtual table t using released('x/a_*.csv', id text);"
                   "select star || ' ' || place from t where id = 2"),
              ::testing::EndsWith("x/a_1.csv:3"));
}

TEST_F(Queries, FilesPackedOrNot) {
  write("._a.csv", "not a table");
  testing::run_command("gzip " + (folder / "a.csv").string());
  const auto sum = [&](const std::string& name) {
    return value("create virtual table a using released('" + name +
                 "', good real); select sum(good) from a where star in ('', 'a')");
  };
  EXPECT_DOUBLE_EQ(sum("a.csv"), 13);
  for (const char* name : {"a.csv.xz", "*.csv", "*.csv.xz"})
    EXPECT_DOUBLE_EQ(sum(name), 13) << name;
  testing::run_command("gzip -dk " + (folder / "a.csv.gz").string());
  EXPECT_DOUBLE_EQ(sum("*.csv"), 13);  // once
  write("b.csv.xz", "no xz");
  EXPECT_THAT(error("create virtual table b using released('b.csv', id text); select * from b"),
              HasSubstr("xz data is damaged"));
}

TEST_F(Queries, ColumnsWithANumberSignAreStacked) {
  write("a.csv", "id,vote_1,vote_3,of_1,of_3\nx,0,1,5,6\ny,1,1,7,8\n");
  const std::string votes =
      "create virtual table a using released('a.csv', id text,"
      " \"vote_#\" integer, \"of_#\" integer);";
  EXPECT_DOUBLE_EQ(value(votes + "select mean(\"vote_#\") from a where over = 3"), 1);
  EXPECT_DOUBLE_EQ(value(votes + "select sum(\"of_#\") from a where over = 1"), 12);
  EXPECT_THAT(
      error("create virtual table a using released('a.csv', \"w_#\" real); select * from a"),
      HasSubstr("no column is called 'w_#'"));
  EXPECT_DOUBLE_EQ(value("create virtual table a using released('a.csv', id text, \"#\" real);"
                         "select count(*) from a"),
                   8);
}

TEST_F(Queries, JsonLinesAndItems) {
  write("p.json",
        R"json({"t": {"one": {"p": [{"v": 1}, {"v": 2}]}, "two": {"p": [{"v": 4}]}}})json");
  EXPECT_DOUBLE_EQ(value("create virtual table p using released('p.json', object text);"
                         "select sum(v.value ->> '$.v') from p, json_each(object, '$.t') as t,"
                         " json_each(t.value, '$.p') as v where t.key = 'one'"),
                   3);
  write("j.jsonl", "\xEF\xBB\xBF{\"p\":{\"x\":1}}\r\n\r\n{\"p\":{\"x\":2}}\n");
  const std::string lines = "create virtual table j using released('j.jsonl', object text);";
  EXPECT_DOUBLE_EQ(value(lines + "select sum(object ->> '$.p.x') from j"), 3);
  write("j.jsonl", "{}\n{\n");
  EXPECT_THAT(error(lines + "select * from j"), HasSubstr("j.jsonl:2: this is not valid JSON"));
  write("de_evalset.txt", "True\tder Autor lacht\nFalse\tder Autor lachen\n");
  EXPECT_EQ(text("create virtual table i using released('de_evalset.txt', format=items,"
                 "\"locus.0\" text, \"locus.1\" text); select \"locus.0\" || \"locus.1\" from i"),
            "lachtlachen");
  write("l.txt", "\xEF\xBB\xBF ein satz 2.5\r\nV\xE4ter\n");
  EXPECT_THAT(error("create virtual table l using released('l.txt', format=lines, line text);"
                    "select * from l"),
              HasSubstr("l.txt:2: this is not UTF-8"));
}

TEST_F(Queries, JoinsFindWhatIsEqual) {
  write("m.csv", "id,extra,name\n4,40,a\n1,10,1\n4,9,b\n");
  const std::string tables =
      "create virtual table a using released('a.csv', id integer, good real);"
      "create virtual table m using released('m.csv', id real, extra real, name text);";
  EXPECT_DOUBLE_EQ(value(tables + "select sum(good * extra) from a join m using (id)"),
                   30 + 280 + 63);
  EXPECT_DOUBLE_EQ(value(tables + "select count(*) from a join m on m.id = a.id and extra = 9"), 1);
  EXPECT_DOUBLE_EQ(value(tables + "select count(*) from m where id = 4 and name = 'b'"), 1);
  EXPECT_DOUBLE_EQ(value(tables + "select count(*) from m where id = null"), 0);
}

TEST_F(Queries, Regressions) {
  // Two lines through three points each: slopes 1 and 1.5.
  write("a.csv",
        "x,kind,y,right,n,g\n1,a,2,1,4,p\n2,a,3.5,2,4,q\n3,a,4,2,4,p\n4,b,9,3,4,q\n"
        "5,b,8,3,5,p\n6,b,12,4,5,q\n7,a,,,,\n");
  const std::string data =
      "create virtual table a using released('a.csv', x real, kind text, y real null,"
      " right real null, n real null, g text null);"
      "create view known as select * from a where y is not null;";
  const auto fit = [&](const std::string& model, const std::string& key) {
    return data + "select value from json_each(fit('" + model + "', 'known')) where key = '" + key +
           "'";
  };
  EXPECT_NEAR(value(fit("y ~ x * kind", "estimate.kind.b")), 1, 1e-9);
  EXPECT_NEAR(value(fit("y ~ x * kind", "estimate.x:kind.b")), 0.5, 1e-9);
  EXPECT_NEAR(value(fit("y ~ x * kind", "log_likelihood")), -7.537363998, 1e-8);
  EXPECT_DOUBLE_EQ(value(fit("y ~ x * kind", "rows")), 6);
  EXPECT_DOUBLE_EQ(value(fit("y ~ x + kind", "parameters")), 4);
  EXPECT_LT(value(fit("right / n ~ x + (1 | g)", "log_likelihood")), 0);
  EXPECT_GE(value(fit("right / n ~ x + (1 | g)", "sd.g.intercept")), 0);
  EXPECT_THAT(error(fit("y x", "AIC")), HasSubstr("has no ~"));
  EXPECT_THAT(error(fit("y ~ z", "AIC")), HasSubstr("there is no column 'z'"));
  EXPECT_THAT(error(fit("kind ~ x", "AIC")), HasSubstr("column 'kind': 'a' is not a number"));
  EXPECT_THAT(error(fit("y ~ (x | g", "AIC")), HasSubstr("a random term is"));
  EXPECT_THAT(error(data + "select fit('y ~ x', 'a')"),
              HasSubstr("column 'y': '' is not a number"));
  EXPECT_THAT(error("select fit('y ~ x', 'nothing')"), HasSubstr("no such table: nothing"));
  EXPECT_THAT(error(data + "select fit('y ~ x', 'known', 'ml')"), HasSubstr("can only be 'reml'"));
}

class Tables : public Queries {
 protected:
  Paper paper(const std::string& sql) {
    write("p.sql",
          "/*\ntitle: T\ncitation: A (2020):\n  B.\nsource: here\nnote: A note.\n*/\n"
          "create virtual table d using released('d.csv', k text, v real);\n" +
              sql);
    return read_paper(folder / "p.sql");
  }
  std::string problem(const std::string& sql) {
    try {
      check(paper(sql), folder.path());
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  void SetUp() override { write("d.csv", "k,v\na,1\na,2\nb,2\n"); }
};

TEST_F(Tables, NumbersAreComparedToThePrintedDigit) {
  const Paper p = paper(
      "/* table: one\n|   | mean | n |\n| right = a | 1.5 | 2 |\n| wrong = b | 2.1 | |\n"
      "| known = b | 2.1e1 [1] | 1 |\n| stale = b | 2.0 [1] | |\n[1] a\n  slip\n*/\n"
      "select k, mean(v) as mean, count(*) as n from d group by k;\n\n"
      "/* table: two\nneeds: the model\n| | acc |\n| x | 0.5 |\n*/\n");
  EXPECT_EQ(p.numbers(), 7u);
  EXPECT_EQ(p.recomputed(), 6u);
  EXPECT_EQ(p.citation, "A (2020): B.");
  const std::vector<Checked> all = check(p, folder.path());
  std::vector<Verdict> verdicts;
  for (const Checked& c : all) verdicts.push_back(c.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::same, Verdict::same, Verdict::differs, Verdict::known,
                                    Verdict::same, Verdict::differs, Verdict::needs));
  EXPECT_EQ(all[3].why, "a slip");
  EXPECT_EQ(all[5].why, "they agree, but are said not to");
  EXPECT_EQ(all[6].why, "the model");
  EXPECT_EQ(check(p, folder.path(), "two").size(), 1u);
}

TEST_F(Tables, QueriesHaveThreeShapes) {
  const std::string wide = "/* table: t\n| | |\n| mean | 1.67 |\n| n | 3 |\n*/\n";
  EXPECT_EQ(problem(wide + "select mean(v) as mean, count(*) as n from d;"), "");
  EXPECT_EQ(problem(wide + "select 'mean', mean(v) from d union all select 'n', count(*) from d;"),
            "");
  EXPECT_EQ(problem("/* table: t\n| | a | b |\n| sum | 3 | 2 |\n*/\n"
                    "select 'sum' as row, k as \"column\", sum(v) as value from d group by k;"),
            "");
}

TEST_F(Tables, SayWhatIsWrong) {
  const std::string table = "/* table: t\n| | mean |\n| a | 1.5 |\n*/\n";
  EXPECT_THAT(problem(table + "select k, mean(v) as men from d group by k;"),
              HasSubstr("p.sql:13: the query has no column 'mean'"));
  EXPECT_THAT(problem(table + "select k, mean(v) as mean from d where k = 'b' group by k;"),
              HasSubstr("the query gives no number for 'a', 'mean'"));
  EXPECT_THAT(problem(table + "select k, v as mean from d;"),
              HasSubstr("the query gives several rows for 'a', 'mean'"));
  EXPECT_THAT(problem(table + "select k, null as mean from d where v = 1;"),
              HasSubstr("no number"));
  EXPECT_THAT(problem(table + "select k from e;"), HasSubstr("p.sql:13: SQLite: no such table: e"));
  EXPECT_THAT(problem(table), HasSubstr("p.sql:9: a table has a query, or says what it 'needs'"));
  EXPECT_THAT(problem("/* table: t\n| | mean |\n| a | 1.5 | 2 |\n*/\nselect 1;"),
              HasSubstr("'a': 2 values for 1 column"));
  EXPECT_THAT(problem("/* table: t\n| | mean |\n| a | 1.5 [2] |\n*/\nselect 1;"),
              HasSubstr("there is no such note"));
  EXPECT_THAT(problem("/* table: t\n| | mean |\n"), HasSubstr("this comment has no end"));
  EXPECT_THAT(problem("/* table: t\nneeds: m\nrun: a | m\n| | a |\n*/\n"),
              HasSubstr("is not: run:"));
  write("p.sql", "select 1;");
  EXPECT_THROW(read_paper(folder / "p.sql"), Error);
}

TEST_F(Tables, MayNeedMoreFilesThanThereAre) {
  const Paper p = paper(
      "/* table: one\nneeds: both files\nfiles: 2 d*.csv\n| | sum |\n| all | 5 |\n*/\n"
      "select 'all', sum(v) as sum from d;\n");
  EXPECT_EQ(check(p, folder.path())[0].verdict, Verdict::needs);
  EXPECT_EQ(check(p, folder.path())[0].why, "both files");
  write("d2.csv", "k,v\na,2\n");
  EXPECT_EQ(check(p, folder.path())[0].verdict, Verdict::same);
}

TEST_F(Tables, SumsOfPrintedNumbersAndThePage) {
  const Paper p = paper(
      "/* table: Table 1\nneeds: a model\n| | a |\n| x | 1.5 |\n| y | 2.5 |\n*/\n"
      "/* table: Sum\n| | a |\n| all | 4.0 |\n| of another | 5.0 [1] |\n[1] a slip\n*/\n"
      "select column1, (select sum(value) from printed where title = 'Table 1') as a"
      " from (values ('all'), ('of another'));\n");
  const std::string page = fidelity_page({{p, check(p, folder.path())}});
  EXPECT_THAT(page, HasSubstr("| [p](#p) | 4 | 1 | 1 | 0 | 2 |"));
  EXPECT_THAT(page, HasSubstr("A (2020): B. Files: here (licence not stated).\n\nA note."));
  EXPECT_THAT(page, HasSubstr("| x | 1.5 · |\n| y | 2.5 · |\n\n· needs a model\n"));
  EXPECT_THAT(page,
              HasSubstr("| all | 4.0 ✓ |\n| of another | 5.0 ≠ 4 |\n\n- of another, a: a slip"));
}

TEST(Papers, AllThatShipAreWellFormed) {
  size_t numbers = 0;
  for (const Paper& paper : all_papers()) {
    numbers += paper.numbers();
    EXPECT_FALSE(paper.citation.empty()) << paper.name;
    EXPECT_FALSE(paper.source.empty()) << paper.name;
  }
  EXPECT_GE(numbers, 1900u);
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
