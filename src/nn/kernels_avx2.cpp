#include "nn/kernels.inc"

namespace minpair::nn {

const Kernels& avx2_kernels() { return table; }

}  // namespace minpair::nn
