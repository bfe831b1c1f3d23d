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
#include <string>

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

// A strip of up to sixteen rows of inputs as a matrix unit takes them: a number is 256 * high +
// low. Rows that lack may hold anything.
inline constexpr size_t kTileInputs = 16;
struct TileInputs {
  alignas(64) int8_t high[kCodeDepth / 64][kTileInputs][64];  // in the order of k
  alignas(64) uint8_t low[kCodeDepth / 64][kTileInputs][64];
  float sums_of_32[kCodeDepth / 32][kTileInputs];
  alignas(64) float unit[kTileInputs];
};
// Strips have the same even height, but for the last. Static, because every instruction set must
// keep its own.
static inline size_t strip_count(size_t rows) { return (rows + kTileInputs - 1) / kTileInputs; }
static inline size_t strip_height(size_t rows) {
  const size_t two_strips = 2 * strip_count(rows);
  return 2 * ((rows + two_strips - 1) / two_strips);
}

// The same sums with the same roundings as IntegerProduct, of weights in groups of at least 32.
struct IntegerTileProduct {
  const TileInputs* inputs;  // strip_height() rows in each
  const CodePanel* weights;
  float* sums;
  size_t rows, panels;
  bool first;
};

// A matrix unit for whole numbers: its sums of a group are exact, as all others are.
struct IntegerTiles {
  const char* name;
  void (*arrange)(const IntegerInputs* rows, size_t count, TileInputs& to);
  // Between begin() and end(), on one thread: products of so many rows.
  void (*begin)(size_t rows);
  void (*multiply)(const IntegerTileProduct&);
  void (*end)();
};

struct IntegerKernels {
  void (*to_integers)(const float* inputs, size_t count, IntegerInputs& to);
  void (*multiply)(const IntegerProduct&);
  const IntegerTiles* tiles = nullptr;  // where they are faster
};

const IntegerKernels& generic_integers();
const IntegerKernels& avx2_integers();
const IntegerKernels& vnni_integers();

// The documented operations of AMX in portable C++, and the processor's own; null when this program
// was compiled without them.
const IntegerTiles& emulated_integer_tiles();
const IntegerTiles* amx_integer_tiles();

// Which matrix unit multiplies whole numbers. Its sums are exact, so that it changes no bit: it is
// a matter of speed alone.

// What $MINPAIR_MATRIX_UNIT says, else the processor's unit where it passes its self-test; may be
// null.
const IntegerTiles* usable_integer_tiles();

// Compares products with those of portable code, in a process of its own, where an instruction that
// this machine cannot execute does no harm. Empty when all is well, else what went wrong.
std::string self_test(const IntegerTiles& tiles);

// Empty when processor and system have AMX for bytes and grant it, else what is lacking.
std::string lacking_for_integer_amx();

}  // namespace minpair::nn
