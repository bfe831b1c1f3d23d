#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "nn/nn.h"

namespace minpair::nn {

Activation find_activation(const std::string& name) {
  static const std::pair<const char*, Activation> known[] = {
      {"gelu", Activation::gelu},
      {"gelu_python", Activation::gelu},
      {"gelu_new", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh},
      {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"gelu_accurate", Activation::gelu_tanh},
      {"relu", Activation::relu},
      {"silu", Activation::silu},
      {"swish", Activation::silu},
      {"tanh", Activation::tanh},
      {"sigmoid", Activation::sigmoid},
      {"linear", Activation::none},
  };
  std::string names;
  for (const auto& [text, kind] : known) {
    if (name == text) return kind;
    names += (names.empty() ? "" : ", ") + std::string(text);
  }
  throw bad_input(fmt::format("the activation '{}' is unknown", name)).hint("known are " + names);
}

namespace {

constexpr size_t kRowBlock = 192;   // rows that stay in the second-level cache
constexpr size_t kColumnStep = 32;  // columns are cut at multiples of this
constexpr size_t kVocabularyBlock = 256;
constexpr size_t kReadRows = 96;

size_t blocks(size_t count, size_t size) { return (count + size - 1) / size; }
size_t round_up(size_t count, size_t size) { return blocks(count, size) * size; }

// Cuts `rows` into blocks of nearly the same height, none above `most`.
struct RowBlocks {
  size_t rows, count, height;
  RowBlocks(const Runtime& runtime, size_t n, size_t most) : rows(n) {
    count = std::max<size_t>(1, blocks(n, most));
    height = round_up(blocks(n, count), runtime.kernels().tile_rows);
    count = blocks(n, height);
  }
  size_t begin(size_t block) const { return block * height; }
  size_t size(size_t block) const { return std::min(height, rows - begin(block)); }
};

}  // namespace

Weights::Weights(const Runtime& runtime, size_t outputs, size_t inputs, const Reader& read)
    : outputs_(outputs), inputs_(inputs), packed_(round_up(outputs, kPanel) * inputs) {
  // Several panels a unit: a reader likes long runs of rows.
  constexpr size_t kRows = 4 * kPanel;
  runtime.parallel(blocks(outputs, kRows), [&](size_t unit, int worker) {
    size_t begin = unit * kRows, end = std::min(outputs, begin + kRows);
    float* rows = runtime.scratch(worker, kRows * inputs);
    read(begin, end, rows);
    for (size_t output = begin; output < end; output += kPanel) {
      size_t n = std::min(kPanel, end - output);
      const float* from = rows + (output - begin) * inputs;
      float* to = packed_.data() + output * inputs;
      for (size_t k = 0; k < inputs; ++k)
        for (size_t i = 0; i < n; ++i) to[k * kPanel + i] = from[i * inputs + k];
    }
  });
}

void linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
            Activation activation, const View* residual) {
  const Weights& w = layer.weights;
  out.resize(in.rows, w.outputs());
  if (in.rows == 0) return;
  RowBlocks rows(runtime, in.rows, kRowBlock);
  size_t wanted = blocks(static_cast<size_t>(runtime.threads()) * 8, rows.count);
  size_t width = round_up(blocks(w.outputs(), wanted), kColumnStep);
  width = std::clamp<size_t>(width, 2 * kColumnStep, 16 * kColumnStep);
  size_t groups = blocks(w.outputs(), width);
  runtime.parallel(groups * rows.count, [&](size_t unit, int) {
    size_t column = unit / rows.count * width, row = rows.begin(unit % rows.count);
    runtime.kernels().multiply({
        .a = in.row(row),
        .a_stride = in.stride,
        .b = w.panel(column),
        .b_stride = kPanel,
        .panel_stride = kPanel * w.inputs(),
        .c = out.row(row) + column,
        .c_stride = out.columns(),
        .rows = rows.size(unit % rows.count),
        .columns = std::min(width, w.outputs() - column),
        .depth = w.inputs(),
        .bias = layer.bias.empty() ? nullptr : layer.bias.data() + column,
        .activation = activation,
        .residual = residual ? residual->row(row) + column : nullptr,
        .residual_stride = residual ? residual->stride : 0,
    });
  });
}

namespace {

// The rows that need the whole vocabulary, side by side.
Matrix normalized_rows(const View& in, std::span<const OutputRead> reads,
                       std::vector<const OutputRead*>& which) {
  for (const OutputRead& read : reads)
    if (read.normalized) which.push_back(&read);
  Matrix rows(which.size(), in.columns);
  for (size_t i = 0; i < which.size(); ++i)
    std::memcpy(rows.row(i), in.row(which[i]->row), in.columns * sizeof(float));
  return rows;
}

}  // namespace

void read_outputs(const Runtime& runtime, const View& in, const Linear& decoder,
                  std::span<const OutputRead> reads, float cap) {
  const Weights& w = decoder.weights;
  const float* bias = decoder.bias.empty() ? nullptr : decoder.bias.data();
  runtime.parallel(reads.size(), [&](size_t unit, int) {
    const OutputRead& read = reads[unit];
    runtime.kernels().dot(in.row(read.row), w.panel(0), w.inputs(), read.targets.data(),
                          read.targets.size(), bias, read.logits);
    if (cap > 0) soft_cap(runtime.kernels(), read.logits, read.targets.size(), 1, cap);
  });

  std::vector<const OutputRead*> which;
  Matrix rows = normalized_rows(in, reads, which);
  if (which.empty()) return;
  RowBlocks cut(runtime, rows.rows(), kReadRows);
  const size_t chunks = blocks(w.outputs(), kVocabularyBlock);
  std::vector<ExpSum> parts(rows.rows() * chunks);
  runtime.parallel(chunks * cut.count, [&](size_t unit, int worker) {
    size_t chunk = unit / cut.count, row = cut.begin(unit % cut.count);
    size_t count = cut.size(unit % cut.count), column = chunk * kVocabularyBlock;
    size_t columns = std::min(kVocabularyBlock, w.outputs() - column);
    float* tile = runtime.scratch(worker, cut.height * kVocabularyBlock);
    runtime.kernels().multiply({.a = rows.row(row),
                                .a_stride = rows.columns(),
                                .b = w.panel(column),
                                .b_stride = kPanel,
                                .panel_stride = kPanel * w.inputs(),
                                .c = tile,
                                .c_stride = kVocabularyBlock,
                                .rows = count,
                                .columns = columns,
                                .depth = w.inputs(),
                                .bias = bias ? bias + column : nullptr});
    if (cap > 0) soft_cap(runtime.kernels(), tile, count * kVocabularyBlock, 1, cap);
    for (size_t i = 0; i < count; ++i)
      parts[(row + i) * chunks + chunk] =
          runtime.kernels().exp_sum(tile + i * kVocabularyBlock, columns);
  });

  for (size_t i = 0; i < which.size(); ++i) {
    std::span<const ExpSum> row(parts.data() + i * chunks, chunks);
    double largest = row[0].largest, sum = 0;
    for (const ExpSum& part : row) largest = std::max<double>(largest, part.largest);
    for (const ExpSum& part : row) sum += part.sum * std::exp(part.largest - largest);
    *which[i]->log_sum_exp = largest + std::log(sum);
  }
}

}  // namespace minpair::nn
