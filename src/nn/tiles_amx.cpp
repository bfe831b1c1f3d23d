#include "nn/tiles.h"

// GCC's name, and that of clang before 16.
#if (defined(__AMX_BF16__) || defined(__AMXBF16__)) && defined(__x86_64__)
#include "nn/amx_registers.inc"
#include "nn/tiles.inc"

namespace minpair::nn {
namespace {

class AmxTiles : public AmxRegisters {
 public:
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
