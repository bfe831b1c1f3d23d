#include "model/prefix_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace minpair::model {
namespace {

std::vector<tokenizer::TokenId> path_to(const PrefixTree& tree, uint32_t node) {
  std::vector<tokenizer::TokenId> ids;
  for (uint32_t n = node; n != PrefixTree::none; n = tree.nodes[n].parent)
    ids.insert(ids.begin(), tree.nodes[n].token);
  return ids;
}

// A "model" whose logit of a target is a number made from the whole path: any mix-up shows.
std::vector<query::ReadAnswer> path_answers(const PrefixTree& tree) {
  std::vector<query::ReadAnswer> answers;
  for (const PrefixTree::NodeRead& r : tree.reads) {
    double sum = 0, weight = 1;
    for (tokenizer::TokenId t : path_to(tree, r.node)) sum += weight * t, weight *= 1.37;
    query::ReadAnswer a;
    for (tokenizer::TokenId t : r.targets) a.logits.push_back(float(sum + 1000.0 * t));
    a.log_sum_exp = sum;
    answers.push_back(a);
  }
  return answers;
}

std::vector<query::Query> random_queries(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<query::Query> queries(count);
  for (query::Query& q : queries) {
    for (uint64_t n = 1 + random.below(6); n > 0; --n)
      q.ids.push_back(tokenizer::TokenId(random.below(3)));
    for (uint32_t p = 0; p < q.ids.size(); ++p)
      if (random.below(2))
        q.reads.push_back(
            {p,
             {tokenizer::TokenId(random.below(5)), tokenizer::TokenId(random.below(5))},
             random.below(2) == 0});
  }
  return queries;
}

}  // namespace

TEST(PrefixTree, EveryDistinctPrefixIsOneNode) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<query::Query> queries = random_queries(seed, 40);
    std::set<std::vector<tokenizer::TokenId>> prefixes;
    for (const query::Query& q : queries)
      for (size_t n = 1; n <= q.ids.size(); ++n)
        prefixes.emplace(q.ids.begin(), q.ids.begin() + std::ptrdiff_t(n));
    PrefixTree tree(queries);
    EXPECT_EQ(tree.nodes.size(), prefixes.size());
    for (uint32_t n = 0; n < tree.nodes.size(); ++n)
      EXPECT_TRUE(prefixes.contains(path_to(tree, n)));
  }
}

TEST(PrefixTree, ChainsCoverTheNodesAndNeverBranchInside) {
  std::vector<query::Query> queries = random_queries(3, 60);
  PrefixTree tree(queries);
  uint32_t next = 0;
  for (const PrefixTree::Chain& c : tree.chains) {
    EXPECT_EQ(c.first, next);
    EXPECT_EQ(c.parent, tree.nodes[c.first].parent);
    for (uint32_t n = c.first + 1; n < c.first + c.count; ++n)
      EXPECT_EQ(tree.nodes[n].parent, n - 1);
    for (const PrefixTree::Node& n : tree.nodes) {
      bool inside =
          n.parent != PrefixTree::none && n.parent >= c.first && n.parent + 1 < c.first + c.count;
      if (inside) {
        EXPECT_EQ(&n - tree.nodes.data(), std::ptrdiff_t(n.parent + 1));
      }
    }
    next += c.count;
  }
  EXPECT_EQ(next, tree.nodes.size());
}

TEST(PrefixTree, AnswersComeBackAsIfEachQueryWereAlone) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<query::Query> queries = random_queries(seed + 100, 30);
    PrefixTree tree(queries);
    std::vector<query::Answer> together = tree.distribute(queries, path_answers(tree));
    for (size_t i = 0; i < queries.size(); ++i) {
      std::span<const query::Query> one(&queries[i], 1);
      PrefixTree alone(one);
      query::Answer expected = alone.distribute(one, path_answers(alone))[0];
      ASSERT_EQ(together[i].size(), expected.size());
      for (size_t r = 0; r < expected.size(); ++r) {
        EXPECT_EQ(together[i][r].logits, expected[r].logits);
        EXPECT_EQ(together[i][r].log_sum_exp, expected[r].log_sum_exp);
      }
    }
  }
}

}  // namespace minpair::model
