#include "base/hash.h"

// OpenSSL's older functions only compute. Those that replace them load digests first, and end the
// program when memory is short meanwhile.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fmt/format.h>
#include <openssl/sha.h>
#include <xxhash.h>

#include <cstring>

#include "base/random.h"

namespace minpair::inline base {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  Wide m = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

uint64_t load64(const char* p, size_t n) {
  uint64_t x = 0;
  std::memcpy(&x, p, n);
  return x;
}

std::string hex_of_bytes(const unsigned char* digest, size_t length) {
  return fmt::format("{:02x}", fmt::join(digest, digest + length, ""));
}

}  // namespace

struct Sha256::Context : SHA256_CTX {};

Sha256::Sha256() : context_(std::make_unique<Context>()) { SHA256_Init(context_.get()); }
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view bytes) {
  SHA256_Update(context_.get(), bytes.data(), bytes.size());
  return *this;
}

std::string Sha256::hex() {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, context_.get());
  return hex_of_bytes(digest, sizeof digest);
}

std::string sha256_hex(std::string_view bytes) { return Sha256().add(bytes).hex(); }

std::string git_blob_hex(std::string_view bytes) {
  const std::string head = fmt::format("blob {}", bytes.size()) + '\0';
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, head.data(), head.size());
  SHA1_Update(&context, bytes.data(), bytes.size());
  SHA1_Final(digest, &context);
  return hex_of_bytes(digest, sizeof digest);
}

std::string hex_of(Hash128 hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

std::string bytes_of(Hash128 hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, {hash.low, hash.high});
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

Hash128 hash128(std::string_view bytes, uint64_t seed) {
  XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

Hash128 fingerprint128(std::string_view bytes, uint64_t seed) {
  uint64_t a = seed ^ 0x243f6a8885a308d3, b = bytes.size() ^ 0x13198a2e03707344;
  const char* p = bytes.data();
  size_t n = bytes.size();
  for (; n >= 16; p += 16, n -= 16) {
    uint64_t x = load64(p, 8), y = load64(p + 8, 8);
    a = mix(a ^ x ^ 0xa4093822299f31d0, b ^ y ^ 0x082efa98ec4e6c89);
    b = mix(b ^ x ^ 0x452821e638d01377, a ^ y ^ 0xbe5466cf34e90c6c) + a;
  }
  uint64_t x = load64(p, n < 8 ? n : 8), y = n > 8 ? load64(p + 8, n - 8) : 0;
  a = mix(a ^ x ^ 0xc0ac29b7c97c50dd, b ^ y ^ 0x3f84d5b5b5470917);
  b = mix(b ^ x ^ 0x9216d5d98979fb1b, a ^ y ^ 0xd1310ba698dfb5ac) + a;
  return {mix(a ^ 0x2ffd72dbd01adfb7, b ^ 0xb8e1afed6a267e96),
          mix(b ^ 0xba7c9045f12c7f99, a ^ 0x24a19947b3916cf7)};
}

}  // namespace minpair::inline base
