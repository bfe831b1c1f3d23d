#include "nn/tiles_emulated.inc"

namespace minpair::nn {

const TileUnit& emulated_tiles_avx2() {
  static constexpr TileUnit unit{"emulated", split_rows, split_columns, multiply<EmulatedTiles>};
  return unit;
}

}  // namespace minpair::nn
