#include "nn/integers.inc"

namespace minpair::nn {

const IntegerKernels& avx2_integers() { return table; }

}  // namespace minpair::nn
