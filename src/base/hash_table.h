#pragma once
// A set of 128-bit hashes, each with a number: 20 bytes per entry, for millions of them.

#include <vector>

#include "base/hash.h"
#include "base/random.h"

namespace minpair::inline base {

class HashTable {
 public:
  // The number that belongs to the hash. `is_new`: it was not there before, and has been added as
  // `first`.
  uint32_t& find(Hash128 hash, uint32_t first, bool& is_new) {
    if (used_ + 1 > slots_.size() / 8 * 7) grow();
    Slot& slot = slot_of(hash);
    is_new = slot.value == kEmpty;
    if (is_new) {
      slot = {uint32_t(hash.high >> 32), uint32_t(hash.high), uint32_t(hash.low >> 32),
              uint32_t(hash.low), first};
      ++used_;
    }
    return slot.value;
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  // Four bytes each, so that nothing is lost to alignment.
  struct Slot {
    uint32_t a = 0, b = 0, c = 0, d = 0, value = kEmpty;
    Hash128 hash() const { return {uint64_t{a} << 32 | b, uint64_t{c} << 32 | d}; }
  };

  Slot& slot_of(Hash128 hash) {
    size_t at = size_t(static_cast<Wide>(hash.low) * slots_.size() >> 64);
    while (slots_[at].value != kEmpty && slots_[at].hash() != hash)
      if (++at == slots_.size()) at = 0;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() / 2 * 3);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kEmpty) slot_of(slot.hash()) = slot;
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace minpair::inline base
