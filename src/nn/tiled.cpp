#include "nn/tiled.h"

#include <algorithm>
#include <cstring>

#include "nn/blocks.h"

namespace minpair::nn {

namespace {

constexpr size_t kRowBlock = 256;      // with its columns, what the second-level cache holds
constexpr size_t kMostColumns = 512;   // of a unit of work
constexpr size_t kFewestColumns = 64;  // below, the rows are read too often
constexpr size_t kStoredColumns = 32;

// Scratch is counted in floats, tiles in numbers of two bytes.
size_t floats_of(size_t numbers) { return numbers / 2; }
uint16_t* tiles_in(float* scratch) { return reinterpret_cast<uint16_t*>(scratch); }

size_t strip_of(const Runtime& runtime, const Weights& w) {
  return strip_size(w.inputs(), runtime.arithmetic().parts);
}

}  // namespace

const uint16_t* split_rows(const Runtime& runtime, const View& in) {
  const Arithmetic& arithmetic = runtime.arithmetic();
  const size_t strip = strip_size(in.columns, arithmetic.parts);
  thread_local Buffer memory;
  memory.reserve(floats_of(blocks(in.rows, kTileRows) * strip));
  uint16_t* to = tiles_in(memory.data());
  runtime.parallel(blocks(in.rows, kTileRows), [&](size_t unit, int) {
    size_t row = unit * kTileRows;
    arithmetic.unit->split_rows(in.row(row), in.stride, std::min(kTileRows, in.rows - row),
                                in.columns, arithmetic.parts, to + unit * strip);
  });
  return to;
}

size_t block_scratch(const Runtime& runtime, const Weights& w, size_t rows, size_t columns) {
  size_t wide = round_up(columns, kTileColumns), sums = round_up(rows, kTileRows) * wide;
  if (!w.stored()) return sums;
  return sums + wide * w.inputs() + floats_of(blocks(columns, kTileColumns) * strip_of(runtime, w));
}

void multiply_block(const Runtime& runtime, const Linear& layer, const TiledBlock& block,
                    float* scratch) {
  const Weights& w = layer.weights;
  const size_t row_strips = blocks(block.rows, kTileRows),
               column_strips = blocks(block.columns, kTileColumns);
  float* sums = scratch;
  const uint16_t* b = nullptr;
  if (w.stored()) {
    float* rows = sums + row_strips * column_strips * kTileSums;
    uint16_t* unpacked = tiles_in(rows + column_strips * kTileColumns * w.inputs());
    w.unpack_strips(runtime.arithmetic(), block.column, block.column + block.columns, rows,
                    unpacked);
    b = unpacked;
  } else {
    b = w.strip(block.column);
  }
  runtime.arithmetic().unit->multiply({block.rows_strips, b, sums, row_strips, column_strips,
                                       w.inputs(), runtime.arithmetic().parts});
  for (size_t i = 0; i < row_strips; ++i)
    for (size_t j = 0; j < column_strips; ++j) {
      size_t row = i * kTileRows, column = j * kTileColumns;
      runtime.kernels().finish({
          .sums = sums + (i * column_strips + j) * kTileSums,
          .c = block.c + row * block.c_stride + column,
          .c_stride = block.c_stride,
          .rows = std::min(kTileRows, block.rows - row),
          .columns = std::min(kTileColumns, block.columns - column),
          .bias = layer.bias.empty() ? nullptr : layer.bias.data() + block.column + column,
          .activation = block.activation,
          .residual =
              block.residual ? block.residual + row * block.residual_stride + column : nullptr,
          .residual_stride = block.residual_stride,
      });
    }
}

void tiled_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                  Activation activation, const View* residual) {
  const Weights& w = layer.weights;
  const uint16_t* a = split_rows(runtime, in);
  // Stored weights are unpacked once for all rows.
  size_t row_blocks = w.stored() ? 1 : blocks(in.rows, kRowBlock);
  size_t height = round_up(blocks(in.rows, row_blocks), 2 * kTileRows);
  row_blocks = blocks(in.rows, height);
  size_t wanted = blocks(static_cast<size_t>(runtime.threads()) * 8, row_blocks);
  size_t width = round_up(blocks(w.outputs(), wanted), 2 * kTileColumns);
  width = w.stored() ? kStoredColumns : std::clamp(width, kFewestColumns, kMostColumns);
  runtime.parallel(blocks(w.outputs(), width) * row_blocks, [&](size_t unit, int worker) {
    size_t column = unit / row_blocks * width, row = unit % row_blocks * height;
    TiledBlock block{
        .rows_strips = a + row / kTileRows * strip_of(runtime, w),
        .rows = std::min(height, in.rows - row),
        .column = column,
        .columns = std::min(width, w.outputs() - column),
        .c = out.row(row) + column,
        .c_stride = out.columns(),
        .activation = activation,
        .residual = residual ? residual->row(row) + column : nullptr,
        .residual_stride = residual ? residual->stride : 0,
    };
    float* scratch = runtime.scratch(worker, block_scratch(runtime, w, block.rows, block.columns));
    multiply_block(runtime, layer, block, scratch);
  });
}

namespace {

// One column of packed strips, moved to column `to` of another strip.
void pick_column(const Weights& w, size_t strip, size_t column, size_t to, uint16_t* picked) {
  const uint16_t* from = w.strip(column / kTileColumns * kTileColumns);
  for (size_t pair = 0; pair < strip; pair += kTileDepth)
    std::memcpy(picked + pair + 2 * to, from + pair + 2 * (column % kTileColumns),
                2 * sizeof(uint16_t));
}

}  // namespace

void tiled_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                   std::span<const int32_t> targets, float* logits, int worker) {
  const Weights& w = decoder.weights;
  const Arithmetic& arithmetic = runtime.arithmetic();
  const size_t strip = strip_of(runtime, w);
  float* sums = runtime.scratch(
      worker, kTileSums + 2 * floats_of(strip) + w.inputs() + (w.stored() ? floats_of(strip) : 0));
  uint16_t *a = tiles_in(sums + kTileSums), *b = a + strip;
  arithmetic.unit->split_rows(row, 0, 1, w.inputs(), arithmetic.parts, a);
  for (size_t begin = 0; begin < targets.size(); begin += kTileColumns) {
    size_t n = std::min(kTileColumns, targets.size() - begin);
    std::memset(b, 0, strip * sizeof(uint16_t));
    for (size_t i = 0; i < n; ++i) {
      auto column = static_cast<size_t>(targets[begin + i]);
      if (!w.stored()) {
        pick_column(w, strip, column, i, b);
        continue;
      }
      // One column in a strip of its own: its sums are the first.
      uint16_t* alone = b + strip;
      w.unpack_strips(arithmetic, column, column + 1, sums + kTileSums + 3 * floats_of(strip),
                      alone);
      for (size_t pair = 0; pair < strip; pair += kTileDepth)
        std::memcpy(b + pair + 2 * i, alone + pair, 2 * sizeof(uint16_t));
    }
    arithmetic.unit->multiply({a, b, sums, 1, 1, w.inputs(), arithmetic.parts});
    for (size_t i = 0; i < n; ++i)
      logits[begin + i] =
          decoder.bias.empty() ? sums[i] : sums[i] + decoder.bias[targets[begin + i]];
  }
}

}  // namespace minpair::nn
