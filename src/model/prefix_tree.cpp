#include "model/prefix_tree.h"

#include <algorithm>
#include <numeric>

namespace minpair::model {
namespace {

size_t common_prefix(std::span<const tokenizer::TokenId> a, std::span<const tokenizer::TokenId> b) {
  size_t n = std::min(a.size(), b.size()), i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

PrefixTree::PrefixTree(std::span<const Input> inputs, std::span<const Changed> changed)
    : path_(inputs.size()) {
  std::vector<uint32_t> sorted;
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].changes.empty()) sorted.push_back(i);
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(inputs[a].ids, inputs[b].ids);
  });
  insert(inputs, sorted);
  late.first = uint32_t(nodes.size());
  for (const Changed& one : changed) insert(inputs, one);
  collect_reads(inputs);
}

std::vector<uint32_t> PrefixTree::positions() const {
  std::vector<uint32_t> depths;
  depths.reserve(nodes.size());
  for (const Node& n : nodes) depths.push_back(n.depth);
  return depths;
}

// Neighbours in sorted order share the longest prefixes, so each query only adds what its
// predecessor lacks. A chain ends where a later query leaves it; since sorted inputs leave ever
// higher, that is known once all are in.
void PrefixTree::insert(std::span<const Input> inputs, std::span<const uint32_t> sorted) {
  std::vector<bool> branches;  // per node: something other than its next neighbour hangs below it
  for (size_t i = 0; i < sorted.size(); ++i) {
    std::span<const tokenizer::TokenId> ids = inputs[sorted[i]].ids;
    std::vector<uint32_t>& path = path_[sorted[i]];
    size_t shared = i == 0 ? 0 : common_prefix(ids, inputs[sorted[i - 1]].ids);
    if (shared > 0)
      path.assign(path_[sorted[i - 1]].begin(),
                  path_[sorted[i - 1]].begin() + std::ptrdiff_t(shared));
    if (shared > 0 && shared < ids.size()) branches[path.back()] = true;
    for (size_t k = shared; k < ids.size(); ++k) {
      uint32_t parent = path.empty() ? none : path.back();
      path.push_back(uint32_t(nodes.size()));
      nodes.push_back({ids[k], parent, uint32_t(k)});
      branches.push_back(false);
    }
  }
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    bool goes_on = n > 0 && nodes[n].parent == n - 1 && !branches[n - 1];
    if (goes_on)
      ++chains.back().count;
    else
      chains.push_back({n, 1, nodes[n].parent});
  }
}

void PrefixTree::insert(std::span<const Input> inputs, const Changed& changed) {
  std::span<const tokenizer::TokenId> ids = inputs[changed.input].ids;
  const std::vector<uint32_t>& twin = path_[changed.twin];
  std::vector<uint32_t>& path = path_[changed.input];
  path.assign(twin.begin(), twin.begin() + std::ptrdiff_t(changed.position));
  chains.push_back({uint32_t(nodes.size()), uint32_t(ids.size()) - changed.position,
                    path.empty() ? none : path.back()});
  for (uint32_t k = changed.position; k < ids.size(); ++k) {
    late.layer.push_back(changed.layer);
    late.copy.push_back(twin[k]);
    nodes.push_back({ids[k], path.empty() ? none : path.back(), k});
    path.push_back(uint32_t(nodes.size() - 1));
  }
}

namespace {

// `all` stays ascending and distinct. The whole vocabulary, asked for again and again, is not
// sorted again and again.
void add_targets(std::vector<tokenizer::TokenId>& all,
                 std::span<const tokenizer::TokenId> targets) {
  if (std::is_sorted(targets.begin(), targets.end()) &&
      std::includes(all.begin(), all.end(), targets.begin(), targets.end()))
    return;
  const auto known = std::ptrdiff_t(all.size());
  all.insert(all.end(), targets.begin(), targets.end());
  if (!std::is_sorted(all.begin() + known, all.end())) std::sort(all.begin() + known, all.end());
  std::inplace_merge(all.begin(), all.begin() + known, all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

void PrefixTree::collect_reads(std::span<const Input> inputs) {
  read_of_node_.assign(nodes.size(), none);
  std::vector<NodeRead> found(nodes.size());
  for (size_t q = 0; q < inputs.size(); ++q)
    for (const Read& r : inputs[q].reads) {
      if (r.layer) continue;
      NodeRead& at = found[path_[q][r.position]];
      add_targets(at.targets, r.targets);
      at.normalized = at.normalized || r.normalized;
      read_of_node_[path_[q][r.position]] = 0;
    }
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (read_of_node_[n] == none) continue;
    read_of_node_[n] = uint32_t(reads.size());
    NodeRead& r = found[n];
    r.node = n;
    reads.push_back(std::move(r));
  }
}

std::vector<std::vector<Logits>> PrefixTree::distribute(std::span<const Input> inputs,
                                                        std::span<const Logits> answers) const {
  std::vector<std::vector<Logits>> out(inputs.size());
  for (size_t q = 0; q < inputs.size(); ++q)
    for (const Read& r : inputs[q].reads) {
      Logits& mine = out[q].emplace_back();
      if (r.layer) continue;
      uint32_t at = read_of_node_[path_[q][r.position]];
      const std::vector<tokenizer::TokenId>& targets = reads[at].targets;
      mine.logits.reserve(r.targets.size());
      auto place = targets.begin();
      for (tokenizer::TokenId t : r.targets) {
        // Often the whole vocabulary in order: then the next one is it.
        if (place == targets.end() || *place != t)
          place = std::lower_bound(targets.begin(), targets.end(), t);
        mine.logits.push_back(answers[at].logits[size_t(place++ - targets.begin())]);
      }
      mine.log_sum_exp = r.normalized ? answers[at].log_sum_exp : 0;
    }
  return out;
}

}  // namespace minpair::model
