#pragma once
// A mixture of experts in place of a feed-forward layer (Shazeer et al. 2017; Jiang et al. 2024):
// each token goes through the few experts that a router chooses for it.

#include <cstdint>
#include <string>
#include <vector>

#include "model/weights.h"
#include "nn/nn.h"

namespace minpair::model {

struct Expert {
  nn::Linear gate_up, down;
};

class Experts {
 public:
  struct Shape {
    size_t count, each, hidden, inner;
    size_t shared_inner = 0;  // of one that every token goes through; 0: there is none
    bool sum_to_one = true;   // the weights of the chosen ones
  };
  Experts() = default;
  // `prefix`: of the tensors; Mixtral names the parts of an expert otherwise.
  Experts(WeightLoader& load, const std::string& prefix, const Shape& shape, bool mixtral);

  bool empty() const { return all_.empty(); }
  void run(const nn::Runtime& runtime, const nn::Matrix& in, nn::Activation activation,
           nn::Matrix& out) const;

 private:
  struct Choice {
    uint32_t row;
    float weight;
  };
  // For each expert, who goes through it.
  std::vector<std::vector<Choice>> route(const nn::Runtime& runtime, const nn::Matrix& in) const;

  Shape shape_{};
  nn::Linear router_, shared_gate_;
  std::vector<Expert> all_;
  Expert shared_;
};

}  // namespace minpair::model
