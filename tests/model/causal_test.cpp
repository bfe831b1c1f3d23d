#include "model/causal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "model/golden.h"
#include "support.h"

namespace minpair::model {
namespace {

using Json = nlohmann::json;

struct Reference {
  std::vector<tokenizer::TokenId> ids;
  std::vector<double> logprobs;
  int pair = 0;
  bool good = false;
};

std::vector<Reference> references(const std::string& model) {
  std::vector<Reference> all;
  LineReader lines(testing::models_dir() / model / "reference.jsonl");
  for (std::string_view line; lines.next(line);) {
    Json j = Json::parse(line);
    all.push_back({j["ids"], j["logprobs_torch"], j.value("pair", 0), j.value("good", false)});
  }
  return all;
}

query::Query query_of(const std::vector<tokenizer::TokenId>& ids) {
  query::Query q;
  q.ids.assign(ids.begin(), ids.end() - 1);
  for (uint32_t p = 0; p + 1 < ids.size(); ++p) q.asks.push_back({p, query::Targets{{ids[p + 1]}}});
  return q;
}

double logprob(const query::Record& a) { return logits_of(a).logprob(); }

double total(const query::Answer& answer) {
  double sum = 0;
  for (const query::Record& a : answer) sum += logprob(a);
  return sum;
}

// Every token of every sentence, and which sentence of each pair wins.
void compare_with_reference(query::Model& model, const std::string& name, double tolerance) {
  std::vector<Reference> all = references(name);
  std::vector<query::Query> queries;
  for (const Reference& r : all) queries.push_back(query_of(r.ids));
  std::vector<query::Answer> answers = model.answer(queries);
  double worst = 0;
  std::map<int, std::pair<double, double>> ours, theirs;
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(answers[i].size(), all[i].logprobs.size());
    double sum = 0;
    for (size_t p = 0; p < answers[i].size(); ++p) {
      worst = std::max(worst, std::abs(logprob(answers[i][p]) - all[i].logprobs[p]));
      sum += all[i].logprobs[p];
    }
    if (all[i].pair == 0) continue;
    (all[i].good ? ours[all[i].pair].first : ours[all[i].pair].second) = total(answers[i]);
    (all[i].good ? theirs[all[i].pair].first : theirs[all[i].pair].second) = sum;
  }
  EXPECT_LT(worst, tolerance);
  EXPECT_GE(ours.size(), 10u);
  for (const auto& [pair, scores] : ours)
    EXPECT_EQ(scores.first > scores.second, theirs[pair].first > theirs[pair].second)
        << "pair " << pair;
}

void expect_same_bits(const std::vector<query::Answer>& a, const std::vector<query::Answer>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t r = 0; r < a[i].size(); ++r) EXPECT_EQ(logits_of(a[i][r]), logits_of(b[i][r]));
}

}  // namespace

TEST(Llama, Stories260KAgreesWithPyTorch) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto model = load_model((testing::models_dir() / "stories260K").string());
  compare_with_reference(*model, "stories260K", 1e-4);
}

TEST(Llama, Stories15MAgreesWithPyTorch) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto model = load_model((testing::models_dir() / "stories15M").string());
  compare_with_reference(*model, "stories15M", 2e-4);
}

TEST(Gguf, StoriesAgreeWithPyTorch) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto small = load_model((testing::models_dir() / "stories260K/stories260K.gguf").string());
  compare_with_reference(*small, "stories260K", 1e-4);
  auto larger = load_model((testing::models_dir() / "stories15M/stories15M.gguf").string());
  compare_with_reference(*larger, "stories15M", 1e-3);
}

// The same file under two tokenizers: tokenizer.json and the one inside the GGUF.
TEST(Gguf, ItsTokenizerGivesTheSameIds) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto directory = load_model((testing::models_dir() / "stories260K").string());
  auto gguf = load_model((testing::models_dir() / "stories260K/stories260K.gguf").string());
  for (const char* text : {"Once upon a time, there was a dog.", "Ein Vögelchen  singt.\n", "😀"}) {
    std::vector<tokenizer::TokenId> a, b;
    for (const tokenizer::Token& t : directory->tokenizer().encode(text, false).tokens)
      a.push_back(t.id);
    for (const tokenizer::Token& t : gguf->tokenizer().encode(text, false).tokens)
      b.push_back(t.id);
    EXPECT_EQ(a, b) << text;
  }
  EXPECT_EQ(directory->info().start, 1);
  EXPECT_EQ(gguf->info().start, 1);
}

TEST(Llama, SharedPrefixesNeverChangeABit) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  LoadOptions one_thread;
  one_thread.threads = 1;
  auto model = load_model((testing::models_dir() / "stories260K").string());
  auto single = load_model((testing::models_dir() / "stories260K").string(), one_thread);
  Random random(5);
  std::vector<query::Query> queries;
  for (int i = 0; i < 60; ++i) {
    std::vector<tokenizer::TokenId> ids{1};
    for (uint64_t n = 2 + random.below(30); n > 0; --n)
      ids.push_back(tokenizer::TokenId(3 + random.below(n > 20 ? 2 : 400)));
    queries.push_back(query_of(ids));
  }
  std::vector<query::Answer> together = model->answer(queries), alone;
  for (const query::Query& q : queries) alone.push_back(single->answer(std::span(&q, 1))[0]);
  expect_same_bits(together, alone);
}

class CausalGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(CausalGolden, LogitsAndTheirSum) {
  testing::Expected expected(GetParam());
  auto model = load_model(testing::golden(GetParam()).string());
  const uint32_t words = model->info().vocabulary;
  std::vector<tokenizer::TokenId> vocabulary(words);
  for (uint32_t i = 0; i < words; ++i) vocabulary[i] = tokenizer::TokenId(i);
  std::vector<query::Query> queries;
  for (const auto& ids : expected.inputs) {
    queries.push_back({ids, {}});
    for (uint32_t p = 0; p < ids.size(); ++p)
      queries.back().asks.push_back({p, query::Targets{vocabulary}});
  }
  size_t at = 0;
  for (const query::Answer& answer : model->answer(queries))
    for (const query::Record& record : answer) {
      const query::Logits& read = logits_of(record);
      double sum = 0;
      for (float logit : read.logits) {
        ASSERT_NEAR(logit, expected.logits.at(at), 1e-4);
        sum += std::exp(double(expected.logits.at(at++)));
      }
      EXPECT_NEAR(read.log_sum_exp, std::log(sum), 1e-4);
    }
  EXPECT_EQ(at, expected.logits.size());
}

INSTANTIATE_TEST_SUITE_P(Causal, CausalGolden, ::testing::ValuesIn(testing::kCausalModels),
                         [](const auto& model) {
                           std::string name = model.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A German GPT-2 once shipped a beginning-of-text id past its vocabulary.
TEST(Gpt2, AStartOutsideTheVocabularyIsNotUsed) {
  auto model = load_model(testing::golden("gpt2-bare").string());
  EXPECT_LT(model->info().start, tokenizer::TokenId(model->info().vocabulary));
  EXPECT_FALSE(model->info().notes.empty());
}

}  // namespace minpair::model
