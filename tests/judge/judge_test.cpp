#include "judge/judge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace minpair::judge {
namespace {

SentenceScore sentence_of(std::vector<double> logprobs, bool special = false) {
  SentenceScore s{{}, {}, 2, 9, 10};
  for (double p : logprobs) {
    TokenScore t;
    t.special = special && (s.tokens.empty() || s.tokens.size() + 1 == logprobs.size());
    t.logprob = p;
    s.tokens.push_back(t);
  }
  return s;
}

SentenceScore side_of(WordScore::Kind kind, float first, float second) {
  SentenceScore s;
  s.cloze = WordScore{kind, 12, {first, second}, {{"haus", -0.5f}, {"häuser", -1.5f}}};
  return s;
}

suite::Item pair_of(const std::string& good, const std::string& bad) {
  suite::Item item;
  item.sentences = {{{good}, {}, true}, {{bad}, {}, false}};
  suite::align_loci(item.sentences);
  return item;
}

// The example of judge.h.
TEST(Judge, TheExampleOfTheDoor) {
  suite::Item item = pair_of("Sie lacht .", "Sie lachen .");
  std::vector<SentenceScore> scores = {sentence_of({-1, -2}), sentence_of({-2, -1})};
  measure(item, Scope::sentence, scores);
  Verdict verdict = judge(item, scores, find_view("mean"));
  double worth = points(verdict, {.ties = Ties::right});
  EXPECT_EQ(verdict.outcome, Outcome::tie);
  EXPECT_EQ(worth, 1);
}

TEST(Score, ViewsDivideTheSum) {
  SentenceScore s = sentence_of({-1, -2, -4, -8}, true);
  EXPECT_EQ(s.value(find_view("sum")), -15);
  EXPECT_EQ(s.value(find_view("mean")), -15.0 / 4);
  EXPECT_EQ(s.value(find_view("word")), -15.0 / 2);
  EXPECT_EQ(s.value(find_view("char")), -15.0 / 9);
  EXPECT_EQ(s.value(find_view("byte")), -15.0 / 10);
  EXPECT_EQ(s.value(find_view("sum-no-special")), -6);
  EXPECT_EQ(s.value(find_view("probability")), std::nullopt);
  EXPECT_EQ(s.value(find_view("mean-no-special")), -3);
  SentenceScore total{{}, {}, 2, 9, 10, SentenceScore::Total{5, -10}};
  EXPECT_EQ(total.value(find_view("mean")), -2);
  EXPECT_EQ(total.value(find_view("mean-no-special")), std::nullopt);
  EXPECT_THROW(find_view("means"), Error);
  for (size_t i = 0; i < kViews; ++i) {
    EXPECT_EQ(index_of(view_at(i)), i);
    EXPECT_EQ(find_view(name_of(view_at(i))), view_at(i));
  }
}

TEST(Score, ViewsOfClozes) {
  using Kind = WordScore::Kind;
  std::vector<bool> right_first = {true, false};
  std::vector<SentenceScore> features = {side_of(Kind::features, -1, 0.5f),
                                         side_of(Kind::features, -3, 1)};
  EXPECT_EQ(judge(features, right_first, find_view("probability")).outcome, Outcome::right);
  EXPECT_EQ(judge(features, right_first, find_view("logit")).outcome, Outcome::wrong);
  EXPECT_EQ(judge(features, right_first, find_view("sum")).outcome, Outcome::undefined);
  EXPECT_EQ(judge(features, right_first, find_view("equal-weight")).outcome, Outcome::undefined);
  // Of the lemmas five in eight are won and one is tied; three quarters of the probability are
  // right.
  std::vector<SentenceScore> lemmas = {side_of(Kind::lemmas, std::log(0.75f), 0.625f),
                                       side_of(Kind::lemmas, std::log(0.25f), 0.25f)};
  Verdict equal = judge(lemmas, right_first, find_view("equal-weight"));
  EXPECT_EQ(equal.pairs_right, 0.625);
  EXPECT_EQ(equal.pairs_tied, 0.125);
  EXPECT_EQ(points(equal, {}), 0.625 + 0.125 / 2);  // its share, not that it is right
  EXPECT_EQ(points(judge(features, right_first, find_view("probability")), {}), 1);
  EXPECT_NEAR(judge(lemmas, right_first, find_view("model-weight")).pairs_right, 0.75, 1e-6);
  EXPECT_EQ(judge(lemmas, right_first, find_view("logit")).outcome, Outcome::undefined);
}

TEST(Score, LemmasWithoutTiesHaveNone) {
  std::vector<SentenceScore> lemmas = {side_of(WordScore::Kind::lemmas, 0, 0.75f),
                                       side_of(WordScore::Kind::lemmas, 0, 0.25f)};
  EXPECT_EQ(judge(lemmas, {true, false}, find_view("equal-weight")).pairs_tied, 0);
}

TEST(Score, AFormInAClozeIsScoredByItsTokens) {
  SentenceScore form = sentence_of({-2, -1});
  form.cloze = WordScore{};
  EXPECT_EQ(form.value(find_view("sum")), -3);
}

TEST(Score, ViewsComeInFamilies) {
  const View sum{Unit::sum}, logit{Unit::logit}, share{Unit::model_weight};
  EXPECT_EQ(family_of(sum).size(), 10u);
  EXPECT_EQ(family_of(sum).front(), sum);
  EXPECT_EQ(family_of(find_view("byte-no-special")).back(), find_view("byte-no-special"));
  EXPECT_EQ(family_of(logit), (std::vector<View>{{Unit::probability}, logit}));
  EXPECT_EQ(family_of({Unit::probability}), family_of(logit));
  EXPECT_EQ(family_of(share), (std::vector<View>{{Unit::equal_weight}, share}));
  EXPECT_EQ(family_of({Unit::equal_weight}), family_of(share));
  for (const View& view : {sum, logit, View{Unit::byte, false}}) EXPECT_FALSE(graded(view));
  EXPECT_FALSE(same_family(sum, logit));
  EXPECT_FALSE(same_family(logit, share));
}

TEST(Score, TheRightSideOfAClozeIsFirst) {
  suite::Item item = pair_of("Sie lacht .", "Sie lachen .");
  std::swap(item.sentences[0], item.sentences[1]);
  EXPECT_EQ(grammatical_of(item, 2), (std::vector<bool>{false, true}));
  EXPECT_EQ(grammatical_of(item, 1), std::vector<bool>{true});
  item.sentences = std::vector<suite::Sentence>{item.sentences[1]};
  EXPECT_EQ(grammatical_of(item, 2), (std::vector<bool>{true, false}));
  EXPECT_EQ(grammatical_of(item, 0), std::vector<bool>{});
  std::vector<SentenceScore> sides(2);
  measure(item, Scope::sentence, sides);
  EXPECT_EQ(sides[0].words, 3u);
  EXPECT_EQ(sides[1].words, 3u);
}

TEST(Score, TheGoodOneMustBeatAllBadOnes) {
  View sum;
  std::vector<bool> one_good = {true, false, false};
  auto verdict = [&](double g, double b1, double b2) {
    return judge({sentence_of({g}), sentence_of({b1}), sentence_of({b2})}, one_good, sum);
  };
  EXPECT_EQ(verdict(-1, -2, -3).outcome, Outcome::right);
  EXPECT_EQ(verdict(-2, -1, -3).outcome, Outcome::wrong);
  EXPECT_EQ(verdict(-2, -1, -3).pairs_right, 0.5);
  EXPECT_EQ(verdict(-2, -2, -3).outcome, Outcome::tie);
  EXPECT_EQ(verdict(-2, -2, -3).pairs_tied, 0.5);
  EXPECT_EQ(verdict(-2, -2, -3).pairs_right, 0.5);
  EXPECT_EQ(verdict(-2, -2, -2).pairs_tied, 1);
  EXPECT_EQ(judge({sentence_of({-1})}, {true}, sum).outcome, Outcome::undefined);
  EXPECT_EQ(judge({sentence_of({-1})}, {false}, sum).outcome, Outcome::undefined);
  EXPECT_EQ(verdict(-2, -1, -3).margin, -1);
  EXPECT_EQ(verdict(NAN, -1, -3).outcome, Outcome::undefined);
}

TEST(Score, ScoredTextIsMeasured) {
  suite::Item item = pair_of("Die Häuser dort stehen leer .", "Die Häuser dort steht leer .");
  std::vector<SentenceScore> scores = {sentence_of({-6}), sentence_of({-6})};
  measure(item, Scope::sentence, scores);
  EXPECT_EQ(scores[0].words, 6u);
  EXPECT_EQ(scores[0].characters, 29u);
  EXPECT_EQ(scores[0].bytes, 30u);
  EXPECT_EQ(scores[0].value(find_view("word")), -1);
  measure(item, Scope::locus, scores);
  EXPECT_EQ(scores[0].words, 1u);
  EXPECT_EQ(scores[0].characters, 6u);
  EXPECT_EQ(scores[1].characters, 5u);
  EXPECT_EQ(scores[0].value(find_view("char")), -1);
  EXPECT_EQ(scores[1].value(find_view("byte")), -6.0 / 5);
  EXPECT_EQ(judge(item, scores, find_view("word")).outcome, Outcome::tie);
  EXPECT_EQ(judge(item, scores, find_view("char")).outcome, Outcome::right);
}

TEST(Score, LengthsAreThoseOfWhatIsScored) {
  SentenceScore total{{}, {}, 2, 9, 10, SentenceScore::Total{2, -10}};
  EXPECT_TRUE(equal_lengths({sentence_of({-1, -2}), sentence_of({-1, -3}), total}));
  EXPECT_FALSE(equal_lengths({sentence_of({-1, -2}), sentence_of({-1, -2}), sentence_of({-1})}));
}

TEST(Score, APreferenceNeedsAWinner) {
  EXPECT_EQ(preference({-4, -2.5, -3}).first, 1u);
  EXPECT_EQ(preference({-4, -2.5, -3}).by, 0.5);
  EXPECT_EQ(preference({-2.5, -4, -3}).first, 0u);
  EXPECT_EQ(preference({-2.5, -4, -3}).by, 0.5);
  EXPECT_EQ(preference({-4, -2.5, -2.5}).first, std::nullopt);
  EXPECT_EQ(preference({-4, -2.5, -2.5}).by, 0);
  EXPECT_EQ(preference({-4}).first, std::nullopt);
  EXPECT_EQ(preference({}).first, std::nullopt);
}

// It once counted as 0, which is more than any log-probability.
TEST(Score, ASentenceWithoutAValueWinsNothing) {
  EXPECT_EQ(preference({-4, std::nullopt}).first, std::nullopt);
  EXPECT_EQ(preference({std::nullopt, -4, -2.5}).first, 2u);
  EXPECT_EQ(preference({std::nullopt, -4, -2.5}).by, 1.5);
  EXPECT_EQ(preference({std::nan(""), -4}).first, std::nullopt);
}

Verdict verdict_of(Outcome outcome) {
  return {outcome, 0, outcome == Outcome::right ? 1.0 : 0.25, outcome == Outcome::tie ? 0.5 : 0.0};
}

TEST(Policy, SaysWhatATieIsWorth) {
  const Verdict tie = verdict_of(Outcome::tie);
  EXPECT_EQ(points(tie, {}), 0.5);
  EXPECT_EQ(points(tie, {.ties = Ties::right}), 1);
  EXPECT_EQ(points(tie, {.ties = Ties::wrong}), 0);
  EXPECT_THROW(points(tie, {.ties = Ties::paper}), Error);
  EXPECT_THROW(find_ties("often"), Error);
  EXPECT_EQ(points(tie, as_in_paper({.ties = Ties::paper}, Ties::right)), 1);
  EXPECT_EQ(points(tie, as_in_paper({.ties = Ties::half}, Ties::right)), 0.5);  // not asked for
  for (Ties ties : {Ties::half, Ties::right, Ties::wrong}) {
    EXPECT_EQ(points(verdict_of(Outcome::right), {.ties = ties}), 1);
    EXPECT_EQ(points(verdict_of(Outcome::wrong), {.ties = ties}), 0);
    EXPECT_EQ(points(verdict_of(Outcome::undefined), {.ties = ties}), 0);
    EXPECT_EQ(find_ties(name_of(ties)), ties);
  }
}

TEST(Policy, SharesCountWhereTheyAreAskedForOrTheViewIsMadeOfThem) {
  Verdict tie = verdict_of(Outcome::tie);
  EXPECT_EQ(points(tie, {.pairwise = true}), 0.25 + 0.5 * 0.5);
  EXPECT_EQ(points(tie, {.ties = Ties::right, .pairwise = true}), 0.75);
  tie.graded = true;
  EXPECT_EQ(points(tie, {.ties = Ties::wrong}), 0.25);
}

TEST(Policy, ManyVerdictsAreWorthTheirSum) {
  for (bool pairwise : {false, true})
    for (Ties ties : {Ties::half, Ties::right, Ties::wrong}) {
      Policy policy{.ties = ties, .pairwise = pairwise};
      Counts counts, half;
      double sum = 0;
      for (Outcome o :
           {Outcome::right, Outcome::tie, Outcome::tie, Outcome::wrong, Outcome::undefined}) {
        counts.add(verdict_of(o));
        sum += points(verdict_of(o), policy);
      }
      half.add(counts);
      EXPECT_EQ(points(counts, policy), sum);
      EXPECT_EQ(points(half, policy), sum);
      for (const Counts& c : {counts, half}) {
        EXPECT_EQ(c.items, 5u);
        EXPECT_EQ(c.right, 1u);
        EXPECT_EQ(c.ties, 2u);
        EXPECT_EQ(c.undefined, 1u);
        EXPECT_FALSE(c.graded);
      }
    }
}

TEST(Policy, UncountedItemsHaveReasons) {
  EXPECT_EQ(left_out(Reason::none, true, {}), Reason::none);
  EXPECT_EQ(left_out(Reason::none, false, {}), Reason::none);
  EXPECT_EQ(left_out(Reason::none, false, {.lengths = Lengths::equal}), Reason::unequal_lengths);
  EXPECT_EQ(left_out(Reason::too_long, true, {.oov = Oov::wrong}), Reason::too_long);
  EXPECT_EQ(left_out(Reason::unknown_locus, true, {}), Reason::unknown_locus);
  EXPECT_EQ(left_out(Reason::unknown_locus, true, {.oov = Oov::wrong}), Reason::none);
  EXPECT_EQ(left_out(Reason::locus_not_single_token, true, {.oov = Oov::wrong}), Reason::none);
}

TEST(Policy, IsSaid) {
  EXPECT_EQ(lines_of({}), std::vector<std::string>{"a tie counts one half"});
  EXPECT_EQ(lines_of({.ties = Ties::right, .oov = Oov::wrong, .pairwise = true}),
            (std::vector<std::string>{"a tie counts as right",
                                      "what the vocabulary lacks counts as wrong",
                                      "share of pairs of a good and a bad sentence"}));
}

TEST(Reasons, KeysAreThoseOfResultsFiles) {
  // Stored: a renamed key would lose items of old results.
  const std::vector<std::string> stored = {"",
                                           "cloze",
                                           "empty_locus",
                                           "empty_text",
                                           "locus_inside_token",
                                           "locus_not_single_token",
                                           "no_features",
                                           "no_other_form",
                                           "not_a_cloze",
                                           "not_available",
                                           "nothing_after_locus",
                                           "nothing_to_score",
                                           "only_first",
                                           "only_second",
                                           "too_few_words",
                                           "too_long",
                                           "unequal_lengths",
                                           "unknown_locus",
                                           "unknown_text"};
  ASSERT_EQ(stored.size(), kReasons);
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end()));  // tables list them in this order
  for (size_t i = 0; i < kReasons; ++i) {
    EXPECT_EQ(key_of(Reason(i)), stored[i]);
    EXPECT_EQ(find_reason(stored[i]), Reason(i));
    EXPECT_EQ(text_of(Reason(i)).empty(), i == 0);
  }
  EXPECT_EQ(text_of(Reason::too_long), "too long for the model");
  EXPECT_THROW(find_reason("too_short"), Error);
}

std::string error_of(const std::vector<RunName>& runs, const Wanted& wanted) {
  try {
    select(runs, wanted);
  } catch (const Error& e) {
    return e.message() + "; " + e.next();
  }
  return "no error";
}

TEST(Runs, AreChosenByTheirNames) {
  const std::vector<RunName> runs = {{1, "s", "bert", "ce", "/models/bert"},
                                     {2, "s", "bert", "pll", "/models/bert"},
                                     {3, "t", "lstm", "lp", "/models/lstm"}};
  auto chosen = [&](const Wanted& wanted) { return select(runs, wanted); };
  using Places = std::vector<size_t>;
  EXPECT_EQ(chosen({}), (Places{0, 1, 2}));
  EXPECT_EQ(chosen({.runs = {3, 1}}), (Places{0, 2}));
  EXPECT_EQ(chosen({.suites = {"t"}}), (Places{2}));
  EXPECT_EQ(chosen({.models = {"/models/bert"}, .methods = {"pll"}}), (Places{1}));
  EXPECT_EQ(chosen({.models = {"lstm", "bert"}}), (Places{0, 1, 2}));
  EXPECT_EQ(error_of({}, {}), "the results have no runs; ");
  EXPECT_EQ(error_of(runs, {.models = {"bart"}}),
            "the results have no model 'bart'; did you mean 'bert'?");
  EXPECT_EQ(error_of(runs, {.methods = {"ce", "something else"}}),
            "the results have no method 'something else'; one of: ce, pll, lp");
  EXPECT_EQ(error_of(runs, {.suites = {"t"}, .methods = {"ce"}}),
            "the results have no such suite, model and method; ");
}

TEST(Runs, APapersViewBelongsToItsMethod) {
  suite::Manifest manifest;
  const View sum{Unit::sum}, mean{Unit::token}, probability{Unit::probability};
  EXPECT_EQ(view_in_paper(manifest, "ce", mean), mean);
  manifest.norm = "word";
  EXPECT_EQ(view_in_paper(manifest, "ce", mean), View{Unit::word});
  EXPECT_EQ(view_in_paper(manifest, "feature-class", probability), probability);  // has no words
  manifest.method = "pll";
  EXPECT_EQ(view_in_paper(manifest, "ce", mean), mean);
  EXPECT_EQ(view_in_paper(manifest, "pll", sum), View{Unit::word});
  manifest.norm = "words";
  EXPECT_THROW(view_in_paper(manifest, "pll", sum), Error);
  EXPECT_EQ(ties_in_paper(manifest, Ties::wrong), Ties::wrong);
  manifest.ties = "right";
  EXPECT_EQ(ties_in_paper(manifest, Ties::wrong), Ties::right);
}

}  // namespace
}  // namespace minpair::judge
