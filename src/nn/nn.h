#pragma once
// What a transformer and an LSTM are made of, over packed sequences: the tokens of all sequences
// one after the other, [tokens × width], without padding.
//
// Every result is the same bits whatever the other rows are, however many there are, and on any
// number of threads (see kernels.h for why).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nn/kernels.h"
#include "nn/runtime.h"

namespace minpair::nn {

// "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "swish", ...: as Hugging Face's
// configurations write it. Throws with the names that are known.
Activation find_activation(const std::string& name);

// Row-major numbers that somebody else owns.
struct View {
  const float* data = nullptr;
  size_t rows = 0, columns = 0, stride = 0;
  View() = default;
  View(const float* d, size_t r, size_t c) : data(d), rows(r), columns(c), stride(c) {}
  View(const float* d, size_t r, size_t c, size_t s) : data(d), rows(r), columns(c), stride(s) {}
  const float* row(size_t i) const { return data + i * stride; }
};

// Row-major numbers of one's own. resize() keeps the memory when it is enough.
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t columns) { resize(rows, columns); }
  void resize(size_t rows, size_t columns) {
    memory_.reserve(rows * columns);
    rows_ = rows;
    columns_ = columns;
  }
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  float* row(size_t i) { return memory_.data() + i * columns_; }
  const float* row(size_t i) const { return memory_.data() + i * columns_; }
  float* data() { return memory_.data(); }
  const float* data() const { return memory_.data(); }
  operator View() const { return {memory_.data(), rows_, columns_}; }
  // Some columns of every row.
  View part(size_t first, size_t width) const {
    return {memory_.data() + first, rows_, width, columns_};
  }

 private:
  Buffer memory_;
  size_t rows_ = 0, columns_ = 0;
};

// The weights of a linear layer, [outputs × inputs] as PyTorch keeps them, packed once for
// multiplying.
class Weights {
 public:
  // Writes rows [begin, end) of the weights, row-major. Called from several threads.
  using Reader = std::function<void(size_t begin, size_t end, float* to)>;
  // The same weights as small integers: of up to kPanel rows from `begin` on, those from `k` on;
  // to.depth says how many, to.in_pairs in which form. Fills everything else.
  using CodeReader = std::function<void(size_t begin, size_t end, size_t k, CodePanel& to)>;
  // Asks for what is needed after the `depth` from `k` on, of the same outputs or, after their last
  // step, of those that are `then` further on: while these are multiplied, it comes.
  using CodeFetcher =
      std::function<void(size_t begin, size_t end, size_t k, size_t depth, size_t then)>;

  Weights() = default;
  Weights(const Runtime& runtime, size_t outputs, size_t inputs, const Reader& read);
  // Stays where and as it is stored (quantised), and is read anew for every product: `read` must
  // live on.
  static Weights as_stored(size_t outputs, size_t inputs, Reader read, CodeReader codes = {},
                           CodeFetcher fetch = {});

  size_t outputs() const { return outputs_; }
  size_t inputs() const { return inputs_; }
  bool stored() const { return bool(read_); }
  bool has_codes() const { return bool(codes_); }
  void read_codes(size_t begin, size_t end, size_t k, CodePanel& to) const {
    codes_(begin, end, k, to);
  }
  void fetch_codes(size_t begin, size_t end, size_t k, size_t depth, size_t then) const {
    if (fetch_) fetch_(begin, end, k, depth, then);
  }
  // The panel that output `output` (a multiple of kPanel) begins; not for stored weights.
  const float* panel(size_t output) const { return packed_.data() + output * inputs_; }
  // Stored weights that have no codes: the floats of scratch that it takes to read so many outputs,
  // and the panels of outputs [begin, end) in it.
  size_t unpack_scratch(size_t outputs) const;
  const float* unpack(const Kernels& kernels, size_t begin, size_t end, float* scratch) const;
  // One output in a panel of its own, all k; `row` is scratch for them.
  void unpack_one(const Kernels& kernels, size_t output, float* row, float* to) const;

  // On a matrix unit (tiles.h): how many parts a number has; 0: panels of floats.
  size_t parts() const { return parts_; }
  // The strip of tiles that output `output` (a multiple of 16) begins; not for stored weights.
  const uint16_t* strip(size_t output) const;
  // The strips of outputs [begin, end) of stored weights into `to`; `rows` is scratch for them.
  void unpack_strips(const Arithmetic& arithmetic, size_t begin, size_t end, float* rows,
                     uint16_t* to) const;

 private:
  size_t outputs_ = 0, inputs_ = 0, parts_ = 0;
  Buffer packed_;
  Reader read_;
  CodeReader codes_;
  CodeFetcher fetch_;
};

struct Linear {
  Weights weights;
  std::vector<float> bias;  // may be empty
};

struct Norm {
  std::vector<float> weight, bias;  // bias may be empty
  float epsilon = 1e-12f;
  bool centered = true;  // false: RMS norm
};

// out = activation(in · Wᵀ + bias) + residual. `residual` must not be `out`.
void linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
            Activation activation = Activation::none, const View* residual = nullptr);

void normalize(const Runtime& runtime, const View& in, const Norm& norm, Matrix& out);
void normalize(const Runtime& runtime, Matrix& rows, const Norm& norm);

// out = activation(left half) * right half, of every row.
void gated(const Runtime& runtime, const View& in, Activation activation, Matrix& out);

// One sequence: its queries are rows [query, query + queries) of the query matrix, its keys and
// values rows [key, key + keys) of theirs. Query i stands at position i + keys - queries.
struct Sequence {
  size_t query = 0, queries = 0;
  size_t key = 0, keys = 0;
};

// Scores of one head: of `queries` from position `query` on with `keys` from position `key` on, row
// by row, scaled already.
struct ScoreBlock {
  size_t head = 0;
  size_t query = 0, queries = 0, key = 0, keys = 0;
  View query_rows, key_rows;  // what they were made of, this head's columns alone
  float* scores = nullptr;
  size_t stride = 0;
};
// What else a score is made of, added to it. Called from several threads.
using MoreScores = std::function<void(const ScoreBlock&)>;

struct AttentionShape {
  size_t heads = 0, key_heads = 0;  // fewer key heads: grouped queries
  size_t width = 0;                 // of one head
  float scale = 0;
  // A query at position p sees the keys at [p - before, p + after].
  size_t before = SIZE_MAX, after = SIZE_MAX;
  float cap = 0;                       // scores become cap · tanh(score / cap); 0: as they are
  std::span<const float> slopes = {};  // of each head: what a step back costs (ALiBi); empty: none
  const MoreScores* more = nullptr;
};

// Softmax attention of every head in every sequence. Head h of a row is its columns
// [h·width, (h+1)·width).
void attend(const Runtime& runtime, const AttentionShape& shape,
            std::span<const Sequence> sequences, const View& queries, const View& keys,
            const View& values, Matrix& out);

// The rotary embedding, pairs half a head apart as in Hugging Face's models.
class Rotary {
 public:
  Rotary() = default;
  // One inverse frequency for each pair of columns. A head may be wider than what is turned of it
  // (GPT-NeoX), and its pairs may be neighbours instead of halves (GGUF's Llama). What is turned
  // may also become longer by a factor.
  explicit Rotary(std::vector<float> frequencies, size_t head_width = 0, bool neighbours = false,
                  double longer = 1)
      : frequencies_(std::move(frequencies)),
        head_width_(head_width ? head_width : 2 * frequencies_.size()),
        neighbours_(neighbours),
        longer_(longer) {}
  // By a table instead: of each position the sines of all pairs, then their cosines (RoFormer).
  static Rotary of_table(const Matrix& table, bool neighbours);
  // Turns `heads` heads of every row in place; row i stands at position[i].
  void apply(const Runtime& runtime, std::span<const uint32_t> position, size_t heads, float* rows,
             size_t stride);

 private:
  void reach(size_t positions);

  std::vector<float> frequencies_, cosine_, sine_;
  size_t head_width_ = 0;
  bool neighbours_ = false;
  double longer_ = 1;
  size_t positions_ = 0;  // tabulated so far
};
// theta^(-2i/width)
std::vector<float> rotary_frequencies(double theta, size_t width);

// values = cap · tanh(scale · values / cap)
void soft_cap(const Kernels& kernels, float* values, size_t count, float scale, float cap);

// What is asked of one output row.
struct OutputRead {
  size_t row = 0;
  std::span<const int32_t> targets;
  bool normalized = true;
  float* logits = nullptr;        // written: one for each target
  double* log_sum_exp = nullptr;  // written when normalized
  // Written when given, and then the read is normalized: the same over the members of a set.
  double* set_log_sum_exp = nullptr;
};

// Reads a vocabulary-sized linear layer at the rows and targets asked for. No more than one block
// of logits ever exists. `cap`: logits become cap · tanh(logit / cap); 0: as they are.
// `set`: 1 for every output in the set of set_log_sum_exp.
void read_outputs(const Runtime& runtime, const View& in, const Linear& decoder,
                  std::span<const OutputRead> reads, float cap = 0,
                  std::span<const uint8_t> set = {});

}  // namespace minpair::nn
