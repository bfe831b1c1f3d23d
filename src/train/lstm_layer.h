#pragma once
// One LSTM layer over a whole sequence, forward and backward. libtorch's own accumulates the
// gradient of the recurrent matrix word by word and calls two dozen kernels per word. Here
// everything that does not depend on the previous word is one product, and the cell is one loop.

#include <torch/types.h>

namespace minpair::train {

struct LayerWeights {
  torch::Tensor input, recurrent;            // [4 * hidden, ...]: in, forget, cell, out
  torch::Tensor input_bias, recurrent_bias;  // [4 * hidden]
};

struct LayerPass {
  torch::Tensor hidden;  // [time, batch, hidden]
  torch::Tensor h, c;    // after the last word, detached: [batch, hidden]
};

// x [time, batch, in]; `bf16`: products in bfloat16, everything else in single precision.
LayerPass lstm_layer(const torch::Tensor& x, const torch::Tensor& h, const torch::Tensor& c,
                     const LayerWeights& weights, bool bf16);

}  // namespace minpair::train
