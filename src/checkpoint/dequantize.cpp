// Quantised numbers as floats and as codes, on whatever the processor has.

#include "checkpoint/blocks.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {

std::vector<const BlockKernels*> available_blocks() {
  std::vector<const BlockKernels*> all{&generic_blocks()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.push_back(&avx2_blocks());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
      all.push_back(&avx512_blocks());
  }
#endif
  return all;
}

namespace {

const BlockKernels& kernels() {
  static const BlockKernels& chosen = *available_blocks().back();
  return chosen;
}

}  // namespace

CodeShape code_shape(DType type) { return generic_blocks().shape(type); }

void dequantize(DType type, const std::byte* from, int64_t blocks, float* to) {
  kernels().to_floats(type, reinterpret_cast<const uint8_t*>(from), blocks, to);
}

void convert_to_columns(DType type, const std::byte* const (&rows)[kCodeColumns], int64_t count,
                        const CodeColumns& to) {
  const uint8_t* bytes[kCodeColumns];
  for (size_t i = 0; i < kCodeColumns; ++i) bytes[i] = reinterpret_cast<const uint8_t*>(rows[i]);
  kernels().to_columns(type, bytes, count / block_elements(type), to);
}

}  // namespace minpair::checkpoint
