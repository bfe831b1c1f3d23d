#pragma once

#include <ATen/autocast_mode.h>

namespace minpair::train {

// bfloat16 matrix products while it lives.
class Autocast {
 public:
  explicit Autocast(bool on) : on_(on) {
    if (!on_) return;
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
  }
  ~Autocast() {
    if (!on_) return;
    at::autocast::clear_cache();
    at::autocast::set_cpu_enabled(false);
  }

 private:
  bool on_;
};

}  // namespace minpair::train
