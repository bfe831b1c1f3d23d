#pragma once
// Matrix products on tiles of bf16 numbers with fp32 sums: what the matrix unit of a processor
// does (AMX), or the same operations in portable C++.
//
// A float is a sum of bf16 parts. With one part it is rounded to 8 bits (`bf16`); with two, high
// and low, it keeps 16 (`fast`), and a product is high·high + high·low + low·high.
//
// The rule that makes scores exact here: an output element is a fixed sequence of tile operations
// over k, in which no other row and no other column takes part. How rows and columns are cut into
// blocks and threads can therefore never change a bit.

#include <cstddef>
#include <cstdint>

namespace minpair::nn {

inline constexpr size_t kTileRows = 16, kTileColumns = 16, kTileDepth = 32;
inline constexpr size_t kTileNumbers = kTileRows * kTileDepth;  // bf16 numbers in a tile
inline constexpr size_t kTileSums = kTileRows * kTileColumns;

// Static, because every instruction set must keep its own.
static inline size_t depth_tiles(size_t depth) { return (depth + kTileDepth - 1) / kTileDepth; }
// bf16 numbers in a strip of tiles: sixteen rows or sixteen columns, all of k, all parts.
static inline size_t strip_size(size_t depth, size_t parts) {
  return depth_tiles(depth) * parts * kTileNumbers;
}

// sums[row strip][column strip][16 × 16] = a · b
struct TileProduct {
  const uint16_t* a;  // row strips, strip_size() apart
  const uint16_t* b;  // column strips, the same
  float* sums;
  size_t row_strips, column_strips, depth, parts;
};

struct TileUnit {
  const char* name;
  // Up to sixteen rows, `stride` apart, as one strip: [k tile][part][16 rows][32 of k], filled up
  // with zeroes.
  void (*split_rows)(const float* rows, size_t stride, size_t count, size_t depth, size_t parts,
                     uint16_t* strip);
  // Up to sixteen columns, which are rows of weights, as one strip:
  // [k tile][part][16 pairs of k][16 columns][2].
  void (*split_columns)(const float* rows, size_t count, size_t depth, size_t parts,
                        uint16_t* strip);
  void (*multiply)(const TileProduct&);
};

// The documented operation of AMX, in portable C++, and compiled for AVX2.
const TileUnit& emulated_tiles();
const TileUnit& emulated_tiles_avx2();
// The processor's own; null when this program was compiled without it. Whether it can run is
// another matter (matrix_unit.h).
const TileUnit* amx_tiles();

// What LDTILECFG reads: eight tiles of sixteen rows with 64 bytes.
struct TileConfig {
  uint8_t palette = 1, start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[8] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint16_t reserved_row_bytes[8] = {};
  uint8_t rows[8] = {16, 16, 16, 16, 16, 16, 16, 16};
  uint8_t reserved_rows[8] = {};
};
static_assert(sizeof(TileConfig) == 64);

}  // namespace minpair::nn
