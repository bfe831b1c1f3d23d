#include "nn/kernels.inc"

namespace minpair::nn {

const Kernels& avx512_kernels() { return table; }

}  // namespace minpair::nn
