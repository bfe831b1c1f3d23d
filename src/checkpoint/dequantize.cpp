// GGUF's block formats, as ggml defines them. A block is a few numbers that scale many small
// integers; "K" blocks have 256 integers in groups whose scales are themselves small integers.
//
// Every format is stated once, as what its blocks consist of: codes of one byte, a scale for each
// group of them and, in some formats, an offset. A weight is code * scale (+ offset).
//
// Everything is inlined into the functions at the end, which exist for any processor and for AVX2.
// Both do the same operations in the same order, so they give the same bits.

#include <array>
#include <bit>
#include <cstring>

#include "checkpoint/half.h"
#include "checkpoint/parts.h"

#define MINPAIR_INLINE [[gnu::always_inline]] inline
#define MINPAIR_INLINE_LAMBDA __attribute__((always_inline))

namespace minpair::checkpoint {

namespace {

// Where a block's codes, scales and offsets go.
struct Block {
  int8_t* code;
  float *scale, *offset;
};

MINPAIR_INLINE float half_at(const uint8_t* p) {
  uint16_t h;
  std::memcpy(&h, p, 2);
  return half_bits_to_float(h);
}

// Sixteen bytes at once: said so, since a compiler must assume that what is written may be what is
// read next.
using Bytes = uint8_t __attribute__((vector_size(16)));
using Longs = uint64_t __attribute__((vector_size(16)));

MINPAIR_INLINE Bytes bytes_at(const uint8_t* p) {
  Bytes x;
  std::memcpy(&x, p, 16);
  return x;
}

MINPAIR_INLINE void put(Bytes x, int8_t* to) { std::memcpy(to, &x, 16); }

// Thirty-two bytes, of which the bits of `mask` are kept after a shift. Bits that come from the
// neighbouring byte must not be among them: two bytes are shifted at once.
using Wide = uint8_t __attribute__((vector_size(32)));
using WidePairs = uint16_t __attribute__((vector_size(32)));

MINPAIR_INLINE void bits_at(const uint8_t* p, int right, uint8_t mask, Wide& to) {
  WidePairs x;
  std::memcpy(&x, p, 32);
  to = Wide(right >= 0 ? x >> right : x << -right) & mask;
}
MINPAIR_INLINE void put(const Wide& x, int8_t* to) { std::memcpy(to, &x, 32); }

// Four small integers times a factor.
MINPAIR_INLINE void put_scaled(const int8_t* bytes, int less, float factor, float* to) {
  using Ints = int32_t __attribute__((vector_size(16)));
  using Floats = float __attribute__((vector_size(16)));
  int32_t word;
  std::memcpy(&word, bytes, 4);
  const Ints x = (Ints{word, word, word, word} << Ints{24, 16, 8, 0}) >> 24;
  const Floats y = __builtin_convertvector(x - less, Floats) * factor;
  std::memcpy(to, &y, 16);
}

// 16 low and 16 high halves of bytes.
MINPAIR_INLINE void put_halves(const uint8_t* b, uint8_t less, int8_t* code) {
  const Bytes x = bytes_at(b);
  put((x & 15) - less, code);
  put((x >> 4) - less, code + 16);
}

// Four bytes at once, to be shifted and masked.
MINPAIR_INLINE uint32_t word_at(const uint8_t* p) {
  uint32_t w;
  std::memcpy(&w, p, 4);
  return w;
}

MINPAIR_INLINE void q8_0(const uint8_t* b, Block to) {
  *to.scale = half_at(b);
  std::memcpy(to.code, b + 2, 32);
}

MINPAIR_INLINE void q4_0(const uint8_t* b, Block to) {
  *to.scale = half_at(b);
  put_halves(b + 2, 8, to.code);
}

MINPAIR_INLINE void q4_1(const uint8_t* b, Block to) {
  *to.scale = half_at(b);
  *to.offset = half_at(b + 2);
  put_halves(b + 4, 0, to.code);
}

// 16 where the bit of a byte's place is set.
MINPAIR_INLINE Bytes fifth_bits(uint32_t bits) {
  constexpr uint64_t each = 0x0101010101010101;
  const auto wide = Bytes(Longs{(bits & 255) * each, (bits >> 8 & 255) * each});
  constexpr Bytes places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  return Bytes((wide & places) != 0) & 16;
}

// The fifth bits of all 32 come first, then the other four as in the 4-bit formats.
MINPAIR_INLINE void five_bits(const uint8_t* high, const uint8_t* low, uint8_t less, int8_t* code) {
  const uint32_t h = word_at(high);
  const Bytes x = bytes_at(low);
  put((x & 15) + fifth_bits(h) - less, code);
  put((x >> 4) + fifth_bits(h >> 16) - less, code + 16);
}

MINPAIR_INLINE void q5_0(const uint8_t* b, Block to) {
  *to.scale = half_at(b);
  five_bits(b + 2, b + 6, 16, to.code);
}

MINPAIR_INLINE void q5_1(const uint8_t* b, Block to) {
  *to.scale = half_at(b);
  *to.offset = half_at(b + 2);
  five_bits(b + 4, b + 8, 0, to.code);
}

// 16 groups of 16: a 4-bit scale and a 4-bit minimum each. Within a half of 128, four pairs of
// groups share 32 bytes, two bits each.
MINPAIR_INLINE void q2_k(const uint8_t* b, Block to) {
  float d = half_at(b + 80), low = half_at(b + 82);
  int8_t halves[32];
  put_halves(b, 0, halves);
  for (int group = 0; group < 16; group += 4) {
    put_scaled(halves + group, 0, d, to.scale + group);
    put_scaled(halves + 16 + group, 0, -low, to.offset + group);
  }
  for (int part = 0; part < 8; ++part) {
    const uint8_t* q = b + 16 + part / 4 * 32;
    for (int i = 0; i < 32; i += 16)
      put(bytes_at(q + i) >> part % 4 * 2 & 3, to.code + 32 * part + i);
  }
}

// 16 groups of 16 with 6-bit scales: four low bits in the first 8 bytes, two high bits in the last
// 4.
MINPAIR_INLINE void q3_scales(const uint8_t* s, int8_t* scales) {
  const uint32_t a = word_at(s), b = word_at(s + 4), h = word_at(s + 8);
  const uint32_t four = 0x0f0f0f0f, two = 0x03030303;
  const uint32_t words[] = {(a & four) | (h & two) << 4, (b & four) | (h >> 2 & two) << 4,
                            (a >> 4 & four) | (h >> 4 & two) << 4,
                            (b >> 4 & four) | (h >> 6 & two) << 4};
  std::memcpy(scales, words, 16);
}

MINPAIR_INLINE void q3_k(const uint8_t* b, Block to) {
  float d = half_at(b + 108);
  int8_t scales[16];
  q3_scales(b + 96, scales);
  for (int group = 0; group < 16; group += 4) put_scaled(scales + group, 32, d, to.scale + group);
  for (int part = 0; part < 8; ++part) {
    const uint8_t* q = b + 32 + part / 4 * 32;
    for (int i = 0; i < 32; i += 16)
      put((bytes_at(q + i) >> part % 4 * 2 & 3) + (bytes_at(b + i) >> part & 1) * 4 - 4,
          to.code + 32 * part + i);
  }
}

// 8 groups of 32 with 6 bits for a scale and 6 for a minimum: the first four whole, the others in
// four bits here and two in the upper bits of the first.
MINPAIR_INLINE void q45_scales(const uint8_t* b, Block to) {
  const float d = half_at(b), low = half_at(b + 2);
  const uint32_t first = word_at(b + 4), second = word_at(b + 8), third = word_at(b + 12);
  const uint32_t six = 0x3f3f3f3f, four = 0x0f0f0f0f, two = 0x03030303;
  const uint32_t words[] = {first & six, (third & four) | (first >> 6 & two) << 4, second & six,
                            (third >> 4 & four) | (second >> 6 & two) << 4};
  int8_t bytes[16];
  std::memcpy(bytes, words, 16);
  for (int group = 0; group < 8; group += 4) {
    put_scaled(bytes + group, 0, d, to.scale + group);
    put_scaled(bytes + 8 + group, 0, -low, to.offset + group);
  }
}

MINPAIR_INLINE void q4_k(const uint8_t* b, Block to) {
  q45_scales(b, to);
  for (int pair = 0; pair < 4; ++pair) {
    Wide low, high;
    bits_at(b + 16 + pair * 32, 0, 15, low);
    bits_at(b + 16 + pair * 32, 4, 15, high);
    put(low, to.code + 64 * pair);
    put(high, to.code + 64 * pair + 32);
  }
}

MINPAIR_INLINE void q5_k(const uint8_t* b, Block to) {
  q45_scales(b, to);
  const uint8_t* high = b + 16;
  for (int group = 0; group < 8; ++group) {
    Wide four, fifth;
    bits_at(b + 48 + group / 2 * 32, group % 2 * 4, 15, four);
    bits_at(high, group - 4, 16, fifth);
    put(four | fifth, to.code + 32 * group);
  }
}

MINPAIR_INLINE void q6_k(const uint8_t* b, Block to) {
  float d = half_at(b + 208);
  const auto* scales = reinterpret_cast<const int8_t*>(b + 192);
  for (int group = 0; group < 16; group += 4) put_scaled(scales + group, 0, d, to.scale + group);
  for (int half = 0; half < 2; ++half)
    for (int part = 0; part < 4; ++part) {
      const uint8_t *low = b + half * 64 + part % 2 * 32, *high = b + 128 + half * 32;
      Wide four, two;
      bits_at(low, part / 2 * 4, 15, four);
      bits_at(high, part * 2 - 4, 48, two);
      put((four | two) - 32, to.code + 128 * half + 32 * part);
    }
}

MINPAIR_INLINE void q8_k(const uint8_t* b, Block to) {
  float d;
  std::memcpy(&d, b, 4);
  for (int group = 0; group < 8; ++group) to.scale[group] = d;
  std::memcpy(to.code, b + 4, 256);
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

// Eight weights' magnitudes in a word.
constexpr auto iq2_xxs_magnitudes = [] {
  std::array<uint64_t, 256> all{};
  for (size_t p = 0; p < 256; ++p)
    for (size_t i = 0; i < 8; ++i)
      all[p] |= std::array<uint64_t, 4>{8, 25, 43, 0}[iq2_xxs_points[p] >> 2 * i & 3] << 8 * i;
  return all;
}();

// Seven signs as bytes of ones where there is a minus; the eighth makes the number of minuses even.
constexpr auto iq2_xxs_minuses = [] {
  std::array<uint64_t, 128> all{};
  for (uint32_t s = 0; s < 128; ++s) {
    const uint32_t signs = s | uint32_t(std::popcount(s) & 1) << 7;
    for (size_t i = 0; i < 8; ++i)
      if (signs >> i & 1) all[s] |= uint64_t{255} << 8 * i;
  }
  return all;
}();

// 8 groups of 32: four points, then four times seven signs, then a 4-bit scale.
MINPAIR_INLINE void iq2_xxs(const uint8_t* b, Block to) {
  float d = half_at(b);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* points = b + 2 + group * 8;
    uint32_t rest = word_at(points + 4);
    to.scale[group] = d * (0.5f + float(rest >> 28)) * 0.25f;
    for (int part = 0; part < 4; ++part) {
      // No magnitude is zero, so that no carry leaves its byte.
      uint64_t minus = iq2_xxs_minuses[rest >> 7 * part & 127];
      uint64_t codes = (iq2_xxs_magnitudes[points[part]] ^ minus) + (minus & 0x0101010101010101);
      for (int i = 0; i < 8; ++i) to.code[32 * group + 8 * part + i] = int8_t(codes >> 8 * i);
    }
  }
}

// Calls `use` with the format's function that takes a block apart, and the format's shape, as
// constants.
template <int Elements, int Group, bool Offsets>
struct Shape {
  static constexpr int elements = Elements, group = Group;
  static constexpr bool offsets = Offsets;
};

#define MINPAIR_FORMAT(name, ...)                                                     \
  case DType::name:                                                                   \
    return use([](const uint8_t* b, Block to) MINPAIR_INLINE_LAMBDA { name(b, to); }, \
               Shape<__VA_ARGS__>())

template <typename Use>
MINPAIR_INLINE void with_format(DType type, Use use) {
  switch (type) {
    MINPAIR_FORMAT(q8_0, 32, 32, false);
    MINPAIR_FORMAT(q4_0, 32, 32, false);
    MINPAIR_FORMAT(q4_1, 32, 32, true);
    MINPAIR_FORMAT(q5_0, 32, 32, false);
    MINPAIR_FORMAT(q5_1, 32, 32, true);
    MINPAIR_FORMAT(q2_k, 256, 16, true);
    MINPAIR_FORMAT(q3_k, 256, 16, false);
    MINPAIR_FORMAT(q4_k, 256, 32, true);
    MINPAIR_FORMAT(q5_k, 256, 32, true);
    MINPAIR_FORMAT(q6_k, 256, 16, false);
    MINPAIR_FORMAT(q8_k, 256, 32, false);
    MINPAIR_FORMAT(iq2_xxs, 256, 32, false);
    default:
      return;
  }
}

MINPAIR_INLINE void to_codes(DType type, const uint8_t* from, int64_t blocks, const Codes& to) {
  const uint32_t bytes = block_bytes(type);
  with_format(type, [&](auto take_apart, auto shape) MINPAIR_INLINE_LAMBDA {
    constexpr int groups = shape.elements / shape.group;
    for (int64_t i = 0; i < blocks; ++i)
      take_apart(from + i * bytes, Block{to.codes + i * shape.elements, to.scales + i * groups,
                                         shape.offsets ? to.offsets + i * groups : nullptr});
  });
}

MINPAIR_INLINE void to_floats(DType type, const uint8_t* from, int64_t blocks, float* to) {
  const uint32_t bytes = block_bytes(type);
  with_format(type, [&](auto take_apart, auto shape) MINPAIR_INLINE_LAMBDA {
    constexpr int groups = shape.elements / shape.group;
    int8_t code[shape.elements];
    float scale[groups], offset[groups];
    for (int64_t i = 0; i < blocks; ++i, to += shape.elements) {
      take_apart(from + i * bytes, Block{code, scale, offset});
      for (int g = 0; g < groups; ++g)
        for (int j = g * shape.group; j < (g + 1) * shape.group; ++j)
          to[j] = shape.offsets ? float(code[j]) * scale[g] + offset[g] : float(code[j]) * scale[g];
    }
  });
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void to_codes_avx2(DType type, const uint8_t* from, int64_t blocks,
                                           const Codes& to) {
  to_codes(type, from, blocks, to);
}
[[gnu::target("avx2")]] void to_floats_avx2(DType type, const uint8_t* from, int64_t blocks,
                                            float* to) {
  to_floats(type, from, blocks, to);
}
#endif

bool has_avx2() {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  return avx2;
#else
  return false;
#endif
}

}  // namespace

CodeShape code_shape(DType type) {
  CodeShape found;
  with_format(type, [&](auto, auto shape) MINPAIR_INLINE_LAMBDA {
    found = {.group = shape.group, .offsets = shape.offsets};
  });
  return found;
}

void dequantize(DType type, const std::byte* from, int64_t blocks, float* to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(from);
#if defined(__x86_64__)
  if (has_avx2()) return to_floats_avx2(type, bytes, blocks, to);
#endif
  to_floats(type, bytes, blocks, to);
}

void convert_to_codes(DType type, const std::byte* from, int64_t count, const Codes& to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(from);
  const int64_t blocks = count / block_elements(type);
#if defined(__x86_64__)
  if (has_avx2()) return to_codes_avx2(type, bytes, blocks, to);
#endif
  to_codes(type, bytes, blocks, to);
}

}  // namespace minpair::checkpoint
