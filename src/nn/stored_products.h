#pragma once
// linear() and read_outputs() of weights that stay as they are stored and are read as codes: in
// fp32, or in whole numbers (integers.h).

#include "nn/integers.h"
#include "nn/nn.h"

namespace minpair::nn {

// Rows as products with stored weights read them, until this thread makes others.
class StoredRows {
 public:
  StoredRows(const Runtime& runtime, const View& in);
  size_t rows() const { return rows_; }
  // In which form weights are multiplied, and by what.
  bool on_tiles() const { return tiles_; }
  bool take_pairs() const { return whole_ && !tiles_; }
  // How many panels go through k together, and how many of them are multiplied at once.
  size_t panels_together() const;
  size_t panels_at_once() const;
  // sums[panel][rows × kPanel] (+)= rows · weights, for the step that begins at `k`.
  void multiply(const CodePanel* weights, size_t panels, size_t k, float* sums) const;

 private:
  void pack(const View& in);
  void make_whole(const View& in);

  const Runtime& runtime_;
  size_t rows_, columns_;
  size_t height_ = 0;
  const float* packed_ = nullptr;
  const IntegerInputs* whole_ = nullptr;
  const TileInputs* tiles_ = nullptr;  // the same numbers, where a matrix unit multiplies them
};

// All rows times some columns, for one worker.
struct StoredBlock {
  size_t column, columns;  // `column` is a multiple of kPanel
  float* c;
  size_t c_stride;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  size_t residual_stride = 0;
};
// Floats of scratch that multiply_stored() needs.
size_t stored_scratch(size_t rows);
void multiply_stored(const Runtime& runtime, const Linear& layer, const StoredRows& rows,
                     const StoredBlock& block, float* scratch);

void stored_linear(const Runtime& runtime, const View& in, const Linear& layer, Matrix& out,
                   Activation activation, const View* residual);

// logits[i] = the logit of target i alone: the same roundings as in the whole product. In whole
// numbers only.
void integer_targets(const Runtime& runtime, const float* row, const Linear& decoder,
                     std::span<const int32_t> targets, float* logits, int worker);

}  // namespace minpair::nn
