#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/error.h"
#include "nn/blocks.h"
#include "nn/nn.h"
#include "nn/stored_products.h"
#include "nn/tiled.h"

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

constexpr size_t kRowBlock = 96;    // rows that stay in the second-level cache
constexpr size_t kColumnStep = 32;  // columns are cut at multiples of this
constexpr size_t kVocabularyBlock = 256;
constexpr size_t kReadRows = 96, kTiledReadRows = 256;

// Cuts `rows` into blocks of nearly the same height, none above `most`.
struct RowBlocks {
  size_t rows, count, height;
  RowBlocks(size_t n, size_t most, size_t step) : rows(n) {
    count = std::max<size_t>(1, blocks(n, most));
    height = round_up(blocks(n, count), step);
    count = blocks(n, height);
  }
  size_t begin(size_t block) const { return block * height; }
  size_t size(size_t block) const { return std::min(height, rows - begin(block)); }
};

// Floats of scratch for copies of crowded rows.
size_t spread_scratch(size_t rows, size_t stride) {
  return rows > 1 && crowded(stride) ? rows * kSpreadRow : 0;
}

}  // namespace

namespace {

// Rows of weights as the columns of panels.
void pack(const Kernels& kernels, const float* rows, size_t count, size_t inputs, float* to) {
  for (size_t output = 0; output < count; output += kPanel)
    kernels.pack_panel(rows + output * inputs, inputs, std::min(kPanel, count - output), inputs,
                       to + output * inputs);
}

// Rows of weights as the columns of strips of tiles.
void pack_strips(const Arithmetic& arithmetic, const float* rows, size_t count, size_t inputs,
                 uint16_t* to) {
  for (size_t output = 0; output < count; output += kTileColumns)
    arithmetic.unit->split_columns(
        rows + output * inputs, std::min(kTileColumns, count - output), inputs, arithmetic.parts,
        to + output / kTileColumns * strip_size(inputs, arithmetic.parts));
}

}  // namespace

Weights::Weights(const Runtime& runtime, size_t outputs, size_t inputs, const Reader& read)
    : outputs_(outputs), inputs_(inputs), parts_(runtime.arithmetic().parts) {
  // Two numbers of bf16 have the size of a float.
  packed_ = Buffer(parts_ ? blocks(outputs, kTileColumns) * strip_size(inputs, parts_) / 2
                          : round_up(outputs, kPanel) * inputs);
  // Several panels a unit: a reader likes long runs of rows.
  constexpr size_t kRows = 4 * kPanel;
  runtime.parallel(blocks(outputs, kRows), [&](size_t unit, int worker) {
    size_t begin = unit * kRows, end = std::min(outputs, begin + kRows);
    float* rows = runtime.scratch(worker, kRows * inputs);
    read(begin, end, rows);
    if (parts_)
      pack_strips(runtime.arithmetic(), rows, end - begin, inputs,
                  const_cast<uint16_t*>(strip(begin)));
    else
      pack(runtime.kernels(), rows, end - begin, inputs, packed_.data() + begin * inputs);
  });
}

const uint16_t* Weights::strip(size_t output) const {
  return reinterpret_cast<const uint16_t*>(packed_.data()) +
         output / kTileColumns * strip_size(inputs_, parts_);
}

Weights Weights::as_stored(size_t outputs, size_t inputs, Reader read, CodeReader codes,
                           CodeFetcher fetch) {
  Weights w;
  w.outputs_ = outputs;
  w.inputs_ = inputs;
  w.read_ = std::move(read);
  w.codes_ = std::move(codes);
  w.fetch_ = std::move(fetch);
  return w;
}

size_t Weights::unpack_scratch(size_t outputs) const {
  return (round_up(outputs, kPanel) + outputs) * inputs_;
}

const float* Weights::unpack(const Kernels& kernels, size_t begin, size_t end,
                             float* scratch) const {
  float* rows = scratch + round_up(end - begin, kPanel) * inputs_;
  read_(begin, end, rows);
  pack(kernels, rows, end - begin, inputs_, scratch);
  return scratch;
}

void Weights::unpack_one(const Kernels& kernels, size_t output, float* row, float* to) const {
  read_(output, output + 1, row);
  pack(kernels, row, 1, inputs_, to);
}

void Weights::unpack_strips(const Arithmetic& arithmetic, size_t begin, size_t end, float* rows,
                            uint16_t* to) const {
  read_(begin, end, rows);
  pack_strips(arithmetic, rows, end - begin, inputs_, to);
}

namespace {

constexpr size_t kReadColumns = 64;  // of weights that are read as rows

// Columns [column, column + p.columns) of weights that are read as rows. `p` says the rest.
void multiply_read(const Runtime& runtime, const Weights& w, size_t column, Product p,
                   float* scratch) {
  p.b = w.unpack(runtime.kernels(), column, column + p.columns, scratch);
  p.b_stride = kPanel;
  p.panel_stride = kPanel * w.inputs();
  p.depth = w.inputs();
  runtime.kernels().multiply(p);
}

void linear_of_read(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                    Activation activation, const View* residual) {
  const Weights& w = layer.weights;
  runtime.parallel(blocks(w.outputs(), kReadColumns), [&](size_t unit, int worker) {
    size_t column = unit * kReadColumns, columns = std::min(kReadColumns, w.outputs() - column);
    multiply_read(runtime, w, column,
                  {
                      .a = in.row(0),
                      .a_stride = in.stride,
                      .c = out.row(0) + column,
                      .c_stride = out.columns(),
                      .rows = in.rows,
                      .columns = columns,
                      .bias = layer.bias.empty() ? nullptr : layer.bias.data() + column,
                      .activation = activation,
                      .residual = residual ? residual->row(0) + column : nullptr,
                      .residual_stride = residual ? residual->stride : 0,
                  },
                  runtime.scratch(worker, w.unpack_scratch(columns)));
  });
}

}  // namespace

void linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
            Activation activation, const View* residual) {
  const Weights& w = layer.weights;
  out.resize(in.rows, w.outputs());
  if (in.rows == 0) return;
  if (on_tiles(runtime, w)) {
    tiled_linear(runtime, in, layer, out, activation, residual);
    return;
  }
  if (w.stored()) {
    (w.has_codes() ? stored_linear : linear_of_read)(runtime, in, layer, out, activation, residual);
    return;
  }
  RowBlocks rows(in.rows, kRowBlock, runtime.kernels().tile_rows);
  size_t wanted = blocks(static_cast<size_t>(runtime.threads()) * 8, rows.count);
  size_t width = round_up(blocks(w.outputs(), wanted), kColumnStep);
  // Rows that are copied should be used often.
  const size_t spread = spread_scratch(rows.height, in.stride);
  width = std::clamp<size_t>(width, 2 * kColumnStep, (spread ? 64 : 16) * kColumnStep);
  size_t groups = blocks(w.outputs(), width);
  runtime.parallel(groups * rows.count, [&](size_t unit, int worker) {
    size_t column = unit / rows.count * width, row = rows.begin(unit % rows.count);
    runtime.kernels().multiply({
        .a = in.row(row),
        .a_stride = in.stride,
        .spread = spread ? runtime.scratch(worker, spread) : nullptr,
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

// So many targets are taken from the whole row of logits, which is a matrix product, instead of one
// by one. Both have the same chains of sums.
bool of_whole_row(const OutputRead& read, const Weights& w) {
  return read.targets.size() >= w.outputs() / 4 &&
         std::is_sorted(read.targets.begin(), read.targets.end());
}

// The rows that need the whole vocabulary, side by side.
Matrix whole_rows(const View& in, const Weights& w, std::span<const OutputRead> reads,
                  std::vector<const OutputRead*>& which) {
  for (const OutputRead& read : reads)
    if (read.normalized || of_whole_row(read, w)) which.push_back(&read);
  Matrix rows(which.size(), in.columns);
  for (size_t i = 0; i < which.size(); ++i)
    std::memcpy(rows.row(i), in.row(which[i]->row), in.columns * sizeof(float));
  return rows;
}

// One column of stored weights after the other, each in a panel of its own.
void dot_from_store(const Runtime& runtime, const float* in, const Linear& decoder,
                    const OutputRead& read, int worker) {
  const Weights& w = decoder.weights;
  float* panel = runtime.scratch(worker, (kPanel + 1) * w.inputs());
  const int32_t first = 0;
  for (size_t t = 0; t < read.targets.size(); ++t) {
    auto column = size_t(read.targets[t]);
    w.unpack_one(runtime.kernels(), column, panel + kPanel * w.inputs(), panel);
    const float* bias = decoder.bias.empty() ? nullptr : decoder.bias.data() + column;
    runtime.kernels().dot(in, panel, w.inputs(), &first, 1, bias, read.logits + t);
  }
}

// Nobody needs the other logits any more.
ExpSum members_exp_sum(const Kernels& kernels, float* logits, std::span<const uint8_t> set) {
  size_t members = kernels.keep(logits, set.data(), set.size());
  if (members == 0) return {-HUGE_VALF, 0};
  return kernels.exp_sum(logits, members);
}

double log_sum(std::span<const ExpSum> parts) {
  double largest = parts[0].largest, sum = 0;
  for (const ExpSum& part : parts) largest = std::max<double>(largest, part.largest);
  for (const ExpSum& part : parts) sum += part.sum * std::exp(part.largest - largest);
  return largest + std::log(sum);
}

void read_targets(const Runtime& runtime, const float* in, const Linear& decoder,
                  const OutputRead& read, int worker) {
  const Weights& w = decoder.weights;
  if (on_tiles(runtime, w))
    tiled_targets(runtime, in, decoder, read.targets, read.logits, worker);
  else if (w.has_codes() && runtime.arithmetic().integers)
    integer_targets(runtime, in, decoder, read.targets, read.logits, worker);
  else if (w.stored())
    dot_from_store(runtime, in, decoder, read, worker);
  else
    runtime.kernels().dot(in, w.panel(0), w.inputs(), read.targets.data(), read.targets.size(),
                          decoder.bias.empty() ? nullptr : decoder.bias.data(), read.logits);
}

// The targets that are in a block of the vocabulary.
void take_targets(const OutputRead& read, size_t column, size_t columns, const float* logits) {
  auto target = std::lower_bound(read.targets.begin(), read.targets.end(), int32_t(column));
  float* to = read.logits + (target - read.targets.begin());
  for (; target != read.targets.end() && size_t(*target) < column + columns; ++target)
    *to++ = logits[size_t(*target) - column];
}

// Logits of some rows and a block of the vocabulary, kVocabularyBlock apart.
class LogitBlocks {
 public:
  LogitBlocks(const Runtime& runtime, const Matrix& rows, const Linear& decoder)
      : runtime_(runtime), rows_(rows), decoder_(decoder) {
    if (on_tiles(runtime, decoder.weights))
      strips_ = split_rows(runtime, rows);
    else if (decoder.weights.has_codes())
      stored_.emplace(runtime, rows);
  }

  RowBlocks cut() const {
    // Stored weights are unpacked once for all rows.
    size_t most = strips_ ? kTiledReadRows : kReadRows;
    if (decoder_.weights.stored()) most = rows_.rows();
    return {rows_.rows(), most, strips_ ? 2 * kTileRows : runtime_.kernels().tile_rows};
  }

  float* compute(size_t row, size_t count, size_t column, size_t columns, int worker) const {
    if (strips_) return on_unit(row, count, column, columns, worker);
    if (stored_) return from_store(column, columns, worker);
    if (decoder_.weights.stored()) return from_read(column, columns, worker);
    return in_fp32(row, count, column, columns, worker);
  }

 private:
  float* on_unit(size_t row, size_t count, size_t column, size_t columns, int worker) const {
    const Weights& w = decoder_.weights;
    size_t needed = block_scratch(runtime_, w, count, columns), logits = count * kVocabularyBlock;
    float* tile = runtime_.scratch(worker, logits + needed);
    size_t strip = strip_size(w.inputs(), runtime_.arithmetic().parts);
    multiply_block(runtime_, decoder_,
                   {.rows_strips = strips_ + row / kTileRows * strip,
                    .rows = count,
                    .column = column,
                    .columns = columns,
                    .c = tile,
                    .c_stride = kVocabularyBlock},
                   tile + logits);
    return tile;
  }

  float* from_store(size_t column, size_t columns, int worker) const {
    size_t logits = rows_.rows() * kVocabularyBlock;
    float* tile = runtime_.scratch(worker, logits + stored_scratch(rows_.rows()));
    multiply_stored(runtime_, decoder_, *stored_,
                    {.column = column, .columns = columns, .c = tile, .c_stride = kVocabularyBlock},
                    tile + logits);
    return tile;
  }

  float* from_read(size_t column, size_t columns, int worker) const {
    const Weights& w = decoder_.weights;
    size_t logits = rows_.rows() * kVocabularyBlock;
    float* tile = runtime_.scratch(worker, logits + w.unpack_scratch(columns));
    multiply_read(runtime_, w, column,
                  {.a = rows_.row(0),
                   .a_stride = rows_.columns(),
                   .c = tile,
                   .c_stride = kVocabularyBlock,
                   .rows = rows_.rows(),
                   .columns = columns,
                   .bias = decoder_.bias.empty() ? nullptr : decoder_.bias.data() + column},
                  tile + logits);
    return tile;
  }

  float* in_fp32(size_t row, size_t count, size_t column, size_t columns, int worker) const {
    const Weights& w = decoder_.weights;
    const size_t spread = spread_scratch(count, rows_.columns()), logits = count * kVocabularyBlock;
    float* tile = runtime_.scratch(worker, logits + spread);
    runtime_.kernels().multiply({
        .a = rows_.row(row),
        .a_stride = rows_.columns(),
        .spread = spread ? tile + logits : nullptr,
        .b = w.panel(column),
        .b_stride = kPanel,
        .panel_stride = kPanel * w.inputs(),
        .c = tile,
        .c_stride = kVocabularyBlock,
        .rows = count,
        .columns = columns,
        .depth = w.inputs(),
        .bias = decoder_.bias.empty() ? nullptr : decoder_.bias.data() + column,
    });
    return tile;
  }

  const Runtime& runtime_;
  const Matrix& rows_;
  const Linear& decoder_;
  const uint16_t* strips_ = nullptr;
  std::optional<StoredRows> stored_;
};

}  // namespace

void read_outputs(const Runtime& runtime, const View& in, const Linear& decoder,
                  std::span<const OutputRead> reads, float cap, std::span<const uint8_t> set) {
  const Weights& w = decoder.weights;
  runtime.parallel(reads.size(), [&](size_t unit, int worker) {
    const OutputRead& read = reads[unit];
    if (of_whole_row(read, w)) return;
    read_targets(runtime, in.row(read.row), decoder, read, worker);
    if (cap > 0) soft_cap(runtime.kernels(), read.logits, read.targets.size(), 1, cap);
  });

  std::vector<const OutputRead*> which;
  Matrix rows = whole_rows(in, w, reads, which);
  if (which.empty()) return;
  const LogitBlocks logits(runtime, rows, decoder);
  const RowBlocks cut = logits.cut();
  const size_t chunks = blocks(w.outputs(), kVocabularyBlock);
  std::vector<ExpSum> parts(rows.rows() * chunks), set_parts(set.empty() ? 0 : parts.size());
  runtime.parallel(chunks * cut.count, [&](size_t unit, int worker) {
    size_t chunk = unit / cut.count, row = cut.begin(unit % cut.count);
    size_t count = cut.size(unit % cut.count), column = chunk * kVocabularyBlock;
    size_t columns = std::min(kVocabularyBlock, w.outputs() - column);
    float* tile = logits.compute(row, count, column, columns, worker);
    if (cap > 0) soft_cap(runtime.kernels(), tile, count * kVocabularyBlock, 1, cap);
    for (size_t i = 0; i < count; ++i) {
      float* of_row = tile + i * kVocabularyBlock;
      if (of_whole_row(*which[row + i], w)) take_targets(*which[row + i], column, columns, of_row);
      if (!which[row + i]->normalized) continue;
      parts[(row + i) * chunks + chunk] = runtime.kernels().exp_sum(of_row, columns);
      if (which[row + i]->set_log_sum_exp)
        set_parts[(row + i) * chunks + chunk] =
            members_exp_sum(runtime.kernels(), of_row, set.subspan(column, columns));
    }
  });

  for (size_t i = 0; i < which.size(); ++i) {
    if (!which[i]->normalized) continue;
    *which[i]->log_sum_exp = log_sum(std::span(parts).subspan(i * chunks, chunks));
    if (which[i]->set_log_sum_exp)
      *which[i]->set_log_sum_exp = log_sum(std::span(set_parts).subspan(i * chunks, chunks));
  }
}

}  // namespace minpair::nn
