// Every view of the same results gives the same totals: all groupings, statistics, comparisons, the
// data of the page and exports, for every kind of suite and every policy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "method/method.h"
#include "report/views.h"
#include "store/checksum.h"
#include "store/sqlite.h"
#include "support.h"
#include "tidy/tidy.h"

namespace minpair::report {
namespace {

constexpr uint64_t kItems = 120;

enum class Kind { pairs, sets, design, cloze_features, cloze_lemmas, pair_lemmas };
constexpr std::pair<Kind, const char*> kKinds[] = {{Kind::pairs, "masked"},
                                                   {Kind::pairs, "pll"},
                                                   {Kind::sets, "lp"},
                                                   {Kind::design, "lp"},
                                                   {Kind::cloze_features, "masked"},
                                                   {Kind::cloze_lemmas, "lemma-pairs"},
                                                   {Kind::pair_lemmas, "lemma-pairs"}};

class Results {
 public:
  Results(store::Store& store, Kind kind, const std::string& method)
      : store_(store), kind_(kind), method_(method) {
    suite::Manifest manifest;
    manifest.name = "s";
    if (kind == Kind::design)
      manifest.criteria = {{"first", "", "noun in a > noun in b"},
                           {"second", "", "verb in a > verb in b"}};
    store::Store::Transaction t(store);
    suite_ = store.add_suite({0, "s", "f", kItems, manifest});
    add_run("A", 1);
    add_run("B", 2);
    t.commit();
  }

 private:
  void add_run(const std::string& model, uint64_t seed) {
    Random random(seed);
    int64_t id = store_.add_model({0, model, "w" + model, "t", "fp32", "masked", "bert", 1, {}});
    judge::MethodInfo info = method::find_method(method_).info();
    if (kind_ == Kind::cloze_features) info.view = {judge::Unit::probability};
    if (kind_ == Kind::cloze_lemmas || kind_ == Kind::pair_lemmas)
      info.view = {judge::Unit::equal_weight};
    int64_t run = store_.add_run(suite_, id, info);
    for (uint64_t i = 0; i < kItems; ++i) {
      suite::Item item = item_at(i);
      judge::Reason excluded = i % 17 == 3   ? judge::Reason::unknown_locus
                               : i % 23 == 5 ? judge::Reason::too_long
                                             : judge::Reason::none;
      std::vector<judge::SentenceScore> scores;
      if (excluded == judge::Reason::none) scores = scores_of(item, i, random);
      store_.add_score(run, i, item, excluded, scores,
                       i % 4 ? std::optional(i % 13) : std::nullopt);
    }
    store_.finish_run(run);
  }

  suite::Item item_at(uint64_t i) const {
    suite::Item item;
    item.id = "i" + std::to_string(i);
    item.test = i % 3 ? "simple" : "across";
    item.condition = i % 2 ? "sg" : "pl";
    item.language = i % 5 ? "de" : "nl";
    item.cluster = "c" + std::to_string(i % 12);
    item.features = {{"distance", double(i % 30)}, {"attractors", double(i % 4)}};
    if (i % 7) item.features.push_back({"animacy", i % 2 ? "animate" : "inanimate"});
    const auto sentence = [&](size_t n, bool good) {
      suite::Sentence s{{"Satz" + std::to_string(n) + " lacht ."}, {6, 11}, good};
      if (kind_ == Kind::design) {
        s.name = n % 2 ? "b" : "a";
        s.regions = {{"noun", {0, 5}}, {"verb", {6, 11}}};
        s.grammatical = false;
      }
      return s;
    };
    item.design = kind_ == Kind::design;
    item.cloze = kind_ == Kind::cloze_features || kind_ == Kind::cloze_lemmas;
    item.sentences = {sentence(0, true)};
    if (!item.cloze) item.sentences.push_back(sentence(1, false));
    if (kind_ == Kind::sets && i % 2) item.sentences.push_back(sentence(2, false));
    if (kind_ == Kind::sets && i % 4 == 1) item.sentences.push_back(sentence(4, true));
    return item;
  }

  std::vector<judge::SentenceScore> scores_of(const suite::Item& item, uint64_t i,
                                              Random& random) const {
    std::vector<judge::SentenceScore> scores;
    const size_t sides = item.cloze ? 2 : item.sentences.size();
    for (size_t s = 0; s < sides; ++s) {
      judge::SentenceScore& score = scores.emplace_back();
      score.words = 3, score.characters = 13, score.bytes = 13;
      if (kind_ == Kind::cloze_features || kind_ == Kind::cloze_lemmas ||
          kind_ == Kind::pair_lemmas) {
        score.cloze.emplace();
        score.cloze->kind = kind_ == Kind::cloze_features ? judge::WordScore::Kind::features
                                                          : judge::WordScore::Kind::lemmas;
        score.cloze->count = 5;
        score.cloze->views[0] = i % 11 == 0 ? -0.5f : -float(random.below(1000)) / 500;
        score.cloze->views[1] = i % 11 == 0 ? 0.5f : float(random.below(9)) / 20;
        continue;
      }
      const size_t tokens = 2 + (s == 1 && i % 6 == 0);
      for (size_t t = 0; t < tokens; ++t) {
        judge::TokenScore token;
        token.id = tokenizer::TokenId(t);
        token.special = t == 2;
        token.in_locus = t == 1;
        token.span = t == 2 ? Span{} : t == 1 ? Span{6, 11} : Span{0, 5};
        token.logprob = i % 11 == 0 ? -2 : -double(random.below(40)) / 4;
        score.tokens.push_back(token);
      }
    }
    return scores;
  }

  store::Store& store_;
  Kind kind_;
  std::string method_;
  int64_t suite_ = 0;
};

// --- the totals of a view, each found in its own way ---

struct Totals {
  double items = NAN, pairs = NAN, correct = NAN, ties = NAN, points = NAN;  // NaN: not said
};

void expect_same(const Totals& a, const Totals& b, const std::string& what) {
  const auto same = [&](double x, double y, const char* name) {
    if (std::isnan(x) || std::isnan(y)) return;
    EXPECT_NEAR(x, y, 1e-6 * (1 + std::fabs(x))) << what << ": " << name;
  };
  same(a.items, b.items, "items");
  same(a.pairs, b.pairs, "pairs");
  same(a.correct, b.correct, "correct");
  same(a.ties, b.ties, "ties");
  same(a.points, b.points, "points");
}

Totals totals_of(const Cell& cell) {
  const Tally& t = cell.tally;
  return {double(t.items), double(t.pairs), double(t.correct), double(t.ties), t.points};
}

// The sum of the rows, which the last row of the table must have.
Totals of_table(store::Store& store, ReportOptions options, const std::vector<std::string>& by) {
  options.by = by;
  const Table table = make_tables(store, options).at(0);
  Totals sum{0, 0, 0, 0, 0};
  for (const Row& row : table.rows) {
    const Totals t = totals_of(row.cells[0]);
    sum = {sum.items + t.items, sum.pairs + t.pairs, sum.correct + t.correct, sum.ties + t.ties,
           sum.points + t.points};
  }
  expect_same(totals_of(table.total.cells[0]), sum, "the last row of " + by.back());
  return sum;
}

double in_grid(const Grid& grid, const std::vector<GridValue>& row, const std::string& key) {
  for (size_t c = 0; c < grid.columns.size(); ++c)
    if (grid.columns[c].key == key) return std::get<double>(row[c]);
  ADD_FAILURE() << "no column " << key;
  return NAN;
}

Totals of_statistics(store::Store& store, ReportOptions options,
                     const std::vector<std::string>& by) {
  options.by = by;
  const Grid grid = statistics_grids(store, options).at(0);
  Totals sum{NAN, 0, NAN, NAN, 0};
  for (size_t r = 0; r + (grid.total ? 1 : 0) < grid.rows.size(); ++r) {
    const double items = in_grid(grid, grid.rows[r], "items");
    sum.pairs += items;
    sum.points += items * in_grid(grid, grid.rows[r], "accuracy");
  }
  const double all = in_grid(grid, grid.rows.back(), "items");
  expect_same({NAN, all, NAN, NAN, all * in_grid(grid, grid.rows.back(), "accuracy")}, sum,
              "the last row of the statistics by " + by.back());
  return sum;
}

Totals of_comparison(store::Store& store, const ReportOptions& options) {
  const Comparison c =
      compare_runs(store, {.sides = {"A", "B"},
                           .where = options.where,
                           .policy = options.policy,
                           .intervals = {Intervals::Way::student, {.replicates = 50}}})
          .at(0);
  Totals sum{NAN, 0, NAN, NAN, 0};
  for (const ComparedTest& t : c.tests) {
    sum.pairs += double(t.items);
    sum.points += double(t.items) * t.first;
  }
  expect_same({NAN, double(c.total.items), NAN, NAN, double(c.total.items) * c.total.first}, sum,
              "the last row of the comparison");
  return sum;
}

std::string inflated(const std::string& bytes) {
  std::string text(1 << 22, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  text.resize(size);
  return text;
}

Totals of_page(store::Store& store, const ReportOptions& options) {
  for (const PageBlock& block : page_blocks(store, options)) {
    if (block.id != "main") continue;
    const auto data = nlohmann::json::parse(inflated(block.bytes));
    const auto& groups = data["suites"][0]["groups"];
    const auto everything = nlohmann::json::array({"", "", "", "", ""});
    const auto at = std::find(groups.begin(), groups.end(), everything);
    const bool equal = options.policy.lengths == judge::Lengths::equal;
    const auto& cells = data["runs"][0]["looks"][0][equal ? "equal" : "all"];
    const size_t g = size_t(at - groups.begin());
    return {NAN, cells["items"][g], NAN, cells["ties"][g], cells["points"][g]};
  }
  ADD_FAILURE() << "the page has no data";
  return {};
}

const tidy::Column& column(const tidy::Frame& frame, const std::string& name) {
  for (size_t c = 0; c < frame.fields().size(); ++c)
    if (frame.fields()[c].name == name) return frame.columns()[c];
  throw std::logic_error("no column " + name);
}

Totals of_items(store::Store& store, const ReportOptions& options) {
  Totals sum{0, 0, 0, 0, 0};
  auto rows = tidy::stored_rows(store, "items", options);
  for (tidy::Frame frame; rows->next(frame);)
    for (size_t r = 0; r < frame.rows(); ++r) {
      if (column(frame, "model").text(r) != "A") continue;
      ++sum.items;
      if (!column(frame, "correct").has(r)) continue;
      ++sum.pairs;
      sum.points += column(frame, "correct").numbers[r];
      sum.correct += column(frame, "outcome").text(r) == "right";
      sum.ties += column(frame, "outcome").text(r) == "tie";
    }
  return sum;
}

Totals of_summary(store::Store& store, const ReportOptions& options) {
  Totals sum{0, 0, 0, 0, 0};
  auto rows = tidy::stored_rows(store, "summary", options);
  for (tidy::Frame frame; rows->next(frame);)
    for (size_t r = 0; r < frame.rows(); ++r) {
      if (column(frame, "model").text(r) != "A") continue;
      sum.items += double(column(frame, "items").integers[r]);
      sum.pairs += double(column(frame, "pairs").integers[r]);
      sum.correct += double(column(frame, "right").integers[r]);
      sum.ties += double(column(frame, "ties").integers[r]);
      sum.points += column(frame, "points").numbers[r];
    }
  return sum;
}

Totals of_lm_eval(store::Store& store, const ReportOptions& options) {
  testing::TemporaryFolder folder;
  Totals sum{NAN, 0, NAN, NAN, 0};
  for (const std::filesystem::path& file : write_lm_eval(store, options, folder.path())) {
    if (file.filename() != "results_minpair.json" ||
        file.parent_path().filename().string()[0] != 'A')
      continue;
    const auto data = nlohmann::json::parse(read_file(file));
    for (const auto& [task, result] : data["results"].items()) {
      const double items = data["n-samples"][task]["effective"];
      sum.pairs += items;
      sum.points += items * double(result["acc,none"]);
    }
  }
  return sum;
}

std::vector<judge::Policy> policies() {
  std::vector<judge::Policy> all;
  for (judge::Ties ties :
       {judge::Ties::half, judge::Ties::right, judge::Ties::wrong, judge::Ties::paper})
    for (judge::Lengths lengths : {judge::Lengths::all, judge::Lengths::equal})
      for (judge::Oov oov : {judge::Oov::excluded, judge::Oov::wrong})
        for (bool pairwise : {false, true}) all.push_back({ties, lengths, oov, pairwise});
  return all;
}

class ViewsAgree : public ::testing::TestWithParam<std::pair<Kind, const char*>> {};

TEST_P(ViewsAgree, UnderEveryPolicy) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  Results results(store, GetParam().first, GetParam().second);
  const bool design = GetParam().first == Kind::design;
  for (const judge::Policy& policy : policies()) {
    ReportOptions options;
    options.policy = policy;
    options.intervals.way = Intervals::Way::student;
    const std::string name =
        fmt::format("ties {}, lengths {}, oov {}, pairwise {}", int(policy.ties),
                    int(policy.lengths), int(policy.oov), policy.pairwise);
    SCOPED_TRACE(name);
    const Totals expected = of_table(store, options, {"test"});
    EXPECT_EQ(expected.items, double(kItems));
    EXPECT_GT(expected.points, 0);
    for (const std::vector<std::string>& by :
         std::vector<std::vector<std::string>>{{"suite"},
                                               {"condition"},
                                               {"language"},
                                               {"distance"},
                                               {"distance_pieces"},
                                               {"animacy"},
                                               {"test", "condition", "distance", "animacy"}}) {
      expect_same(expected, of_table(store, options, by), "table by " + by.back());
      expect_same(expected, of_statistics(store, options, by), "statistics by " + by.back());
    }
    if (!design)
      expect_same(expected, of_table(store, options, {"criterion"}), "table by criterion");
    expect_same(expected, of_statistics(store, options, {"test"}), "statistics");
    expect_same(expected, of_comparison(store, options), "comparison");
    // Its intervals are simulated, which takes time.
    if (policy.ties == judge::Ties::half) expect_same(expected, of_page(store, options), "page");
    expect_same(expected, of_items(store, options), "export of items");
    expect_same(expected, of_summary(store, options), "export of the summary");
    if (policy.ties == judge::Ties::half && !policy.pairwise)
      expect_same(expected, of_lm_eval(store, options), "lm-eval");
  }
}

TEST_P(ViewsAgree, OnTheItemsThatAFilterHoldsFor) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  Results results(store, GetParam().first, GetParam().second);
  ReportOptions options;
  options.policy.lengths = judge::Lengths::all;
  options.intervals.way = Intervals::Way::student;
  options.where = "distance < 10 and animacy = animate";
  const Totals expected = of_table(store, options, {"test"});
  double items = 0;
  for (uint64_t i = 0; i < kItems; ++i) items += i % 30 < 10 && i % 7 && i % 2;
  EXPECT_EQ(expected.items, items);
  EXPECT_GT(expected.points, 0);
  expect_same(expected, of_table(store, options, {"distance"}), "table by distance");
  expect_same(expected, of_statistics(store, options, {"language"}), "statistics");
  expect_same(expected, of_comparison(store, options), "comparison");
  expect_same(expected, of_page(store, options), "page");
  expect_same(expected, of_items(store, options), "export of items");
  expect_same(expected, of_summary(store, options), "export of the summary");
  expect_same(expected, of_lm_eval(store, options), "lm-eval");
  options.where = "distanc < 10";
  EXPECT_THROW(make_tables(store, options), Error);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ViewsAgree, ::testing::ValuesIn(kKinds));

// The stored summary is a cache: where it says something else than the rows, nothing is printed.
TEST(Verification, RefusesASummaryThatDiffersFromTheRows) {
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  Results results(store, Kind::pair_lemmas, "lemma-pairs");
  ::setenv("MINPAIR_VERIFY", "1", 1);
  EXPECT_NO_THROW(make_tables(store, {}));
  store.database().run("UPDATE summary SET pairs_right = pairs_right + 1 WHERE test = 'simple'");
  store.database().run("UPDATE summary SET checksum = " + store::checksum_of("summary"));
  try {
    make_tables(store, {});
    FAIL() << "nothing was noticed";
  } catch (const Error& e) {
    EXPECT_THAT(e.message(), ::testing::HasSubstr("group 'simple': the stored summary has"));
  }
  EXPECT_NO_THROW(make_tables(store, {.by = {"distance"}})) << "of rows alone";
  ::setenv("MINPAIR_VERIFY", "0", 1);
  EXPECT_NO_THROW(make_tables(store, {}));
  ::setenv("MINPAIR_VERIFY", "1", 1);
}

}  // namespace
}  // namespace minpair::report
