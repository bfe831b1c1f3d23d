#include "checkpoint/blocks.inc"

namespace minpair::checkpoint {

const BlockKernels& generic_blocks() { return table; }

}  // namespace minpair::checkpoint
