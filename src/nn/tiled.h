#pragma once
// linear() and read_outputs() on a matrix unit.

#include "nn/nn.h"
#include "nn/tiles.h"

namespace minpair::nn {

// Whether products with these weights run on tiles.
inline bool on_tiles(const Runtime& runtime, const Weights& w) {
  return w.stored() ? runtime.arithmetic().unit != nullptr : w.parts() > 0;
}

// The rows as strips of sixteen, until this thread calls it again.
const uint16_t* split_rows(const Runtime& runtime, const View& in);

void tiled_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                  Activation activation, const View* residual);

// Some rows times some columns, for one worker.
struct TiledBlock {
  const uint16_t* rows_strips;  // of the first row, which is a multiple of sixteen
  size_t rows;
  size_t column, columns;  // `column` is a multiple of sixteen
  float* c;
  size_t c_stride;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  size_t residual_stride = 0;
};
// Floats of scratch that multiply_block() needs.
size_t block_scratch(const Runtime& runtime, const Weights& w, size_t rows, size_t columns);
void multiply_block(const Runtime& runtime, const Linear& layer, const TiledBlock& block,
                    float* scratch);

// logits[i] = the sums of target i alone: the same tile operations as in the whole product.
void tiled_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                   std::span<const int32_t> targets, float* logits, int worker);

}  // namespace minpair::nn
