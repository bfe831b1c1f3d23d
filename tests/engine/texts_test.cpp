#include "engine/texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "engine/golden_lstm.h"
#include "fake.h"

namespace minpair::engine {
namespace {

using judge::Reason;
using testing::FakeModel;
using ::testing::HasSubstr;

std::unique_ptr<query::Model> tiny(const std::string& name) {
  return model::load_model((testing::source_dir() / "tests/model/golden" / name).string());
}

std::unique_ptr<query::Model> trigram(const testing::TemporaryFolder& folder) {
  write_file(folder / "x.arpa",
             "\\data\\\nngram 1=5\n\n\\1-grams:\n-1.0\t<unk>\n-0.5\t<s>\n-0.6\t</s>\n"
             "-0.7\twort7\n-0.8\twort8\n\n\\end\\\n");
  return model::load_model((folder / "x.arpa").string());
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// A pair of an ordinary sentence and `text`, by every method that fits the model.
void expect_excluded(query::Model& model, const std::string& text, Reason why) {
  suite::Item item;
  const bool knows = model.tokenizer().id("wort7").has_value();
  item.sentences = {{{knows ? "wort7 wort8" : "w5 w6"}, {}, true}, {{text}, {}, false}};
  suite::align_loci(item.sentences);
  const std::vector<const method::Method*> methods = method::find_methods("all", model.info());
  ASSERT_GE(methods.size(), 5u) << model.info().architecture;
  const std::vector<ItemScores> scores = score_items(model, methods, {&item, 1})[0];
  for (size_t m = 0; m < methods.size(); ++m)
    EXPECT_EQ(key_of(scores[m].excluded), key_of(why))
        << methods[m]->name() << " of " << model.info().architecture << ": '" << text << "'";
}

// Zero tokens sum to zero, which is more than any log-probability.
TEST(DegenerateTexts, AreExcludedByEveryMethodOfEveryKindOfModel) {
  for (const char* name : {"bert", "t5", "gpt-bert", "gpt2", "rwkv"}) {
    auto model = tiny(name);
    expect_excluded(*model, "", Reason::empty_text);
    expect_excluded(*model, " \t", Reason::empty_text);
    expect_excluded(*model, "\u00a0\u3000", Reason::empty_text);
    expect_excluded(*model, "\u200b\u200b", Reason::nothing_to_score);
    expect_excluded(*model, "[CLS] [SEP]", Reason::nothing_to_score);
    expect_excluded(*model, "[MASK]", Reason::nothing_to_score);
    expect_excluded(*model, "nobody knows ?!", Reason::unknown_text);
  }
  testing::TemporaryFolder folder;
  for (const auto& model : {lstm(), trigram(folder)}) {
    expect_excluded(*model, "", Reason::empty_text);
    expect_excluded(*model, " ", Reason::empty_text);
    expect_excluded(*model, "nobody knows ?!", Reason::unknown_text);
  }
}

TEST(DegenerateTexts, PunctuationIsText) {
  auto model = model::load_model("de-mini");
  for (const char* text : {".", "...", "?!"})
    for (const ScoredText& s : score_texts(*model, method::find_method("pll"), {{text}}).texts)
      EXPECT_EQ(s.excluded, Reason::none) << text;
}

TEST(ScoreTexts, OneWithoutAScoreLeavesTheOthersTheirs) {
  auto model = tiny("bert");
  for (const char* name : {"pll", "pll-word-l2r", "pll-whole-word", "pll-sentence-l2r", "ce"}) {
    const method::Method& method = method::find_method(name);
    const auto scored =
        score_texts(*model, method, {{"wort7 wort8"}, {""}, {"wort7 nobody"}}).texts;
    const auto alone = score_texts(*model, method, {{"wort7 wort8"}}).texts;
    EXPECT_EQ(scored[1].excluded, Reason::empty_text);
    EXPECT_EQ(scored[0].score.value(method.view()), alone[0].score.value(method.view()));
    EXPECT_NE(preference(scored, method).first, 1u);
    EXPECT_TRUE(preference(scored, method).first.has_value());
    EXPECT_FALSE(
        preference(score_texts(*model, method, {{"wort7"}, {""}}).texts, method).first.has_value());
  }
}

TEST(ScoreTexts, ScoresAreThoseOfARun) {
  auto model = tiny("gpt2");
  const method::Method& lp = method::find_method("lp");
  suite::Item item;
  item.sentences.push_back({{"wort7 wort8", "wort9 wort11"}, {}, true});
  const auto expected = score_items(*model, {&lp}, {&item, 1})[0][0].sentences;
  const ScoredTexts scored = score_texts(*model, lp, {{"wort7 wort8", "wort9 wort11"}});
  EXPECT_EQ(scored.texts[0].score.value(lp.view()), expected[0].value(lp.view()));
  EXPECT_EQ(scored.texts[0].score.words, 2u);
  EXPECT_EQ(scored.counts.distinct, 1u);
}

// A masked model is asked about the tokens of the text alone.
TEST(ScoreTexts, AContextIsNotAskedAbout) {
  FakeModel model;
  std::string context;
  for (int i = 0; i < 40; ++i) context += "kam ";
  const ScoredTexts scored =
      score_texts(model, method::find_method("pll"), {{"Sie ging .", context}});
  EXPECT_EQ(scored.counts.distinct, 3u);
  EXPECT_EQ(model.forward_passes, 3u);
  EXPECT_EQ(model.tokens, scored.counts.tokens);
  EXPECT_EQ(scored.texts[0].score.tokens[0].span, (Span{0, 3}));
}

TEST(ScoreTexts, AMethodOfTheLocusComparesTexts) {
  FakeModel model;
  const method::Method& masked = method::find_method("masked");
  auto scored = score_texts(model, masked, {{"Sie kam ."}, {"Sie ging ."}}).texts;
  ASSERT_EQ(scored[1].score.tokens.size(), 1u);
  EXPECT_EQ(scored[1].score.tokens[0].span, (Span{4, 8}));
  EXPECT_EQ(scored[1].score.words, 1u);
  EXPECT_THAT(error_of([&] { score_texts(model, masked, {{"Sie kam ."}}); }),
              HasSubstr("compares texts at the words in which they differ"));
  EXPECT_THAT(
      error_of([&] {
        score_texts(model, method::find_method("feature-class"), {{"Sie kam ."}, {"Sie ging ."}});
      }),
      HasSubstr("judges clozes"));
}

TEST(ScoreTexts, DifferencesAreMarked) {
  FakeModel model;
  auto scored =
      score_texts(model, method::find_method("pll"), {{"Sie kam ."}, {"Sie Qging ."}}).texts;
  EXPECT_EQ(scored[1].excluded, Reason::none);  // an unknown word is shown
  mark_differences(scored);
  for (const ScoredText& s : scored)
    for (const judge::TokenScore& t : s.score.tokens)
      EXPECT_EQ(t.in_locus, t.span.begin == 4) << s.text.text;
}

TEST(ScoreTexts, SaysWhichTextIsNotUtf8) {
  FakeModel model;
  const method::Method& pll = method::find_method("pll");
  EXPECT_THAT(error_of([&] {
                score_texts(model, pll, {{"Sie kam ."}, {"Sie \xff"}});
              }),
              HasSubstr("text 2: the text is not UTF-8: byte 4 begins no character"));
  EXPECT_THAT(error_of([&] {
                score_texts(model, pll, {{"Sie kam .", "\xc3"}});
              }),
              HasSubstr("the context is not UTF-8: byte 0"));
  EXPECT_EQ(score_texts(model, pll, {{"Sie \uFFFD kam ."}}).texts[0].excluded, Reason::none);
}

Predictions predict(query::Model& model, const suite::Text& text, uint32_t count) {
  return predictions(model, {text}, count)[0];
}

TEST(Predict, GivesTheBestAtEveryMask) {
  auto model = tiny("bert");
  const auto gaps = predict(*model, {"wort7 [MASK] wort9 [MASK]"}, 120).gaps;
  ASSERT_EQ(gaps.size(), 2u);
  for (const auto& gap : gaps) {
    ASSERT_EQ(gap.size(), 120u);
    double sum = 0;
    for (size_t i = 0; i < gap.size(); ++i) {
      sum += std::exp(gap[i].logprob);
      EXPECT_LE(gap[i].logprob, gap[i ? i - 1 : 0].logprob);
      EXPECT_EQ(gap[i].piece, model->tokenizer().piece(gap[i].id));
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_EQ(predict(*model, {"[MASK]"}, 3).gaps[0].size(), 3u);
  EXPECT_THAT(error_of([&] { predict(*model, {"wort7"}, 3); }), HasSubstr("no mask"));
  std::string endless;
  for (int i = 0; i < 1000; ++i) endless += "wort7 ";
  EXPECT_THAT(error_of([&] { predict(*model, {endless + "[MASK]"}, 3); }), HasSubstr("too many"));
}

TEST(Predict, ReadsTheContextAndAsksNothingAboutIt) {
  for (const char* name : {"bert", "gpt2"}) {
    auto model = tiny(name);
    const Predictions whole = predict(*model, {"wort7 wort8 [MASK]"}, 5);
    const Predictions after = predict(*model, {"[MASK]", "wort7 wort8"}, 5);
    ASSERT_EQ(after.gaps.size(), 1u);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(after.gaps[0][i].id, whole.gaps[0][i].id) << name;
      EXPECT_EQ(after.gaps[0][i].logprob, whole.gaps[0][i].logprob) << name;
    }
    EXPECT_EQ(predict(*model, {"wort9 [MASK]", "wort7 [MASK]"}, 5).gaps.size(), 1u);
  }
}

TEST(Predict, EqualTextsAreAskedOnceAndMistakesSayWhichTextTheyAreIn) {
  FakeModel model;
  const std::vector<suite::Text> texts = {{"Sie [MASK] ."}, {"[MASK] kam ."}, {"Sie [MASK] ."}};
  const std::vector<Predictions> all = predictions(model, texts, 2);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(model.forward_passes, 2u);
  EXPECT_EQ(all[0].gaps[0][1].logprob, all[2].gaps[0][1].logprob);
  EXPECT_THAT(error_of([&] {
                predictions(model, {{"Sie [MASK] ."}, {"kam"}}, 2);
              }),
              HasSubstr("text 2: the text has no mask"));
}

// What stands after the gap is not read from left to right.
TEST(Predict, CausalModelsContinueTheTextBeforeTheMask) {
  auto model = tiny("gpt2");
  const Predictions cut = predict(*model, {"wort7 [MASK] wort9"}, 3);
  EXPECT_EQ(cut.seen, "wort7");
  EXPECT_EQ(predict(*model, {"wort7 wort9 "}, 3).seen, "wort7 wort9 ");
  EXPECT_EQ(cut.gaps[0][0].id, predict(*model, {"wort7"}, 3).gaps[0][0].id);
  EXPECT_EQ(cut.gaps[0][0].logprob, predict(*model, {"wort7"}, 3).gaps[0][0].logprob);
}

}  // namespace
}  // namespace minpair::engine
