#include "nn/integers.h"

// GCC's name, and that of clang before 16.
#if (defined(__AMX_INT8__) || defined(__AMXINT8__)) && defined(__x86_64__)
#include <immintrin.h>

#include "nn/integers_tiles.inc"

namespace minpair::nn {
namespace {

// The intrinsics want literal tile numbers.
class AmxBytes {
 public:
  void configure(const TileConfig& config) {
    // GCC's tile loads do not say that they read memory: what was written must be there.
    asm volatile("" ::: "memory");
    _tile_loadconfig(&config);
  }
  void release() { _tile_release(); }

  template <int T>
  void zero() {
    if constexpr (T == 0) _tile_zero(0);
    if constexpr (T == 1) _tile_zero(1);
    if constexpr (T == 2) _tile_zero(2);
    if constexpr (T == 3) _tile_zero(3);
    static_assert(T >= 0 && T < 4);
  }
  template <int T>
  void load(const void* from, size_t stride) {
    if constexpr (T == 4) _tile_loadd(4, from, stride);
    if constexpr (T == 5) _tile_loadd(5, from, stride);
    if constexpr (T == 6) _tile_loadd(6, from, stride);
    if constexpr (T == 7) _tile_loadd(7, from, stride);
    static_assert(T >= 4 && T < 8);
  }
  template <int T>
  void store(void* to, size_t stride) {
    if constexpr (T == 0) _tile_stored(0, to, stride);
    if constexpr (T == 1) _tile_stored(1, to, stride);
    if constexpr (T == 2) _tile_stored(2, to, stride);
    if constexpr (T == 3) _tile_stored(3, to, stride);
    static_assert(T >= 0 && T < 4);
  }
  // High bytes have a sign, low ones have none; codes have one.
  template <int C>
  void dot() {
    if constexpr (C == 0) _tile_dpbssd(0, 4, 6);
    if constexpr (C == 1) _tile_dpbusd(1, 5, 6);
    if constexpr (C == 2) _tile_dpbssd(2, 4, 7);
    if constexpr (C == 3) _tile_dpbusd(3, 5, 7);
    static_assert(C >= 0 && C < 4);
  }
};

}  // namespace

const IntegerTiles* amx_integer_tiles() {
  static constexpr IntegerTiles tiles{"AMX", arrange, multiply<AmxBytes>};
  return &tiles;
}

}  // namespace minpair::nn

#else

namespace minpair::nn {

const IntegerTiles* amx_integer_tiles() { return nullptr; }

}  // namespace minpair::nn

#endif
