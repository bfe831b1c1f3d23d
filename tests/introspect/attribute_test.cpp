// Which words make the difference: the same question without each, and where the subject ranks.

#include "introspect/attribute.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "engine/made_up.h"
#include "introspect/contrast.h"
#include "introspect/roles.h"
#include "introspect/sweep_cache.h"
#include "model/direct.h"
#include "model/model.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<query::Model> golden(const std::string& name) {
  const auto folder = source_dir() / "tests/model/golden" / name, gguf = folder / "model.gguf";
  return model::load_model((std::filesystem::exists(gguf) ? gguf : folder).string());
}

suite::Item example(const std::string& id = "1") {
  suite::Item item;
  item.id = id;
  item.test = "t";
  item.sentences = {{{"wort5 wort12 wort13, wort7 wort9"}, {}, true},
                    {{"wort5 wort12 wort13, wort8 wort9"}, {}, false}};
  suite::align_loci(item.sentences);
  for (suite::Sentence& s : item.sentences) s.regions = {{"subject", {0, 12}}};
  return item;
}

std::vector<std::string> words_of(const WordItem& item) {
  std::vector<std::string> words;
  for (const WordEffect& w : item.words) words.push_back((w.evidence ? "*" : "") + w.word);
  return words;
}

double asked(query::Model& model, Contrast contrast, std::vector<tokenizer::TokenId> ids,
             uint32_t position) {
  contrast.ids = std::move(ids), contrast.position = position;
  query::Query query = margin_question(contrast);
  return margin_of(model.answer({&query, 1})[0]);
}

TEST(Erasure, AMaskedModelReadsMasks) {
  auto model = golden("bert");
  const std::vector<suite::Item> items{example()};
  const WordReadings read = read_erasure(*model, source_of(items), {});
  const WordItem& item = read.readings[0];
  ASSERT_EQ(item.excluded, Reason::none);
  EXPECT_THAT(words_of(item), ElementsAre("*wort5", "*wort12", "wort13", "wort9"));
  const Contrast contrast = contrast_of(items[0], *model);
  EXPECT_EQ(item.margin, asked(*model, contrast, contrast.ids, contrast.position));
  for (size_t w : {0u, 1u, 2u}) {
    std::vector<tokenizer::TokenId> ids = contrast.ids;
    ids[1 + w] = model->tokenizer().special().mask;
    EXPECT_EQ(item.words[w].effect, item.margin - asked(*model, contrast, ids, contrast.position));
  }
}

TEST(Erasure, OtherModelsReadOnWithoutTheWord) {
  auto model = golden("gpt2");
  std::vector<suite::Item> items{example()};
  const WordReadings read = read_erasure(*model, source_of(items), {});
  const WordItem& item = read.readings[0];
  ASSERT_EQ(item.excluded, Reason::none);
  // What comes after the locus is not read.
  EXPECT_THAT(words_of(item), ElementsAre("*wort5", "*wort12", "wort13"));
  const Contrast contrast = contrast_of(items[0], *model);
  suite::Item shorter = items[0];
  for (suite::Sentence& s : shorter.sentences) s.text.erase(0, 6), s.locus = {};
  suite::align_loci(shorter.sentences);
  const Contrast without = contrast_of(shorter, *model);
  EXPECT_EQ(item.words[0].effect,
            item.margin - asked(*model, contrast, without.ids, without.position));
}

// An encoder with a decoder fills one gap of unknown length: a second mask would be another gap,
// or, beside the first, a part of it.
class FillsGap : public ::testing::TestWithParam<std::string> {
 protected:
  // The slow, obvious way: the tokens of the right sentence outside these bytes, with one mask for
  // the locus.
  double margin_without(query::Model& model, const suite::Sentence& right, Span erased,
                        const Contrast& contrast) {
    std::vector<tokenizer::TokenId> ids;
    uint32_t gap = 0;
    for (const tokenizer::Token& token : model.tokenizer().encode(right.text).tokens) {
      const bool is_text = !token.special && !token.span.empty();
      if (is_text && token.span.begin >= erased.begin && token.span.end <= erased.end) continue;
      const bool is_locus =
          is_text && token.span.end > right.locus.begin && token.span.begin < right.locus.end;
      if (is_locus) gap = uint32_t(ids.size());
      ids.push_back(is_locus ? model.tokenizer().special().mask : token.id);
    }
    return asked(model, contrast, ids, gap);
  }
};

TEST_P(FillsGap, WithoutTheWord) {
  auto model = golden(GetParam());
  ASSERT_GT(model->info().encoder_layers, 0u);
  const std::vector<suite::Item> items{example()};
  const suite::Sentence& right = items[0].sentences[0];
  const WordReadings read = read_erasure(*model, source_of(items), {});
  const WordItem& item = read.readings[0];
  ASSERT_EQ(item.excluded, Reason::none);
  // The last one stands beside the gap.
  EXPECT_THAT(words_of(item), ElementsAre("*wort5", "*wort12", "wort13", "wort9"));
  const Contrast contrast = contrast_of(items[0], *model);
  EXPECT_EQ(item.margin, margin_without(*model, right, {}, contrast));
  for (const WordEffect& word : item.words) {
    EXPECT_EQ(word.effect, item.margin - margin_without(*model, right, word.span, contrast));
    EXPECT_NE(word.effect, 0) << word.word;
  }
  const report::Grid grid = word_table(read, By::test);
  EXPECT_THAT(grid.notes, Contains("a word is left out, and the gap is filled without it"));
}

INSTANTIATE_TEST_SUITE_P(Models, FillsGap,
                         ::testing::Values("t5", "t5-v1.1", "umt5", "mt5", "ul2", "bart",
                                           "bart-scaled", "mbart"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

// Suites from treebanks say which the other word of the agreement is.
TEST(Erasure, TheEvidenceCanBeTheOtherWord) {
  auto model = golden("bert");
  std::vector<suite::Item> items{example("1"), example("2")};
  items[0].features = {{"other", "13-19"}};
  const WordReadings read = read_erasure(*model, source_of(items), {}, "other");
  EXPECT_THAT(words_of(read.readings[0]), ElementsAre("wort5", "wort12", "*wort13", "wort9"));
  EXPECT_TRUE(std::isnan(read.readings[1].rank));
}

TEST(Erasure, RanksAgainstChance) {
  WordReadings read{"s", "m", "subject", report::SuiteItems(), {}};
  auto add = [&](std::vector<double> effects, size_t evidence) {
    suite::Item item = example(std::to_string(read.readings.size()));
    item.cluster = item.id;
    read.items.add(read.readings.size(), item);
    WordItem& reading = read.readings.emplace_back();
    for (size_t w = 0; w < effects.size(); ++w)
      reading.words.push_back({{}, "w", w == evidence, effects[w]});
    reading.rank = rank_of_evidence(reading.words);
  };
  add({3, 2, 1, 0}, 0);
  add({1, 1, 1, 0}, 0);
  add({-1, 0, 1, 2}, 0);
  add({3, 2, 1, 0}, 9);
  EXPECT_EQ(read.readings[0].rank, 1);
  EXPECT_EQ(read.readings[1].rank, 2);
  EXPECT_EQ(read.readings[2].rank, 4);
  EXPECT_TRUE(std::isnan(read.readings[3].rank));
  const report::Grid grid = word_table(read, By::test);
  ASSERT_EQ(grid.rows.size(), 1u);
  auto cell = [&](size_t column) { return std::get<double>(grid.rows[0][column]); };
  EXPECT_EQ(cell(1), 3);
  EXPECT_NEAR(cell(2), 1.0 / 3, 1e-12);
  EXPECT_NEAR(cell(5), 0.25, 1e-12);
  EXPECT_NEAR(cell(6), 7.0 / 3, 1e-12);
  EXPECT_NEAR(cell(7), 2.5, 1e-12);
  EXPECT_NEAR(cell(8), (1 + 1.0 / 2 + 1.0 / 4) / 3, 1e-12);
  EXPECT_NEAR(cell(9), (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 4, 1e-12);
  EXPECT_NEAR(cell(10), 1, 1e-12);
  EXPECT_THAT(grid.notes, Contains("excluded: 1 in which the model reads no subject"));
  EXPECT_THAT(grid.notes, Contains(HasSubstr("fewer than 5 clusters")));
  EXPECT_EQ(effect_rows(read).rows(), 16u);
}

// Every order of up to six words, one by one.
TEST(Evidence, ByChanceIsTheMeanOverAllOrders) {
  for (size_t n = 1; n <= 6; ++n)
    for (size_t k = 1; k <= n; ++k) {
      std::vector<size_t> order(n);
      std::iota(order.begin(), order.end(), 0u);
      double first = 0, ranks = 0, reciprocals = 0, orders = 0;
      do {
        std::vector<WordEffect> words;
        for (size_t w = 0; w < n; ++w) words.push_back({{}, "w", w < k, double(order[w])});
        const double rank = rank_of_evidence(words);
        first += rank == 1, ranks += rank, reciprocals += 1 / rank, ++orders;
      } while (std::ranges::next_permutation(order).found);
      std::vector<WordEffect> any(n);
      for (size_t w = 0; w < k; ++w) any[w].evidence = true;
      const Chance chance = chance_of(any);
      EXPECT_NEAR(chance.first, first / orders, 1e-12) << n << " " << k;
      EXPECT_NEAR(chance.rank, ranks / orders, 1e-12) << n << " " << k;
      EXPECT_NEAR(chance.reciprocal, reciprocals / orders, 1e-12) << n << " " << k;
    }
}

TEST(Erasure, UnaskableItemsAreCounted) {
  auto model = golden("gpt2");
  std::vector<suite::Item> items{example("1"), example("2")};
  items[0].cloze = true;
  EXPECT_THROW(read_erasure(*model, source_of(items), {}, "object"), Error);
  const WordReadings read = read_erasure(*model, source_of(items), {}, "attractor");
  EXPECT_EQ(text_of(read.readings[0].excluded), "clozes");
  const report::Grid grid = word_table(read, By::condition);
  ASSERT_EQ(grid.rows.size(), 1u);
  EXPECT_EQ(grid.rows[0][2], report::GridValue(0.0));
  EXPECT_EQ(grid.rows[0].back(), report::GridValue("cloze=1;evidence_not_read=1"));
  EXPECT_THAT(grid.notes, Contains("excluded: 1 clozes"));
  EXPECT_THAT(grid.notes, Contains("excluded: 1 in which the model reads no attractor"));
  EXPECT_EQ(effect_rows(read).rows(), 1 + 3u);
}

// What the parts say sums to the margin, in every decoder with norms before its layers.
class EveryDecoder : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryDecoder, DirectEffectsSumToTheMargin) {
  auto model = golden(GetParam());
  std::vector<suite::Item> items;
  for (int i = 10; i < 20; ++i) {
    items.push_back(example(std::to_string(i)));
    for (suite::Sentence& s : items.back().sentences)
      s.text.replace(6, 6, fmt::format("wort{}", i));
  }
  const Direct read = read_direct(*model, source_of(items), {});
  EXPECT_EQ(read.parts.size(), 2 * model->info().layers + 2);
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(read.readings[i].excluded, Reason::none);
    const query::Query query = margin_question(contrast_of(items[i], *model));
    std::vector<double> logits;
    const query::Answer answer = model->answer({&query, 1})[0];
    for (float x : query::logits_of(answer[0]).logits)
      logits.push_back(GetParam() == "gemma2" ? 3.0 * std::atanh(double(x) / 3.0) : double(x));
    double sum = 0, size = 0;
    for (double effect : read.readings[i].effects) sum += effect, size += std::abs(effect);
    EXPECT_NEAR(sum, logits[0] - logits[1], 1e-4 * std::min(size, 1 + std::abs(sum)));
  }
  const report::Grid grid = direct_table(read, By::test);
  EXPECT_EQ(grid.rows.size(), read.parts.size() + 1);
  EXPECT_EQ(effect_rows(read).rows(), items.size() * read.parts.size());
}

// The same words as erasure has them; what a word says is the sum of what its tokens say.
TEST_P(EveryDecoder, WordsSayWhatTheirTokensSay) {
  auto model = golden(GetParam());
  std::vector<suite::Item> items{example("1"), example("2")};
  items[1].cloze = true;
  const WordReadings read = read_alti(*model, source_of(items), {});
  const WordItem& item = read.readings[0];
  EXPECT_THAT(words_of(item), ElementsAre("*wort5", "*wort12", "wort13"));
  const Contrast c = contrast_of(items[0], *model);
  const model::TokenEffects said = model::token_effects(*model, c.ids, c.position, c.good, c.bad);
  EXPECT_NEAR(item.margin, asked(*model, c, c.ids, c.position),
              GetParam() == "gemma2" ? 1 : 1e-4 * (1 + std::abs(item.margin)));
  double words = 0, tokens = 0;
  for (const WordEffect& w : item.words) words += w.effect;
  const std::vector<Span> spans = spans_of(items[0], c, *model);
  for (size_t t = 0; t < said.tokens.size(); ++t)
    if (!spans[t].empty() && spans[t].begin < 19) tokens += said.tokens[t];
  EXPECT_NEAR(words, tokens, 1e-9 * (1 + std::abs(words)));
  EXPECT_EQ(item.rank, rank_of_evidence(item.words));
  EXPECT_EQ(text_of(read.readings[1].excluded), "clozes");
  const report::Grid grid = word_table(read, By::test);
  EXPECT_EQ(grid.key, "alti");
  EXPECT_THAT(grid.notes, Contains("excluded: 1 clozes"));
  EXPECT_EQ(effect_rows(read).rows(), 3u + 1);
}

INSTANTIATE_TEST_SUITE_P(Direct, EveryDecoder,
                         ::testing::Values("bloom", "gemma", "gemma2", "gemma3", "gpt-neo",
                                           "gpt-neox", "gpt-neox-serial", "gpt2", "gptj", "llama",
                                           "llama3", "mistral", "opt", "phi", "qwen2", "qwen3",
                                           "xglm"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Direct, OtherModelsAreRefused) {
  const std::vector<suite::Item> items{example()};
  for (const char* name : {"bert", "modernbert", "opt-after"}) {
    EXPECT_THROW(read_direct(*golden(name), source_of(items), {}), Error) << name;
    EXPECT_THROW(read_alti(*golden(name), source_of(items), {}), Error) << name;
  }
}

}  // namespace
}  // namespace minpair::introspect
