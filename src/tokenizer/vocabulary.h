#pragma once
// The pieces of a tokenizer: id → piece by table, piece → id and longest match by a byte trie.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::tokenizer {

using TokenId = int32_t;

// Strings to numbers, walked byte by byte. Children of a node lie side by side, sorted.
class Trie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    std::string_view key;
    int32_t value;
  };

  Trie() : Trie(std::vector<Entry>{}) {}
  explicit Trie(std::vector<Entry> entries);  // of equal keys the last one wins

  uint32_t step(uint32_t node, char byte) const {
    if (node == kRoot) return root_[static_cast<unsigned char>(byte)];
    const Node& n = nodes_[node];
    const unsigned char* label = labels_.data() + n.first_child;
    const void* hit = std::memchr(label, static_cast<unsigned char>(byte), n.children);
    if (!hit) return kNone;
    return n.first_child + uint32_t(static_cast<const unsigned char*>(hit) - label);
  }
  int32_t value(uint32_t node) const { return nodes_[node].value; }  // -1: no key ends here
  uint32_t walk(std::string_view bytes) const;                       // kNone: nothing begins so
  int32_t find(std::string_view key) const;                          // -1: absent

 private:
  struct Node {
    uint32_t first_child = 0;
    int32_t value = -1;
    uint32_t children = 0;
  };
  std::vector<Node> nodes_;
  std::vector<unsigned char> labels_;  // of node i: the byte that leads to it
  uint32_t root_[256];
};

class Vocabulary {
 public:
  Vocabulary() = default;
  // A piece's id is its place. Of equal pieces the last one is found; an empty piece never is.
  // More than kMaxPieces pieces or kMaxBytes bytes of them is an error: no model has that many.
  static constexpr size_t kMaxPieces = 4'000'000, kMaxBytes = 1 << 25;
  explicit Vocabulary(const std::vector<std::string>& pieces);

  size_t size() const { return offsets_.size() - 1; }
  bool contains(TokenId id) const { return id >= 0 && size_t(id) < size(); }
  std::string_view piece(TokenId id) const {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenId find(std::string_view piece) const { return trie_.find(piece); }  // -1: absent
  const Trie& trie() const { return trie_; }

 private:
  std::string bytes_;
  std::vector<uint32_t> offsets_{0};
  Trie trie_;
};

}  // namespace minpair::tokenizer
