#pragma once
// Which matrix unit multiplies whole numbers. Its sums are exact, so that it changes no bit: it is
// a matter of speed alone.

#include <string>

#include "nn/integers.h"

namespace minpair::nn {

// What $MINPAIR_MATRIX_UNIT says, else the processor's unit where it passes its self-test; may be
// null.
const IntegerTiles* usable_integer_tiles();

// Compares products with those of portable code, in a process of its own, where an instruction that
// this machine cannot execute does no harm. Empty when all is well, else what went wrong.
std::string self_test(const IntegerTiles& tiles);

// Empty when processor and system have AMX for bytes and grant it, else what is lacking.
std::string lacking_for_integer_amx();

}  // namespace minpair::nn
