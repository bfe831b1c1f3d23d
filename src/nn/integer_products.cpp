#include "nn/integer_products.h"

#include <algorithm>
#include <new>

namespace minpair::nn {

namespace {

constexpr size_t kPanels = 4;  // unpacked at once: what the first-level cache holds
constexpr size_t kColumns = kPanels * kPanel;
constexpr size_t kRowsAtOnce = 16;  // made into whole numbers

size_t blocks(size_t count, size_t size) { return (count + size - 1) / size; }

template <typename T>
constexpr size_t floats_of(size_t count) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  return count * sizeof(T) / sizeof(float);
}

// What a worker needs: weights as they are stored and as panels. Filled as it is used.
struct Unpacked {
  CodePanel codes;
  IntegerPanel panels[kPanels];
};

Unpacked* unpacked_in(float* scratch) { return new (scratch) Unpacked; }
float* after_unpacked(float* scratch) { return scratch + floats_of<Unpacked>(1); }

// sums[panel][row][kPanel] of columns [column, end), at most kColumns.
void sum_up(const IntegerKernels& kernels, const Weights& w, size_t column, size_t end,
            const IntegerInputs* inputs, size_t input_stride, size_t rows, Unpacked& unpacked,
            float* sums) {
  const size_t panels = blocks(end - column, kPanel);
  for (size_t k = 0; k < w.inputs(); k += kCodeDepth, inputs += input_stride) {
    unpacked.codes.depth = std::min(kCodeDepth, w.inputs() - k);
    for (size_t i = 0; i < panels; ++i) {
      const size_t first = column + i * kPanel;
      w.read_codes(first, std::min(end, first + kPanel), k, unpacked.codes);
      kernels.unpack(unpacked.codes, unpacked.panels[i]);
    }
    kernels.multiply({inputs, unpacked.panels, sums, rows, panels, k == 0});
  }
}

}  // namespace

IntegerRows::IntegerRows(const Runtime& runtime, const View& in) : rows_(in.rows) {
  thread_local Buffer memory;
  memory.reserve(floats_of<IntegerInputs>(in.rows * blocks(in.columns, kCodeDepth)));
  auto* to = reinterpret_cast<IntegerInputs*>(memory.data());
  data_ = to;
  runtime.parallel(blocks(in.rows, kRowsAtOnce), [&](size_t unit, int) {
    const size_t end = std::min(in.rows, (unit + 1) * kRowsAtOnce);
    for (size_t row = unit * kRowsAtOnce; row < end; ++row)
      for (size_t k = 0; k < in.columns; k += kCodeDepth)
        runtime.integers().to_integers(in.row(row) + k, std::min(kCodeDepth, in.columns - k),
                                       to[k / kCodeDepth * in.rows + row]);
  });
}

size_t integer_scratch(size_t rows) { return floats_of<Unpacked>(1) + kColumns * rows; }

void multiply_integers(const Runtime& runtime, const Linear& layer, const IntegerRows& rows,
                       const IntegerBlock& block, float* scratch) {
  const Weights& w = layer.weights;
  Unpacked* unpacked = unpacked_in(scratch);
  float* sums = after_unpacked(scratch);
  const size_t stride = size_t(rows.from(0, kCodeDepth) - rows.from(0, 0));
  for (size_t from = 0; from < block.columns; from += kColumns) {
    const size_t to = std::min(block.columns, from + kColumns);
    sum_up(runtime.integers(), w, block.column + from, block.column + to, rows.from(block.row, 0),
           stride, block.rows, *unpacked, sums);
    for (size_t column = from; column < to; column += kPanel)
      runtime.kernels().finish({
          .sums = sums + (column - from) * block.rows,
          .c = block.c + column,
          .c_stride = block.c_stride,
          .rows = block.rows,
          .columns = std::min(kPanel, to - column),
          .bias = layer.bias.empty() ? nullptr : layer.bias.data() + block.column + column,
          .activation = block.activation,
          .residual = block.residual ? block.residual + column : nullptr,
          .residual_stride = block.residual_stride,
      });
  }
}

void integer_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                    Activation activation, const View* residual) {
  const size_t outputs = layer.weights.outputs();
  const IntegerRows rows(runtime, in);
  runtime.parallel(blocks(outputs, kColumns), [&](size_t unit, int worker) {
    const size_t column = unit * kColumns;
    multiply_integers(runtime, layer, rows,
                      {.row = 0,
                       .rows = in.rows,
                       .column = column,
                       .columns = std::min(kColumns, outputs - column),
                       .c = out.row(0) + column,
                       .c_stride = out.columns(),
                       .activation = activation,
                       .residual = residual ? residual->row(0) + column : nullptr,
                       .residual_stride = residual ? residual->stride : 0},
                      runtime.scratch(worker, integer_scratch(in.rows)));
  });
}

void integer_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                     std::span<const int32_t> targets, float* logits, int worker) {
  const Weights& w = decoder.weights;
  const IntegerKernels& kernels = runtime.integers();
  const size_t steps = blocks(w.inputs(), kCodeDepth);
  float* scratch = runtime.scratch(worker, floats_of<IntegerInputs>(steps) + integer_scratch(1));
  auto* inputs = reinterpret_cast<IntegerInputs*>(scratch);
  scratch += floats_of<IntegerInputs>(steps);
  for (size_t k = 0; k < w.inputs(); k += kCodeDepth)
    kernels.to_integers(row + k, std::min(kCodeDepth, w.inputs() - k), inputs[k / kCodeDepth]);
  for (size_t t = 0; t < targets.size(); ++t) {
    const auto column = size_t(targets[t]);
    float* sums = after_unpacked(scratch);
    sum_up(kernels, w, column, column + 1, inputs, 1, 1, *unpacked_in(scratch), sums);
    logits[t] = decoder.bias.empty() ? sums[0] : sums[0] + decoder.bias[column];
  }
}

}  // namespace minpair::nn
