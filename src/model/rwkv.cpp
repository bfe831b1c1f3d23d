// RWKV 4 (Peng et al. 2023): each channel remembers a weighted mean of past values, whose weights
// fade with time; what a layer reads is mixed with what it read one token before.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

// How much of a channel is this token's; the rest is that of the one before.
using Mix = std::vector<float>;

struct Layer {
  nn::Norm time_norm, channel_norm;
  Mix time_key_mix, time_value_mix, time_gate_mix, channel_key_mix, channel_gate_mix;
  std::vector<float> decay, bonus;  // what a step costs; how the token itself counts
  nn::Linear time_key, time_value, time_gate, time_output, channel_key, channel_gate, channel_value;
};

class Rwkv : public Decoder {
 public:
  explicit Rwkv(const Loading& from) : Decoder(from, {.heads = "", .tokens = ""}) {
    const Config& c = from.config;
    width_ = c.size("attention_hidden_size", from.info.hidden);
    const int64_t every = c.integer("rescale_every", 6);
    halved_every_ = every > 0 ? size_t(every) : 0;
    c.ignore({"context_length", "attention_hidden_size"});
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    embed(tree, watch);
    nn::normalize(runtime_, hidden_, embedding_norm_);
    see(Site::embeddings, 0, hidden_);
    float times = 1;  // the stream is halved now and then, and what is added with it
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      mix_times(tree, layer);
      add(Site::attention_output, l, context_, layer.time_output, hidden_, attended_, {}, times);
      see(Site::attention_residual, l, attended_);
      mix_channels(tree, layer, l);
      add(Site::mlp_output, l, context_, attended_, hidden_, {}, times);
      if (halved_every_ && (l + 1) % halved_every_ == 0) {
        times /= 2;
        multiply(hidden_, 0.5f);
      }
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  float left_of(size_t layer) const override {
    return left_of_halved(layer, layers_.size(), halved_every_);
  }
  bool attends() const override { return false; }
  query::SiteSet sites() const override { return kSitesWithoutHeads; }

 private:
  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "rwkv."});
    const size_t h = info.hidden;
    const double epsilon = c.real("layer_norm_epsilon", 1e-5);
    words_ = load.embedding("embeddings.weight", info.vocabulary, h);
    embedding_norm_ = load.norm("blocks.0.pre_ln", h, epsilon);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("blocks.{}.", i), h,
                                   c.size("intermediate_size", 4 * h), epsilon));
    norm_ = load.norm("ln_out", h, 1e-5);  // whatever layer_norm_epsilon says
    const bool tied = is_tied(c, load, "head.weight", "embeddings.weight", false);
    output_.weights = load.matrix(tied ? "embeddings.weight" : "head.weight", info.vocabulary, h);
    info.parameters = load.finish("RWKV", {"head"});
  }

  Layer load_layer(WeightLoader& load, const std::string& p, size_t h, size_t inner,
                   double epsilon) const {
    const std::string t = p + "attention.", f = p + "feed_forward.";
    auto mix = [&](const std::string& name) { return load.numbers(name, {1, 1, int64_t(h)}); };
    Layer layer;
    layer.time_norm = load.norm(p + "ln1", h, epsilon);
    layer.channel_norm = load.norm(p + "ln2", h, epsilon);
    layer.time_key_mix = mix(t + "time_mix_key");
    layer.time_value_mix = mix(t + "time_mix_value");
    layer.time_gate_mix = mix(t + "time_mix_receptance");
    layer.channel_key_mix = mix(f + "time_mix_key");
    layer.channel_gate_mix = mix(f + "time_mix_receptance");
    layer.decay = load.vector(t + "time_decay", width_);
    for (float& d : layer.decay) d = -std::exp(d);
    layer.bonus = load.vector(t + "time_first", width_);
    layer.time_key = load.linear(t + "key", width_, h, false);
    layer.time_value = load.linear(t + "value", width_, h, false);
    layer.time_gate = load.linear(t + "receptance", width_, h, false);
    layer.time_output = load.linear(t + "output", h, width_, false);
    layer.channel_key = load.linear(f + "key", inner, h, false);
    layer.channel_gate = load.linear(f + "receptance", h, h, false);
    layer.channel_value = load.linear(f + "value", h, inner, false);
    return layer;
  }

  // normed_, mixed with the row of the token before, through a linear layer.
  void shifted(const PrefixTree& tree, const Mix& mix, const nn::Linear& layer, nn::Matrix& out) {
    mixed_.resize(normed_.rows(), normed_.columns());
    runtime_.parallel(normed_.rows(), [&](size_t i, int) {
      const uint32_t parent = tree.nodes[i].parent;
      const float *now = normed_.row(i),
                  *before = parent == PrefixTree::none ? nullptr : normed_.row(parent);
      for (size_t d = 0; d < normed_.columns(); ++d)
        mixed_.row(i)[d] = now[d] * mix[d] + (before ? before[d] * (1 - mix[d]) : 0);
    });
    nn::linear(runtime_, mixed_, layer, out);
  }

  // Into context_.
  void mix_times(const PrefixTree& tree, const Layer& layer) {
    nn::normalize(runtime_, hidden_, layer.time_norm, normed_);
    shifted(tree, layer.time_key_mix, layer.time_key, key_);
    shifted(tree, layer.time_value_mix, layer.time_value, value_);
    shifted(tree, layer.time_gate_mix, layer.time_gate, gate_);
    context_.resize(normed_.rows(), width_);
    std::vector<float> first(3 * nn::kPanel);
    std::fill(first.end() - nn::kPanel, first.end(), -1e38f);
    scan(
        runtime_, tree, normed_.rows(), (width_ + nn::kPanel - 1) / nn::kPanel, first,
        [&](uint32_t node, size_t group, std::vector<float>& state) {
          const size_t c = group * nn::kPanel, count = std::min(nn::kPanel, width_ - c);
          float* out = context_.row(node) + c;
          runtime_.kernels().take_mean({.sum = state.data(),
                                        .weights = state.data() + nn::kPanel,
                                        .largest = state.data() + 2 * nn::kPanel,
                                        .key = key_.row(node) + c,
                                        .value = value_.row(node) + c,
                                        .bonus = layer.bonus.data() + c,
                                        .decay = layer.decay.data() + c,
                                        .out = out,
                                        .channels = count});
          runtime_.kernels().gate(nn::Activation::sigmoid, gate_.row(node) + c, out, out, count);
        },
        1);
  }

  void mix_channels(const PrefixTree& tree, const Layer& layer, size_t l) {
    nn::normalize(runtime_, attended_, layer.channel_norm, normed_);
    shifted(tree, layer.channel_key_mix, layer.channel_key, inner_);
    gate_rows(runtime_, nn::Activation::relu, inner_, inner_);
    see(Site::mlp_inner, l, inner_);
    nn::linear(runtime_, inner_, layer.channel_value, context_);
    shifted(tree, layer.channel_gate_mix, layer.channel_gate, gate_);
    gate_rows(runtime_, nn::Activation::sigmoid, gate_, context_);
  }

  size_t width_ = 0, halved_every_ = 0;
  nn::Norm embedding_norm_;
  std::vector<Layer> layers_;
  nn::Matrix mixed_, key_, value_, gate_;
};

}  // namespace

Family rwkv_family() {
  return {.model_types = {{"rwkv", "RWKV 4 169M to 14B"}},
          .make = make<Decoder, Rwkv>,
          .sites = [](std::string_view) { return kSitesWithoutHeads; }};
}

}  // namespace minpair::model
