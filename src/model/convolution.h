#pragma once
// A causal convolution, each channel by itself, along the paths of a prefix tree.

#include <vector>

#include "model/prefix_tree.h"
#include "nn/nn.h"

namespace minpair::model {

class Convolution {
 public:
  Convolution() = default;
  // Weights as PyTorch stores them: [channels × reach].
  Convolution(const std::vector<float>& weights, size_t reach, std::vector<float> bias = {});
  // Of each node: that node and the few before it.
  void run(const nn::Runtime& runtime, const PrefixTree& tree, const nn::View& in,
           nn::Activation activation, nn::Matrix& out) const;

 private:
  size_t reach_ = 0;
  std::vector<float> taps_, bias_;  // a row of channels for each of `reach`
};

}  // namespace minpair::model
