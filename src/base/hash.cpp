#include "base/hash.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace minpair::inline base {
namespace {

constexpr uint32_t k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  Wide m = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

uint64_t load64(const char* p, size_t n) {
  uint64_t x = 0;
  std::memcpy(&x, p, n);
  return x;
}

}  // namespace

Sha256::Sha256()
    : h_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
      pending_{} {}

void Sha256::block(const unsigned char* p) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t(p[4 * i]) << 24 | uint32_t(p[4 * i + 1]) << 16 | uint32_t(p[4 * i + 2]) << 8 |
           p[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  auto [a, b, c, d, e, f, g, h] = h_;
  for (int i = 0; i < 64; ++i) {
    uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                  ((e & f) ^ (~e & g)) + k256[i] + w[i];
    uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  uint32_t add[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) h_[size_t(i)] += add[i];
}

Sha256& Sha256::add(std::string_view bytes) {
  size_t held = size_t(length_ % 64);
  length_ += bytes.size();
  if (held + bytes.size() < 64) {
    if (!bytes.empty()) std::memcpy(pending_.data() + held, bytes.data(), bytes.size());
    return *this;
  }
  if (held > 0) {
    std::memcpy(pending_.data() + held, bytes.data(), 64 - held);
    bytes.remove_prefix(64 - held);
    block(pending_.data());
  }
  while (bytes.size() >= 64) {
    block(reinterpret_cast<const unsigned char*>(bytes.data()));
    bytes.remove_prefix(64);
  }
  if (!bytes.empty()) std::memcpy(pending_.data(), bytes.data(), bytes.size());
  return *this;
}

std::string Sha256::hex() {
  uint64_t bits = length_ * 8;
  add("\x80");
  while (length_ % 64 != 56) add(std::string_view("\0", 1));
  std::string tail;
  for (int i = 7; i >= 0; --i) tail += char(bits >> (8 * i));
  add(tail);
  std::string s;
  for (uint32_t x : h_) s += fmt::format("{:08x}", x);
  return s;
}

std::string sha256_hex(std::string_view bytes) { return Sha256().add(bytes).hex(); }

Hash128 hash128(std::string_view bytes, uint64_t seed) {
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
