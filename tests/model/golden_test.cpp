#include "model/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace minpair::model {
namespace {

using namespace testing;

class Golden : public ::testing::TestWithParam<std::string> {};

std::unique_ptr<query::Model> load(const std::string& name, int threads = 2) {
  return load_model(golden(name).string(), {.threads = threads});
}

TEST_P(Golden, Logits) {
  Expected expected(GetParam());
  std::unique_ptr<query::Model> model = load(GetParam());
  std::vector<tokenizer::TokenId> vocabulary(model->info().vocabulary);
  std::iota(vocabulary.begin(), vocabulary.end(), 0);
  std::vector<query::Query> queries;
  for (const auto& ids : expected.inputs) {
    queries.push_back({ids, {}});
    for (uint32_t i = 0; i < ids.size(); ++i)
      queries.back().asks.push_back({i, query::Targets{vocabulary, false}});
  }
  size_t at = 0;
  for (const query::Answer& answer : model->answer(queries))
    for (const query::Record& record : answer)
      for (float logit : logits_of(record).logits)
        ASSERT_NEAR(logit, expected.logits.at(at++), 1e-4);
  EXPECT_EQ(at, expected.logits.size());
}

TEST_P(Golden, CrossEntropyOfSentences) {
  Expected expected(GetParam());
  std::unique_ptr<query::Model> model = load(GetParam());
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    query::Query query = about_itself(expected.inputs[i]);
    double sum = 0;
    query::Answer answer = model->answer({&query, 1})[0];
    for (const query::Record& record : answer) sum -= logits_of(record).logprob();
    EXPECT_NEAR(sum / double(query.ids.size()), expected.loss[i], 1e-5) << "sentence " << i;
  }
}

// A random set of asks: some positions, some twice, some without the sum over the vocabulary.
query::Query random_query(Random& random, const query::Model& model) {
  query::Query query;
  uint32_t vocabulary = model.info().vocabulary;
  size_t n = 1 + random.below(random.below(4) ? 12 : 36);
  for (size_t i = 0; i < n; ++i)
    query.ids.push_back(static_cast<tokenizer::TokenId>(random.below(vocabulary)));
  for (uint32_t i = 0; i < n; ++i)
    for (uint64_t times = random.below(3); times > 0; --times) {
      query::Targets targets{{}, random.below(2) == 0};
      for (uint64_t t = random.below(5); t > 0; --t)
        targets.ids.push_back(static_cast<tokenizer::TokenId>(random.below(vocabulary)));
      query.asks.push_back({i, std::move(targets)});
    }
  return query;
}

bool same_bits(const query::Answer& a, const query::Answer& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const query::Logits &x = logits_of(a[i]), &y = logits_of(b[i]);
    const auto same = [](float one, float other) { return !std::memcmp(&one, &other, sizeof one); };
    if (!std::ranges::equal(x.logits, y.logits, same) ||
        std::memcmp(&x.log_sum_exp, &y.log_sum_exp, sizeof(double)))
      return false;
  }
  return true;
}

TEST_P(Golden, TheSameBitsInAnyBatchOrderAndThreadCount) {
  Random random(std::hash<std::string>()(GetParam()));
  std::vector<std::unique_ptr<query::Model>> models;
  for (int threads = 1; threads <= 4; ++threads) models.push_back(load(GetParam(), threads));
  std::vector<query::Query> queries;
  std::vector<query::Answer> alone;
  for (int i = 0; i < 120; ++i) {
    queries.push_back(random_query(random, *models[0]));
    alone.push_back(models[0]->answer({&queries.back(), 1})[0]);
  }
  for (int round = 0; round < 12; ++round) {
    std::vector<size_t> order(queries.size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    order.resize(1 + random.below(order.size()));
    std::vector<query::Query> batch;
    for (size_t i : order) batch.push_back(queries[i]);
    std::vector<query::Answer> answers = models[round % 4]->answer(batch);
    for (size_t i = 0; i < order.size(); ++i)
      ASSERT_TRUE(same_bits(answers[i], alone[order[i]]))
          << "query " << order[i] << " in a batch of " << order.size() << " on " << round % 4 + 1
          << " threads";
  }
}

// Whether a sum over the vocabulary is asked for never changes a logit, nor does reading less.
TEST_P(Golden, LogitsDoNotDependOnWhatElseIsRead) {
  Random random(7);
  std::unique_ptr<query::Model> model = load(GetParam());
  for (int i = 0; i < 20; ++i) {
    query::Query query = random_query(random, *model);
    query::Answer all = model->answer({&query, 1})[0];
    for (size_t r = 0; r < query.asks.size(); ++r) {
      query::Query one{query.ids, {query.asks[r]}, {}};
      query::Targets& targets = std::get<query::Targets>(one.asks[0].what);
      targets.normalized = !targets.normalized;
      EXPECT_EQ(logits_of(model->answer({&one, 1})[0][0]).logits, logits_of(all[r]).logits);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Model, Golden, ::testing::ValuesIn(kGoldenModels), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace minpair::model
