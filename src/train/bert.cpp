#include "train/bert.h"

#include <cmath>

namespace minpair::train {
namespace {

constexpr double kEpsilon = 1e-12;

torch::Tensor normal(std::vector<int64_t> size, at::Generator& random, double spread = 0.02) {
  return torch::empty(size).normal_(0.0, spread, random);
}

// In single precision also where products are in bfloat16: the weights are, and libtorch refuses
// to mix the two.
torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& w, const torch::Tensor& b) {
  return torch::layer_norm(x.to(torch::kFloat32), {x.size(-1)}, w, b, kEpsilon);
}

// Rows of one sentence each: attention with all sentences of a row in one product.
torch::Tensor attend(const torch::Tensor& x, const BertLayer& layer, const BertBatch& batch,
                     int64_t heads) {
  const int64_t rows = batch.ids.size(0);
  const int64_t width = batch.ids.size(1);
  const int64_t hidden = x.size(-1);
  const int64_t depth = hidden / heads;
  auto qkv = torch::addmm(layer.qkv_b, x, layer.qkv_w.t())
                 .view({rows, width, 3, heads, depth})
                 .permute({2, 0, 3, 1, 4})
                 .contiguous()
                 .view({3, rows * heads, width, depth});
  const auto parts = qkv.unbind(0);
  auto scores = torch::bmm(parts[0] * (1.0 / std::sqrt(static_cast<double>(depth))),
                           parts[1].transpose(1, 2));
  scores = scores.view({rows, heads, width, width}) + batch.same_sentence;
  const auto weights = torch::softmax(scores, -1).view({rows * heads, width, width});
  const auto mixed = torch::bmm(weights, parts[2])
                         .view({rows, heads, width, depth})
                         .transpose(1, 2)
                         .reshape({rows * width, hidden});
  return torch::addmm(layer.out_b, mixed, layer.out_w.t());
}

}  // namespace

torch::Tensor Bert::add(const std::string& name, torch::Tensor value) {
  value.set_requires_grad(true);
  parameters_.emplace(name, value);
  return value;
}

Bert::Bert(const BertShape& shape, uint64_t seed) : shape_(shape) {
  at::Generator random = at::detail::createCPUGenerator(seed);
  const int64_t h = shape.hidden;
  words_ = add("words", normal({shape.vocab, h}, random));
  positions_ = add("positions", normal({shape.positions, h}, random));
  embed_ln_w_ = add("embed_ln_w", torch::ones({h}));
  embed_ln_b_ = add("embed_ln_b", torch::zeros({h}));
  for (int64_t i = 0; i < shape.layers; ++i) {
    const std::string p = "layer" + std::to_string(i) + ".";
    BertLayer layer;
    const double in = 0.5 / std::sqrt(static_cast<double>(h));
    layer.qkv_w = add(p + "qkv_w", normal({3 * h, h}, random, in));
    layer.qkv_b = add(p + "qkv_b", torch::zeros({3 * h}));
    layer.out_w = add(p + "out_w", normal({h, h}, random, in));
    layer.out_b = add(p + "out_b", torch::zeros({h}));
    layer.ln1_w = add(p + "ln1_w", torch::ones({h}));
    layer.ln1_b = add(p + "ln1_b", torch::zeros({h}));
    layer.up_w = add(p + "up_w", normal({shape.inner, h}, random, in));
    layer.up_b = add(p + "up_b", torch::zeros({shape.inner}));
    layer.down_w = add(p + "down_w", normal({h, shape.inner}, random, in / 2));
    layer.down_b = add(p + "down_b", torch::zeros({h}));
    layer.ln2_w = add(p + "ln2_w", torch::ones({h}));
    layer.ln2_b = add(p + "ln2_b", torch::zeros({h}));
    layers_.push_back(layer);
  }
  head_w_ = add("head_w", normal({h, h}, random, 0.5 / std::sqrt(static_cast<double>(h))));
  head_b_ = add("head_b", torch::zeros({h}));
  head_ln_w_ = add("head_ln_w", torch::ones({h}));
  head_ln_b_ = add("head_ln_b", torch::zeros({h}));
  decoder_bias_ = add("decoder_bias", torch::zeros({shape.vocab}));
}

torch::Tensor Bert::hidden(const BertBatch& batch) const {
  auto x = torch::embedding(words_, batch.ids.view({-1})) +
           torch::embedding(positions_, batch.positions.view({-1}));
  x = layer_norm(x, embed_ln_w_, embed_ln_b_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const BertLayer& layer = layers_[i];
    auto mixed = attend(x, layer, batch, shape_.heads);
    // The last layer's feed-forward only matters where a piece is read.
    if (i + 1 == layers_.size()) {
      x = x.index_select(0, batch.read);
      mixed = mixed.index_select(0, batch.read);
    }
    x = layer_norm(x + mixed, layer.ln1_w, layer.ln1_b);
    const auto inner = torch::gelu(torch::addmm(layer.up_b, x, layer.up_w.t()));
    x = layer_norm(x + torch::addmm(layer.down_b, inner, layer.down_w.t()), layer.ln2_w,
                   layer.ln2_b);
  }
  return layer_norm(torch::gelu(torch::addmm(head_b_, x, head_w_.t())), head_ln_w_, head_ln_b_);
}

torch::Tensor Bert::forward(const BertBatch& batch) const {
  return torch::addmm(decoder_bias_, hidden(batch), words_.t());
}

torch::Tensor Bert::loss(const BertBatch& batch, const torch::Tensor& targets,
                         const Candidates& candidates) const {
  return output_loss(hidden(batch), words_, decoder_bias_, targets, candidates);
}

std::map<std::string, torch::Tensor> Bert::export_tensors() const {
  std::map<std::string, torch::Tensor> out;
  const auto put = [&](const std::string& name, const torch::Tensor& value) {
    out[name] = value.detach().contiguous();
  };
  put("bert.embeddings.word_embeddings.weight", words_);
  put("bert.embeddings.position_embeddings.weight", positions_);
  put("bert.embeddings.token_type_embeddings.weight", torch::zeros({2, shape_.hidden}));
  put("bert.embeddings.LayerNorm.weight", embed_ln_w_);
  put("bert.embeddings.LayerNorm.bias", embed_ln_b_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const BertLayer& layer = layers_[i];
    const std::string p = "bert.encoder.layer." + std::to_string(i) + ".";
    const char* names[] = {"query", "key", "value"};
    for (int64_t k = 0; k < 3; ++k) {
      const std::string q = p + "attention.self." + names[k];
      put(q + ".weight", layer.qkv_w.narrow(0, k * shape_.hidden, shape_.hidden));
      put(q + ".bias", layer.qkv_b.narrow(0, k * shape_.hidden, shape_.hidden));
    }
    put(p + "attention.output.dense.weight", layer.out_w);
    put(p + "attention.output.dense.bias", layer.out_b);
    put(p + "attention.output.LayerNorm.weight", layer.ln1_w);
    put(p + "attention.output.LayerNorm.bias", layer.ln1_b);
    put(p + "intermediate.dense.weight", layer.up_w);
    put(p + "intermediate.dense.bias", layer.up_b);
    put(p + "output.dense.weight", layer.down_w);
    put(p + "output.dense.bias", layer.down_b);
    put(p + "output.LayerNorm.weight", layer.ln2_w);
    put(p + "output.LayerNorm.bias", layer.ln2_b);
  }
  put("cls.predictions.transform.dense.weight", head_w_);
  put("cls.predictions.transform.dense.bias", head_b_);
  put("cls.predictions.transform.LayerNorm.weight", head_ln_w_);
  put("cls.predictions.transform.LayerNorm.bias", head_ln_b_);
  put("cls.predictions.bias", decoder_bias_);
  return out;
}

}  // namespace minpair::train
