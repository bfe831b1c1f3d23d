#pragma once
// Private to the room: what takes blocks of quantised numbers apart. One implementation
// (blocks.inc), compiled once for each instruction set; all give the same bits.

#include "checkpoint/checkpoint.h"

namespace minpair::checkpoint {

struct BlockKernels {
  CodeShape (*shape)(DType type);
  void (*to_floats)(DType type, const uint8_t* from, int64_t blocks, float* to);
  // Of each of sixteen rows so many blocks.
  void (*to_columns)(DType type, const uint8_t* const* rows, int64_t blocks, const CodeColumns& to);
};

// What this processor can run, the best one last.
std::vector<const BlockKernels*> available_blocks();

const BlockKernels& generic_blocks();
const BlockKernels& avx2_blocks();
const BlockKernels& avx512_blocks();

}  // namespace minpair::checkpoint
