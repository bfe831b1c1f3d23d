// Memories that fade, against the recurrence itself in double precision along every path; and the
// same bits for a path in any company, on any number of threads.

#include "model/fading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/random.h"

namespace minpair::model {
namespace {

using Ids = std::vector<tokenizer::TokenId>;

constexpr size_t kHeads = 4, kHeadsAKey = 2, kKeys = kHeads / kHeadsAKey;

// Sentences that share beginnings of every length, up to three times as long as a stretch.
std::vector<Ids> sentences(Random& random, size_t count) {
  std::vector<Ids> all;
  for (size_t i = 0; i < count; ++i) {
    Ids ids;
    if (!all.empty()) {
      ids = all[random.below(all.size())];
      ids.resize(random.below(ids.size() + 1));
    }
    for (uint64_t n = random.below(3 * nn::kFadingRun); n > 0 || ids.empty(); n -= n > 0)
      ids.push_back(tokenizer::TokenId(random.below(1000)));
    all.push_back(ids);
  }
  return all;
}

// What stands at a node follows from its path, so that it is the same in any tree.
struct Numbers {
  Numbers(const PrefixTree& tree, size_t states, size_t channels)
      : keys(tree.nodes.size(), 2 * kKeys * states),
        inputs(tree.nodes.size(), kHeads * channels),
        shares(tree.nodes.size(), 2 * kHeads) {
    std::vector<uint64_t> seed(tree.nodes.size());
    for (size_t i = 0; i < seed.size(); ++i) {
      const PrefixTree::Node& node = tree.nodes[i];
      seed[i] = (node.parent == PrefixTree::none ? 7 : seed[node.parent]) * 1009 + node.token + 1;
      Random random(seed[i]);
      auto between = [&](double low, double high) {
        return float(low + (high - low) * double(random.below(10000)) / 10000);
      };
      for (size_t c = 0; c < keys.columns(); ++c) keys.row(i)[c] = between(-1, 1);
      for (size_t c = 0; c < inputs.columns(); ++c) inputs.row(i)[c] = between(-1, 1);
      for (size_t c = 0; c < shares.columns(); ++c) shares.row(i)[c] = between(0.5, 1);
    }
    in = {.heads = kHeads,
          .states = states,
          .channels = channels,
          .heads_a_key = kHeadsAKey,
          .keys = keys.part(0, kKeys * states),
          .queries = keys.part(kKeys * states, kKeys * states),
          .inputs = inputs,
          .kept = shares.part(0, kHeads),
          .taken = shares.part(kHeads, kHeads)};
  }
  nn::Matrix keys, inputs, shares;
  FadingHeads in{};
};

std::vector<Input> inputs_of(const std::vector<Ids>& all) {
  std::vector<Input> inputs(all.size());
  for (size_t i = 0; i < all.size(); ++i) inputs[i].ids = all[i];
  return inputs;
}

// The answers at every node, by the recurrence.
std::vector<std::vector<double>> recurred(const PrefixTree& tree, const FadingHeads& in) {
  const size_t size = in.states * in.channels;
  std::vector<std::vector<double>> memory(tree.nodes.size()), answers(tree.nodes.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    const uint32_t parent = tree.nodes[i].parent;
    memory[i] = parent == PrefixTree::none ? std::vector<double>(kHeads * size) : memory[parent];
    for (size_t head = 0; head < kHeads; ++head) {
      const float* key = in.keys.row(i) + head / kHeadsAKey * in.states;
      const float* query = in.queries.row(i) + head / kHeadsAKey * in.states;
      for (size_t c = 0; c < in.channels; ++c) {
        double sum = 0;
        for (size_t n = 0; n < in.states; ++n) {
          double& x = memory[i][head * size + n * in.channels + c];
          x = in.kept.row(i)[head] * x +
              double(in.taken.row(i)[head]) * key[n] * in.inputs.row(i)[head * in.channels + c];
          sum += query[n] * x;
        }
        answers[i].push_back(sum);
      }
    }
  }
  return answers;
}

}  // namespace

TEST(Fading, IsTheRecurrence) {
  Random random(1);
  for (auto [states, channels] : {std::pair<size_t, size_t>{3, 5}, {16, 16}, {40, 37}, {700, 20}}) {
    // Every node has a memory of its own in the slow twin: few where they are large.
    const std::vector<Ids> all = sentences(random, states > 100 ? 4 : 12);
    const PrefixTree tree(inputs_of(all));
    const Numbers numbers(tree, states, channels);
    const std::vector<std::vector<double>> expected = recurred(tree, numbers.in);
    nn::Runtime runtime(2);
    FadingScan scan;
    nn::Matrix out;
    scan.run(runtime, tree, numbers.in, out);
    ASSERT_EQ(out.rows(), tree.nodes.size());
    for (size_t i = 0; i < out.rows(); ++i)
      for (size_t c = 0; c < out.columns(); ++c)
        ASSERT_NEAR(out.row(i)[c], expected[i][c], 2e-6 * double(states + 4))
            << states << " states, depth " << tree.nodes[i].depth << ", channel " << c;
  }
}

TEST(Fading, APathHasTheSameBitsInAnyCompany) {
  Random random(2);
  const std::vector<Ids> all = sentences(random, 30);
  const PrefixTree together(inputs_of(all));
  const Numbers many(together, 19, 21);
  nn::Matrix out, alone;
  FadingScan scan;
  scan.run(nn::Runtime(3), together, many.in, out);
  for (size_t s = 0; s < all.size(); ++s) {
    const PrefixTree tree(inputs_of({all[s]}));
    const Numbers one(tree, 19, 21);
    scan.run(nn::Runtime(1), tree, one.in, alone);
    for (uint32_t p = 0; p < all[s].size(); ++p)
      for (size_t c = 0; c < out.columns(); ++c)
        ASSERT_EQ(alone.row(tree.node_of(0, p))[c], out.row(together.node_of(s, p))[c])
            << "sentence " << s << ", position " << p << ", channel " << c;
  }
}

}  // namespace minpair::model
