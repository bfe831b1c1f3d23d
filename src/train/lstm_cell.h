#pragma once
// The element-wise arithmetic of an LSTM cell. In a file of its own, which is compiled for speed.

#include <cstdint>

namespace minpair::train {

// One word of `rows` streams. `gates` [rows, 4 * width]: the gates' inputs, replaced by their
// values; `c` and `h` are [rows, width].
void lstm_cell(float* gates, const float* c_before, float* c, float* h, int64_t rows,
               int64_t width);

// Backward pass. `dh` is the whole gradient of h; `dc` that of c from later words, replaced by that
// of `c_before`. `gates` has the gates' values, `dgates` receives the gradients of their inputs.
void lstm_cell_backward(const float* gates, const float* c_before, const float* c, const float* dh,
                        float* dc, float* dgates, int64_t rows, int64_t width);

}  // namespace minpair::train
