#include "report/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "results.h"

namespace minpair::report {
namespace {

using testing::add_run_of;
using testing::GivenItem;
using ::testing::HasSubstr;

// `right` of `n` items of a test, in clusters of two.
std::vector<GivenItem> items(const std::string& test, size_t n, size_t wrong_from,
                             size_t wrong_to) {
  std::vector<GivenItem> all;
  for (size_t i = 0; i < n; ++i) {
    bool wrong = i >= wrong_from && i < wrong_to;
    all.push_back(
        {test, "", test + std::to_string(i / 2), wrong ? -3.0 - double(i) : -1.0, -2.0, {}});
  }
  return all;
}

std::vector<GivenItem> operator+(std::vector<GivenItem> a, const std::vector<GivenItem>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class CompareTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  store::Store store{folder / "r.db", store::Store::Mode::write};

  Comparison one(const CompareOptions& options) { return compare_runs(store, options).at(0); }
};

TEST_F(CompareTest, TwoModels) {
  add_run_of(store, "s", "A", "masked", items("easy", 8, 0, 2) + items("hard", 20, 0, 0));
  add_run_of(store, "s", "B", "masked", items("easy", 8, 1, 3) + items("hard", 20, 8, 20));
  Comparison c = one({.models = {"A", "B"}});
  ASSERT_EQ(c.tests.size(), 2u);
  EXPECT_EQ(c.tests[0].test, "easy");
  EXPECT_EQ(c.tests[0].items, 8u);
  EXPECT_EQ(c.tests[0].clusters, 4u);
  EXPECT_DOUBLE_EQ(c.tests[0].first, 0.75);
  EXPECT_DOUBLE_EQ(c.tests[0].difference.value, 0);
  EXPECT_DOUBLE_EQ(c.tests[0].mcnemar, 1);
  EXPECT_EQ(c.tests[0].pairs.only_first, 1u);
  EXPECT_EQ(c.tests[0].pairs.only_second, 1u);
  const ComparedTest& hard = c.tests[1];
  EXPECT_DOUBLE_EQ(hard.second, 0.4);
  EXPECT_DOUBLE_EQ(hard.difference.value, 0.6);
  EXPECT_NEAR(hard.mcnemar, 2 * std::pow(0.5, 12), 1e-12);
  // Six clusters differ, all in one direction: only the two extreme sign vectors of 2^6.
  EXPECT_NEAR(hard.difference.p, 2 * std::pow(0.5, 6), 1e-12);
  EXPECT_DOUBLE_EQ(hard.holm, 2 * hard.difference.p);
  EXPECT_GT(hard.difference.interval.low, 0);
  EXPECT_TRUE(std::isnan(c.tests[0].difference.interval.low));  // four clusters
  EXPECT_EQ(c.total.items, 28u);
  EXPECT_DOUBLE_EQ(c.total.difference.value, 12.0 / 28);
  // Turned round, the difference changes its sign and nothing else.
  Comparison turned = one({.models = {"B", "A"}});
  EXPECT_DOUBLE_EQ(turned.tests[1].difference.value, -0.6);
  EXPECT_DOUBLE_EQ(turned.tests[1].difference.p, hard.difference.p);
  EXPECT_NEAR(turned.tests[1].difference.interval.low, -hard.difference.interval.high, 1e-9);
  // Profile likelihood by default; Student's t where it is asked for.
  CompareOptions student{.models = {"A", "B"}};
  student.intervals.way = Intervals::Way::student;
  const double half = stats::student_quantile(0.975, 9) * hard.difference.standard_error;
  EXPECT_NEAR(one(student).tests[1].difference.interval.low, 0.6 - half, 1e-9);
  EXPECT_NE(hard.difference.interval.low, 0.6 - half);
  EXPECT_EQ(c.intervals, "from, to: 95%, profile likelihood over clusters");
  // Six clusters differ, enough for a p, too few to tell what would be found.
  EXPECT_EQ(hard.differing, 6u);
  EXPECT_TRUE(std::isnan(hard.detectable));
  EXPECT_FALSE(hard.difference.interval.low < 0 && hard.difference.interval.high > 0);
}

// As a nearly perfect model against itself: not "–", and not certainty.
TEST_F(CompareTest, ModelsThatNeverDifferHaveAnInterval) {
  add_run_of(store, "s", "A", "masked", items("t", 20, 0, 1));
  add_run_of(store, "s", "B", "masked", items("t", 20, 0, 1));
  const stats::Estimate same = one({.models = {"A", "B"}}).tests[0].difference;
  EXPECT_EQ(same.value, 0);
  EXPECT_LT(same.interval.low, -0.05);
  EXPECT_NEAR(same.interval.low, -same.interval.high, 1e-9);
}

TEST_F(CompareTest, FlipsTheWidestApartFirst) {
  add_run_of(store, "s", "A", "masked", items("easy", 6, 0, 1));
  add_run_of(store, "s", "B", "masked", items("easy", 6, 2, 5));
  Comparison c = one({.models = {"A", "B"}});
  ASSERT_EQ(c.flips.size(), 4u);
  EXPECT_EQ(c.flips[0].item.id, "i4");
  EXPECT_TRUE(c.flips[0].first_right);
  EXPECT_DOUBLE_EQ(c.flips[0].first_margin, 1);
  EXPECT_DOUBLE_EQ(c.flips[0].second_margin, -5);
  EXPECT_EQ(c.flips[3].item.id, "i0");
  EXPECT_FALSE(c.flips[3].first_right);
  EXPECT_EQ(grids_of(c, 2)[1].rows.size(), 2u);
  EXPECT_EQ(grids_of(c, 0).size(), 1u);
}

TEST_F(CompareTest, ItemsExcludedOnOneSideAreCounted) {
  std::vector<GivenItem> less = items("easy", 6, 0, 0);
  less[1].excluded = "too_long";
  less.pop_back();
  add_run_of(store, "s", "A", "masked", items("easy", 6, 0, 0));
  add_run_of(store, "s", "B", "masked", less);
  Comparison c = one({.models = {"A", "B"}});
  EXPECT_EQ(c.total.items, 4u);
  EXPECT_EQ(c.left_out, (std::map<judge::Reason, uint64_t>{{judge::Reason::too_long, 1},
                                                           {judge::Reason::only_first, 1}}));
}

TEST_F(CompareTest, ObeysThePolicyAndSaysIt) {
  std::vector<GivenItem> ties = items("easy", 8, 0, 2);
  for (size_t i = 4; i < 8; ++i) ties[i].good = ties[i].bad;
  add_run_of(store, "s", "A", "masked", ties);
  add_run_of(store, "s", "B", "masked", items("easy", 8, 0, 0));
  Comparison half = one({}), right = one({.policy = {.ties = judge::Ties::right}}),
             paper = one({.policy = {.ties = judge::Ties::paper}});
  EXPECT_DOUBLE_EQ(half.total.first, 4.0 / 8);
  EXPECT_EQ(half.total.pairs.only_second, 2u);
  EXPECT_EQ(half.flips.size(), 2u);
  EXPECT_DOUBLE_EQ(right.total.first, 6.0 / 8);
  EXPECT_EQ(right.total.pairs.only_second, 2u);
  EXPECT_DOUBLE_EQ(paper.total.first, 2.0 / 8);  // bert-syntax counts a tie as wrong
  EXPECT_EQ(paper.total.pairs.only_second, 6u);
  EXPECT_EQ(paper.flips.size(), 6u);
  EXPECT_THAT(render_grids(grids_of(right, 0), "table"), HasSubstr("a tie counts as right"));
}

TEST_F(CompareTest, MethodsAndPreparations) {
  add_run_of(store, "s", "A", "masked", items("easy", 6, 0, 3));
  add_run_of(store, "s", "A", "ce", items("easy", 6, 0, 0));
  add_run_of(store, "s-lower", "A", "masked", items("easy", 4, 0, 1));
  EXPECT_DOUBLE_EQ(one({.methods = {"ce", "masked"}}).total.difference.value, 0.5);
  Comparison prepared = one({.suites = {"s", "s-lower"}});
  EXPECT_EQ(prepared.total.items, 4u);
  EXPECT_DOUBLE_EQ(prepared.total.difference.value, -0.5);
  EXPECT_EQ(prepared.left_out.at(judge::Reason::only_first), 2u);
}

TEST_F(CompareTest, TwoRunsThatDifferInModelAndMethodAreTheTwo) {
  add_run_of(store, "s", "A", "masked", items("easy", 6, 0, 3));
  add_run_of(store, "s", "B", "ce", items("easy", 6, 0, 0));
  EXPECT_DOUBLE_EQ(one({}).total.difference.value, -0.5);
  add_run_of(store, "s", "B", "masked", items("easy", 6, 0, 3));
  EXPECT_THROW(one({}), Error);
}

TEST_F(CompareTest, AsksWhenItIsNotClear) {
  add_run_of(store, "s", "A", "masked", items("easy", 6, 0, 3));
  EXPECT_THROW(one({}), Error);
  EXPECT_THROW(one({.models = {"A", "C"}}), Error);
  add_run_of(store, "s", "B", "masked", items("easy", 6, 0, 3));
  EXPECT_EQ(one({}).first, "A");  // only two: no question
  add_run_of(store, "s", "C", "masked", items("easy", 6, 0, 3));
  EXPECT_THROW(one({}), Error);
}

TEST_F(CompareTest, AnyTwoRuns) {
  add_run_of(store, "s", "A", "masked", items("easy", 8, 0, 2));
  add_run_of(store, "s", "A", "ce", items("easy", 8, 0, 4));
  add_run_of(store, "s", "B", "lp", items("easy", 8, 0, 3));
  Comparison c = one({.sides = {"A:masked", "B:lp"}});
  EXPECT_EQ(c.first, "A:masked");
  EXPECT_EQ(c.title, "s");
  EXPECT_DOUBLE_EQ(c.total.difference.value, 1.0 / 8);
  EXPECT_DOUBLE_EQ(one({.sides = {"B", "A:ce:sum"}}).total.difference.value, 1.0 / 8);
  auto words = [&](const CompareOptions& options) -> std::string {
    try {
      one(options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return "";
  };
  EXPECT_THAT(words({.sides = {"A", "B"}}), HasSubstr("say which: A:masked, A:ce"));
  EXPECT_THAT(words({.sides = {"A:maskd", "B"}}), HasSubstr("did you mean 'A:masked'?"));
  EXPECT_THAT(words({.models = {"A", "B"}}), HasSubstr("name the two runs themselves"));
  EXPECT_THAT(words({.sides = {"B"}}), HasSubstr("cannot be compared"));
  std::vector<Grid> matrix = matrices_of(compare_runs(store, {.sides = {"A:masked", "A:ce", "B"}}));
  ASSERT_EQ(matrix.size(), 1u);
  ASSERT_EQ(matrix[0].rows.size(), 3u);
  EXPECT_EQ(std::get<double>(matrix[0].rows[2][1]), 5.0 / 8);
  EXPECT_EQ(std::get<std::string>(matrix[0].rows[0][3]), "+0.2500");
  EXPECT_EQ(std::get<std::string>(matrix[0].rows[1][2]), "-0.2500");
  EXPECT_EQ(std::get<std::string>(matrix[0].rows[1][3]), "");
}

TEST_F(CompareTest, Formats) {
  add_run_of(store, "s", "A", "masked", items("easy_1", 6, 0, 1));
  add_run_of(store, "s", "B", "masked", items("easy_1", 6, 2, 5));
  std::vector<Grid> grids = grids_of(one({}), 1);
  auto json = nlohmann::json::parse(render_grids(grids, "json"));
  EXPECT_EQ(json["tables"][0]["rows"][0]["items"], 6);
  EXPECT_DOUBLE_EQ(json["tables"][0]["rows"][0]["difference"], 2.0 / 6);
  EXPECT_EQ(json["tables"][1]["rows"][0]["id"], "i4");
  EXPECT_THAT(render_grids(grids, "latex"), HasSubstr("easy\\_1 & 6 & 3 & 0.8333 & 0.5000"));
  EXPECT_THAT(render_grids(grids, "markdown"),
              HasSubstr("| easy\\_1 | 6 | 3 | 0.8333 | 0.5000 | +0.3333 |"));
  EXPECT_THAT(render_grids(grids, "csv"), HasSubstr(",easy_1,6,3,0.8333333333333334,0.5,"));
  EXPECT_THAT(render_grids(grids, "table"), HasSubstr("Sie lacht . / *Sie lachen ."));
}

// The same items with and without a capital.
std::vector<GivenItem> prepared(const std::string& subject, const std::string& prefix,
                                size_t wrong) {
  std::vector<GivenItem> all = items("easy", 8, 0, wrong);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].subject = subject;
    all[i].id = prefix + std::to_string(i);
  }
  return all;
}

TEST_F(CompareTest, TwoPreparationsArePairedByName) {
  add_run_of(store, "plain", "A", "masked", prepared("sie", "i", 1));
  add_run_of(store, "capitals", "A", "masked", prepared("Sie", "i", 3));
  // Nothing else differs, so the sides need not be named.
  for (const CompareOptions& options :
       {CompareOptions{.suites = {"plain", "capitals"}}, CompareOptions{}}) {
    Comparison c = one(options);
    EXPECT_EQ(c.total.items, 8u);
    ASSERT_EQ(c.flips.size(), 2u);
    EXPECT_EQ(c.flips[0].item.sentences[0].text, "sie lacht .");
    EXPECT_EQ(c.flips[0].second[0].text, "Sie lacht .");
    EXPECT_THAT(render_grids(grids_of(c, 1), "table"), HasSubstr("B: Sie lacht ."));
  }
}

TEST_F(CompareTest, TwoPreparationsArePairedByPlace) {
  add_run_of(store, "plain", "A", "masked", prepared("sie", "i", 1));
  add_run_of(store, "renamed", "A", "masked", prepared("Sie", "j", 3));
  CompareOptions options{.suites = {"plain", "renamed"}};
  EXPECT_THROW(one(options), Error);
  options.match = "place";
  EXPECT_EQ(one(options).total.items, 8u);
  EXPECT_EQ(one(options).total.pairs.only_first, 2u);
}

TEST_F(CompareTest, ClustersAreChosen) {
  add_run_of(store, "s", "A", "masked", items("easy", 8, 0, 2));
  add_run_of(store, "s", "B", "masked", items("easy", 8, 1, 3));
  EXPECT_EQ(one({.cluster = "suite"}).total.clusters, 4u);
  EXPECT_EQ(one({.cluster = "item"}).total.clusters, 8u);
  EXPECT_EQ(one({.cluster = "template"}).total.clusters, 1u);
  EXPECT_EQ(one({.cluster = "lexical"}).total.clusters, 1u);
  EXPECT_THROW(one({.cluster = "no such feature"}), Error);
}

TEST_F(CompareTest, LatexHasItsOwnSigns) {
  add_run_of(store, "s", "A", "masked", items("a_b", 8, 0, 2));
  add_run_of(store, "s", "B", "masked", items("a_b", 8, 1, 2));
  std::string text = render_grids(grids_of(one({}), 0), "latex");
  EXPECT_THAT(text, HasSubstr("A$-$B"));
  EXPECT_THAT(text, HasSubstr("& $-$0.1250 &"));
  EXPECT_THAT(text, HasSubstr("a\\_b"));
}

// web/test/compare.mjs says what is looked at.
TEST_F(CompareTest, ThePageWorksInABrowser) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  if (!std::filesystem::exists("/usr/bin/chromium"))
    GTEST_SKIP() << "there is no chromium (tools/bootstrap.sh browser)";
  // Of "hard" the interval misses 0 and Holm's p is above 0.05; of "sure" both are sure.
  add_run_of(store, "s", "A", "masked",
             items("easy", 8, 0, 2) + items("hard", 20, 0, 0) + items("sure", 28, 0, 0));
  add_run_of(store, "s", "B", "masked",
             items("easy", 8, 1, 3) + items("hard", 20, 8, 20) + items("sure", 28, 2, 28));
  Comparison c = one({});
  write_comparisons({c}, folder / "c.html");
  write_file(folder / "c.json", render_grids(grids_of(c, 1000), "json"));
  testing::Ran ran =
      testing::run_in_browser("compare.mjs", "'" + (folder / "c.html").string() + "' '" +
                                                 (folder / "c.json").string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace minpair::report
