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
  Stored stored(const std::string& released) {
    write("p.json",
          R"({"title": "T", "source": "here", "tables": [], "released": [)" + released + "]}");
    return store_released(folder / "r.db", read_paper(folder / "p.json"), folder.path());
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

TEST_F(ReleasedFiles, ScoresOfSeveralModelsAreRunsOverOneSuite) {
  // Columns in another order, more of them, accents in texts.
  write("x_scores.csv",
        "id,good,bad,g,b\n1,Die Väter lachen,Die Väter lacht,-1,-2\n2,Er lacht,Er lachen,-3,-3\n");
  write("y_scores.csv",
        "b,g,more,bad,good,id\n-1,-2,?,Die Väter lacht,Die Väter lachen,1\n-9,-3,?,Er lachen,Er "
        "lacht,2\n");
  Stored done = stored(R"json({"from": {"file": "*_scores.csv"}, "model": "{star}", "method": "lp",
    "norm": "sum", "language": "de", "id": "{id}", "test": "t",
    "sentences": [["bad", "{bad}", "b"], ["good", "{good}", "g"]]})json");
  EXPECT_EQ(done.items.size(), 2u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"x released lp 1 1 2", "y released lp 1 0 2"}));
  store::Store store(folder / "r.db", store::Store::Mode::read);
  EXPECT_EQ(store.runs()[0].suite.id, store.runs()[1].suite.id);
}

TEST_F(ReleasedFiles, ChoicesOfPeopleAreCountedAndKept) {
  write("votes.tsv",
        "id\ta\tb\tvoter_1\tvoter_2\tvoter_3\n1\tg1\tb1\t0\t0\t1\n2\tg2\tb2\t1\t1\t0\n");
  Stored done = stored(R"json({"from": {"file": "votes.tsv", "stack": {"over": ["1", "2", "3"],
      "columns": {"vote": "voter_#"}}}, "model": "people", "method": "choice", "norm": "mean",
    "id": "{id}", "test": "t", "choice": "1 - vote", "person": "voter {over}",
    "sentences": [["good", "{a}"], ["bad", "{b}"]]})json");
  EXPECT_EQ(done.judgments, 6u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people choice 1 0 2"}));
  std::vector<store::Judgment> all = store::read_judgments(folder / "r.db");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1], (store::Judgment{"p", "g2", "b2", "voter 1", 0}));
}

TEST_F(ReleasedFiles, RatingsOfOneSentenceEach) {
  write(
      "r.csv",
      "pair,type,sentence,who,rating\n1,good,g1,A,7\n1,bad,b1,B,2\n1,good,g1,C,6\n2,good,g2,A,5\n");
  Stored done = stored(R"json({"from": {"file": "r.csv"}, "model": "people", "method": "rating",
    "norm": "mean", "id": "{pair}", "test": "t", "context": "Well,", "person": "{who}",
    "where": "rating > 0", "sentences": [["{type}", "{sentence}", "rating"]]})json");
  EXPECT_EQ(done.judgments, 4u);
  EXPECT_EQ(done.left_out, 1u);  // nobody rated the bad sentence of pair 2
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people rating 1 0 1"}));
  EXPECT_EQ(store::read_judgments(folder / "r.db")[0].sentence, "Well, g1");
}

TEST_F(ReleasedFiles, CountsOfAnswersAreSoManyItems) {
  write("counts.csv", "UID,total,correct\nbä,3,2\nc,0,0\nd,1,0\n");
  const std::string rule = R"json({"from": {"file": "counts.csv", "repeat": "total"},
    "model": "people", "method": "choice", "norm": "mean", "id": "{UID}/{number}", "test": "{UID}",
    "choice": "number <= correct", "sentences": [["good", "g {UID}"], ["bad", "b {UID}"]]})json";
  stored(rule);
  EXPECT_EQ(runs(), (std::vector<std::string>{"people released choice 2 0 4"}));
  write("counts.csv", "UID,total,correct\nb,2.5,2\n");
  EXPECT_THROW(stored(rule), Error);
}

TEST_F(ReleasedFiles, AnswersOfNobodyKnowsWhomArePeoples) {
  write("counts.csv", "UID,total,correct\nb,3,2\n");
  Stored done = stored(R"json({"from": {"file": "counts.csv", "repeat": "total"},
    "model": "people", "method": "choice", "norm": "mean", "id": "{UID}/{number}", "test": "{UID}",
    "choice": "number <= correct", "person": "",
    "sentences": [["good", "g {number}"], ["bad", "b {number}"]]})json");
  EXPECT_EQ(done.judgments, 3u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"people people choice 2 0 3"}));
  EXPECT_EQ(store::read_judgments(folder / "r.db")[2], (store::Judgment{"p", "g 3", "b 3", "", 0}));
}

TEST_F(ReleasedFiles, WhatHasNoPartnerIsCounted) {
  write("gold.csv", "id,good,bad\n1,g1,b1\n2,g2,b2\n");
  write("scores.csv", "id,right\n1,1\n7,0\n2,0\n8,1\n");
  Stored done = stored(R"json({"from": {"file": "scores.csv",
      "join": [{"file": "gold.csv", "on": "id", "prefix": "g."}]},
    "model": "m", "method": "choice", "norm": "mean", "id": "{id}", "test": "t", "choice": "right",
    "sentences": [["good", "{g.good}"], ["bad", "{g.bad}"]]})json");
  EXPECT_EQ(runs(), (std::vector<std::string>{"m released choice 1 0 2"}));
  EXPECT_THAT(done.notes, ::testing::ElementsAre(::testing::HasSubstr(
                              "2 rows have no partner in gold.csv; the first: ")));
  EXPECT_THAT(done.notes[0], ::testing::EndsWith("scores.csv:3"));
}

TEST_F(ReleasedFiles, SeveralSourcesOfOneRunAreJoinedByTwoColumns) {
  // What was chosen is a good sentence or a bad one of its task; "x" is both, in different tasks.
  write("gold.csv", "task,good,bad\n1,x,y\n2,z,x\n2,v,w\n");
  write("chosen.csv", "id,task,chosen\n1,1,x\n2,2,x\n3,2,v\n");
  auto from = [](const std::string& side, const std::string& choice) {
    return R"json({"from": {"file": "chosen.csv", "derive": [[")json" + side +
           R"json(", "chosen", "^$", ""]], "join": [{"file": "gold.csv", "on": ["task", ")json" +
           side + R"json("], "prefix": "gold."}]}, "model": "m", "method": "choice", "norm": "mean",
      "id": "{id}", "test": "{task}", "choice": ")json" +
           choice + R"json(", "sentences": [["good", "{gold.good}"], ["bad", "{gold.bad}"]]})json";
  };
  Stored done = stored(from("good", "1") + ", " + from("bad", "0"));
  EXPECT_EQ(done.items.size(), 1u);
  EXPECT_EQ(runs(), (std::vector<std::string>{"m released choice 2 0 3"}));
}

TEST_F(ReleasedFiles, ItemsInAnotherOrderAreTheSameSuite) {
  write("a.csv", "id,right\n1,1\n2,0\n3,1\n");
  write("b.csv", "id,right\n3,1\n1,0\n2,0\n");
  stored(R"json({"from": {"file": "*.csv"}, "model": "{star}", "method": "choice", "norm": "mean",
    "id": "{id}", "test": "t", "choice": "right", "sentences": [["good", "g {id}"], ["bad", "b {id}"]]})json");
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
      stored(R"json({"from": {"file": "*.csv"}, "model": "{star}", "method": "lp", "norm": ")json" +
             norm + R"json(", "id": "{id}", "test": "{test}",
             "sentences": [["good", "{good}", "g"], ["bad", "{bad}", "b"]]})json");
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
    EXPECT_THAT(said, HasSubstr("b.csv:2: there is no column '" + std::string(name) + "'"));
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
  const std::string rule =
      R"json({"from": {"file": "*.txt", "format": "scored-lines", "pairs": true},
    "model": "m", "method": "ce", "norm": "mean", "test": "{first.star}",
    "sentences": [["good", "{second.text}", "0 - second.score"], ["bad", "{first.text}", "0 - first.score"]]})json";
  write("a.txt", "b1 2\ng1 1\nb2 2\n");
  write("b.txt", "b3 2\n");
  try {
    stored(rule);
    ADD_FAILURE() << "two odd files are not one even file";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("a.txt:3: the number of lines is odd"));
  }
}

TEST_F(ReleasedFiles, AChoiceIsAShare) {
  write("c.csv", "id,right\n1,1\n2,7\n");
  try {
    stored(R"json({"from": {"file": "c.csv"}, "model": "m", "method": "choice", "norm": "mean",
      "id": "{id}", "test": "t", "choice": "right", "sentences": [["good", "g {id}"], ["bad", "b {id}"]]})json");
    ADD_FAILURE() << "7 is no choice";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("c.csv:3: right is 7, but a choice is 0, 1 or between them"));
  }
}

TEST_F(ReleasedFiles, WhatIsWrongIsSaid) {
  write("r.csv", "type,sentence,rating\nmiddling,g1,7\n");
  const std::string rule = R"json({"from": {"file": "r.csv"}, "model": "m", "method": "rating",
    "norm": "mean", "sentences": [["{type}", "{sentence}", "rating"]]})json";
  EXPECT_THROW(stored(rule), Error);
  write("r.csv", "type,sentence\ngood,g1\n");
  EXPECT_THROW(stored(rule), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.db"));  // nothing is stored by halves
}

}  // namespace
}  // namespace minpair::papers
