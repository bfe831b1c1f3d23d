#include "train/lstm.h"

#include <cmath>

namespace minpair::train {
namespace {

torch::Tensor uniform(std::vector<int64_t> size, double bound, at::Generator& random) {
  return torch::empty(size).uniform_(-bound, bound, random);
}

}  // namespace

torch::Tensor Lstm::add(const std::string& name, torch::Tensor value) {
  value.set_requires_grad(true);
  parameters_.emplace(name, value);
  return value;
}

Lstm::Lstm(const LstmShape& shape, uint64_t seed) : shape_(shape) {
  at::Generator random = at::detail::createCPUGenerator(seed);
  encoder_ = add("encoder.weight", uniform({shape.vocab, shape.embedding}, 0.1, random));
  const double bound = 1.0 / std::sqrt(static_cast<double>(shape.hidden));
  for (int64_t i = 0; i < shape.layers; ++i) {
    const std::string l = "_l" + std::to_string(i);
    const int64_t in = i == 0 ? shape.embedding : shape.hidden;
    LayerWeights layer;
    layer.input = add("rnn.weight_ih" + l, uniform({4 * shape.hidden, in}, bound, random));
    layer.recurrent =
        add("rnn.weight_hh" + l, uniform({4 * shape.hidden, shape.hidden}, bound, random));
    layer.input_bias = add("rnn.bias_ih" + l, uniform({4 * shape.hidden}, bound, random));
    layer.recurrent_bias = add("rnn.bias_hh" + l, uniform({4 * shape.hidden}, bound, random));
    layers_.push_back(layer);
  }
  decoder_ = shape.tied ? encoder_
                        : add("decoder.weight", uniform({shape.vocab, shape.hidden}, 0.1, random));
  decoder_bias_ = add("decoder.bias", torch::zeros({shape.vocab}));
}

LstmState Lstm::zero_state(int64_t batch) const {
  return {torch::zeros({shape_.layers, batch, shape_.hidden}),
          torch::zeros({shape_.layers, batch, shape_.hidden})};
}

torch::Tensor Lstm::hidden(const torch::Tensor& words, LstmState& state,
                           const LstmPass& pass) const {
  const auto dropped = [&](const torch::Tensor& x) {
    return pass.dropout > 0 ? torch::dropout(x, pass.dropout, true) : x;
  };
  auto x = dropped(torch::embedding(encoder_, words));
  std::vector<torch::Tensor> h, c;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const LayerPass out = lstm_layer(x, state.h[at], state.c[at], layers_[i], pass.bf16);
    x = dropped(out.hidden);
    h.push_back(out.h);
    c.push_back(out.c);
  }
  state = {torch::stack(h), torch::stack(c)};
  return x.reshape({-1, shape_.hidden});
}

torch::Tensor Lstm::logits(const torch::Tensor& hidden) const {
  return torch::addmm(decoder_bias_, hidden, decoder_.t());
}

std::map<std::string, torch::Tensor> Lstm::export_tensors() const {
  std::map<std::string, torch::Tensor> out;
  for (const auto& [name, value] : parameters_) out[name] = value.detach().contiguous();
  return out;
}

}  // namespace minpair::train
