// 16-bit floating point to 32-bit, exactly.

#include <bit>
#include <cstring>

#include "checkpoint/parts.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace minpair::checkpoint {
namespace {

// One number, without any help of the processor.
[[gnu::always_inline]] inline float half_bits_to_float(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
  if (exponent == 0)  // zero and subnormals: an exact small integer times a power of two
    return std::bit_cast<float>(std::bit_cast<uint32_t>(float(fraction) * 0x1p-24f) | sign);
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  // The processor's own conversion makes signalling NaNs quiet; so do we.
  uint32_t quiet = exponent == 31 && fraction != 0 ? 0x400000 : 0;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13 | quiet);
}

void half_portable(const std::byte* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t h;
    std::memcpy(&h, from + 2 * i, 2);
    to[i] = half_bits_to_float(h);
  }
}

void bfloat_portable(const std::byte* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t b;
    std::memcpy(&b, from + 2 * i, 2);
    to[i] = std::bit_cast<float>(uint32_t(b) << 16);
  }
}

#if defined(__x86_64__)

// Clang 14 cannot ask for it by name.
bool has_f16c() {
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

__attribute__((target("avx,f16c"))) void half_f16c(const std::byte* from, int64_t count,
                                                   float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(h));
  }
  half_portable(from + 2 * i, count - i, to + i);
}

__attribute__((target("avx2"))) void bfloat_avx2(const std::byte* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    __m256i wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(b), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), wide);
  }
  bfloat_portable(from + 2 * i, count - i, to + i);
}

#endif

}  // namespace

void half_to_float(const std::byte* from, int64_t count, float* to) {
#if defined(__x86_64__)
  static const bool f16c = has_f16c();
  if (f16c) return half_f16c(from, count, to);
#endif
  half_portable(from, count, to);
}

void bfloat_to_float(const std::byte* from, int64_t count, float* to) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return bfloat_avx2(from, count, to);
#endif
  bfloat_portable(from, count, to);
}

}  // namespace minpair::checkpoint
