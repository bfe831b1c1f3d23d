#pragma once
// Which two pieces may be joined, how urgently, and to what: an open hash table.

#include <cstdint>
#include <vector>

#include "tokenizer/piece_model.h"

namespace minpair::tokenizer {

class MergeTable {
 public:
  struct Found {
    uint32_t rank;
    TokenId result;
  };

  // Of equal pairs the last one counts.
  explicit MergeTable(const std::vector<Merge>& merges) {
    size_t capacity = 16;
    while (capacity < merges.size() * 2) capacity *= 2;
    slots_.resize(capacity);
    for (size_t rank = 0; rank < merges.size(); ++rank) {
      const Merge& m = merges[rank];
      size_t i = place(m.left, m.right);
      slots_[i] = {key(m.left, m.right), {uint32_t(rank), m.result}};
    }
  }

  const Found* find(TokenId left, TokenId right) const {
    const Slot& slot = slots_[place(left, right)];
    return slot.key == kEmpty ? nullptr : &slot.found;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;
  struct Slot {
    uint64_t key = kEmpty;
    Found found{};
  };

  static uint64_t key(TokenId left, TokenId right) {
    return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
  }
  size_t place(TokenId left, TokenId right) const {
    uint64_t k = key(left, right);
    size_t mask = slots_.size() - 1;
    size_t i = (k * 0x9E3779B97F4A7C15u) >> 20 & mask;
    while (slots_[i].key != kEmpty && slots_[i].key != k) i = (i + 1) & mask;
    return i;
  }

  std::vector<Slot> slots_;
};

}  // namespace minpair::tokenizer
