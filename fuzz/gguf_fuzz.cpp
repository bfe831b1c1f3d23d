#include "gguf_mutation.h"
#include "weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minpair::fuzzing::open_and_read(data, size);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate_gguf(data, size, most, seed);
}
