#pragma once
// All products in bfloat16 begin here.

#include <torch/types.h>

namespace minpair::train {

// What a product is made of: in bfloat16 where that is wanted.
torch::Tensor factor(const torch::Tensor& x, bool bf16);

// bfloat16 matrix products while it lives.
class Autocast {
 public:
  explicit Autocast(bool on);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

}  // namespace minpair::train
