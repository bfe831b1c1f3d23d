// ModernBERT's layers, each token seeing only those before it: the decoders of Ettin (Weller et al.
// 2025), trained beside encoders on the same text. Between the last norm and the output there is
// the masked model's transforming head.

#include <fmt/format.h>

#include "base/error.h"
#include "model/causal.h"
#include "model/modernbert.h"

namespace minpair::model {
namespace {

using Layer = ModernBertLayer;

class ModernBertDecoder : public Decoder {
 public:
  explicit ModernBertDecoder(const Loading& from) : Decoder(from, {}) {
    const Config& c = from.config;
    activation_ = nn::find_activation(c.text("hidden_activation", "gelu"));
    shape_ = attention_shape(c, from.info.hidden, from.info.heads);
    shape_.after = 0;
    window_ = c.size("local_attention", 128) / 2;
    // Transformers 4 makes it anew of the other, 5 keeps it.
    if (c.has("sliding_window") && c.has("local_attention") &&
        c.size("sliding_window") != c.size("local_attention") / 2)
      throw bad_input("\"sliding_window\" must be half of \"local_attention\"")
          .at(c.file().string())
          .hint(
              "versions of transformers do not agree on which counts; keep the one that is meant");
    if (c.has("sliding_window")) window_ = c.size("sliding_window");
    if (window_ == 0) throw bad_input("\"local_attention\" is too small").at(c.file().string());
    rotary_ = modernbert_rotary(c, shape_.width);
    for (const char* key : {"causal_mask", "is_causal"})
      c.must_be(key, true, "a decoder's tokens do not see later ones");
    c.ignore({"initializer_cutoff_factor", "sliding_window", "layer_norm_eps",
              "position_embedding_type", "deterministic_flash_attn", "reference_compile",
              "repad_logits_with_grad", "sparse_prediction", "sparse_pred_ignore_index"});
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = shape_.heads * shape_.width;
    const std::vector<uint32_t> all_positions = tree.positions();
    embed(tree, watch);
    nn::normalize(runtime_, hidden_, embedding_norm_);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      const auto positions = std::span(all_positions).first(hidden_.rows());
      nn::AttentionShape shape = shape_;
      if (layer.local) shape.before = window_ - 1;
      nn::linear(runtime_, attention_input(layer, l), layer.qkv, qkv_);
      nn::Rotary& rotary = layer.local ? rotary_.local : rotary_.global;
      rotary.apply(runtime_, positions, 2 * shape.heads, qkv_.data(), qkv_.columns());
      attention_.run(shape, tree, qkv_.part(0, h), qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, normed_, layer.up, wide_);
      nn::gated(runtime_, wide_, activation_, inner_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  void finish(nn::Matrix& stream) override {
    Decoder::finish(stream);
    head_.run(runtime_, stream);
    std::swap(stream, head_.out);
  }
  bool stream_is_sum() const override { return false; }  // the head is no sum of its parts

 private:
  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const size_t h = info.hidden;
    const double epsilon = c.real("norm_eps", 1e-5);
    const bool norm_bias = c.flag("norm_bias", false);
    const std::string words = "embeddings.tok_embeddings.weight";
    words_ = load.embedding(words, info.vocabulary, h);
    embedding_norm_ = load.norm("embeddings.norm", h, epsilon, norm_bias);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(modernbert_layer(load, c, i, h, {"q_proj", "k_proj", "v_proj"}));
    norm_ = load.norm("final_norm", h, epsilon, norm_bias);
    head_.dense = load.linear("lm_head.dense", h, h, c.flag("classifier_bias", false));
    head_.activation = nn::find_activation(c.text("classifier_activation", "gelu"));
    head_.norm = load.norm("lm_head.norm", h, epsilon, norm_bias);
    const bool tied = is_tied(c, load, "decoder.weight", words);
    output_.weights = load.matrix(tied ? words : "decoder.weight", info.vocabulary, h);
    if (c.flag("decoder_bias", true)) output_.bias = load.vector("decoder.bias", info.vocabulary);
    load.finish("ModernBERT's decoder", {"lm_head.", "decoder."});
    info.parameters = load.parameters();
  }

  const nn::Matrix& attention_input(const Layer& layer, size_t l) {
    if (layer.attention_norm.weight.empty()) return see_copy(Site::attention_input, l, hidden_);
    nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
    see(Site::attention_input, l, normed_);
    return normed_;
  }

  size_t window_ = 0;
  ModernBertRotary rotary_;
  nn::Norm embedding_norm_;
  std::vector<Layer> layers_;
  TransformHead head_;
  nn::Matrix qkv_, wide_;
};

}  // namespace

Family modernbert_decoder_family() {
  return {.model_types = {{"modernbert-decoder", "Ettin's decoders, 17M to 1B"}},
          .make = make<Decoder, ModernBertDecoder>};
}

}  // namespace minpair::model
