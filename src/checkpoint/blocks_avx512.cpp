#include "checkpoint/blocks.inc"

namespace minpair::checkpoint {

const BlockKernels& avx512_blocks() { return table; }

}  // namespace minpair::checkpoint
