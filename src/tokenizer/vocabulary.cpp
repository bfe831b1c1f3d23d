#include "tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace minpair::tokenizer {

Trie::Trie(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
  // Breadth first: node i owns the sorted entries [begin, end), which agree on `depth` bytes.
  struct Range {
    size_t begin, end, depth;
  };
  std::vector<Range> ranges{{0, entries.size(), 0}};
  nodes_.emplace_back();
  labels_.push_back(0);
  for (size_t node = 0; node < ranges.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    while (begin < end && entries[begin].key.size() == depth)
      nodes_[node].value = entries[begin++].value;
    nodes_[node].first_child = uint32_t(nodes_.size());
    while (begin < end) {
      auto label = static_cast<unsigned char>(entries[begin].key[depth]);
      size_t stop = begin;
      while (stop < end && static_cast<unsigned char>(entries[stop].key[depth]) == label) ++stop;
      ranges.push_back({begin, stop, depth + 1});
      nodes_.emplace_back();
      labels_.push_back(label);
      ++nodes_[node].children;
      begin = stop;
    }
  }
  std::fill(std::begin(root_), std::end(root_), kNone);
  for (uint32_t i = 0; i < nodes_[kRoot].children; ++i)
    root_[labels_[nodes_[kRoot].first_child + i]] = nodes_[kRoot].first_child + i;
}

uint32_t Trie::walk(std::string_view bytes) const {
  uint32_t node = kRoot;
  for (char b : bytes)
    if ((node = step(node, b)) == kNone) break;
  return node;
}

int32_t Trie::find(std::string_view key) const {
  uint32_t node = walk(key);
  return node == kNone ? -1 : value(node);
}

Vocabulary::Vocabulary(const std::vector<std::string>& pieces) {
  size_t bytes = 0;
  for (const std::string& p : pieces) bytes += p.size();
  if (bytes > kMaxBytes || pieces.size() > kMaxPieces)
    throw bad_input(fmt::format("the vocabulary has {} pieces of {} bytes: no model has that many",
                                pieces.size(), bytes));
  bytes_.reserve(bytes);
  offsets_.reserve(pieces.size() + 1);
  for (const std::string& p : pieces) {
    bytes_ += p;
    offsets_.push_back(uint32_t(bytes_.size()));
  }
  std::vector<Trie::Entry> entries;
  entries.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].empty()) entries.push_back({piece(TokenId(i)), int32_t(i)});
  trie_ = Trie(std::move(entries));
}

}  // namespace minpair::tokenizer
