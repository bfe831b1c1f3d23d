#pragma once
// SHA-256, to identify content on disk; a fast 128-bit hash, to tell items apart; and
// the older hash by which results files name models and suites.

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace minpair::inline base {

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  ~Sha256();
  Sha256& add(std::string_view bytes);
  std::string hex();  // finishes

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);
// As git names a file.
std::string git_blob_hex(std::string_view bytes);

struct Hash128 {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Hash128&) const = default;
};

std::string hex_of(Hash128 hash);
std::string bytes_of(Hash128 hash);  // sixteen, the highest first

// XXH3: stable across machines and versions. Not secure against an adversary.
Hash128 hash128(std::string_view bytes, uint64_t seed = 0);

// Results files identify models and suites by it, and do not contain them to compute another: it
// must not change, and nothing else uses it.
Hash128 fingerprint128(std::string_view bytes, uint64_t seed = 0);

// Of lines, in their order.
class Fingerprint {
 public:
  void add(std::string_view line) { hash_ = fingerprint128(line, hash_.low ^ (hash_.high >> 1)); }
  std::string text() const { return hex_of(hash_); }

 private:
  Hash128 hash_;
};

}  // namespace minpair::inline base

template <>
struct std::hash<minpair::Hash128> {
  size_t operator()(const minpair::Hash128& h) const noexcept { return h.low; }
};
