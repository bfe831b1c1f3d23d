#pragma once
// Products in bfloat16.

#include <torch/types.h>

namespace minpair::train {

// The factor of a product, converted to bfloat16 if that is requested.
torch::Tensor factor(const torch::Tensor& x, bool bf16);

// Matrix products are in bfloat16 while it exists.
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
