#pragma once
// AdamW for embeddings, biases and norms; Muon (Jordan et al. 2024: momentum, then an
// orthogonalised step) for the matrices inside the network, where it needs about a third fewer
// tokens. Both keep their state in plain tensors so that a checkpoint is a list of tensors.

#include <torch/types.h>

#include <map>
#include <string>

#include "train/options.h"

namespace minpair::train {

class Optimizer {
 public:
  Optimizer(std::map<std::string, torch::Tensor> parameters, OptimizerOptions options);

  // One update from the gradients, which are cleared. `scale` multiplies both rates.
  void step(double scale);
  // Plain gradient descent at this rate instead.
  void plain_step(double rate);

  std::map<std::string, torch::Tensor>& state() { return state_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  void adam(const std::string& name, torch::Tensor& parameter, double rate);
  void muon(const std::string& name, torch::Tensor& parameter, double rate);

  std::map<std::string, torch::Tensor> parameters_;
  std::map<std::string, torch::Tensor> state_;
  OptimizerOptions options_;
  int64_t steps_ = 0;
};

// The nearest matrix with singular values near one, by a quintic Newton-Schulz iteration.
// bfloat16 is accurate enough: only the direction of an update depends on it.
torch::Tensor orthogonalise(const torch::Tensor& matrix, int steps, bool bf16 = false);

}  // namespace minpair::train
