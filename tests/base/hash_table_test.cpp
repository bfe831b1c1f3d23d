#include "base/hash_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace minpair::inline base {

TEST(HashTable, RemembersLikeAMap) {
  Random random(3);
  std::map<uint64_t, uint32_t> slow;
  HashTable fast;
  for (int i = 0; i < 50000; ++i) {
    uint64_t key = random.below(20000);
    // The end of the table is where probing must wrap.
    Hash128 hash = key % 997 == 0 ? Hash128{key, UINT64_MAX} : hash128(std::to_string(key));
    bool is_new;
    uint32_t& value = fast.find(hash, uint32_t(i), is_new);
    auto [it, slow_new] = slow.try_emplace(key, uint32_t(i));
    ASSERT_EQ(is_new, slow_new);
    ASSERT_EQ(value, it->second);
    it->second = value = uint32_t(i);
  }
}

}  // namespace minpair::inline base
