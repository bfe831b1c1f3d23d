// EuroBERT (Boizard et al. 2025): Llama's layers in which all tokens see each other, trained to
// fill in masked tokens.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/architecture.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm attention_norm, mlp_norm;
  nn::Linear query, key_value, attention_output, gate_up, down;
};

class EuroBert : public Encoder {
 public:
  explicit EuroBert(const Loading& from) : Encoder(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    read_sizes(from, {.usual_tokens = 8192});
    activation_ = nn::find_activation(c.text("hidden_act", "silu"));
    shape_ = attention_shape(c, info.hidden, info.heads);
    shape_.key_heads = c.size("num_key_value_heads", info.heads);
    shape_.width = c.size("head_dim", shape_.width);
    if (shape_.heads % shape_.key_heads || shape_.width % 2)
      throw bad_input("the heads do not fit: num_attention_heads, num_key_value_heads, head_dim")
          .at(c.file().string());
    Rope rope = rope_of(c, 250000, shape_.width);
    shape_.scale = float(rope.scores / std::sqrt(double(shape_.width)));
    info.max_tokens = uint32_t(std::min<size_t>(info.max_tokens, rope.most_tokens));
    rotary_ = nn::Rotary(std::move(rope.frequencies));
    c.must_be("is_causal", false, "tokens that do not see later ones are not supported");
    c.ignore({"pretraining_tp", "classifier_pooling", "clf_pooling", "tie_word_embeddings"});
    load_weights(from);
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t kv = shape_.key_heads * shape_.width;
    embed(batch, watch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, batch.late, hidden_);
      attention_input(l, layer.attention_norm);
      nn::linear(runtime_, normed_, layer.query, query_);
      nn::linear(runtime_, normed_, layer.key_value, key_value_);
      const auto positions = batch.positions_of(query_.rows());
      rotary_.apply(runtime_, positions, shape_.heads, query_.data(), query_.columns());
      rotary_.apply(runtime_, positions, shape_.key_heads, key_value_.data(), key_value_.columns());
      nn::attend(runtime_, shape_, batch.sequences_of(query_.rows()), query_,
                 key_value_.part(0, kv), key_value_.part(kv, kv), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      feed_forward(l, normed_, layer.gate_up, true, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm();
  }

 private:
  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const size_t h = info.hidden, q = shape_.heads * shape_.width;
    const size_t kv = shape_.key_heads * shape_.width, inner = c.size("intermediate_size");
    const bool bias = c.flag("attention_bias", false), mlp_bias = c.flag("mlp_bias", false);
    auto norm = [&](const std::string& name) {
      return load.rms_norm(name, h, c.real("rms_norm_eps", 1e-5));
    };
    words_ = load.embedding("embed_tokens.weight", info.vocabulary, h);
    for (size_t i = 0; i < info.layers; ++i) {
      const std::string p = fmt::format("layers.{}.", i), a = p + "self_attn.";
      Layer layer;
      layer.attention_norm = norm(p + "input_layernorm");
      layer.query = load.linear(a + "q_proj", q, h, bias);
      layer.key_value = load.stacked({a + "k_proj", a + "v_proj"}, kv, h, bias);
      layer.attention_output = load.linear(a + "o_proj", h, q, bias);
      layer.mlp_norm = norm(p + "post_attention_layernorm");
      layer.gate_up = load.stacked({p + "mlp.gate_proj", p + "mlp.up_proj"}, inner, h, mlp_bias);
      layer.down = load.linear(p + "mlp.down_proj", h, inner, mlp_bias);
      layers_.push_back(std::move(layer));
    }
    norm_ = norm("norm");
    const bool tied = is_tied(c, load, "lm_head.weight", "embed_tokens.weight", false);
    output_.weights =
        load.matrix(tied ? "embed_tokens.weight" : "lm_head.weight", info.vocabulary, h);
    if (mlp_bias) output_.bias = load.vector("lm_head.bias", info.vocabulary);
    info.parameters = load.finish("EuroBERT", {"lm_head"});
  }

  nn::Rotary rotary_;
  std::vector<Layer> layers_;
  nn::Matrix query_, key_value_;
};

}  // namespace

Family eurobert_family() {
  return {.model_types = {{"eurobert", "EuroBERT 210M to 2.1B"}}, .make = make<Encoder, EuroBert>};
}

}  // namespace minpair::model
