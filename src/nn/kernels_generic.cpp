#include "nn/kernels.inc"

namespace minpair::nn {

const Kernels& generic_kernels() { return table; }

}  // namespace minpair::nn
