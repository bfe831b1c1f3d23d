// Matrix products in bf16 parts, on every golden model: what they cost in accuracy, and that scores
// stay the same bits however the work is cut. Where the processor has no matrix unit, its
// operations are emulated.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "model/golden.h"
#include "nn/matrix_unit.h"

namespace minpair::model {
namespace {

using namespace testing;

std::vector<std::string> all_models() {
  std::vector<std::string> all = kGoldenModels;
  all.insert(all.end(), kCausalModels.begin(), kCausalModels.end());
  return all;
}

class Precision : public ::testing::TestWithParam<std::string> {
 protected:
  Precision() {
    if (nn::choose_arithmetic("auto").unit == nullptr) setenv("MINPAIR_MATRIX_UNIT", "emulated", 1);
  }
  ~Precision() override { unsetenv("MINPAIR_MATRIX_UNIT"); }

  static std::unique_ptr<query::Model> load(const char* precision, int threads = 2) {
    return load_model(golden(GetParam()).string(), {.threads = threads, .precision = precision});
  }
};

// The mean over a sentence's tokens, each asked about itself.
std::vector<double> scores(query::Model& model,
                           const std::vector<std::vector<tokenizer::TokenId>>& inputs) {
  std::vector<query::Query> queries;
  for (const auto& ids : inputs) queries.push_back(about_itself(ids));
  std::vector<double> means;
  for (const query::Answer& answer : model.answer(queries)) {
    double sum = 0;
    for (const query::Record& record : answer) sum += logits_of(record).logprob();
    means.push_back(sum / double(answer.size()));
  }
  return means;
}

std::vector<std::vector<tokenizer::TokenId>> random_sentences(const query::Model& model) {
  Random random(11);
  std::vector<std::vector<tokenizer::TokenId>> inputs(40);
  for (auto& ids : inputs)
    for (size_t n = 2 + random.below(20); n > 0; --n)
      ids.push_back(static_cast<tokenizer::TokenId>(random.below(model.info().vocabulary)));
  return inputs;
}

TEST_P(Precision, FastIsNearFp32AndDecidesAlike) {
  std::unique_ptr<query::Model> exact = load("fp32"), fast = load("fast");
  EXPECT_EQ(exact->info().precision, "fp32");
  EXPECT_TRUE(fast->info().precision.starts_with("fast")) << fast->info().precision;
  auto inputs = random_sentences(*exact);
  std::vector<double> a = scores(*exact, inputs), b = scores(*fast, inputs);
  EXPECT_NE(a, b) << "fast did not compute anything else";
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-4) << "sentence " << i;
    for (size_t j = 0; j < i; ++j) {
      if (std::fabs(a[i] - a[j]) > 2e-4) {
        EXPECT_EQ(a[i] > a[j], b[i] > b[j]) << "sentences " << i << ", " << j;
      }
    }
  }
}

TEST_P(Precision, Bf16IsCoarser) {
  std::unique_ptr<query::Model> exact = load("fp32"), fast = load("fast"), coarse = load("bf16");
  EXPECT_TRUE(coarse->info().precision.starts_with("bf16"));
  auto inputs = random_sentences(*exact);
  std::vector<double> a = scores(*exact, inputs), b = scores(*fast, inputs),
                      c = scores(*coarse, inputs);
  double near = 0, far = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    near = std::max(near, std::fabs(a[i] - b[i]));
    far = std::max(far, std::fabs(a[i] - c[i]));
  }
  EXPECT_GT(far, 10 * near);
  EXPECT_LT(far, 0.2);
}

TEST_P(Precision, TheSameBitsInAnyBatchAndThreadCount) {
  for (const char* precision : {"fast", "bf16"}) {
    std::unique_ptr<query::Model> one = load(precision, 1), three = load(precision, 3);
    auto inputs = random_sentences(*one);
    std::vector<double> together = scores(*three, inputs);
    for (size_t i = 0; i < inputs.size(); i += 3)
      EXPECT_EQ(scores(*one, {inputs[i]})[0], together[i]) << precision << ", sentence " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Model, Precision, ::testing::ValuesIn(all_models()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace minpair::model
