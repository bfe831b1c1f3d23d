#include "engine/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "engine/golden_lstm.h"
#include "engine/windows.h"
#include "fake.h"

namespace minpair::engine {
namespace {

// One token at a time, with everything before it as context.
double slowly(query::Model& model, const std::vector<tokenizer::TokenId>& ids) {
  double sum = 0;
  for (size_t i = 1; i < ids.size(); ++i) {
    query::Query q{{ids.begin(), ids.begin() + ptrdiff_t(i)},
                   {{uint32_t(i - 1), query::Targets{{ids[i]}}}},
                   {}};
    sum += logits_of(model.answer(std::span(&q, 1))[0][0]).logprob();
  }
  return sum;
}

}  // namespace

TEST(Perplexity, SaysWhichLineIsNotUtf8) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.txt", "w5 w9\nw7 \xff\n");
  try {
    perplexity(*model, folder / "x.txt", {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where().line, 2u);
    EXPECT_EQ(e.message(), "this line is not UTF-8");
  }
}

TEST(Perplexity, CarriesTheStateOverLines) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.txt", "w5 w9 nobody\n\nw7 w30\n");
  Perplexity p = perplexity(*model, folder / "x.txt", {});
  EXPECT_EQ(p.lines, 2u);
  EXPECT_EQ(p.scored, 7u);
  EXPECT_EQ(p.words, 7u);
  EXPECT_EQ(p.unknown, 1u);
  EXPECT_NEAR(p.log_probability, slowly(*model, {1, 5, 9, 0, 1, 7, 30, 1}), 1e-9);
  EXPECT_NEAR(p.per_token(), std::exp(-p.log_probability / 7), 1e-9);
}

TEST(Perplexity, LinesOnTheirOwn) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.txt", "w5 w9\nw7 w30\n");
  PerplexityOptions options;
  options.by_line = true;
  Perplexity p = perplexity(*model, folder / "x.txt", options);
  EXPECT_NEAR(p.log_probability, slowly(*model, {1, 5, 9, 1}) + slowly(*model, {1, 7, 30, 1}),
              1e-9);
}

// Windows of a transformer overlap, and every token is scored exactly once.
TEST(Perplexity, WindowsScoreEveryTokenOnce) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto model = model::load_model((testing::models_dir() / "stories260K").string());
  testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "The dog saw a big red ball. ";
  write_file(folder / "x.txt", text);
  size_t tokens = model->tokenizer().encode(text, false).tokens.size();
  ASSERT_GT(tokens, 1000u);
  Perplexity p = perplexity(*model, folder / "x.txt", {});
  EXPECT_EQ(p.scored, tokens);
  EXPECT_GT(p.per_token(), 1);
  EXPECT_LT(p.per_token(), 50);
}

// A model without a limit reads 1,024 tokens at once, and the next window has half of them again.
TEST(Windows, OfAModelWithoutALimit) {
  testing::FakeModel model;
  model.info().max_tokens = 0;
  size_t scored = 0;
  Windows windows(model, 0, [&](std::span<const query::Record>) { ++scored; });
  for (tokenizer::TokenId id = 0; id < 1024 + 1 + 10; ++id) windows.add(id + 5);
  windows.finish();
  windows.ask();
  EXPECT_EQ(scored, 1024u + 10);
  EXPECT_EQ(model.forward_passes, 2u);
  EXPECT_EQ(model.tokens, 1024u + 512 + 10);
}

TEST(Perplexity, NotForMaskedModels) {
  auto model = model::load_model((testing::source_dir() / "tests/model/golden/bert").string());
  EXPECT_THROW(perplexity(*model, "-", {}), Error);
}

}  // namespace minpair::engine
