#include "nn/integers.inc"

namespace minpair::nn {

const IntegerKernels& generic_integers() { return table; }

}  // namespace minpair::nn
