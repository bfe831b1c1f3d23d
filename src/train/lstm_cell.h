#pragma once
// The arithmetic between an LSTM's products, on plain numbers. In a file of its own, because it is
// compiled for speed.

#include <cstdint>

namespace minpair::train {

// One word of `rows` streams. `gates` [rows, 4 * width] comes with the sums that arrive at the
// gates and leaves with the gates' values; `c` and `h` are [rows, width].
void lstm_cell(float* gates, const float* c_before, float* c, float* h, int64_t rows,
               int64_t width);

// Backwards. `dh` is the whole gradient of h; `dc` that of c, from later words, and leaves as that
// of `c_before`. `gates` has the gates' values, `dgates` gets the gradients of their sums.
void lstm_cell_backward(const float* gates, const float* c_before, const float* c, const float* dh,
                        float* dc, float* dgates, int64_t rows, int64_t width);

}  // namespace minpair::train
