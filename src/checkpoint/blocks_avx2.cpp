#include "checkpoint/blocks.inc"

namespace minpair::checkpoint {

const BlockKernels& avx2_blocks() { return table; }

}  // namespace minpair::checkpoint
