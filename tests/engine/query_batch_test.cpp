#include "engine/query_batch.h"

#include <gtest/gtest.h>

#include "engine/batch_limit.h"
#include "engine/made_up.h"
#include "fake.h"

namespace minpair::engine {
namespace {

using testing::FakeModel;

query::Query asking(std::vector<tokenizer::TokenId> ids, tokenizer::TokenId target) {
  return {std::move(ids), {{1, query::Targets{{target}}}}, {}};
}

TEST(QueryBatch, AsksEqualQueriesOnceAndAnswersInTheOrderOfAdding) {
  FakeModel model, plain;
  std::vector<query::Query> queries;
  for (tokenizer::TokenId i = 0; i < 60; ++i)
    queries.push_back(asking({7, 8, 10 + i % 5}, 20 + i % 3));
  QueryBatch batch(model);
  std::vector<query::Answer> answers;
  for (const query::Query& query : queries)
    batch.add(query, [&](query::Answer&& answer) { answers.push_back(std::move(answer)); });
  batch.answer();
  EXPECT_EQ(model.forward_passes, 5u);
  ASSERT_EQ(answers.size(), queries.size());
  for (size_t i = 0; i < queries.size(); ++i)
    EXPECT_EQ(answers[i], plain.answer({&queries[i], 1})[0]) << i;
}

TEST(QueryBatch, TellsItsProgress) {
  FakeModel model;
  model.info().batch_tokens = 6;
  uint64_t last = 0, all = 0;
  QueryBatch batch(model, [&](uint64_t done, uint64_t total) { last = done, all = total; });
  for (tokenizer::TokenId i = 0; i < 5; ++i) batch.add(asking({7, 8, i}, 9), [](auto&&) {});
  batch.answer();
  EXPECT_EQ(last, 15u);
  EXPECT_EQ(all, 15u);
  EXPECT_EQ(model.calls, 3u);
}

TEST(BatchLimit, HasWhatFitsAndOneAtLeast) {
  FakeModel model;
  const query::Query query = asking({1, 2}, 3);
  auto batches = [&](uint64_t most, const std::vector<uint64_t>& tokens) {
    BatchLimit limit(model.info());
    limit.set_tokens(most);
    size_t count = 1;
    for (uint64_t t : tokens) count += !limit.fits(query, t);
    return count;
  };
  EXPECT_EQ(batches(5, {3, 2, 1}), 2u);
  EXPECT_EQ(batches(6, {3, 2, 1}), 1u);
  EXPECT_EQ(batches(1, {3, 2, 1}), 3u);
  EXPECT_EQ(batches(6, {3, 3, 3, 3}), 2u);
}

// A shard's items ask alike; together the shards have every item once.
TEST(ItemsOf, ShardsAreDisjointAndCompleteAndKeepEqualItemsTogether) {
  FakeModel model;
  std::vector<query::Query> queries;
  for (tokenizer::TokenId i = 0; i < 30; ++i) queries.push_back(asking({7, 8, i % 10}, 9));
  queries.emplace_back();  // asks nothing
  std::vector<uint32_t> owner(queries.size());
  for (uint32_t n = 1; n <= 4; ++n) {
    const std::vector<bool> ours = items_of({n, 4}, model, queries);
    for (size_t i = 0; i < ours.size(); ++i) {
      if (!ours[i]) continue;
      EXPECT_EQ(owner[i], 0u);
      owner[i] = n;
    }
  }
  for (size_t i = 0; i < 30; ++i) EXPECT_EQ(owner[i], owner[i % 10]) << i;
  EXPECT_EQ(owner.back(), 1u);
  EXPECT_EQ(items_of({1, 2}, model, {queries[0]}), std::vector<bool>{false});
  EXPECT_EQ(items_of({2, 2}, model, {queries[0]}), std::vector<bool>{true});
}

}  // namespace
}  // namespace minpair::engine
