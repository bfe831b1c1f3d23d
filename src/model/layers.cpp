#include "model/layers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.h"

namespace minpair::model {

const PostNormNames kBertLayerNames{.query = "attention.self.query",
                                    .key = "attention.self.key",
                                    .value = "attention.self.value",
                                    .attention_output = "attention.output.dense",
                                    .attention_norm = "attention.output.LayerNorm",
                                    .up = "intermediate.dense",
                                    .down = "output.dense",
                                    .output_norm = "output.LayerNorm"};

PostNormLayer load_layer(WeightLoader& load, const std::string& prefix, const PostNormNames& names,
                         const PostNormShape& shape) {
  size_t h = shape.hidden, f = shape.intermediate;
  PostNormLayer layer;
  layer.qkv = load.stacked({prefix + names.query, prefix + names.key, prefix + names.value}, h, h);
  layer.attention_output = load.linear(prefix + names.attention_output, h, h);
  layer.attention_norm = load.norm(prefix + names.attention_norm, h, shape.epsilon);
  layer.up = load.linear(prefix + names.up, f, h);
  layer.down = load.linear(prefix + names.down, h, f);
  layer.output_norm = load.norm(prefix + names.output_norm, h, shape.epsilon);
  return layer;
}

std::vector<const PostNormLayer*> in_order(const std::vector<PostNormLayer>& layers) {
  std::vector<const PostNormLayer*> order;
  for (const PostNormLayer& layer : layers) order.push_back(&layer);
  return order;
}

nn::AttentionShape attention_shape(const Config& config, size_t hidden, size_t heads) {
  if (hidden % heads)
    throw bad_input(fmt::format("{} heads do not divide a width of {}", heads, hidden))
        .at(config.file().string());
  size_t width = hidden / heads;
  return {.heads = heads,
          .key_heads = heads,
          .width = width,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)))};
}

void refuse_relative_positions(const Config& config) {
  if (std::string kind = config.text("position_embedding_type", "absolute"); kind != "absolute")
    throw bad_input(fmt::format("position_embedding_type \"{}\" is not supported", kind))
        .at(config.file().string())
        .hint("only \"absolute\" positions are");
}

void InputEmbedding::run(const nn::Runtime& runtime, const Batch& batch,
                         std::span<const uint32_t> position, nn::Matrix& out) const {
  const size_t width = positions.columns();
  out.resize(batch.ids.size(), width);
  for (size_t i = 0; i < batch.ids.size(); ++i) {
    float* x = out.row(i);
    words.row(static_cast<size_t>(batch.ids[i]), x);
    if (segments.rows())
      for (size_t d = 0; d < width; ++d) x[d] += segments.row(0)[d];
    const float* p = positions.row(position[i]);
    for (size_t d = 0; d < width; ++d) x[d] += p[d];
  }
  nn::normalize(runtime, out, norm);
}

void pick_rows(const nn::Matrix& from, std::span<const uint32_t> rows, nn::Matrix& to) {
  to.resize(rows.size(), from.columns());
  for (size_t i = 0; i < rows.size(); ++i)
    std::memcpy(to.row(i), from.row(rows[i]), from.columns() * sizeof(float));
}

void PostNormStack::run(std::span<const PostNormLayer* const> order, const Batch& batch,
                        std::span<const uint32_t> rows, nn::Matrix& hidden, const Trace& trace) {
  const size_t width = hidden.columns();
  for (size_t i = 0; i < order.size(); ++i) {
    const PostNormLayer& layer = *order[i];
    nn::linear(runtime_, hidden, layer.qkv, qkv_);
    nn::View q(qkv_.data(), qkv_.rows(), width, 3 * width);
    nn::View k(qkv_.data() + width, qkv_.rows(), width, 3 * width);
    nn::View v(qkv_.data() + 2 * width, qkv_.rows(), width, 3 * width);
    nn::attend(runtime_, attention_, batch.sequences, q, k, v, context_);
    // What nobody reads need not leave the last layer.
    if (i + 1 == order.size() && rows.size() < hidden.rows()) {
      pick_rows(context_, rows, picked_context_);
      pick_rows(hidden, rows, picked_);
      std::swap(context_, picked_context_);
      std::swap(hidden, picked_);
    }
    nn::View before = hidden;
    nn::linear(runtime_, context_, layer.attention_output, attended_, nn::Activation::none,
               &before);
    nn::normalize(runtime_, attended_, layer.attention_norm);
    nn::linear(runtime_, attended_, layer.up, inner_, activation_);
    nn::View middle = attended_;
    nn::linear(runtime_, inner_, layer.down, hidden, nn::Activation::none, &middle);
    nn::normalize(runtime_, hidden, layer.output_norm);
    if (trace) trace(fmt::format("layer {}", i), hidden);
  }
}

const nn::Matrix& TransformHead::run(const nn::Runtime& runtime, const nn::View& hidden) {
  nn::linear(runtime, hidden, dense, out, activation);
  nn::normalize(runtime, out, norm);
  return out;
}

nn::Linear load_decoder(WeightLoader& load, const Config& config, const std::string& embedding,
                        const std::string& decoder, const std::vector<std::string>& biases,
                        size_t vocabulary, size_t width) {
  nn::Linear layer;
  bool tied = config.flag("tie_word_embeddings", true);
  layer.weights = load.matrix(tied ? embedding : decoder, vocabulary, width);
  std::string bias = biases.front();
  for (const std::string& name : biases)
    if (load.has(name)) bias = name;
  layer.bias = load.vector(bias, vocabulary);
  return layer;
}

}  // namespace minpair::model
