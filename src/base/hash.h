#pragma once
// SHA-256, for what identifies content on disk; a fast 128-bit hash, for telling items apart in
// memory.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace minpair::inline base {

class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view bytes);
  std::string hex();  // finishes

 private:
  void block(const unsigned char* p);
  std::array<uint32_t, 8> h_;
  std::array<unsigned char, 64> pending_;
  uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

struct Hash128 {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Hash128&) const = default;
};

// Stable over machines and versions. Not meant against an adversary.
Hash128 hash128(std::string_view bytes, uint64_t seed = 0);

}  // namespace minpair::inline base

template <>
struct std::hash<minpair::Hash128> {
  size_t operator()(const minpair::Hash128& h) const noexcept { return h.low; }
};
