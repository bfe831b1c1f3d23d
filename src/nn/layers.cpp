#include <algorithm>
#include <cmath>
#include <cstring>

#include "nn/blocks.h"
#include "nn/nn.h"

namespace minpair::nn {

namespace {

constexpr size_t kRowsAUnit = 64;
constexpr size_t kQueryBlock = 48;
// Sequences up to this many queries × keys are one unit of work with all their heads.
constexpr size_t kSmallSequence = 64 * 64;

void each_row(const Runtime& runtime, size_t rows, const std::function<void(size_t)>& work) {
  runtime.parallel(blocks(rows, kRowsAUnit), [&](size_t unit, int) {
    size_t end = std::min(rows, (unit + 1) * kRowsAUnit);
    for (size_t row = unit * kRowsAUnit; row < end; ++row) work(row);
  });
}

void normalize_rows(const Runtime& runtime, const View& in, const Norm& norm, float* out) {
  each_row(runtime, in.rows, [&](size_t row) {
    runtime.kernels().norm({.in = in.row(row),
                            .out = out + row * in.columns,
                            .width = in.columns,
                            .weight = norm.weight.data(),
                            .bias = norm.bias.empty() ? nullptr : norm.bias.data(),
                            .epsilon = norm.epsilon,
                            .centered = norm.centered});
  });
}

}  // namespace

void normalize(const Runtime& runtime, const View& in, const Norm& norm, Matrix& out) {
  out.resize(in.rows, in.columns);
  normalize_rows(runtime, in, norm, out.data());
}

void normalize(const Runtime& runtime, Matrix& rows, const Norm& norm) {
  normalize_rows(runtime, rows, norm, rows.data());
}

void gated(const Runtime& runtime, const View& in, Activation activation, Matrix& out) {
  size_t half = in.columns / 2;
  out.resize(in.rows, half);
  each_row(runtime, in.rows, [&](size_t row) {
    runtime.kernels().gate(activation, in.row(row), in.row(row) + half, out.row(row), half);
  });
}

void soft_cap(const Kernels& kernels, float* values, size_t count, float scale, float cap) {
  for (size_t i = 0; i < count; ++i) values[i] = values[i] * scale / cap;
  kernels.activate(Activation::tanh, values, count);
  for (size_t i = 0; i < count; ++i) values[i] *= cap;
}

namespace {

// One head of one sequence.
class Head {
 public:
  Head(const Runtime& runtime, const AttentionShape& shape, const Sequence& sequence, size_t head,
       const View& queries, const View& keys, const View& values, Matrix& out)
      : kernels_(runtime.kernels()), shape_(shape), s_(sequence), head_(head), queries_(queries) {
    size_t key_head = head / (shape.heads / shape.key_heads);
    q_ = queries.row(s_.query) + head * shape.width;
    k_ = keys.row(s_.key) + key_head * shape.width;
    v_ = values.row(s_.key) + key_head * shape.width;
    k_stride_ = keys.stride;
    v_stride_ = values.stride;
    scaled_later_ = shape.cap == 0 && shape.slopes.empty() && !shape.more;
    out_ = out.row(s_.query) + head * shape.width;
    out_stride_ = out.columns();
    padded_ = round_up(s_.keys, kPanel);
    if (!shape.slopes.empty()) slope_ = shape.slopes[head];
  }

  static size_t scratch(const AttentionShape& shape, const Sequence& s) {
    size_t padded = round_up(s.keys, kPanel);
    return padded * (shape.width + round_up(shape.width, kPanel) + kQueryBlock);
  }

  void run(float* scratch) {
    turned_ = scratch;
    float* narrow = turned_ + padded_ * shape_.width;
    scores_ = narrow + padded_ * round_up(shape_.width, kPanel);
    turn_keys();
    if (shape_.width % kPanel) pad_values(narrow);
    for (size_t query = 0; query < s_.queries; query += kQueryBlock)
      block(query, std::min(kQueryBlock, s_.queries - query));
  }

 private:
  // Keys as the columns of panels.
  void turn_keys() {
    for (size_t key = 0; key < padded_; key += kPanel) {
      float* panel = turned_ + key * shape_.width;
      size_t n = std::min(kPanel, s_.keys - key);
      if (n < kPanel) std::memset(panel, 0, kPanel * shape_.width * sizeof(float));
      for (size_t i = 0; i < n; ++i) {
        const float* from = k_ + (key + i) * k_stride_;
        for (size_t d = 0; d < shape_.width; ++d) panel[d * kPanel + i] = from[d];
      }
    }
  }

  // A head whose width is no whole number of panels must not be read past its end.
  void pad_values(float* to) {
    size_t stride = round_up(shape_.width, kPanel);
    std::memset(to, 0, s_.keys * stride * sizeof(float));
    for (size_t key = 0; key < s_.keys; ++key)
      std::memcpy(to + key * stride, v_ + key * v_stride_, shape_.width * sizeof(float));
    v_ = to;
    v_stride_ = stride;
  }

  size_t begin_of(size_t position) const {
    return position > shape_.before ? position - shape_.before : 0;
  }
  size_t end_of(size_t position) const {
    return shape_.after >= s_.keys - position ? s_.keys : position + shape_.after + 1;
  }

  void block(size_t query, size_t count) {
    size_t position = query + s_.keys - s_.queries;
    // Whole panels, so that a key always falls on the same lane.
    size_t begin = begin_of(position) / kPanel * kPanel;
    size_t end = end_of(position + count - 1), width = round_up(end, kPanel) - begin;
    kernels_.multiply({.a = q_ + query * queries_.stride,
                       .a_stride = queries_.stride,
                       .b = turned_ + begin * shape_.width,
                       .b_stride = kPanel,
                       .panel_stride = kPanel * shape_.width,
                       .c = scores_,
                       .c_stride = width,
                       .rows = count,
                       .columns = width,
                       .depth = shape_.width});
    if (shape_.cap > 0) soft_cap(kernels_, scores_, count * width, shape_.scale, shape_.cap);
    if (!shape_.slopes.empty())
      for (size_t i = 0; i < count; ++i)
        for (size_t key = 0; key < width; ++key)
          scores_[i * width + key] = scores_[i * width + key] * shape_.scale +
                                     slope_ * (float(begin + key) - float(position + i));
    if (shape_.more) add_more(query, count, begin, end, width);
    for (size_t i = 0; i < count; ++i)
      kernels_.softmax({.scores = scores_ + i * width,
                        .keys = width,
                        .begin = begin_of(position + i) - begin,
                        .end = end_of(position + i) - begin,
                        .scale = scaled_later_ ? shape_.scale : 1.0f});
    kernels_.multiply({.a = scores_,
                       .a_stride = width,
                       .b = v_ + begin * v_stride_,
                       .b_stride = v_stride_,
                       .panel_stride = kPanel,
                       .c = out_ + query * out_stride_,
                       .c_stride = out_stride_,
                       .rows = count,
                       .columns = shape_.width,
                       .depth = end - begin});
  }

  void add_more(size_t query, size_t count, size_t begin, size_t end, size_t width) {
    for (size_t i = 0; i < count * width; ++i) scores_[i] *= shape_.scale;
    (*shape_.more)(
        {.head = head_,
         .query = query + s_.keys - s_.queries,
         .queries = count,
         .key = begin,
         .keys = end - begin,
         .query_rows = {q_ + query * queries_.stride, count, shape_.width, queries_.stride},
         .key_rows = {k_ + begin * k_stride_, end - begin, shape_.width, k_stride_},
         .scores = scores_,
         .stride = width});
  }

  const Kernels& kernels_;
  const AttentionShape& shape_;
  const Sequence& s_;
  size_t head_;
  bool scaled_later_ = true;
  const View& queries_;
  const float *q_, *k_, *v_;
  size_t k_stride_, v_stride_, out_stride_, padded_;
  float slope_ = 0;
  float *out_, *turned_ = nullptr, *scores_ = nullptr;
};

struct Unit {
  uint32_t sequence, first_head, last_head;
};

}  // namespace

void attend(const Runtime& runtime, const AttentionShape& shape,
            std::span<const Sequence> sequences, const View& queries, const View& keys,
            const View& values, Matrix& out) {
  out.resize(queries.rows, shape.heads * shape.width);
  std::vector<Unit> units;
  for (uint32_t s = 0; s < sequences.size(); ++s) {
    uint32_t heads = static_cast<uint32_t>(shape.heads);
    bool small = sequences[s].queries * sequences[s].keys <= kSmallSequence;
    for (uint32_t h = 0; h < heads; h += small ? heads : 1)
      units.push_back({s, h, small ? heads : h + 1});
  }
  runtime.parallel(units.size(), [&](size_t unit, int worker) {
    const Unit& u = units[unit];
    const Sequence& s = sequences[u.sequence];
    float* scratch = runtime.scratch(worker, Head::scratch(shape, s));
    for (uint32_t h = u.first_head; h < u.last_head; ++h)
      Head(runtime, shape, s, h, queries, keys, values, out).run(scratch);
  });
}

// Rounded where PyTorch rounds: a frequency that differs in its last bit is an angle of its own
// after a thousand tokens.
std::vector<float> rotary_frequencies(double theta, size_t width) {
  std::vector<float> frequencies(width / 2);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(width);
    frequencies[i] = 1.0f / static_cast<float>(std::pow(theta, static_cast<double>(exponent)));
  }
  return frequencies;
}

Rotary Rotary::of_table(const Matrix& table, bool neighbours) {
  const size_t half = table.columns() / 2;
  Rotary rotary(std::vector<float>(half), 2 * half, neighbours);
  for (size_t i = 0; i < table.rows(); ++i) {
    rotary.sine_.insert(rotary.sine_.end(), table.row(i), table.row(i) + half);
    rotary.cosine_.insert(rotary.cosine_.end(), table.row(i) + half, table.row(i) + 2 * half);
  }
  rotary.positions_ = table.rows();
  return rotary;
}

// The angle is a float product, as in PyTorch: far from the beginning its rounding is visible.
void Rotary::reach(size_t positions) {
  const size_t half = frequencies_.size();
  for (; positions_ < positions; ++positions_)
    for (size_t i = 0; i < half; ++i) {
      double angle = static_cast<float>(positions_) * frequencies_[i];
      cosine_.push_back(static_cast<float>(longer_ * std::cos(angle)));
      sine_.push_back(static_cast<float>(longer_ * std::sin(angle)));
    }
}

void Rotary::apply(const Runtime& runtime, std::span<const uint32_t> position, size_t heads,
                   float* rows, size_t stride) {
  const size_t half = frequencies_.size();
  for (uint32_t p : position) reach(size_t{p} + 1);
  each_row(runtime, position.size(), [&](size_t row) {
    const float* c = cosine_.data() + position[row] * half;
    const float* s = sine_.data() + position[row] * half;
    for (size_t h = 0; h < heads; ++h) {
      float* first = rows + row * stride + h * head_width_;
      float* second = first + (neighbours_ ? 1 : half);
      const size_t step = neighbours_ ? 2 : 1;
      for (size_t i = 0; i < half; ++i) {
        float &a = first[i * step], &b = second[i * step], x = a;
        a = x * c[i] - b * s[i];
        b = b * c[i] + x * s[i];
      }
    }
  });
}

}  // namespace minpair::nn
