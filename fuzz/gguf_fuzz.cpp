#include "weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minpair::fuzzing::open_and_read(data, size);
}
