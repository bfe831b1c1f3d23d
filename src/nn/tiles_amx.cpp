#include "nn/tiles.h"

// GCC's name, and that of clang before 16.
#if (defined(__AMX_BF16__) || defined(__AMXBF16__)) && defined(__x86_64__)
#include <immintrin.h>

#include "nn/tiles.inc"

namespace minpair::nn {
namespace {

// The intrinsics want literal tile numbers.
class AmxTiles {
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
    if constexpr (T == 0) _tile_loadd(0, from, stride);
    if constexpr (T == 1) _tile_loadd(1, from, stride);
    if constexpr (T == 2) _tile_loadd(2, from, stride);
    if constexpr (T == 3) _tile_loadd(3, from, stride);
    if constexpr (T == 4) _tile_loadd(4, from, stride);
    if constexpr (T == 5) _tile_loadd(5, from, stride);
    if constexpr (T == 6) _tile_loadd(6, from, stride);
    if constexpr (T == 7) _tile_loadd(7, from, stride);
    static_assert(T >= 0 && T < 8);
  }
  template <int T>
  void store(void* to, size_t stride) {
    if constexpr (T == 0) _tile_stored(0, to, stride);
    if constexpr (T == 1) _tile_stored(1, to, stride);
    if constexpr (T == 2) _tile_stored(2, to, stride);
    if constexpr (T == 3) _tile_stored(3, to, stride);
    static_assert(T >= 0 && T < 4);
  }
  template <int C, int A, int B>
  void dot() {
    if constexpr (C == 0) _tile_dpbf16ps(0, 4, 6);
    if constexpr (C == 1) _tile_dpbf16ps(1, 4, 7);
    if constexpr (C == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (C == 3) _tile_dpbf16ps(3, 5, 7);
    static_assert(C >= 0 && C < 4 && A == 4 + C / 2 && B == 6 + C % 2);
  }
};

}  // namespace

const TileUnit* amx_tiles() {
  static constexpr TileUnit unit{"AMX", split_rows, split_columns, multiply<AmxTiles>};
  return &unit;
}

}  // namespace minpair::nn

#else

namespace minpair::nn {

const TileUnit* amx_tiles() { return nullptr; }

}  // namespace minpair::nn

#endif
