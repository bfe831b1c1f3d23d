#pragma once
// The sentences of a batch as a tree: every prefix that several of them share is one path of it.
//
// A causal or recurrent model computes each node once. What it computes for a node depends only on
// the path to it, so an answer is the same bits whether its sentence came alone or with a thousand
// others.

#include <cstdint>
#include <span>
#include <vector>

#include "model/architecture.h"
#include "query/logits.h"

namespace minpair::model {

using query::Input;
using query::Logits;
using query::Read;

struct PrefixTree {
  static constexpr uint32_t none = UINT32_MAX;

  struct Node {
    tokenizer::TokenId token = 0;
    uint32_t parent = none;
    uint32_t depth = 0;  // 0: the first token of a sentence
  };

  // A run of nodes without a branch, node after node: what attention can treat as one sequence. Its
  // path is its nodes' ancestors, then its own nodes.
  struct Chain {
    uint32_t first = 0, count = 0;
    uint32_t parent = none;  // the node before the first
  };

  // What is asked at one node, over all queries: the union of their targets.
  struct NodeRead {
    uint32_t node = 0;
    std::vector<tokenizer::TokenId> targets;  // ascending, distinct
    bool normalized = false;
  };

  std::vector<Node> nodes;      // parents before children; the nodes of a chain are neighbours
  std::vector<Chain> chains;    // in the order of their nodes
  std::vector<NodeRead> reads;  // by node
  LateRows late;                // nodes of changed inputs

  // `changed` inputs, by layer, share with their twins what stands before their first change.
  explicit PrefixTree(std::span<const Input> inputs, std::span<const Changed> changed = {});

  std::vector<uint32_t> positions() const;  // the depth of every node

  uint32_t node_of(size_t query, uint32_t position) const { return path_[query][position]; }

  // The answers to `reads`, given back to each query in its own order; reads of layers get none.
  std::vector<std::vector<Logits>> distribute(std::span<const Input> inputs,
                                              std::span<const Logits> answers) const;

 private:
  void insert(std::span<const Input> inputs, std::span<const uint32_t> sorted);
  void insert(std::span<const Input> inputs, const Changed& changed);
  void collect_reads(std::span<const Input> inputs);

  std::vector<std::vector<uint32_t>> path_;  // per query, the node of each position
  std::vector<uint32_t> read_of_node_;
};

}  // namespace minpair::model
