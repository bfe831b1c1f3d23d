// GGUF's block formats to fp32, as ggml defines them. A block is a few numbers that scale many
// small integers; "K" blocks have 256 integers in groups whose scales are themselves small
// integers.

#include <array>
#include <bit>
#include <cstring>

#include "checkpoint/parts.h"

namespace minpair {

namespace {

float half_at(const uint8_t* p) {
  float f;
  half_to_float(reinterpret_cast<const std::byte*>(p), 1, &f);
  return f;
}

void q8_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  for (int i = 0; i < 32; ++i) y[i] = float(int8_t(b[2 + i])) * d;
}

void q4_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  for (int i = 0; i < 16; ++i) {
    y[i] = float((b[2 + i] & 15) - 8) * d;
    y[i + 16] = float((b[2 + i] >> 4) - 8) * d;
  }
}

void q4_1(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = float(b[4 + i] & 15) * d + low;
    y[i + 16] = float(b[4 + i] >> 4) * d + low;
  }
}

// The fifth bits of all 32 come first, then the other four as in the 4-bit formats.
template <typename Scale>
void five_bits(const uint8_t* high, const uint8_t* low, Scale scale, float* y) {
  uint32_t h;
  std::memcpy(&h, high, 4);
  for (int i = 0; i < 16; ++i) {
    y[i] = scale(int((low[i] & 15) | (h >> i & 1) << 4));
    y[i + 16] = scale(int((low[i] >> 4) | (h >> (i + 16) & 1) << 4));
  }
}

void q5_0(const uint8_t* b, float* y) {
  float d = half_at(b);
  five_bits(
      b + 2, b + 6, [d](int q) { return float(q - 16) * d; }, y);
}

void q5_1(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  five_bits(
      b + 4, b + 8, [d, low](int q) { return float(q) * d + low; }, y);
}

// 16 groups of 16: a 4-bit scale and a 4-bit minimum each. Within a half of 128, four groups of 32
// share bytes, two bits each.
void q2_k(const uint8_t* b, float* y) {
  const uint8_t *scales = b, *q = b + 16;
  float d = half_at(b + 80), low = half_at(b + 82);
  for (int i = 0; i < 256; ++i) {
    int half = i / 128, shift = i % 128 / 32 * 2;
    uint8_t s = scales[i / 16];
    float scale = d * float(s & 15), minimum = low * float(s >> 4);
    y[i] = scale * float(q[half * 32 + i % 32] >> shift & 3) - minimum;
  }
}

// 16 groups of 16 with 6-bit scales: four low bits in the first 8 bytes, two high bits in the
// last 4.
int q3_scale(const uint8_t* s, int group) {
  int low = group < 8 ? s[group] & 15 : s[group - 8] >> 4;
  int high = s[8 + group % 4] >> (group / 4 * 2) & 3;
  return (low | high << 4) - 32;
}

void q3_k(const uint8_t* b, float* y) {
  const uint8_t *high = b, *q = b + 32, *scales = b + 96;
  float d = half_at(b + 108);
  for (int i = 0; i < 256; ++i) {
    int half = i / 128, part = i / 32, shift = part % 4 * 2;
    int low = q[half * 32 + i % 32] >> shift & 3;
    int value = high[i % 32] >> part & 1 ? low : low - 4;
    y[i] = d * float(q3_scale(scales, i / 16)) * float(value);
  }
}

struct ScaleAndMinimum {
  int scale, minimum;
};

// 8 groups of 32 with 6 bits for each: the first four whole, the others in four bits here and two
// in the upper bits of the first.
ScaleAndMinimum q45_scale(const uint8_t* s, int group) {
  if (group < 4) return {s[group] & 63, s[group + 4] & 63};
  return {(s[group + 4] & 15) | (s[group - 4] >> 6) << 4, s[group + 4] >> 4 | (s[group] >> 6) << 4};
}

void q4_k(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  const uint8_t *scales = b + 4, *q = b + 16;
  for (int group = 0; group < 8; ++group) {
    auto [s, m] = q45_scale(scales, group);
    float scale = d * float(s), minimum = low * float(m);
    for (int i = 0; i < 32; ++i) {
      int byte = q[group / 2 * 32 + i];
      y[group * 32 + i] = scale * float(group % 2 ? byte >> 4 : byte & 15) - minimum;
    }
  }
}

void q5_k(const uint8_t* b, float* y) {
  float d = half_at(b), low = half_at(b + 2);
  const uint8_t *scales = b + 4, *high = b + 16, *q = b + 48;
  for (int group = 0; group < 8; ++group) {
    auto [s, m] = q45_scale(scales, group);
    float scale = d * float(s), minimum = low * float(m);
    for (int i = 0; i < 32; ++i) {
      int byte = q[group / 2 * 32 + i];
      int value = (group % 2 ? byte >> 4 : byte & 15) + (high[i] >> group & 1) * 16;
      y[group * 32 + i] = scale * float(value) - minimum;
    }
  }
}

void q6_k(const uint8_t* b, float* y) {
  const uint8_t *low = b, *high = b + 128, *scales = b + 192;
  float d = half_at(b + 208);
  for (int i = 0; i < 256; ++i) {
    int half = i / 128, part = i % 128 / 32, at = i % 32;
    int byte = low[half * 64 + part % 2 * 32 + at];
    int value = (part < 2 ? byte & 15 : byte >> 4) | (high[half * 32 + at] >> part * 2 & 3) << 4;
    y[i] = d * float(int8_t(scales[i / 16])) * float(value - 32);
  }
}

void q8_k(const uint8_t* b, float* y) {
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

// 8 groups of 32: four points, then four times seven signs, then a 4-bit scale. The eighth sign
// makes the number of minuses even.
void iq2_xxs(const uint8_t* b, float* y) {
  constexpr float magnitude[4] = {8, 25, 43, 0};
  float d = half_at(b);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* points = b + 2 + group * 8;
    uint32_t rest;
    std::memcpy(&rest, points + 4, 4);
    float scale = d * (0.5f + float(rest >> 28)) * 0.25f;
    for (int i = 0; i < 32; ++i) {
      uint32_t signs = rest >> i / 8 * 7 & 127;
      signs |= uint32_t(std::popcount(signs) & 1) << 7;
      float x = scale * magnitude[iq2_xxs_points[points[i / 8]] >> i % 8 * 2 & 3];
      y[group * 32 + i] = signs >> i % 8 & 1 ? -x : x;
    }
  }
}

using Block = void (*)(const uint8_t* block, float* to);

Block block_of(DType type) {
  switch (type) {
    case DType::q8_0:
      return q8_0;
    case DType::q4_0:
      return q4_0;
    case DType::q4_1:
      return q4_1;
    case DType::q5_0:
      return q5_0;
    case DType::q5_1:
      return q5_1;
    case DType::q2_k:
      return q2_k;
    case DType::q3_k:
      return q3_k;
    case DType::q4_k:
      return q4_k;
    case DType::q5_k:
      return q5_k;
    case DType::q6_k:
      return q6_k;
    case DType::q8_k:
      return q8_k;
    default:
      return iq2_xxs;
  }
}

}  // namespace

void dequantize(DType type, const std::byte* from, int64_t blocks, float* to) {
  Block block = block_of(type);
  const auto* b = reinterpret_cast<const uint8_t*>(from);
  for (int64_t i = 0; i < blocks; ++i)
    block(b + i * block_bytes(type), to + i * block_elements(type));
}

}  // namespace minpair
