#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "papers/papers.h"
#include "store/judgments.h"
#include "store/store.h"
#include "support.h"

namespace minpair::papers {
namespace {

using ::testing::HasSubstr;

class ReleasedFiles : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }
  // Files of virtual tables, and a query.
  Stored stored(const std::string& files, const std::string& method, const std::string& norm,
                const std::string& query) {
    write("p.sql", "/*\ntitle: T\nsource: here\n*/\n" + files +
                       "\n/* released:\nmethod: " + method + "\nnorm: " + norm + "\n*/\n" + query);
    return store_released(folder / "r.db", read_paper(folder / "p.sql"), folder.path());
  }
  // right, ties and items of every run, in order.
  std::vector<std::string> runs() {
    store::Store store(folder / "r.db", store::Store::Mode::read);
    std::vector<std::string> all;
    for (const store::RunRecord& run : store.runs()) {
      judge::Counts counts;
      for (const store::SummaryRow& row : store.summary(run.id))
        if (row.view == run.view) counts.add(row.counts);
      all.push_back(run.model.name + " " + run.model.kind + " " + run.method + " " +
                    std::to_string(counts.right) + " " + std::to_string(counts.ties) + " " +
                    std::to_string(counts.items));
    }
    return all;
  }
};

TEST_F(ReleasedFiles, ModelsThatAnswerAlikeStayTwo) {
  const std::string table = "id,good,bad,g,b\n1,Er lacht,Er lachen,-3,-4\n";
  write("x_scores.csv", table);
  write("y_scores.csv", table);
  stored(
      "create virtual table s using released('*_scores.csv', id text, good text, bad text, g real,"
      " b real);",
      "lp", "sum", "select star as model, id, 't' as test, good, g, bad, b from s");
  EXPECT_EQ(runs(), (std::vector<std::string>{"x released lp 1 0 1", "y released lp 1 0 1"}));
}

TEST_F(ReleasedFiles, ScoresOfSeveralModelsAreRunsOverOneSuite) {
  // Columns in another order, more of them, accents in texts.
  write("x_scores.csv",
        "id,good,bad,g,b\n1,Die Väter lachen,Die Väter lacht,-1,-2\n2,Er lacht,Er lachen,-3,-3\n");
  write("y_scores.csv",
        "b,g,more,bad,good,id\n-1,-2,?,Die Väter lacht,Die Väter lachen,1\n-9,-3,?,Er lachen,Er "
        "lacht,2\n");
  Stored done = stored(
      "create virtual table s using released('*_scores.csv', id text, good text, bad text, g real,"
      " b real);",
      "lp", "sum",
      "select star as model, 'de' as language, id, 't' as test, bad, b, good, g from s");
  EXPECT_EQ(done.items.size(), 2u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"x released lp 1 1 2", "y released lp 1 0 2"}));
  store::Store store(folder / "r.db", store::Store::Mode::read);
  EXPECT_EQ(store.runs()[0].suite.id, store.runs()[1].suite.id);
}

TEST_F(ReleasedFiles, ChoicesOfPeopleAreCountedAndKept) {
  write("votes.tsv",
        "id\ta\tb\tvoter_1\tvoter_2\tvoter_3\n1\tg1\tb1\t0\t0\t1\n2\tg2\tb2\t1\t1\t0\n");
  Stored done = stored(
      "create virtual table v using released('votes.tsv', id text, a text, b text, \"voter_#\" "
      "real);",
      "choice", "mean",
      "select 'people' as model, id, 't' as test, 1 - \"voter_#\" as choice,"
      " 'voter ' || over as person, a as good, b as bad from v order by number, over");
  EXPECT_EQ(done.judgments, 6u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people choice 1 0 2"}));
  std::vector<store::Judgment> all = store::read_judgments(folder / "r.db");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1], (store::Judgment{"p", "g1", "b1", "voter 2", 1}));
}

TEST_F(ReleasedFiles, RatingsOfOneSentenceEach) {
  write(
      "r.csv",
      "pair,type,sentence,who,rating\n1,good,g1,A,7\n1,bad,b1,B,2\n1,good,g1,C,6\n2,good,g2,A,5\n");
  Stored done = stored(
      "create virtual table r using released('r.csv', pair text, type text, sentence text, who "
      "text,"
      " rating real);",
      "rating", "mean",
      "select 'people' as model, pair as id, 't' as test, 'Well,' as context, who as person,"
      " iif(type = 'good', sentence, null) as good, rating,"
      " iif(type = 'bad', sentence, null) as bad, rating from r where rating > 0");
  EXPECT_EQ(done.judgments, 4u);
  EXPECT_EQ(done.left_out, 1u);  // nobody rated the bad sentence of pair 2
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people rating 1 0 1"}));
  EXPECT_EQ(store::read_judgments(folder / "r.db")[0].sentence, "Well, g1");
}

TEST_F(ReleasedFiles, CountsOfAnswersAreItems) {
  write("counts.csv", "UID,total,correct\nbä,3,2\nc,0,0\nd,1,0\n");
  const std::string file =
      "create virtual table c using released('counts.csv', UID text, total integer, correct "
      "integer);";
  const std::string query =
      "with recursive n(n) as (select 1 union all select n + 1 from n where n < 9)"
      " select 'people' as model, UID || '/' || n as id, UID as test, n <= correct as choice,"
      " 'g ' || n as good, 'b ' || n as bad";
  stored(file, "choice", "mean", query + " from c join n on n <= total order by c.number, n");
  EXPECT_EQ(runs(), (std::vector<std::string>{"people released choice 2 0 4"}));
  // With a person, whoever that is, they are people's answers.
  fs::remove(folder / "r.db");
  const Stored done =
      stored(file, "choice", "mean",
             query + ", '' as person from c join n on n <= total order by c.number, n");
  EXPECT_EQ(done.judgments, 4u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people choice 2 0 4"}));
  EXPECT_EQ(store::read_judgments(folder / "r.db")[2], (store::Judgment{"p", "g 3", "b 3", "", 0}));
  write("counts.csv", "UID,total,correct\nb,2.5,2\n");
  EXPECT_THROW(
      stored(file, "choice", "mean", query + " from c join n on n <= total order by c.number, n"),
      Error);
}

TEST_F(ReleasedFiles, UnpairedItemsAreCounted) {
  write("gold.csv", "id,good,bad\n1,g1,b1\n2,g2,b2\n");
  write("scores.csv", "id,right\n1,1\n7,0\n2,0\n8,1\n");
  Stored done = stored(
      "create virtual table g using released('gold.csv', id text, good text, bad text);"
      "create virtual table s using released('scores.csv', id text, right real);",
      "choice", "mean",
      "select 'm' as model, id, 't' as test, right as choice, good, bad, s.place"
      " from s left join g using (id)");
  EXPECT_EQ(runs(), (std::vector<std::string>{"m released choice 1 0 2"}));
  EXPECT_THAT(done.notes, ::testing::ElementsAre(
                              ::testing::HasSubstr("2 rows have no sentences; the first: ")));
  EXPECT_THAT(done.notes[0], ::testing::EndsWith("scores.csv:3"));
}

TEST_F(ReleasedFiles, SeveralSourcesOfOneRunAreJoinedByTwoColumns) {
  // What was chosen is a good sentence or a bad one of its task; "x" is both, in different tasks.
  write("gold.csv", "task,good,bad\n1,x,y\n2,z,x\n2,v,w\n");
  write("chosen.csv", "id,task,chosen\n1,1,x\n2,2,x\n3,2,v\n");
  const auto from = [](const std::string& side, const std::string& choice) {
    return "select 'm' as model, c.id, c.task as test, " + choice +
           " as choice, good, bad from chosen c join gold g on g.task = c.task and g." + side +
           " = c.chosen";
  };
  Stored done = stored(
      "create virtual table gold using released('gold.csv', task text, good text, bad text);"
      "create virtual table chosen using released('chosen.csv', id text, task text, chosen text);",
      "choice", "mean",
      from("good", "1") + ";\n/* released:\nmethod: choice\nnorm: mean\n*/\n" + from("bad", "0"));
  EXPECT_EQ(done.items.size(), 1u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"m released choice 2 0 3"}));
}

TEST_F(ReleasedFiles, ItemsInAnotherOrderAreTheSameSuite) {
  write("a.csv", "id,right\n1,1\n2,0\n3,1\n");
  write("b.csv", "id,right\n3,1\n1,0\n2,0\n");
  stored("create virtual table s using released('*.csv', id text, right real);", "choice", "mean",
         "select star as model, id, 't' as test, right as choice, 'g ' || id as good, 'b ' || id "
         "as bad"
         " from s");
  EXPECT_EQ(runs(),
            (std::vector<std::string>{"a released choice 2 0 3", "b released choice 1 0 3"}));
  store::Store store(folder / "r.db", store::Store::Mode::read);
  EXPECT_EQ(store.runs()[0].suite.id, store.runs()[1].suite.id);
}

// A further model's file that is not like the others is refused with the place: its rows would
// otherwise be other items, or none.
class AFurtherFile : public ReleasedFiles {
 protected:
  const std::string head = "id,test,good,bad,g,b\n";
  // What is said when this is the second of two models' files.
  std::string error(const std::string& table, const std::string& norm = "sum") {
    write("a.csv", head + "1,t,g1,b1,-1,-2\n2,t,g2,b2,-1,-2\n");
    write("b.csv", table);
    try {
      stored(
          "create virtual table s using released('*.csv', id text, test text, good text,"
          " bad text, g real, b real);",
          "lp", norm, "select star as model, id, test, good, g, bad, b, place from s");
    } catch (const Error& e) {
      EXPECT_FALSE(std::filesystem::exists(folder / "r.db"));
      return e.what();
    }
    return "";
  }
};

TEST_F(AFurtherFile, HasTheColumnsThatAreAskedFor) {
  for (const char* name : {"id", "test", "good", "bad", "g", "b"}) {
    std::string other = "," + head;
    const size_t at = other.find("," + std::string(name) + (name == std::string("b") ? "\n" : ","));
    other.insert(at + 1, "x_");
    const std::string said = error(other.substr(1) + "1,t,g1,b1,-1,-2\n");
    EXPECT_THAT(said, HasSubstr("b.csv: there is no column '" + std::string(name) + "'"));
  }
}

TEST_F(AFurtherFile, IsNotEmpty) {
  EXPECT_THAT(error(""), HasSubstr("b.csv: there are no rows in this file"));
  EXPECT_THAT(error(head), HasSubstr("b.csv: there are no rows in this file"));
  EXPECT_THAT(error(head + ",,,,,\n"), HasSubstr("b.csv: there are no rows in this file"));
}

TEST_F(AFurtherFile, SaysWhatTheItemsAre) {
  EXPECT_THAT(error(head + "1,t,g1,b1,-1,-2\n2,t,,b2,-1,-2\n"),
              HasSubstr("b.csv:3: column 'good': '' says nothing"));
  EXPECT_THAT(error(head + "NA,t,g1,b1,-1,-2\n"), HasSubstr("b.csv:2: column 'id': 'NA' says"));
  EXPECT_THAT(error(head + "1,nan,g1,b1,-1,-2\n"), HasSubstr("b.csv:2: column 'test': 'nan'"));
  for (const char* missing : {"", "NA", "nan"})
    EXPECT_THAT(error(head + "1,t,g1,b1,-1," + missing + "\n"),
                HasSubstr("b.csv:2: column 'b': '" + std::string(missing) + "' is not a number"));
  EXPECT_THAT(error(head + "1,t,g1,b1,-1,-2\n1,t,g1,b1,-1,-2\n"),
              HasSubstr("b.csv:3: 'g1' has a score already, in item '1'"));
  EXPECT_EQ(error(head + "1,t,g1,b1,-1,-2\n1,t,g1,b1,-1,-2\n", "mean"), "");
}

TEST_F(AFurtherFile, IsUtf8) {
  EXPECT_THAT(error(head + "1,t,V\xE4ter,b1,-1,-2\n"), HasSubstr("b.csv:2: field 3 is not UTF-8"));
  EXPECT_THAT(error("\xFF\xFEi\0d"), HasSubstr("b.csv:1: field 1 is not UTF-8"));
  EXPECT_EQ(error(head + "1,t,Väter,été,-1,-2\n"), "");
}

TEST_F(ReleasedFiles, PairsDoNotReachFromOneFileIntoTheNext) {
  write("a.txt", "b1 2\ng1 1\nb2 2\n");
  write("b.txt", "b3 2\n");
  try {
    stored(
        "create virtual table l using released('*.txt', format=lines, line text);", "ce", "mean",
        "select 'm' as model, b.star as test, g.line as good, 1, b.line as bad, iif(g.line is null,"
        " null, 2), b.place from l b left join l g on g.file = b.file and g.number = b.number + 1"
        " where b.number % 2 = 1");
    ADD_FAILURE() << "two odd files are not one even file";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("a.txt:3: 'b2 2' has no value"));
  }
}

TEST_F(ReleasedFiles, AChoiceIsAShare) {
  write("c.csv", "id,right\n1,1\n2,7\n");
  try {
    stored("create virtual table c using released('c.csv', id text, right real);", "choice", "mean",
           "select 'm' as model, id, 't' as test, right as choice, 'g' as good, 'b' as bad, place"
           " from c");
    ADD_FAILURE() << "7 is no choice";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("c.csv:3: the choice is 7, but it is 0, 1 or between them"));
  }
}

TEST_F(ReleasedFiles, QueriesHaveTheColumnsOfItems) {
  const auto error = [&](const std::string& query) -> std::string {
    try {
      stored("", "lp", "sum", query);
    } catch (const Error& e) {
      EXPECT_FALSE(std::filesystem::exists(folder / "r.db"));  // nothing is stored by halves
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error("select 't' as test, 'g' as good, 1"), HasSubstr("has no column 'model'"));
  EXPECT_THAT(error("select 'm' as model, 't' as test"), HasSubstr("no columns 'good' and 'bad'"));
  EXPECT_THAT(error("select 'm' as model, 't' as test, 'g' as good"),
              HasSubstr("p.sql:10: the query has no value after its last sentence"));
}

}  // namespace
}  // namespace minpair::papers
