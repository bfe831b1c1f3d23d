#pragma once
// What one thread does on one block of numbers. One implementation (kernels.inc), compiled once
// per instruction set; runtime.cpp picks the table.
//
// The rule that makes scores exact: an output element is one chain of fused multiply-adds over k in
// ascending order, started at zero. How rows and columns are cut into tiles, blocks and threads can
// therefore never change a bit.

#include <cstddef>
#include <cstdint>

namespace minpair::nn {

// Matrices with weights are packed in panels of this many columns.
inline constexpr size_t kPanel = 16;

// Deep products run in steps of this many k, so that a panel of weights stays in the cache.
inline constexpr size_t kDepthStep = 768;

// Rows that begin a multiple of 4 kB apart share one set of the first-level cache, which has fewer
// places than a tile has rows: each would drive out the next. Such rows are copied before each step
// to where they are this many floats apart.
inline constexpr size_t kSpreadRow = kDepthStep + 16;
inline constexpr bool crowded(size_t stride) { return stride % 1024 == 0; }

#define MINPAIR_ACTIVATIONS(X) \
  X(none) X(gelu) X(gelu_tanh) X(relu) X(silu) X(tanh) X(sigmoid) X(softplus) X(exponential)
#define MINPAIR_NAME(name) name,
enum class Activation : uint8_t { MINPAIR_ACTIVATIONS(MINPAIR_NAME) };
#undef MINPAIR_NAME

// c[rows × columns] = epilogue(a[rows × depth] · b). The panels of b begin `panel_stride` apart and
// have one row of kPanel readable floats per k, `b_stride` apart.
struct Product {
  const float* a = nullptr;
  size_t a_stride = 0;
  float* spread = nullptr;  // [rows × kSpreadRow] for copies of crowded rows; null: none are made
  const float* b = nullptr;
  size_t b_stride = 0, panel_stride = 0;
  float* c = nullptr;
  size_t c_stride = 0;
  size_t rows = 0, columns = 0, depth = 0;
  // Epilogue: (+ bias) (activation) (+ residual), in this order.
  const float* bias = nullptr;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  size_t residual_stride = 0;
};

// Softmax of scores[0, keys) over [begin, end), everything else becomes 0. Sums run over fixed
// lanes, so that keys outside the range never change a bit.
struct SoftmaxRow {
  float* scores;
  size_t keys;  // a multiple of kPanel
  size_t begin, end;
  float scale;
};

struct NormRow {
  const float* in;
  float* out;  // may be `in`
  size_t width;
  const float* weight;
  const float* bias;  // may be null
  float epsilon;
  bool centered;  // false: RMS norm, no mean is taken away
};

// The largest value, and the sum of exp(value - largest).
struct ExpSum {
  float largest;
  double sum;
};

// c = epilogue(sums) for one tile of sums, of which `rows` × `columns` are in the matrix.
struct FinishTile {
  const float* sums;  // [rows × kPanel]
  float* c;
  size_t c_stride;
  size_t rows, columns;
  // As in Product.
  const float* bias = nullptr;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  size_t residual_stride = 0;
};

// A panel of weights as small integers: weight k of column i is code * scales[k / group][i]
// (+ offsets[k / group][i]). A word has the codes of four k, the first in its lowest byte; pairs
// are two numbers of 16 bits each, of every four k 0 and 2, then 1 and 3.
inline constexpr size_t kCodeDepth = 256;
struct CodePanel {
  bool in_pairs = false;
  union {
    alignas(64) uint32_t words[kCodeDepth / 4][kPanel];
    alignas(64) uint32_t pairs[kCodeDepth / 2][kPanel];
  };
  alignas(64) float scales[kCodeDepth / 16][kPanel], offsets[kCodeDepth / 16][kPanel];
  size_t depth;  // a multiple of 16
  size_t group;  // a power of two, at least 16
  bool has_offsets;
};

// sums[rows × kPanel] (+)= a · weights, for one step of k.
struct CodeProduct {
  const float* a;  // packed by pack_rows()
  size_t height, strip_stride;
  const CodePanel* weights;
  float* sums;
  size_t rows;
  bool first;  // of the steps: sums begin at zero
};

// out = activation(bias + the sum of taps * row), channel by channel, over a row and those before
// it.
struct ConvolvedRow {
  const float* const* rows;  // the newest first
  size_t count;
  const float* taps;  // of the newest row; those of the one before it stand `channels` before them
  const float* bias;  // may be null
  Activation activation;
  float* out;
  size_t channels;
  size_t begin = 0, end = channels;  // which of them
};

// Up to sixteen channels of a model with states instead of attention, one step further. Each of
// their states fades, and takes up input * b; the answer is the sum of state * c.
struct StateStep {
  float* states;  // [count × kPanel], one row of channels for each
  size_t count;
  // How they fade: by 2^(length * decay), and the input counts `length` times as well.
  const float* decays;   // [count × kPanel]
  const float* lengths;  // of each channel
  const float* input;    // of each channel
  const float *b, *c;    // of each state
  float* out;
  size_t channels;
};

// Where all states of a head fade alike, some steps go together, and the states are computed only
// after so many. Most sentences are shorter: they have no states at all. Whole panels.
inline constexpr size_t kFadingRun = 64;

// How much of each input is left at each of some steps, of one head.
struct Fading {
  size_t before, steps;       // the steps, and others before them
  const float *kept, *taken;  // of each of them all: what it leaves of the past, what it takes in
  const float* dots;          // of each step, `stride` apart: its query with the keys up to its own
  size_t stride;
  float* left;     // [steps]: of the states
  float* weights;  // [steps × kFadingRun]: of each input, times its dot
  float* ends;     // [kFadingRun]: of each input, at the end
};

// out[step] = left[step] * out[step] + the sum of weight * input, over all inputs up to this
// step's.
struct Blend {
  const float* const* inputs;  // of the steps, and of `before` others before them
  size_t before, steps;
  const float* left;     // of each step; null: nothing is in `out` yet
  const float* weights;  // [steps × kFadingRun], of which each step has as many as there are inputs
  float* out;
  size_t stride;
  size_t channels;
};

// Up to sixteen channels, kFadingRun steps further: each state is left * state + the sum of
// taken * key * input.
struct TakeUp {
  float* states;  // [count × kPanel]
  size_t count;
  float left;
  const float* keys;  // panels of [count × kPanel], of each state one for each step
  const float* const* inputs;
  const float* taken;  // of each step
  size_t channels;
};

// Up to sixteen channels of a memory of values under keys (RWKV 5 to 7), one step further. Under
// each key it fades by itself; what it has under `removed` is taken away from all keys, by their
// rates; then the value is written under `key`. The answer is what it has under `asked`.
struct MemoryStep {
  float* memory;  // [keys × kPanel]
  size_t keys;
  const float *kept, *key, *asked;  // of each key
  const float *removed = nullptr, *rates = nullptr;
  bool asks_first =
      false;  // before anything is written; the value itself is then added `own` times
  float own = 0;
  const float* value;  // of each channel
  float* out;
  size_t channels;
};

// Up to sixteen channels of RWKV 4: a mean of values, weighted by exp(key), whose weights fade with
// time. The sums carry a common factor exp(-largest), so that they stay finite.
struct MeanStep {
  float *sum, *weights, *largest;    // [kPanel] each
  const float *key, *value, *bonus;  // of each channel; the token itself counts exp(key + bonus)
  const float* decay;                // of the exponent, at each step
  float* out;
  size_t channels;
};

// The keys of one head of RWKV 7: what `removed` takes away has length 1 and goes by the rates, and
// keys are slowed by them.
struct KeyRow {
  float *key, *rate;  // in place: slowed, and times `removed`
  float* removed;
  const float *removing, *slowing;
  size_t count;
};

// A token's row, and a share of the one before: out = now + (before - now) * (share + more).
struct MixedRow {
  const float *now, *before;  // null: nothing was before
  const float *share, *more;  // null: none
  float* out;
  size_t channels;
};

struct Kernels {
  size_t tile_rows;  // rows are best handed over in multiples of this
  void (*multiply)(const Product&);
  // The same chains as multiply(), for single columns of packed panels.
  void (*dot)(const float* a, const float* panels, size_t depth, const int32_t* columns,
              size_t count, const float* bias, float* out);
  void (*softmax)(const SoftmaxRow&);
  void (*norm)(const NormRow&);
  ExpSum (*exp_sum)(const float* values, size_t count);
  // Moves the values whose byte is 1 (others: 0) to the front, in order; how many there are.
  size_t (*keep)(float* values, const uint8_t* which, size_t count);
  void (*activate)(Activation, float* values, size_t count);
  // out[i] = activation(a[i]) * b[i]
  void (*gate)(Activation, const float* a, const float* b, float* out, size_t count);
  // to[i] += a[i] * b[i], rounded once
  void (*add_products)(const float* a, const float* b, float* to, size_t count);
  // The sum of a[i] * b[i] * c[i], in sixteen parts.
  float (*sum_products)(const float* a, const float* b, const float* c, size_t count);
  void (*convolve)(const ConvolvedRow&);
  // Steps of the same states (and of as many channels), one after the other.
  void (*advance)(const StateStep* steps, size_t count);
  void (*fade)(const Fading&);
  void (*blend)(const Blend&);
  void (*take_up)(const TakeUp&);
  // Steps of the same memory, of the same kind.
  void (*remember)(const MemoryStep* steps, size_t count);
  void (*take_mean)(const MeanStep&);
  void (*set_keys)(const KeyRow&);
  void (*mix)(const MixedRow&);
  void (*finish)(const FinishTile&);
  size_t code_rows;  // at most so many rows side by side in a strip of packed rows
  // Up to `height` rows side by side: to[k * height + row].
  void (*pack_rows)(const float* rows, size_t stride, size_t count, size_t depth, size_t height,
                    float* to);
  // The same chains as multiply(), of weights as they are stored.
  void (*multiply_codes)(const CodeProduct&);
  // Up to kPanel rows as the columns of a panel: to[k * kPanel + row]; columns that lack become 0.
  void (*pack_panel)(const float* rows, size_t stride, size_t count, size_t depth, float* to);
};

const Kernels& generic_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace minpair::nn
