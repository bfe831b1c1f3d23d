#include "engine/split.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace minpair::engine {
namespace {

// Items ask one of few contexts and one query of their own.
struct Questions {
  explicit Questions(uint64_t items, QueryOrder order) : count(items), sorted(".", 1 << 20) {
    Random random(1);
    for (uint64_t i = 0; i < items; ++i) {
      tokenizer::TokenId shared = tokenizer::TokenId(random.below(20));
      add_question(sorted, {i, 0, 0}, {{1, shared, 2, 3, 4}, {{2, query::Targets{{7}}}}, {}},
                   order);
      add_question(sorted, {i, 0, 1},
                   {{1, shared, tokenizer::TokenId(100 + i), 3, 4}, {{2, query::Targets{{7}}}}, {}},
                   order);
    }
  }
  uint64_t count;
  SortedRecords sorted;
};

TEST(Shard, EveryItemBelongsToExactlyOne) {
  for (QueryOrder order : {QueryOrder::length, QueryOrder::prefix})
    for (uint32_t of : {1u, 2u, 5u, 300u}) {
      Questions questions(200, order);
      std::vector<int> owners(200, 0);
      for (uint32_t n = 1; n <= of; ++n) {
        std::vector<bool> ours = items_of({n, of}, questions.sorted, {}, 203, order);
        ASSERT_EQ(ours.size(), 203u);
        uint64_t own = 0;
        for (size_t i = 0; i < 200; ++i) {
          owners[i] += ours[i];
          own += ours[i];
        }
        if (of == 5) {
          EXPECT_NEAR(double(own), 40, 6);
        }
        // Three items ask nothing.
        for (size_t i = 200; i < 203; ++i) EXPECT_EQ(ours[i], n == 1);
      }
      for (int n : owners) EXPECT_EQ(n, 1);
    }
}

TEST(Shard, ItemsThatAskAlikeStayTogether) {
  Questions questions(200, QueryOrder::prefix);
  Random random(1);
  std::vector<tokenizer::TokenId> context;
  for (int i = 0; i < 200; ++i) context.push_back(tokenizer::TokenId(random.below(20)));
  uint64_t pairs = 0;
  for (uint32_t n = 1; n <= 4; ++n) {
    std::vector<bool> ours = items_of({n, 4}, questions.sorted, {}, 200, QueryOrder::prefix);
    std::vector<bool> seen(20);
    for (size_t i = 0; i < 200; ++i)
      if (ours[i]) seen[size_t(context[i])] = true;
    pairs += uint64_t(std::count(seen.begin(), seen.end(), true));
  }
  // Only the context at a cut is asked on both of its sides.
  EXPECT_LE(pairs, 23u);
}

TEST(Shard, IsWrittenWithASlash) {
  EXPECT_EQ(parse_shard("3/8").number, 3u);
  EXPECT_EQ(parse_shard("3/8").of, 8u);
  EXPECT_TRUE(parse_shard("1/1").whole());
  EXPECT_EQ(shard_text({3, 8}), "3/8");
  for (const char* wrong : {"", "3", "0/8", "9/8", "3/", "/8", "3/8x", "-1/8", "3 / 8"})
    EXPECT_THROW(parse_shard(wrong), Error) << wrong;
}

}  // namespace
}  // namespace minpair::engine
