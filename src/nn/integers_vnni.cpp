#include "nn/integers.inc"

namespace minpair::nn {

const IntegerKernels& vnni_integers() { return table; }

}  // namespace minpair::nn
