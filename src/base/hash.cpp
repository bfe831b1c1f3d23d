#include "base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include <cstring>

#include "base/error.h"
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

class Digest {
 public:
  explicit Digest(const EVP_MD* kind) : context_(EVP_MD_CTX_new()) {
    check(context_ && EVP_DigestInit_ex(context_, kind, nullptr));
  }
  ~Digest() { EVP_MD_CTX_free(context_); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view bytes) {
    check(EVP_DigestUpdate(context_, bytes.data(), bytes.size()));
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned length = 0;
    check(EVP_DigestFinal_ex(context_, digest.data(), &length));
    return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + length, ""));
  }

 private:
  static void check(bool done) {
    if (!done) throw cannot("OpenSSL cannot compute a digest");
  }
  EVP_MD_CTX* context_;
};

}  // namespace

struct Sha256::Context {
  Digest digest{EVP_sha256()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view bytes) {
  context_->digest.add(bytes);
  return *this;
}

std::string Sha256::hex() { return context_->digest.hex(); }

std::string sha256_hex(std::string_view bytes) { return Sha256().add(bytes).hex(); }

std::string git_blob_hex(std::string_view bytes) {
  Digest digest(EVP_sha1());
  digest.add(fmt::format("blob {}", bytes.size()) + '\0');
  digest.add(bytes);
  return digest.hex();
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
