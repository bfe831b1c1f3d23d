#include <bit>
#include <cmath>

#include "files.h"

namespace minpair::checkpoint {
namespace {

// From the definition of the format, without any trick.
float half_by_definition(uint16_t h) {
  int exponent = h >> 10 & 31;
  float sign = h & 0x8000 ? -1.0f : 1.0f, fraction = float(h & 1023);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryValue) {
  std::string bytes = "x";  // so that nothing is aligned
  for (uint32_t h = 0; h < 65536; ++h) bytes += little_endian(uint16_t(h));
  std::vector<float> all(65536);
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data()) + 1;
  // In one go, and one by one: the vector path and the portable one.
  for (int64_t step : {65536, 1}) {
    for (int64_t i = 0; i < 65536; i += step)
      convert_to_float(DType::f16, from + 2 * i, step, all.data() + i);
    for (uint32_t h = 0; h < 65536; ++h) {
      float expected = half_by_definition(uint16_t(h));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(all[h])) << h;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(all[h]), std::bit_cast<uint32_t>(expected)) << h;
    }
  }
}

TEST(Half, NansAreTheSameBitsOnBothPaths) {
  std::string bytes;
  for (uint32_t h = 0x7c00; h < 0x8000; ++h) bytes += little_endian(uint16_t(h));
  std::vector<float> vector(1024), portable(1024);
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data());
  convert_to_float(DType::f16, from, 1024, vector.data());
  for (int64_t i = 0; i < 1024; ++i)
    convert_to_float(DType::f16, from + 2 * i, 1, portable.data() + i);
  EXPECT_EQ(std::memcmp(vector.data(), portable.data(), 4096), 0);
}

TEST(Bfloat, EveryValue) {
  std::string bytes = "x";
  for (uint32_t b = 0; b < 65536; ++b) bytes += little_endian(uint16_t(b));
  std::vector<float> all(65536);
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data()) + 1;
  for (int64_t step : {65536, 1}) {
    for (int64_t i = 0; i < 65536; i += step)
      convert_to_float(DType::bf16, from + 2 * i, step, all.data() + i);
    for (uint32_t b = 0; b < 65536; ++b) EXPECT_EQ(std::bit_cast<uint32_t>(all[b]), b << 16);
  }
}

}  // namespace
}  // namespace minpair::checkpoint
