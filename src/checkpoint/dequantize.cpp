// GGUF's block formats to fp32, as ggml defines them. A block is a few numbers that scale many
// small integers; "K" blocks have 256 integers in groups whose scales are themselves small
// integers.
//
// Everything is inlined into two functions at the end, one for any processor and one for AVX2. Both
// do the same operations in the same order, so they give the same bits.

#include <array>
#include <bit>
#include <cstring>

#include "checkpoint/half.h"
#include "checkpoint/parts.h"

#define MINPAIR_INLINE [[gnu::always_inline]] inline

namespace minpair::checkpoint {

namespace {

MINPAIR_INLINE float half_at(const uint8_t* p) {
  uint16_t h;
  std::memcpy(&h, p, 2);
  return half_bits_to_float(h);
}

MINPAIR_INLINE void q8_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  for (int i = 0; i < 32; ++i) y[i] = float(int8_t(b[2 + i])) * d;
}

MINPAIR_INLINE void q4_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  for (int i = 0; i < 16; ++i) y[i] = float((b[2 + i] & 15) - 8) * d;
  for (int i = 0; i < 16; ++i) y[i + 16] = float((b[2 + i] >> 4) - 8) * d;
}

MINPAIR_INLINE void q4_1(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  for (int i = 0; i < 16; ++i) y[i] = float(b[4 + i] & 15) * d + low;
  for (int i = 0; i < 16; ++i) y[i + 16] = float(b[4 + i] >> 4) * d + low;
}

// The fifth bits of all 32 come first, then the other four as in the 4-bit formats.
MINPAIR_INLINE void five_bits(const uint8_t* high, const uint8_t* low, int* values) {
  uint32_t h;
  std::memcpy(&h, high, 4);
  for (int i = 0; i < 16; ++i) values[i] = int((low[i] & 15u) | (h >> i & 1) << 4);
  for (int i = 0; i < 16; ++i) values[i + 16] = int((low[i] >> 4) | (h >> (i + 16) & 1) << 4);
}

MINPAIR_INLINE void q5_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  int values[32];
  five_bits(b + 2, b + 6, values);
  for (int i = 0; i < 32; ++i) y[i] = float(values[i] - 16) * d;
}

MINPAIR_INLINE void q5_1(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  int values[32];
  five_bits(b + 4, b + 8, values);
  for (int i = 0; i < 32; ++i) y[i] = float(values[i]) * d + low;
}

// 16 groups of 16: a 4-bit scale and a 4-bit minimum each. Within a half of 128, four pairs of
// groups share 32 bytes, two bits each.
MINPAIR_INLINE void q2_k(const uint8_t* b, float* y) {
  float d = half_at(b + 80), low = half_at(b + 82);
  for (int group = 0; group < 16; ++group, y += 16) {
    float scale = d * float(b[group] & 15), minimum = low * float(b[group] >> 4);
    const uint8_t* q = b + 16 + group / 8 * 32 + group % 2 * 16;
    int shift = group % 8 / 2 * 2;
    for (int i = 0; i < 16; ++i) y[i] = scale * float(q[i] >> shift & 3) - minimum;
  }
}

// 16 groups of 16 with 6-bit scales: four low bits in the first 8 bytes, two high bits in the last
// 4.
MINPAIR_INLINE int q3_scale(const uint8_t* s, int group) {
  int low = group < 8 ? s[group] & 15 : s[group - 8] >> 4;
  int high = s[8 + group % 4] >> (group / 4 * 2) & 3;
  return (low | high << 4) - 32;
}

MINPAIR_INLINE void q3_k(const uint8_t* b, float* y) {
  float d = half_at(b + 108);
  for (int group = 0; group < 16; ++group, y += 16) {
    float scale = d * float(q3_scale(b + 96, group));
    const uint8_t* high = b + group % 2 * 16;
    const uint8_t* q = b + 32 + group / 8 * 32 + group % 2 * 16;
    int shift = group % 8 / 2 * 2, bit = group / 2;
    for (int i = 0; i < 16; ++i)
      y[i] = scale * float((q[i] >> shift & 3) + (high[i] >> bit & 1) * 4 - 4);
  }
}

struct ScaleAndMinimum {
  int scale, minimum;
};

// 8 groups of 32 with 6 bits for each: the first four whole, the others in four bits here and two
// in the upper bits of the first.
MINPAIR_INLINE ScaleAndMinimum q45_scale(const uint8_t* s, int group) {
  if (group < 4) return {s[group] & 63, s[group + 4] & 63};
  return {(s[group + 4] & 15) | (s[group - 4] >> 6) << 4, s[group + 4] >> 4 | (s[group] >> 6) << 4};
}

MINPAIR_INLINE void q4_k(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  for (int group = 0; group < 8; ++group, y += 32) {
    auto [s, m] = q45_scale(b + 4, group);
    float scale = d * float(s), minimum = low * float(m);
    const uint8_t* q = b + 16 + group / 2 * 32;
    int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) y[i] = scale * float(q[i] >> shift & 15) - minimum;
  }
}

MINPAIR_INLINE void q5_k(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  const uint8_t* high = b + 16;
  for (int group = 0; group < 8; ++group, y += 32) {
    auto [s, m] = q45_scale(b + 4, group);
    float scale = d * float(s), minimum = low * float(m);
    const uint8_t* q = b + 48 + group / 2 * 32;
    int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i)
      y[i] = scale * float((q[i] >> shift & 15) + (high[i] >> group & 1) * 16) - minimum;
  }
}

MINPAIR_INLINE void q6_k(const uint8_t* b, float* y) {
  float d = half_at(b + 208);
  for (int group = 0; group < 16; ++group, y += 16) {
    float scale = d * float(int8_t(b[192 + group]));
    int half = group / 8, part = group % 8 / 2, at = group % 2 * 16;
    const uint8_t *low = b + half * 64 + part % 2 * 32 + at, *high = b + 128 + half * 32 + at;
    int low_shift = part / 2 * 4, high_shift = part * 2;
    for (int i = 0; i < 16; ++i)
      y[i] = scale * float(((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4) - 32);
  }
}

MINPAIR_INLINE void q8_k(const uint8_t* b, float* y) {
  float d;
  std::memcpy(&d, b, 4);
  for (int i = 0; i < 256; ++i) y[i] = d * float(int8_t(b[4 + i]));
}

// The 256 points that eight weights may be, two bits for each coordinate: 0, 1, 2 stand for 8, 25,
// 43. Part of the definition of the format.
constexpr uint16_t iq2_xxs_points[256] = {
    0x0000, 0x0002, 0x0005, 0x0008, 0x000a, 0x0011, 0x0014, 0x0020, 0x0022, 0x0028, 0x002a, 0x0041,
    0x0044, 0x0050, 0x0058, 0x0061, 0x0064, 0x0080, 0x0082, 0x008a, 0x00a2, 0x0101, 0x0104, 0x0110,
    0x0115, 0x0140, 0x0184, 0x0198, 0x0200, 0x0202, 0x0222, 0x0282, 0x0401, 0x0404, 0x0410, 0x0421,
    0x0424, 0x0440, 0x0442, 0x0448, 0x0460, 0x0481, 0x0484, 0x0490, 0x04a4, 0x0500, 0x0502, 0x0508,
    0x0520, 0x0546, 0x0569, 0x0580, 0x0591, 0x0609, 0x0610, 0x0640, 0x0684, 0x06a4, 0x0800, 0x0805,
    0x0808, 0x0814, 0x0828, 0x0841, 0x0844, 0x0850, 0x0852, 0x0888, 0x0904, 0x0940, 0x0a02, 0x0a14,
    0x1001, 0x1004, 0x1010, 0x1021, 0x1040, 0x1060, 0x1084, 0x1090, 0x1095, 0x1100, 0x1108, 0x1120,
    0x1150, 0x115a, 0x1180, 0x1224, 0x1245, 0x1400, 0x1408, 0x1420, 0x1425, 0x1449, 0x1480, 0x1518,
    0x1562, 0x1600, 0x1616, 0x1801, 0x1804, 0x1810, 0x1840, 0x1881, 0x1900, 0x1905, 0x19a0, 0x1a51,
    0x2000, 0x2002, 0x200a, 0x2044, 0x2061, 0x2080, 0x2082, 0x2129, 0x2148, 0x2200, 0x2202, 0x2401,
    0x2404, 0x2410, 0x2440, 0x2456, 0x2500, 0x2541, 0x2564, 0x2690, 0x2808, 0x2820, 0x2894, 0x2a44,
    0x4001, 0x4004, 0x4010, 0x4018, 0x4021, 0x4024, 0x4040, 0x4048, 0x4056, 0x4060, 0x4081, 0x4084,
    0x4090, 0x4100, 0x4120, 0x4161, 0x4180, 0x4185, 0x4201, 0x4210, 0x4248, 0x4256, 0x4268, 0x4400,
    0x4408, 0x4420, 0x4480, 0x4499, 0x4512, 0x4524, 0x4600, 0x4801, 0x4804, 0x4810, 0x4840, 0x4845,
    0x4900, 0x4958, 0x4961, 0x4982, 0x4a45, 0x4a90, 0x5000, 0x5008, 0x5011, 0x5019, 0x5020, 0x5080,
    0x5088, 0x5104, 0x5142, 0x51a4, 0x5291, 0x5490, 0x5492, 0x550a, 0x5601, 0x5654, 0x5800, 0x5811,
    0x5819, 0x5864, 0x5940, 0x5a08, 0x6004, 0x6010, 0x6040, 0x6068, 0x6100, 0x6155, 0x6218, 0x6260,
    0x6400, 0x6405, 0x6510, 0x6512, 0x6584, 0x6842, 0x8000, 0x8002, 0x800a, 0x8041, 0x8082, 0x8104,
    0x8118, 0x8140, 0x8211, 0x8401, 0x8404, 0x8410, 0x8415, 0x8440, 0x8460, 0x8500, 0x8546, 0x8594,
    0x8609, 0x8640, 0x8660, 0x8802, 0x8904, 0x8a11, 0x9004, 0x9010, 0x9024, 0x9040, 0x90a1, 0x9116,
    0x9180, 0x9245, 0x9400, 0x9422, 0x9444, 0x9551, 0x9881, 0x9920, 0xa002, 0xa050, 0xa085, 0xa109,
    0xa200, 0xa418, 0xa850, 0xa904,
};

constexpr auto iq2_xxs_magnitudes = [] {
  std::array<std::array<uint8_t, 8>, 256> all{};
  for (size_t p = 0; p < 256; ++p)
    for (size_t i = 0; i < 8; ++i)
      all[p][i] = std::array<uint8_t, 4>{8, 25, 43, 0}[iq2_xxs_points[p] >> 2 * i & 3];
  return all;
}();

// 8 groups of 32: four points, then four times seven signs, then a 4-bit scale. The eighth sign
// makes the number of minuses even.
MINPAIR_INLINE void iq2_xxs(const uint8_t* b, float* y) {
  float d = half_at(b);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* points = b + 2 + group * 8;
    uint32_t rest;
    std::memcpy(&rest, points + 4, 4);
    float scale = d * (0.5f + float(rest >> 28)) * 0.25f;
    for (int part = 0; part < 4; ++part, y += 8) {
      uint32_t signs = rest >> 7 * part & 127;
      signs |= uint32_t(std::popcount(signs) & 1) << 7;
      const std::array<uint8_t, 8>& magnitudes = iq2_xxs_magnitudes[points[part]];
      for (int i = 0; i < 8; ++i) {
        float x = scale * float(magnitudes[size_t(i)]);
        uint32_t sign = (signs >> i & 1) << 31;
        y[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^ sign);
      }
    }
  }
}

template <typename Block>
MINPAIR_INLINE void each(DType type, const uint8_t* from, int64_t blocks, float* to, Block block) {
  uint32_t bytes = block_bytes(type), elements = block_elements(type);
  for (int64_t i = 0; i < blocks; ++i) block(from + i * bytes, to + i * elements);
}

#define MINPAIR_FORMAT(name) \
  case DType::name:          \
    return each(type, from, blocks, to, [](const uint8_t* b, float* y) { name(b, y); })

MINPAIR_INLINE void any_format(DType type, const uint8_t* from, int64_t blocks, float* to) {
  switch (type) {
    MINPAIR_FORMAT(q8_0);
    MINPAIR_FORMAT(q4_0);
    MINPAIR_FORMAT(q4_1);
    MINPAIR_FORMAT(q5_0);
    MINPAIR_FORMAT(q5_1);
    MINPAIR_FORMAT(q2_k);
    MINPAIR_FORMAT(q3_k);
    MINPAIR_FORMAT(q4_k);
    MINPAIR_FORMAT(q5_k);
    MINPAIR_FORMAT(q6_k);
    MINPAIR_FORMAT(q8_k);
    MINPAIR_FORMAT(iq2_xxs);
    default:
      return;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void dequantize_avx2(DType type, const uint8_t* from, int64_t blocks,
                                             float* to) {
  any_format(type, from, blocks, to);
}
#endif

}  // namespace

void dequantize(DType type, const std::byte* from, int64_t blocks, float* to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(from);
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return dequantize_avx2(type, bytes, blocks, to);
#endif
  any_format(type, bytes, blocks, to);
}

}  // namespace minpair::checkpoint
