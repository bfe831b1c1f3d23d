#include "train/bfloat16.h"

#include <ATen/autocast_mode.h>
#include <stdlib.h>

#include "train/train.h"

namespace minpair::train {

// oneDNN's AMX path for bfloat16 dies with an illegal instruction in Debian's version: it uses
// tiles that it has not configured. oneDNN asks once, so it is told before anything else runs.
[[maybe_unused]] static const int told = ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);

bool has_fast_bf16() { return __builtin_cpu_supports("avx512bf16"); }

torch::Tensor factor(const torch::Tensor& x, bool bf16) {
  return bf16 ? x.to(torch::kBFloat16) : x;
}

Autocast::Autocast(bool on) : on_(on) {
  if (!on_) return;
  at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
  at::autocast::set_cpu_enabled(true);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::clear_cache();
  at::autocast::set_cpu_enabled(false);
}

}  // namespace minpair::train
