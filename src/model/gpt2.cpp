// GPT-2 (Radford et al. 2019): learned positions, pre-norm layers, the output tied to the embedding
// table.

#include <fmt/format.h>

#include "model/causal.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm attention_norm, mlp_norm;
  nn::Linear qkv, attention_output, up, down;
};

class Gpt2 : public Decoder {
 public:
  explicit Gpt2(const Loading& from)
      : Decoder(from,
                {"n_layer", "n_embd", "n_head", "n_positions", from.config.size("n_ctx", 1024)}) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    activation_ = nn::find_activation(c.text("activation_function", "gelu_new"));
    shape_ = attention_shape(c, info.hidden, info.heads);
    shape_.after = 0;
    if (!c.flag("scale_attn_weights", true)) shape_.scale = 1;
    c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
    c.ignore({"reorder_and_upcast_attn", "predict_special_tokens", "n_special"});
    scale_by_layer_ = c.flag("scale_attn_by_inverse_layer_idx", false);

    // GPT-2 stores its linear layers as [inputs × outputs].
    WeightLoader load(runtime_, from.checkpoint, {"module.", "transformer."},
                      c.flag("linear_transposed", true));
    const size_t h = info.hidden, inner = c.size("n_inner", 4 * h);
    const double epsilon = c.real("layer_norm_epsilon", 1e-5);
    words_ = load.embedding("wte.weight", info.vocabulary, h);
    positions_ = load.table("wpe.weight", info.max_tokens, h);
    for (uint32_t i = 0; i < info.layers; ++i) {
      std::string p = fmt::format("h.{}.", i);
      layers_.push_back(
          {load.norm(p + "ln_1", h, epsilon), load.norm(p + "ln_2", h, epsilon),
           load.linear(p + "attn.c_attn", 3 * h, h), load.linear(p + "attn.c_proj", h, h),
           load.linear(p + "mlp.c_fc", inner, h), load.linear(p + "mlp.c_proj", h, inner)});
    }
    norm_ = load.norm("ln_f", h, epsilon);
    bool tied = c.flag("tie_word_embeddings", true) && !load.has("lm_head.weight");
    output_.weights = load.matrix(tied ? "wte.weight" : "lm_head.weight", info.vocabulary, h);
    load.finish("GPT-2", {"lm_head"});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = positions_.columns(), n = tree.nodes.size();
    begin(n, watch);
    embed(tree);
    for (size_t i = 0; i < n; ++i) {
      const float* position = positions_.row(tree.nodes[i].depth);
      for (size_t d = 0; d < h; ++d) hidden_.row(i)[d] += position[d];
    }
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      nn::AttentionShape shape = shape_;
      if (scale_by_layer_) shape.scale /= float(l + 1);
      nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
      see(Site::attention_input, l, normed_);
      nn::linear(runtime_, normed_, layer.qkv, qkv_);
      attention_.run(shape, tree, qkv_.part(0, h), qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, normed_, layer.up, inner_, activation_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

 private:
  bool scale_by_layer_ = false;
  nn::Matrix positions_, qkv_;
  std::vector<Layer> layers_;
};

}  // namespace

Family gpt2_family() {
  Gguf gguf{.architecture = "gpt2",
            .model_type = "gpt2",
            .keys = {{"embedding_length", "n_embd"},
                     {"block_count", "n_layer"},
                     {"feed_forward_length", "n_inner"},
                     {"attention.head_count", "n_head"},
                     {"context_length", "n_positions"}},
            .tensors = {{"token_embd.", "wte."},
                        {"position_embd.", "wpe."},
                        {"output_norm.", "ln_f."},
                        {"output.", "lm_head."}},
            .layers = "h.",
            .in_layer = {{"attn_norm.", "ln_1."},
                         {"attn_qkv.", "attn.c_attn."},
                         {"attn_output.", "attn.c_proj."},
                         {"ffn_norm.", "ln_2."},
                         {"ffn_up.", "mlp.c_fc."},
                         {"ffn_down.", "mlp.c_proj."}}};
  return {.model_types = {{"gpt2", "GPT-2, DistilGPT-2, German GPT-2, BabyLM baselines"}},
          .make = make<Decoder, Gpt2>,
          .gguf = {gguf}};
}

}  // namespace minpair::model
