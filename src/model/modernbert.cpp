// ModernBERT (Warner et al. 2024): rotary positions, pre-norm layers without biases, gated
// feed-forward; most layers see only a window around each token.

#include <fmt/format.h>

#include "base/error.h"
#include "model/architecture.h"
#include "model/modernbert.h"

namespace minpair::model {

namespace {

using Layer = ModernBertLayer;

const std::string kWords = "embeddings.tok_embeddings.weight";

class ModernBert : public Encoder {
 public:
  explicit ModernBert(const Loading& from) : Encoder(from.runtime) {
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
    rotary_ = modernbert_rotary(c, global_.width);
    for (const char* key : {"causal_mask", "is_causal"})
      c.must_be(key, false, "tokens that do not see later ones are not supported");
    c.ignore({"position_embedding_type", "layer_norm_eps", "deterministic_flash_attn",
              "reference_compile", "repad_logits_with_grad", "sparse_prediction",
              "sparse_pred_ignore_index", "tie_word_embeddings"});

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const double epsilon = c.real("norm_eps", 1e-5);
    const bool norm_bias = c.flag("norm_bias", false);
    words_ = load.embedding(kWords, info.vocabulary, width_);
    norm_ = load.norm("embeddings.norm", width_, epsilon, norm_bias);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(modernbert_layer(load, c, i, width_, {"Wqkv"}));
    final_norm_ = load.norm("final_norm", width_, epsilon, norm_bias);
    if (from.with_head) {
      head_.dense = load.linear("head.dense", width_, width_, c.flag("classifier_bias", false));
      head_.activation = nn::find_activation(c.text("classifier_activation", "gelu"));
      head_.norm = load.norm("head.norm", width_, epsilon, norm_bias);
      const bool tied = is_tied(c, load, "decoder.weight", kWords);
      decoder_.weights = load.matrix(tied ? kWords : "decoder.weight", info.vocabulary, width_);
      if (c.flag("decoder_bias", true))
        decoder_.bias = load.vector("decoder.bias", info.vocabulary);
    }
    load.finish("ModernBERT", {"head.", "decoder."});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    embed(batch, words_, watch, hidden_);
    nn::normalize(runtime_, hidden_, norm_);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, batch.late, hidden_);
      nn::linear(runtime_, attention_input(layer, l), layer.qkv, qkv_);
      nn::Rotary& rotary = layer.local ? rotary_.local : rotary_.global;
      rotary.apply(runtime_, batch.positions_of(qkv_.rows()), 2 * global_.heads, qkv_.data(),
                   qkv_.columns());
      nn::attend(runtime_, layer.local ? local_ : global_, batch.sequences_of(qkv_.rows()),
                 qkv_.part(0, width_), qkv_.part(width_, width_), qkv_.part(2 * width_, width_),
                 context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, normed_, layer.up, wide_);
      nn::gated(runtime_, wide_, activation_, inner_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(hidden_);
  }

  void finish(nn::Matrix& stream) override { nn::normalize(runtime_, stream, final_norm_); }
  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  const nn::Matrix& attention_input(const Layer& layer, size_t l) {
    if (layer.attention_norm.weight.empty()) return see_copy(Site::attention_input, l, hidden_);
    nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
    see(Site::attention_input, l, normed_);
    return normed_;
  }

  size_t width_ = 0;
  nn::Activation activation_;
  nn::AttentionShape global_, local_;
  ModernBertRotary rotary_;
  Embedding words_;
  nn::Norm norm_, final_norm_;
  std::vector<Layer> layers_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix hidden_, normed_, qkv_, context_, attended_, wide_, inner_;
};

}  // namespace

ModernBertRotary modernbert_rotary(const Config& c, size_t width) {
  double global = c.real("global_rope_theta", 160000);
  // Null is the global one, as transformers 4 has it.
  double local = c.real("local_rope_theta", c.says("local_rope_theta") ? global : 10000);
  for (const char* layers : {"full_attention", "sliding_attention"})
    if (c.text_in({"rope_parameters", layers, "rope_type"}, "default") != "default")
      throw bad_input("scaled rotary positions are not supported for ModernBERT")
          .at(c.file().string());
  global = c.real_in({"rope_parameters", "full_attention", "rope_theta"}, global);
  local = c.real_in({"rope_parameters", "sliding_attention", "rope_theta"}, local);
  return {nn::Rotary(nn::rotary_frequencies(global, width)),
          nn::Rotary(nn::rotary_frequencies(local, width))};
}

ModernBertLayer modernbert_layer(WeightLoader& load, const Config& c, size_t number, size_t width,
                                 const std::vector<std::string>& qkv) {
  const std::string p = fmt::format("layers.{}.", number);
  const double epsilon = c.real("norm_eps", 1e-5);
  const bool norm_bias = c.flag("norm_bias", false), bias = c.flag("attention_bias", false);
  const bool mlp_bias = c.flag("mlp_bias", false);
  const size_t inner = c.size("intermediate_size", 1152);
  const std::vector<std::string> types = c.texts("layer_types");
  if (!types.empty() && types.size() != c.size("num_hidden_layers", 22))
    throw bad_input("\"layer_types\" speaks of another number of layers").at(c.file().string());
  const size_t every = c.size("global_attn_every_n_layers", 3);
  std::vector<std::string> names;
  for (const std::string& name : qkv) names.push_back(p + "attn." + name);
  ModernBertLayer layer;
  layer.local = number < types.size() ? types[number] == "sliding_attention" : number % every != 0;
  if (number > 0) layer.attention_norm = load.norm(p + "attn_norm", width, epsilon, norm_bias);
  layer.qkv = load.stacked(names, 3 * width / names.size(), width, bias);
  layer.attention_output = load.linear(p + "attn.Wo", width, width, bias);
  layer.mlp_norm = load.norm(p + "mlp_norm", width, epsilon, norm_bias);
  layer.up = load.linear(p + "mlp.Wi", 2 * inner, width, mlp_bias);
  layer.down = load.linear(p + "mlp.Wo", width, inner, mlp_bias);
  return layer;
}

Family modernbert_family() {
  return {.model_types = {{"modernbert", "ModernBERT, mmBERT"}}, .make = make<Encoder, ModernBert>};
}

}  // namespace minpair::model
