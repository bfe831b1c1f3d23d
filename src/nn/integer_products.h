#pragma once
// linear() and read_outputs() of stored weights in whole numbers (integers.h).

#include "nn/integers.h"
#include "nn/nn.h"

namespace minpair::nn {

// Whether products with these weights are of whole numbers. Weights that cannot be read as codes
// are multiplied in fp32.
inline bool in_integers(const Runtime& runtime, const Weights& w) {
  return runtime.arithmetic().integers && w.has_codes();
}

// Rows as whole numbers, until this thread makes others.
class IntegerRows {
 public:
  IntegerRows(const Runtime& runtime, const View& in);
  // From `row` on, the step that begins at `k`.
  const IntegerInputs* from(size_t row, size_t k) const {
    return data_ + k / kCodeDepth * rows_ + row;
  }

 private:
  size_t rows_;
  const IntegerInputs* data_;
};

// Some rows times some columns, for one worker.
struct IntegerBlock {
  size_t row, rows;
  size_t column, columns;  // `column` is a multiple of kPanel
  float* c;
  size_t c_stride;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  size_t residual_stride = 0;
};
// Floats of scratch that multiply_integers() needs.
size_t integer_scratch(size_t rows);
void multiply_integers(const Runtime& runtime, const Linear& layer, const IntegerRows& rows,
                       const IntegerBlock& block, float* scratch);

void integer_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                    Activation activation, const View* residual);

// logits[i] = the logit of target i alone: the same roundings as in the whole product.
void integer_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                     std::span<const int32_t> targets, float* logits, int worker);

}  // namespace minpair::nn
