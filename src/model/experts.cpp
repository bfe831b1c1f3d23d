#include "model/experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace minpair::model {

Experts::Experts(WeightLoader& load, const std::string& prefix, const Shape& shape, bool mixtral)
    : shape_(shape) {
  const size_t h = shape.hidden;
  auto expert = [&](const std::string& p, size_t inner) {
    return Expert{
        load.stacked({p + (mixtral ? "w1" : "gate_proj"), p + (mixtral ? "w3" : "up_proj")}, inner,
                     h, false),
        load.linear(p + (mixtral ? "w2" : "down_proj"), h, inner, false)};
  };
  router_ = load.linear(prefix + "gate", shape.count, h, false);
  for (size_t e = 0; e < shape.count; ++e)
    all_.push_back(expert(fmt::format("{}experts.{}.", prefix, e), shape.inner));
  if (shape.shared_inner == 0) return;
  shared_ = expert(prefix + "shared_expert.", shape.shared_inner);
  shared_gate_ = load.linear(prefix + "shared_expert_gate", 1, h, false);
}

std::vector<std::vector<Experts::Choice>> Experts::route(const nn::Runtime& runtime,
                                                         const nn::Matrix& in) const {
  nn::Matrix logits;
  nn::linear(runtime, in, router_, logits);
  std::vector<std::vector<Choice>> chosen(shape_.count);
  std::vector<size_t> order(shape_.count);
  for (uint32_t row = 0; row < in.rows(); ++row) {
    const float* x = logits.row(row);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] > x[b]; });
    double of_chosen = 0, of_all = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      of_all += std::exp(double(x[order[i]]) - double(x[order[0]]));
      if (i + 1 == shape_.each) of_chosen = of_all;
    }
    for (size_t i = 0; i < shape_.each; ++i) {
      double weight = std::exp(double(x[order[i]]) - double(x[order[0]]));
      chosen[order[i]].push_back({row, float(weight / (shape_.sum_to_one ? of_chosen : of_all))});
    }
  }
  return chosen;
}

void Experts::run(const nn::Runtime& runtime, const nn::Matrix& in, nn::Activation activation,
                  nn::Matrix& out) const {
  const size_t h = in.columns();
  nn::Matrix some, wide, inner, result;
  out.resize(in.rows(), h);
  std::fill(out.data(), out.data() + in.rows() * h, 0.0f);
  // Experts add up in their own order, so that a token's sum does not depend on the others.
  const std::vector<std::vector<Choice>> chosen = route(runtime, in);
  for (size_t e = 0; e < all_.size(); ++e) {
    if (chosen[e].empty()) continue;
    some.resize(chosen[e].size(), h);
    for (size_t i = 0; i < chosen[e].size(); ++i)
      std::memcpy(some.row(i), in.row(chosen[e][i].row), h * sizeof(float));
    nn::linear(runtime, some, all_[e].gate_up, wide);
    nn::gated(runtime, wide, activation, inner);
    nn::linear(runtime, inner, all_[e].down, result);
    for (size_t i = 0; i < chosen[e].size(); ++i)
      for (size_t d = 0; d < h; ++d)
        out.row(chosen[e][i].row)[d] += chosen[e][i].weight * result.row(i)[d];
  }
  if (shape_.shared_inner == 0) return;
  nn::linear(runtime, in, shared_.gate_up, wide);
  nn::gated(runtime, wide, activation, inner);
  nn::linear(runtime, inner, shared_.down, result);
  nn::linear(runtime, in, shared_gate_, some, nn::Activation::sigmoid);
  for (size_t i = 0; i < in.rows(); ++i)
    for (size_t d = 0; d < h; ++d) out.row(i)[d] += some.row(i)[0] * result.row(i)[d];
}

}  // namespace minpair::model
