#pragma once
// Private to the room: one 16-bit number, without any help of the processor.

#include <bit>
#include <cstdint>

namespace minpair::checkpoint {

[[gnu::always_inline]] inline float half_bits_to_float(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
  if (exponent == 0)  // zero and subnormals: an exact small integer times a power of two
    return std::bit_cast<float>(std::bit_cast<uint32_t>(float(fraction) * 0x1p-24f) | sign);
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  // The processor's own conversion makes signalling NaNs quiet; so do we.
  uint32_t quiet = exponent == 31 && fraction != 0 ? 0x400000 : 0;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13 | quiet);
}

}  // namespace minpair::checkpoint
