#include "train/lstm_cell.h"

#include <algorithm>

namespace minpair::train {
namespace {

#define MINPAIR_FAST __attribute__((target_clones("avx512f", "avx2", "default")))

// e^x within 2 units of the last place, without branches: 2^n times a polynomial.
inline float exponential(float x) {
  x = std::min(87.0f, std::max(-87.0f, x));
  constexpr float kRound = 12582912.0f;  // adding and taking it away rounds to a whole number
  const float n = (x * 1.44269504f + kRound) - kRound;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * __builtin_bit_cast(float, (static_cast<int32_t>(n) + 127) << 23);
}

inline float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }
inline float hyperbolic_tangent(float x) { return 2.0f * sigmoid(2.0f * x) - 1.0f; }

// What the gates of one stream are, and where.
struct Gates {
  float *in, *forget, *cell, *out;
  Gates(float* row, int64_t width)
      : in(row), forget(row + width), cell(row + 2 * width), out(row + 3 * width) {}
};

}  // namespace

MINPAIR_FAST void lstm_cell(float* gates, const float* c_before, float* c, float* h, int64_t rows,
                            int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    const Gates g(gates + row * 4 * width, width);
    const int64_t at = row * width;
#pragma GCC ivdep
    for (int64_t k = 0; k < width; ++k) {
      const float in = sigmoid(g.in[k]), forget = sigmoid(g.forget[k]);
      const float cell = hyperbolic_tangent(g.cell[k]), out = sigmoid(g.out[k]);
      const float now = forget * c_before[at + k] + in * cell;
      g.in[k] = in;
      g.forget[k] = forget;
      g.cell[k] = cell;
      g.out[k] = out;
      c[at + k] = now;
      h[at + k] = out * hyperbolic_tangent(now);
    }
  }
}

MINPAIR_FAST void lstm_cell_backward(const float* gates, const float* c_before, const float* c,
                                     const float* dh, float* dc, float* dgates, int64_t rows,
                                     int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* g = gates + row * 4 * width;
    const Gates d(dgates + row * 4 * width, width);
    const int64_t at = row * width;
#pragma GCC ivdep
    for (int64_t k = 0; k < width; ++k) {
      const float in = g[k], forget = g[width + k], cell = g[2 * width + k];
      const float out = g[3 * width + k];
      const float t = hyperbolic_tangent(c[at + k]);
      const float to_c = dc[at + k] + dh[at + k] * out * (1.0f - t * t);
      d.in[k] = to_c * cell * in * (1.0f - in);
      d.forget[k] = to_c * c_before[at + k] * forget * (1.0f - forget);
      d.cell[k] = to_c * in * (1.0f - cell * cell);
      d.out[k] = dh[at + k] * t * out * (1.0f - out);
      dc[at + k] = to_c * forget;
    }
  }
}

}  // namespace minpair::train
