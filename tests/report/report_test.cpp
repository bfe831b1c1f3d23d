#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "method/method.h"
#include "report/labels.h"
#include "support.h"

namespace minpair::report {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

judge::SentenceScore sentence(double logprob, size_t tokens = 2) {
  judge::SentenceScore s{{}, {}, 2, 9, 10};
  for (size_t i = 0; i < tokens; ++i) {
    judge::TokenScore t;
    t.id = tokenizer::TokenId(i);
    t.special = i == 0;
    t.logprob = i == 0 ? -0.5 : logprob / double(tokens - 1);
    s.tokens.push_back(t);
  }
  return s;
}

class ReportTest : public ::testing::Test {
 protected:
  // One item: what the good one and the bad ones get, and how long the last bad one is.
  struct Given {
    std::string test, condition;
    double good;
    std::vector<double> bad;
    size_t tokens = 2;
    std::string excluded;
    double distance = 1;
    std::string type = "a";
  };

  void add(const std::string& model, const std::string& method, const std::vector<Given>& given,
           suite::Manifest manifest = {}, const std::string& precision = "fp32") {
    if (manifest.name.empty()) manifest.name = "suite";
    store::Store::Transaction t(store);
    int64_t suite = store.add_suite({0, manifest.name, "f", given.size(), manifest});
    int64_t id = store.add_model({0, model, "w " + model, "t", precision, "masked", "bert", 1, {}});
    int64_t run = store.add_run(suite, id, method::find_method(method).info());
    for (size_t i = 0; i < given.size(); ++i) {
      const Given& g = given[i];
      suite::Item item;
      item.id = std::to_string(i);
      item.test = g.test;
      item.condition = g.condition;
      item.language = "de";
      item.features = {{"distance", g.distance}, {"type", g.type}};
      item.sentences = {{{"Sie lacht ."}, {4, 9}, true}};
      std::vector<judge::SentenceScore> scores = {sentence(g.good)};
      for (const double& b : g.bad) {
        item.sentences.push_back({{"Sie lachen ."}, {4, 10}, false});
        scores.push_back(sentence(b, &b == &g.bad.back() ? g.tokens : 2));
      }
      store.add_score(run, i, item, judge::find_reason(g.excluded),
                      g.excluded.empty() ? scores : std::vector<judge::SentenceScore>{});
    }
    store.finish_run(run);
    t.commit();
  }

  Table table(const ReportOptions& options = {}) { return make_tables(store, options).at(0); }

  const std::vector<Given> mixed = {
      {"simple", "sg", -1, {-2}},
      {"simple", "pl", -2, {-1}},
      {"simple", "pl", -1, {-1}},                              // a tie
      {"hard", "sg", -1, {-3}, 3},                             // unequal lengths
      {"hard", "sg", 0, {}, 2, "locus_not_single_token", 12},  // not in the vocabulary
      {"hard", "pl", 0, {}, 2, "too_long", 7, "b"},
  };

  TemporaryFolder folder;
  store::Store store{folder / "r.db", store::Store::Mode::write};
};

TEST_F(ReportTest, TiesAreWorthWhatThePolicySays) {
  add("m", "masked", mixed);
  auto accuracy = [&](judge::Ties ties) {
    ReportOptions o;
    o.policy.ties = ties;
    o.tests = {"simple"};
    return table(o).total.cells[0].accuracy;
  };
  EXPECT_DOUBLE_EQ(accuracy(judge::Ties::half), 1.5 / 3);
  EXPECT_DOUBLE_EQ(accuracy(judge::Ties::right), 2.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy(judge::Ties::wrong), 1.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy(judge::Ties::paper), 1.0 / 3);  // bert-syntax counts a tie as wrong
}

TEST_F(ReportTest, APapersTiesAndNormAreThoseOfItsManifest) {
  suite::Manifest paper;
  paper.name = "suite";
  paper.ties = "right";  // the method's paper says wrong
  paper.method = "masked";
  paper.norm = "word";
  add("m", "masked", mixed, paper);
  add("m", "ce", mixed, paper);
  ReportOptions o;
  o.policy.ties = judge::Ties::paper;
  o.policy.lengths = judge::Lengths::all;
  o.tests = {"simple"};
  Table t = table(o);
  EXPECT_DOUBLE_EQ(t.total.cells[0].accuracy, 2.0 / 3);
  EXPECT_EQ(t.columns[0].norm, "word");
  EXPECT_EQ(t.columns[1].norm, "mean");  // another method than the paper's
  EXPECT_EQ(t.policies[0], "ties count as in the method's paper");
}

TEST_F(ReportTest, LengthsAndVocabularyAreCountedNotDropped) {
  add("m", "masked", mixed);
  Table both = table();
  ASSERT_EQ(both.columns.size(), 2u);
  EXPECT_EQ(both.columns[0].lengths, "equal");
  EXPECT_EQ(both.columns[1].lengths, "all");
  const Tally& equal = both.total.cells[0].tally;
  EXPECT_EQ(equal.items, 6u);
  EXPECT_EQ(equal.pairs, 3u);
  EXPECT_EQ(equal.excluded,
            (std::map<judge::Reason, uint64_t>{{judge::Reason::locus_not_single_token, 1},
                                               {judge::Reason::too_long, 1},
                                               {judge::Reason::unequal_lengths, 1}}));
  EXPECT_EQ(both.total.cells[1].tally.pairs, 4u);
  ReportOptions wrong;
  wrong.policy.oov = judge::Oov::wrong;
  wrong.policy.lengths = judge::Lengths::all;
  EXPECT_EQ(table(wrong).total.cells[0].tally.pairs, 5u);
  EXPECT_DOUBLE_EQ(table(wrong).total.cells[0].accuracy, 2.5 / 5);
  EXPECT_THAT(both.account[0],
              HasSubstr("6 items: 3 scored (1 tie), 1 with a locus of several pieces, 1 too long "
                        "for the model, 1 of unequal lengths"));
}

TEST_F(ReportTest, GroupsByAnything) {
  add("m", "masked", mixed);
  ReportOptions o;
  o.policy.lengths = judge::Lengths::all;
  o.by = {"condition"};
  Table t = table(o);
  ASSERT_EQ(t.by, (std::vector<std::string>{"test", "condition"}));
  ASSERT_EQ(t.rows.size(), 4u);
  o.by = {"type", "language"};
  t = table(o);
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.rows[1].keys, (std::vector<std::string>{"b", "de"}));
  EXPECT_EQ(t.rows[1].cells[0].tally.excluded.at(judge::Reason::too_long), 1u);
  o.by = {"distance"};
  t = table(o);
  ASSERT_EQ(t.rows.size(), 3u);  // as numbers: 1, 7, 12
  EXPECT_EQ(t.rows[2].keys[0], "12");
  uint64_t items = 0;
  for (const Row& row : t.rows) items += row.cells[0].tally.items;
  EXPECT_EQ(items, 6u);
  o.bins = 2;
  t = table(o);
  EXPECT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.rows[1].keys[0], "7–12");
  o.by = {"colour"};
  EXPECT_THROW(table(o), Error);
}

TEST_F(ReportTest, NormsStandSideBySide) {
  add("m", "ce", {{"simple", "", -1, {-2}}, {"simple", "", -3, {-3.2}, 4}});
  ReportOptions o;
  o.policy.lengths = judge::Lengths::all;
  o.all_views = true;
  Table t = table(o);
  ASSERT_EQ(t.columns.size(), judge::family_of({}).size());
  std::map<std::string, double> accuracy;
  for (size_t i = 0; i < t.columns.size(); ++i)
    accuracy[t.columns[i].norm] = t.total.cells[i].accuracy;
  EXPECT_EQ(accuracy["sum"], 1.0);
  EXPECT_EQ(accuracy["mean"], 0.5);  // -3.5/2 against -3.7/4
}

TEST_F(ReportTest, BeatingAllAndBeatingEach) {
  add("m", "masked", {{"simple", "", -2, {-1, -3, -4, -5}}});
  ReportOptions o;
  EXPECT_EQ(table(o).total.cells[0].accuracy, 0.0);
  o.policy.pairwise = true;
  EXPECT_EQ(table(o).total.cells[0].accuracy, 0.75);
  o.by = {"type"};  // the same from the items
  EXPECT_EQ(table(o).total.cells[0].accuracy, 0.75);
}

// A mean over seeds is over seeds in all that its row says.
TEST_F(ReportTest, CountsAndIntervalsOfSeedsAreOverAllOfThem) {
  const Given right{"simple", "", -1, {-2}}, wrong{"simple", "", -3, {-2}};
  add("lstm/seed1", "masked", {right, wrong, wrong, wrong});
  add("lstm/seed2", "masked", {right, right, wrong, wrong});
  add("lstm/seed3", "masked", {right, right, wrong, wrong});
  ReportOptions o;
  o.aggregate_seeds = true;
  const Table t = table(o);
  for (const Cell* cell : {&t.rows.at(0).cells.at(0), &t.total.cells.at(0)}) {
    EXPECT_EQ(cell->tally.items, 12u);
    EXPECT_EQ(cell->tally.pairs, 12u);
    EXPECT_EQ(cell->tally.correct, 5u);
    EXPECT_DOUBLE_EQ(cell->accuracy, 5.0 / 12);
    EXPECT_NEAR(cell->deviation, 0.1443376, 1e-7);
  }
  EXPECT_THAT(t.notes, ::testing::Contains(HasSubstr("counts are sums over the seeds")));
  EXPECT_THAT(t.account.at(0), HasSubstr("12 items: 12 scored (0 ties), in 3 seeds"));
}

// What a mean over seeds is unsure of: which seeds, and which clusters of items.
TEST_F(ReportTest, IntervalsOfSeedsHaveTheVariancesOfSeedsAndOfClusters) {
  const Given right{"simple", "", -1, {-2}}, wrong{"simple", "", -3, {-2}};
  const auto with = [&](int n) {
    std::vector<Given> all(10, wrong);
    for (int i = 0; i < n; ++i) all[size_t(i)] = right;
    return all;
  };
  add("lstm/seed1", "masked", with(5));
  add("lstm/seed2", "masked", with(6));
  add("lstm/seed3", "masked", with(8));
  ReportOptions o;
  o.aggregate_seeds = o.with_values = true;
  o.cluster = "item";
  const Cell cell = table(o).total.cells.at(0);
  EXPECT_EQ(cell.method, stats::Method::student);
  // Three seeds have two degrees of freedom: R's qt(.975, 2) is 4.302653.
  const double seeds = 0.1527525 / std::sqrt(3.0);
  EXPECT_GT(cell.accuracy - cell.interval.low, 4.302653 * seeds);
  EXPECT_NEAR(cell.accuracy, 19.0 / 30, 1e-9);
}

// Papers often print means over tests.
TEST_F(ReportTest, AveragesOverTests) {
  const Given right{"large", "", -1, {-2}}, wrong{"small", "", -3, {-2}};
  suite::Manifest m;
  m.name = "suite";
  m.results = {{"P", "large", "", "", 0.9, 6, "P"},
               {"P", "small", "", "", 0.2, 2, "P"},
               {"P", "", "", "", 0.55, {}, "P (mean over tests)"}};
  add("m", "masked", {right, right, right, right, right, right, wrong, wrong}, m);
  ReportOptions o;
  o.with_values = true;
  Table items = table(o);
  EXPECT_EQ(items.total.titles[0], "All");
  EXPECT_DOUBLE_EQ(items.total.cells[0].accuracy, 0.75);
  // Not beside a mean over items.
  EXPECT_FALSE(items.total.cells[1].present);
  EXPECT_THAT(items.notes, ::testing::Contains(HasSubstr("--average tests")));
  o.average = Average::tests;
  const Table tests = table(o);
  EXPECT_EQ(tests.total.titles[0], "Mean of tests");
  EXPECT_DOUBLE_EQ(tests.total.cells[0].accuracy, 0.5);
  EXPECT_DOUBLE_EQ(tests.total.cells[0].sums.mean(), 0.5);
  EXPECT_EQ(tests.total.cells[0].tally.correct, 6u);
  EXPECT_DOUBLE_EQ(tests.total.cells[1].accuracy, 0.55);
  // Nor beside a mean over other tests.
  o.tests = {"large"};
  EXPECT_FALSE(table(o).total.cells[1].present);
}

// Only what chance does not explain is marked, and never a published number.
TEST_F(ReportTest, MarksRespectChanceTiesAndOtherItems) {
  std::vector<Given> good(12, {"t", "", -1, {-2}}), bad(12, {"t", "", -3, {-2}});
  suite::Manifest m;
  m.name = "suite";
  m.results = {{"P", "t", "", "", 0.99, 7, "P"}};
  add("a", "masked", good, m);
  add("b", "masked", bad, m);
  good[0] = bad[0];
  add("c", "masked", good, m);
  ReportOptions o;
  o.cluster = "item";
  const Table t = table(o);
  ASSERT_EQ(t.columns.size(), 4u);
  EXPECT_TRUE(t.rows[0].cells[0].best);
  EXPECT_FALSE(t.rows[0].cells[1].best);
  EXPECT_TRUE(t.rows[0].cells[2].best);  // one item of twelve is not beyond chance
  EXPECT_FALSE(t.rows[0].cells[3].best);
  EXPECT_TRUE(t.columns[3].other_items);
}

TEST_F(ReportTest, ManyRowsAsLowAreNotAmongTheFiveLowest) {
  std::vector<Given> rows;
  for (const char* test : {"a", "b", "c", "d", "e", "f", "g"}) rows.push_back({test, "", -1, {-2}});
  rows.push_back({"h", "", -3, {-2}});
  add("m", "masked", rows);
  const Table t = table({});
  for (const Row& row : t.rows) EXPECT_EQ(row.cells[0].low, row.keys[0] == "h") << row.keys[0];
}

TEST_F(ReportTest, SeedsBecomeOneColumn) {
  add("lstm/seed1", "masked", {{"simple", "", -1, {-2}}, {"simple", "", -1, {-2}}});
  add("lstm/seed2", "masked", {{"simple", "", -1, {-2}}, {"simple", "", -3, {-2}}});
  ReportOptions o;
  Table apart = table(o);
  EXPECT_EQ(apart.columns.size(), 2u);
  // Two items say nothing about which is better.
  EXPECT_FALSE(apart.rows[0].cells[0].best);
  EXPECT_FALSE(apart.rows[0].cells[1].best);
  o.aggregate_seeds = true;
  Table t = table(o);
  ASSERT_EQ(t.columns.size(), 1u);
  EXPECT_EQ(t.columns[0].model, "lstm");
  EXPECT_EQ(t.columns[0].seeds, 2u);
  EXPECT_DOUBLE_EQ(t.rows[0].cells[0].accuracy, 0.75);
  EXPECT_NEAR(t.rows[0].cells[0].deviation, 0.353553, 1e-6);
  EXPECT_EQ(without_seed("a-seed12"), "a");
  EXPECT_EQ(without_seed("bert-12"), "bert-12");
  EXPECT_EQ(without_seed("lstm/seed3 (fast)"), "lstm (fast)");
}

TEST_F(ReportTest, OtherPrecisionsAreColumnsOfTheirOwnAndLabelled) {
  add("a/bert", "masked", {{"simple", "", -1, {-2}}});
  add("a/bert", "masked", {{"simple", "", -3, {-2}}}, {}, "bf16");
  Table t = table({});
  ASSERT_EQ(t.columns.size(), 2u);
  EXPECT_EQ(t.columns[0].model, "bert");
  EXPECT_EQ(t.columns[1].model, "bert (bf16)");
  EXPECT_EQ(t.rows[0].cells[0].accuracy, 1.0);
  EXPECT_EQ(t.rows[0].cells[1].accuracy, 0.0);
}

TEST_F(ReportTest, PublishedNumbersStandBeside) {
  suite::Manifest m;
  m.name = "suite";
  m.title = "A suite";
  m.tests = {{"hard", "Hard ones", "Group"}, {"simple", "Simple ones", "Group"}};
  m.results = {{"GBERT", "simple", "", "", 0.75, 3, "Someone 2020"}};
  add("m", "masked", mixed, m);
  ReportOptions o;
  o.policy.lengths = judge::Lengths::equal;
  Table t = table(o);
  EXPECT_EQ(t.rows[0].titles[0], "Hard ones");  // the manifest's order
  ASSERT_EQ(t.columns.size(), 2u);
  EXPECT_TRUE(t.columns[1].published);
  EXPECT_FALSE(t.rows[0].cells[1].present);
  EXPECT_EQ(t.rows[1].cells[1].accuracy, 0.75);
  auto json = nlohmann::json::parse(json_tables({t}));
  EXPECT_EQ(json["results"][1]["published"][0]["accuracy"], 0.75);
  for (const char* field :
       {"model", "method", "norm", "suite", "test", "condition", "pairs", "correct", "ties",
        "accuracy", "ci_low", "ci_high", "excluded", "published"})
    EXPECT_TRUE(json["results"][0].contains(field)) << field;
  EXPECT_EQ(json["results"][0]["excluded"]["unequal_lengths"], 1);
}

TEST_F(ReportTest, TextFitsTheWindow) {
  for (int i = 0; i < 6; ++i) add("some-long-model-name-" + std::to_string(i), "masked", mixed);
  for (size_t width : {40, 60, 80, 120, 300}) {
    std::string text = text_tables({table()}, {width, false});
    for (std::string_view line : split(text, '\n'))
      EXPECT_LE(count_characters(line), width) << line;
    EXPECT_EQ(text.find('\033'), std::string::npos);
  }
  EXPECT_NE(text_tables({table()}, {80, true}).find("\033[1m"), std::string::npos);
}

TEST_F(ReportTest, OtherFormats) {
  add("m_1", "masked", mixed);
  Table t = table();
  std::string latex = latex_tables({t});
  EXPECT_THAT(latex, HasSubstr("\\toprule"));
  EXPECT_THAT(latex, HasSubstr("m\\_1"));
  EXPECT_THAT(latex, HasSubstr("\\bottomrule\n\\end{tabular}"));
  // Every line of the body has as many cells as the head says.
  size_t columns = t.by.size() + 4;
  for (std::string_view line : split(latex, '\n'))
    if (line.ends_with("\\\\") && line.find("multicolumn") == std::string_view::npos) {
      EXPECT_EQ(size_t(std::count(line.begin(), line.end(), '&')) + 1, columns) << line;
    }
  EXPECT_THAT(markdown_tables({t}), HasSubstr("| simple | 0.5000 | 3 | 0.5000 | 3 |"));
  std::string csv = csv_tables({t});
  EXPECT_THAT(csv, HasSubstr("suite,m_1,masked,sum,equal,simple,,,3,3,1,1,0.5,"));
}

TEST_F(ReportTest, LmEvalFiles) {
  add("m", "masked", mixed);
  std::vector<std::filesystem::path> files = write_lm_eval(store, {}, folder / "lm");
  ASSERT_EQ(files.size(), 3u);
  std::ifstream in(folder.path() / "lm/m__masked/results_minpair.json");
  auto results = nlohmann::json::parse(in);
  EXPECT_EQ(results["results"]["suite_simple"]["acc,none"], 0.5);
  EXPECT_TRUE(results["results"]["suite_simple"].contains("acc_stderr,none"));
  std::ifstream samples(folder.path() / "lm/m__masked/samples_suite_simple_minpair.jsonl");
  std::string line;
  size_t lines = 0;
  while (std::getline(samples, line)) {
    auto sample = nlohmann::json::parse(line);
    EXPECT_EQ(sample["arguments"]["gen_args_0"]["arg_1"], "Sie lacht .");
    EXPECT_EQ(sample["target"], "0");
    EXPECT_TRUE(sample.contains("acc") && sample.contains("doc_hash"));
    ++lines;
  }
  EXPECT_EQ(lines, 3u);
}

TEST_F(ReportTest, LmEvalFilesObeyThePolicy) {
  add("m", "masked", mixed);
  auto accuracy = [&](const judge::Policy& policy, const char* task) {
    ReportOptions o;
    o.policy = policy;
    write_lm_eval(store, o, folder / "lm");
    std::ifstream in(folder.path() / "lm/m__masked/results_minpair.json");
    return nlohmann::json::parse(in)["results"][task]["acc,none"].get<double>();
  };
  EXPECT_DOUBLE_EQ(accuracy({.ties = judge::Ties::right}, "suite_simple"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy({.ties = judge::Ties::paper}, "suite_simple"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy({.oov = judge::Oov::wrong}, "suite_hard"), 1.0 / 2);
}

TEST_F(ReportTest, NothingThere) {
  EXPECT_THROW(table(), Error);
  add("m", "masked", mixed);
  ReportOptions o;
  o.wanted.models = {"other"};
  EXPECT_THROW(table(o), Error);
}

}  // namespace
}  // namespace minpair::report
