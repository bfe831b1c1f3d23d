// ModernBERT (Warner et al. 2024): rotary positions, pre-norm layers without biases, gated
// feed-forward; most layers see only a window around each token.

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"

namespace minpair::model {

namespace {

struct Layer {
  bool local = false;
  nn::Norm attention_norm;  // the first layer has none
  nn::Linear qkv, attention_output;
  nn::Norm norm;
  nn::Linear up, down;  // `up` gives the input and its gate, side by side
};

class ModernBert : public Encoder {
 public:
  explicit ModernBert(const Loading& from) : runtime_(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    info.layers = c.count("num_hidden_layers", 22);
    info.hidden = c.count("hidden_size", 768);
    info.heads = c.count("num_attention_heads", 12);
    info.vocabulary = c.count("vocab_size", 50368);
    info.max_tokens = c.count("max_position_embeddings", 8192);
    width_ = info.hidden;
    activation_ = nn::find_activation(c.text("hidden_activation", "gelu"));
    global_ = attention_shape(c, width_, info.heads);
    local_ = global_;
    local_.before = local_.after = static_cast<size_t>(c.size("local_attention", 128) / 2);
    set_rotary(c);

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const double epsilon = c.real("norm_eps", 1e-5);
    const bool norm_bias = c.flag("norm_bias", false);
    words_ = load.embedding("embeddings.tok_embeddings.weight", info.vocabulary, width_);
    norm_ = load.norm("embeddings.norm", width_, epsilon, norm_bias);
    for (size_t i = 0; i < info.layers; ++i) layers_.push_back(load_one(load, c, i));
    final_norm_ = load.norm("final_norm", width_, epsilon, norm_bias);
    if (from.with_head) {
      head_.dense = load.linear("head.dense", width_, width_, c.flag("classifier_bias", false));
      head_.activation = nn::find_activation(c.text("classifier_activation", "gelu"));
      head_.norm = load.norm("head.norm", width_, epsilon, norm_bias);
      bool tied = c.flag("tie_word_embeddings", true);
      decoder_.weights = load.matrix(tied ? "embeddings.tok_embeddings.weight" : "decoder.weight",
                                     info.vocabulary, width_);
      if (c.flag("decoder_bias", true))
        decoder_.bias = load.vector("decoder.bias", info.vocabulary);
    }
    load.finish("ModernBERT", {"head.", "decoder."});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Trace& trace) override {
    hidden_.resize(batch.ids.size(), width_);
    for (size_t i = 0; i < batch.ids.size(); ++i)
      words_.row(static_cast<size_t>(batch.ids[i]), hidden_.row(i));
    nn::normalize(runtime_, hidden_, norm_);
    if (trace) trace("embeddings", hidden_);
    for (size_t i = 0; i < layers_.size(); ++i) {
      attend(layers_[i], batch);
      bool last = i + 1 == layers_.size();
      if (last && rows.size() < hidden_.rows()) {
        pick_rows(context_, rows, picked_);
        std::swap(context_, picked_);
        pick_rows(hidden_, rows, picked_);
        std::swap(hidden_, picked_);
      }
      feed_forward(layers_[i]);
      if (last) nn::normalize(runtime_, hidden_, final_norm_);
      if (trace) trace(fmt::format("layer {}", i), hidden_);
    }
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  void set_rotary(const Config& c) {
    double global = c.real("global_rope_theta", 160000), local = c.real("local_rope_theta", 10000);
    global = c.real_in({"rope_parameters", "full_attention", "rope_theta"}, global);
    local = c.real_in({"rope_parameters", "sliding_attention", "rope_theta"}, local);
    global_rotary_ = nn::Rotary(nn::rotary_frequencies(global, global_.width));
    local_rotary_ = nn::Rotary(nn::rotary_frequencies(local, global_.width));
  }

  Layer load_one(WeightLoader& load, const Config& c, size_t i) const {
    const std::string p = fmt::format("layers.{}.", i);
    const double epsilon = c.real("norm_eps", 1e-5);
    const bool norm_bias = c.flag("norm_bias", false), bias = c.flag("attention_bias", false);
    const bool mlp_bias = c.flag("mlp_bias", false);
    const size_t inner = c.size("intermediate_size", 1152);
    std::vector<std::string> types = c.texts("layer_types");
    Layer layer;
    layer.local = i < types.size() ? types[i] == "sliding_attention"
                                   : i % c.size("global_attn_every_n_layers", 3) != 0;
    if (i > 0) layer.attention_norm = load.norm(p + "attn_norm", width_, epsilon, norm_bias);
    layer.qkv = load.linear(p + "attn.Wqkv", 3 * width_, width_, bias);
    layer.attention_output = load.linear(p + "attn.Wo", width_, width_, bias);
    layer.norm = load.norm(p + "mlp_norm", width_, epsilon, norm_bias);
    layer.up = load.linear(p + "mlp.Wi", 2 * inner, width_, mlp_bias);
    layer.down = load.linear(p + "mlp.Wo", width_, inner, mlp_bias);
    return layer;
  }

  // From hidden_ to context_, before the output matrix.
  void attend(const Layer& layer, const Batch& batch) {
    const nn::Matrix* in = &hidden_;
    if (!layer.attention_norm.weight.empty()) {
      nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
      in = &normed_;
    }
    nn::linear(runtime_, *in, layer.qkv, qkv_);
    nn::Rotary& rotary = layer.local ? local_rotary_ : global_rotary_;
    rotary.apply(runtime_, batch.positions, 2 * global_.heads, qkv_.data(), qkv_.columns());
    nn::View q(qkv_.data(), qkv_.rows(), width_, 3 * width_);
    nn::View k(qkv_.data() + width_, qkv_.rows(), width_, 3 * width_);
    nn::View v(qkv_.data() + 2 * width_, qkv_.rows(), width_, 3 * width_);
    nn::attend(runtime_, layer.local ? local_ : global_, batch.sequences, q, k, v, context_);
  }

  void feed_forward(const Layer& layer) {
    nn::View before = hidden_;
    nn::linear(runtime_, context_, layer.attention_output, attended_, nn::Activation::none,
               &before);
    nn::normalize(runtime_, attended_, layer.norm, normed_);
    nn::linear(runtime_, normed_, layer.up, wide_);
    nn::gated(runtime_, wide_, activation_, inner_);
    nn::View middle = attended_;
    nn::linear(runtime_, inner_, layer.down, hidden_, nn::Activation::none, &middle);
  }

  const nn::Runtime& runtime_;
  size_t width_ = 0;
  nn::Activation activation_;
  nn::AttentionShape global_, local_;
  nn::Rotary global_rotary_, local_rotary_;
  Embedding words_;
  nn::Norm norm_, final_norm_;
  std::vector<Layer> layers_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix hidden_, normed_, qkv_, context_, attended_, wide_, inner_, picked_;
};

}  // namespace

std::unique_ptr<Encoder> make_modernbert(const Loading& from) {
  return std::make_unique<ModernBert>(from);
}

}  // namespace minpair::model
