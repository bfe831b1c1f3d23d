#include "nn/stored_products.h"

#include <algorithm>
#include <new>

#include "nn/blocks.h"

namespace minpair::nn {

namespace {

constexpr size_t kPanels = 4;  // side by side in one step at most, so that inputs stay in the cache
constexpr size_t kColumns = kPanels * kPanel;
constexpr size_t kFewestTileRows = 6;  // below, vectors are as fast
constexpr size_t kFewRows = 128;       // up to here, weights come in hardly faster than needed

template <typename T>
constexpr size_t floats_of(size_t count) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  return count * sizeof(T) / sizeof(float);
}

void make_row_whole(const IntegerKernels& kernels, const float* row, size_t columns,
                    IntegerInputs* to, size_t stride) {
  for (size_t k = 0; k < columns; k += kCodeDepth, to += stride)
    kernels.to_integers(row + k, std::min(kCodeDepth, columns - k), *to);
}

}  // namespace

StoredRows::StoredRows(const Runtime& runtime, const View& in)
    : runtime_(runtime), rows_(in.rows), columns_(in.columns) {
  runtime.arithmetic().integers ? make_whole(in) : pack(in);
}

// In strips of nearly the same height.
void StoredRows::pack(const View& in) {
  const Kernels& kernels = runtime_.kernels();
  height_ = blocks(rows_, blocks(rows_, kernels.code_rows));
  const size_t strip = height_ * columns_, strips = blocks(rows_, height_);
  thread_local Buffer memory;
  memory.reserve(strips * strip);
  float* to = memory.data();
  packed_ = to;
  runtime_.parallel(strips, [&](size_t unit, int) {
    const size_t row = unit * height_;
    kernels.pack_rows(in.row(row), in.stride, std::min(height_, rows_ - row), columns_, height_,
                      to + unit * strip);
  });
}

void StoredRows::make_whole(const View& in) {
  const IntegerKernels& kernels = runtime_.integers();
  const size_t steps = blocks(columns_, kCodeDepth), strips = strip_count(rows_),
               height = strip_height(rows_);
  thread_local Buffer memory, tile_memory;
  memory.reserve(floats_of<IntegerInputs>(rows_ * steps));
  auto* to = reinterpret_cast<IntegerInputs*>(memory.data());
  whole_ = to;
  TileInputs* tiles = nullptr;
  if (kernels.tiles && rows_ >= kFewestTileRows) {
    tile_memory.reserve(floats_of<TileInputs>(strips * steps));
    tiles_ = tiles = reinterpret_cast<TileInputs*>(tile_memory.data());
  }
  runtime_.parallel(strips, [&](size_t unit, int) {
    const size_t begin = unit * height, end = std::min(rows_, begin + height);
    for (size_t row = begin; row < end; ++row)
      make_row_whole(kernels, in.row(row), columns_, to + row, rows_);
    for (size_t step = 0; tiles && step < steps; ++step)
      kernels.tiles->arrange(to + step * rows_ + begin, end - begin, tiles[step * strips + unit]);
  });
}

void StoredRows::multiply(const CodePanel* weights, size_t panels, size_t k, float* sums) const {
  if (tiles_ && std::all_of(weights, weights + panels, [](auto& w) { return w.group >= 32; }))
    return runtime_.integers().tiles->multiply(
        {tiles_ + k / kCodeDepth * strip_count(rows_), weights, sums, rows_, panels, k == 0});
  if (whole_)
    return runtime_.integers().multiply(
        {whole_ + k / kCodeDepth * rows_, weights, sums, rows_, panels, k == 0});
  for (size_t i = 0; i < panels; ++i)
    runtime_.kernels().multiply_codes({packed_ + k * height_, height_, height_ * columns_,
                                       weights + i, sums + i * rows_ * kPanel, rows_, k == 0});
}

// Few rows of weights side by side are what a processor foresees best; with many inputs it matters
// more how often these are read.
size_t StoredRows::panels_together() const {
  return rows_ > kFewRows ? kPanels : tiles_ ? 1 : panels_at_once();
}
size_t StoredRows::panels_at_once() const { return tiles_ ? kPanels : 2; }

size_t stored_scratch(size_t rows) { return floats_of<CodePanel>(kPanels) + kColumns * rows; }

namespace {

// What a matrix unit needs to know, for as long as it is used.
class TileProducts {
 public:
  TileProducts(const IntegerTiles* tiles, size_t rows) : tiles_(tiles) {
    if (tiles_) tiles_->begin(rows);
  }
  TileProducts(const TileProducts&) = delete;
  TileProducts& operator=(const TileProducts&) = delete;
  ~TileProducts() {
    if (tiles_) tiles_->end();
  }

 private:
  const IntegerTiles* tiles_;
};

// sums[panel][row][kPanel] of columns [column, end), at most kColumns.
void sum_up(const Weights& w, const StoredRows& rows, size_t column, size_t end, CodePanel* codes,
            float* sums) {
  const size_t at_once = rows.panels_at_once(), then = rows.panels_together() * kPanel;
  for (size_t k = 0; k < w.inputs(); k += kCodeDepth)
    for (size_t first = column; first < end; first += at_once * kPanel) {
      size_t panels = 0;
      for (size_t at = first; panels < at_once && at < end; at += kPanel, ++panels) {
        codes[panels].depth = std::min(kCodeDepth, w.inputs() - k);
        codes[panels].in_pairs = rows.take_pairs();
        w.read_codes(at, std::min(end, at + kPanel), k, codes[panels]);
      }
      // Not between the panels: what the second needs would wait behind it.
      for (size_t i = 0, at = first; i < panels; ++i, at += kPanel)
        w.fetch_codes(at, std::min(end, at + kPanel), k, codes[i].depth, then);
      rows.multiply(codes, panels, k, sums + (first - column) * rows.rows());
    }
}

}  // namespace

void multiply_stored(const Runtime& runtime, const Linear& layer, const StoredRows& rows,
                     const StoredBlock& block, float* scratch) {
  // As they come: what is used of them is filled.
  auto* codes = new (scratch) CodePanel[kPanels];
  float* sums = scratch + floats_of<CodePanel>(kPanels);
  const TileProducts products(rows.on_tiles() ? runtime.integers().tiles : nullptr, rows.rows());
  const size_t step = rows.panels_together() * kPanel;
  for (size_t from = 0; from < block.columns; from += step) {
    const size_t to = std::min(block.columns, from + step);
    sum_up(layer.weights, rows, block.column + from, block.column + to, codes, sums);
    for (size_t column = from; column < to; column += kPanel)
      runtime.kernels().finish({
          .sums = sums + (column - from) * rows.rows(),
          .c = block.c + column,
          .c_stride = block.c_stride,
          .rows = rows.rows(),
          .columns = std::min(kPanel, to - column),
          .bias = layer.bias.empty() ? nullptr : layer.bias.data() + block.column + column,
          .activation = block.activation,
          .residual = block.residual ? block.residual + column : nullptr,
          .residual_stride = block.residual_stride,
      });
  }
}

void stored_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                   Activation activation, const View* residual) {
  const size_t outputs = layer.weights.outputs();
  const StoredRows rows(runtime, in);
  runtime.parallel(blocks(outputs, kColumns), [&](size_t unit, int worker) {
    const size_t column = unit * kColumns;
    multiply_stored(runtime, layer, rows,
                    {.column = column,
                     .columns = std::min(kColumns, outputs - column),
                     .c = out.row(0) + column,
                     .c_stride = out.columns(),
                     .activation = activation,
                     .residual = residual ? residual->row(0) + column : nullptr,
                     .residual_stride = residual ? residual->stride : 0},
                    runtime.scratch(worker, stored_scratch(in.rows)));
  });
}

void integer_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                     std::span<const int32_t> targets, float* logits, int worker) {
  const Weights& w = decoder.weights;
  const size_t steps = blocks(w.inputs(), kCodeDepth);
  float* scratch =
      runtime.scratch(worker, floats_of<IntegerInputs>(steps) + floats_of<CodePanel>(1));
  auto* inputs = reinterpret_cast<IntegerInputs*>(scratch);
  auto* codes = new (scratch + floats_of<IntegerInputs>(steps)) CodePanel;
  codes->in_pairs = true;
  make_row_whole(runtime.integers(), row, w.inputs(), inputs, 1);
  for (size_t t = 0; t < targets.size(); ++t) {
    const auto column = size_t(targets[t]);
    float sums[kPanel] = {};
    for (size_t k = 0; k < w.inputs(); k += kCodeDepth) {
      codes->depth = std::min(kCodeDepth, w.inputs() - k);
      w.read_codes(column, column + 1, k, *codes);
      runtime.integers().multiply({inputs + k / kCodeDepth, codes, sums, 1, 1, k == 0});
    }
    logits[t] = decoder.bias.empty() ? sums[0] : sums[0] + decoder.bias[column];
  }
}

}  // namespace minpair::nn
