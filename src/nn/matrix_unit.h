#pragma once
// Which arithmetic matrix products are done in, chosen here and nowhere else: fp32, bf16 parts on
// the processor's matrix unit, or whole numbers for weights that are stored as such.

#include <string>
#include <string_view>

namespace minpair::nn {

struct TileUnit;

struct Arithmetic {
  const TileUnit* unit = nullptr;  // null: fp32
  size_t parts = 0;                // of a float on the unit: 1 (bf16) or 2 (fast)
  std::string precision = "fp32";  // as it is recorded with scores
  std::string note;                // which unit, and why; empty when fp32 was asked for
  bool integers = false;           // stored weights in whole numbers (integers.h), without a unit
};

// `wanted` is "fp32", "fast", "bf16" or "auto": fast where the matrix unit passes its self-test,
// else fp32. $MINPAIR_PRECISION is what "auto" means, where it is set. A model whose weights are
// `stored` quantised is multiplied in whole numbers by fast and auto, on every processor alike: a
// model has one "fast".
//
// Where there is no unit, fast becomes fp32 and the note says so; bf16 is refused, because other
// numbers than those asked for are no answer. $MINPAIR_MATRIX_UNIT=none|emulated overrules what the
// processor has: "emulated" computes what AMX computes, slowly, on any processor.
Arithmetic choose_arithmetic(const std::string& wanted, bool stored = false);

// Multiplies random matrices on `unit` in a process of its own, where an instruction that this
// machine cannot execute does no harm. Empty when all is well, else what went wrong.
std::string self_test(const TileUnit& unit);

// Empty when processor and system have AMX for bf16 and grant it, else what is lacking.
std::string lacking_for_amx();

}  // namespace minpair::nn
