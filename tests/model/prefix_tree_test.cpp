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
std::vector<Logits> path_answers(const PrefixTree& tree) {
  std::vector<Logits> answers;
  for (const PrefixTree::NodeRead& r : tree.reads) {
    double sum = 0, weight = 1;
    for (tokenizer::TokenId t : path_to(tree, r.node)) sum += weight * t, weight *= 1.37;
    Logits a;
    for (tokenizer::TokenId t : r.targets) a.logits.push_back(float(sum + 1000.0 * t));
    a.log_sum_exp = sum;
    answers.push_back(a);
  }
  return answers;
}

struct RandomInputs {
  RandomInputs(uint64_t seed, size_t count) : ids(count), targets(count), inputs(count) {
    Random random(seed);
    for (size_t i = 0; i < count; ++i) {
      for (uint64_t n = 1 + random.below(6); n > 0; --n)
        ids[i].push_back(tokenizer::TokenId(random.below(3)));
      targets[i] = {tokenizer::TokenId(random.below(5)), tokenizer::TokenId(random.below(5)),
                    tokenizer::TokenId(random.below(5))};
      inputs[i].ids = ids[i];
      for (uint32_t p = 0; p < ids[i].size(); ++p)
        if (random.below(2))
          inputs[i].reads.push_back(
              {p, std::span(targets[i]).subspan(random.below(2), 2), random.below(2) == 0});
    }
  }
  std::vector<std::vector<tokenizer::TokenId>> ids, targets;
  std::vector<Input> inputs;
};

}  // namespace

TEST(PrefixTree, EveryDistinctPrefixIsOneNode) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomInputs random(seed, 40);
    std::set<std::vector<tokenizer::TokenId>> prefixes;
    for (const std::vector<tokenizer::TokenId>& ids : random.ids)
      for (size_t n = 1; n <= ids.size(); ++n)
        prefixes.emplace(ids.begin(), ids.begin() + std::ptrdiff_t(n));
    PrefixTree tree(random.inputs);
    EXPECT_EQ(tree.nodes.size(), prefixes.size());
    for (uint32_t n = 0; n < tree.nodes.size(); ++n)
      EXPECT_TRUE(prefixes.contains(path_to(tree, n)));
  }
}

TEST(PrefixTree, ChainsCoverTheNodesAndNeverBranchInside) {
  RandomInputs random(3, 60);
  PrefixTree tree(random.inputs);
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
    RandomInputs random(seed + 100, 30);
    PrefixTree tree(random.inputs);
    std::vector<std::vector<Logits>> together = tree.distribute(random.inputs, path_answers(tree));
    for (size_t i = 0; i < random.inputs.size(); ++i) {
      std::span<const Input> one(&random.inputs[i], 1);
      PrefixTree alone(one);
      EXPECT_EQ(together[i], alone.distribute(one, path_answers(alone))[0]);
    }
  }
}

}  // namespace minpair::model
