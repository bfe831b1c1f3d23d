// Quantised weights in whole numbers (`fast`): near fp32, the same bits however the work is cut and
// on every machine, and recorded as what they are.

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using Sentences = std::vector<std::vector<tokenizer::TokenId>>;

class StoredPrecision : public ::testing::TestWithParam<std::string> {
 protected:
  ~StoredPrecision() override { unsetenv("MINPAIR_ISA"), unsetenv("MINPAIR_MATRIX_UNIT"); }

  static std::unique_ptr<query::Model> load(const char* precision, int threads = 2) {
    return load_model((source_dir() / "tests/golden/stored" / GetParam()).string(),
                      {.threads = threads, .precision = precision});
  }
};

Sentences random_sentences(const query::Model& model) {
  Random random(31);
  Sentences all(30);
  for (auto& ids : all)
    for (size_t n = 2 + random.below(20); n > 0; --n)
      ids.push_back(static_cast<tokenizer::TokenId>(random.below(model.info().vocabulary)));
  return all;
}

std::vector<std::vector<double>> logprobs(query::Model& model, const Sentences& sentences) {
  std::vector<query::Query> queries;
  for (const auto& ids : sentences) queries.push_back(about_itself(ids));
  std::vector<std::vector<double>> all;
  for (const query::Answer& answer : model.answer(queries)) {
    all.emplace_back();
    for (const query::Record& record : answer) all.back().push_back(logits_of(record).logprob());
  }
  return all;
}

TEST_P(StoredPrecision, FastIsNearFp32) {
  std::unique_ptr<query::Model> exact = load("fp32"), fast = load("fast"), best = load("auto");
  EXPECT_EQ(exact->info().precision, "fp32");
  EXPECT_EQ(fast->info().precision, "fast");
  EXPECT_EQ(best->info().precision, "fast");
  const Sentences sentences = random_sentences(*exact);
  const auto a = logprobs(*exact, sentences), b = logprobs(*fast, sentences);
  EXPECT_NE(a, b) << "fast did not compute anything else";
  EXPECT_EQ(b, logprobs(*best, sentences));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t t = 0; t < a[i].size(); ++t)
      EXPECT_NEAR(a[i][t], b[i][t], 1e-3) << "sentence " << i << ", token " << t;
}

TEST_P(StoredPrecision, TheSameBitsInAnyBatchAndThreadCount) {
  std::unique_ptr<query::Model> one = load("fast", 1), three = load("fast", 3);
  const Sentences sentences = random_sentences(*one);
  const auto together = logprobs(*three, sentences);
  for (size_t i = 0; i < sentences.size(); i += 3)
    EXPECT_EQ(logprobs(*one, {sentences[i]})[0], together[i]) << "sentence " << i;
}

TEST_P(StoredPrecision, TheSameBitsOnEveryProcessor) {
  std::unique_ptr<query::Model> here = load("fast");
  const Sentences sentences = random_sentences(*here);
  const auto expected = logprobs(*here, sentences);
  for (nn::Isa isa : nn::available_isas()) {
    if (isa == nn::Isa::generic) continue;  // its attention is not the same in the last bits
    setenv("MINPAIR_ISA", std::string(nn::name_of(isa)).c_str(), 1);
    EXPECT_EQ(logprobs(*load("fast"), sentences), expected) << nn::name_of(isa);
  }
  setenv("MINPAIR_MATRIX_UNIT", "emulated", 1);
  std::unique_ptr<query::Model> with_unit = load("fast");
  EXPECT_EQ(with_unit->info().precision, "fast");
  EXPECT_EQ(logprobs(*with_unit, sentences), expected);
}

INSTANTIATE_TEST_SUITE_P(Model, StoredPrecision,
                         ::testing::Values("llama-q4_0.gguf", "llama-q8_0.gguf"),
                         [](const auto& tested) { return identifier(tested.param); });

}  // namespace
}  // namespace minpair::model
