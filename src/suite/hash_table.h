#pragma once
// A set of 128-bit hashes with a number each: 24 bytes an entry, for millions of them.

#include <vector>

#include "base/hash.h"

namespace minpair {

class HashTable {
 public:
  // The number that belongs to the hash. `is_new` says whether it was put there just now, as
  // `first`.
  uint32_t& find(Hash128 hash, uint32_t first, bool& is_new) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slot_of(hash);
    is_new = slot.value == kEmpty;
    if (is_new) {
      slot = {hash, first};
      ++used_;
    }
    return slot.value;
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Slot {
    Hash128 hash;
    uint32_t value = kEmpty;
  };

  Slot& slot_of(Hash128 hash) {
    size_t mask = slots_.size() - 1, at = hash.low & mask;
    while (slots_[at].value != kEmpty && slots_[at].hash != hash) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kEmpty) slot_of(slot.hash) = slot;
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace minpair
