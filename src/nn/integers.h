#pragma once
// Products of stored weights as whole numbers: what `--precision fast` does with quantised weights.
//
// A stored weight is a small integer with the scale of its group. The inputs of a layer become
// integers of 16 bits, each kCodeDepth of a row with a unit of their own; products and sums over a
// group are then exact, and only the sums are multiplied with scales.
//
// The rule that makes scores exact here: an output element is a fixed sequence of roundings, one
// fused multiply-add for each group (and one for its offset), one for each kCodeDepth of k; no
// other row and no other column takes part. All instruction sets do the same ones, also those that
// have no fused multiply-add.

#include <cstddef>
#include <cstdint>

#include "nn/kernels.h"

namespace minpair::nn {

// Up to kCodeDepth inputs of a row: input k is numbers[place(k)] * unit, the rest are zero.
// Where something is infinite or no number, so is the unit.
struct IntegerInputs {
  // Within four, in the order 0, 2, 1, 3: as bytes of weights are taken apart most easily.
  alignas(64) int16_t numbers[kCodeDepth];
  float sums_of_16[kCodeDepth / 16], sums_of_32[kCodeDepth / 32];  // of numbers
  float unit;
};

// sums[panel][rows × kPanel] (+)= inputs · weights, for one step of k.
struct IntegerProduct {
  const IntegerInputs* inputs;
  const CodePanel* weights;
  float* sums;
  size_t rows, panels;
  bool first;  // of the steps: sums begin at zero
};

struct IntegerKernels {
  void (*to_integers)(const float* inputs, size_t count, IntegerInputs& to);
  void (*multiply)(const IntegerProduct&);
};

const IntegerKernels& generic_integers();
const IntegerKernels& avx2_integers();
const IntegerKernels& vnni_integers();

}  // namespace minpair::nn
