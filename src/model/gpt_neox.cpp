// GPT-NeoX (Black et al. 2022; Pythia): rotary positions on a part of each head, attention and
// feed-forward side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm attention_norm, mlp_norm;
  nn::Linear qkv, attention_output, up, down;
};

class GptNeox : public Decoder {
 public:
  explicit GptNeox(const Loading& from) : Decoder(from, {}) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    activation_ = nn::find_activation(c.text("hidden_act", "gelu"));
    parallel_ = c.flag("use_parallel_residual", true);
    by_head_ = c.flag("qkv_by_head", true);
    shape_ = attention_shape(c, info.hidden, info.heads);
    shape_.after = 0;
    const double part = c.real_in({"rope_parameters", "partial_rotary_factor"}, 0.25);
    size_t turned =
        size_t(double(shape_.width) * c.real("rotary_pct", c.real("partial_rotary_factor", part)));
    Rope rope = rope_of(c, c.real("rotary_emb_base", 10000), turned);
    if (rope.scores != 1)
      throw bad_input("this rotary scaling is not supported for GPT-NeoX").at(c.file().string());
    rotary_ = nn::Rotary(std::move(rope.frequencies), shape_.width);
    c.ignore({"is_decoder", "type_vocab_size"});  // it is one, whatever it says

    WeightLoader load(runtime_, from.checkpoint, {"module.", "gpt_neox."});
    const size_t h = info.hidden, inner = c.size("intermediate_size");
    const double epsilon = c.real("layer_norm_eps", 1e-5);
    const bool bias = c.flag("attention_bias", true);
    words_ = load.embedding("embed_in.weight", info.vocabulary, h);
    for (uint32_t i = 0; i < info.layers; ++i) {
      std::string p = fmt::format("layers.{}.", i);
      layers_.push_back({load.norm(p + "input_layernorm", h, epsilon),
                         load.norm(p + "post_attention_layernorm", h, epsilon),
                         load.linear(p + "attention.query_key_value", 3 * h, h, bias),
                         load.linear(p + "attention.dense", h, h, bias),
                         load.linear(p + "mlp.dense_h_to_4h", inner, h),
                         load.linear(p + "mlp.dense_4h_to_h", h, inner)});
    }
    norm_ = load.norm("final_layer_norm", h, epsilon);
    bool tied = c.flag("tie_word_embeddings", false) && !load.has("embed_out.weight");
    output_.weights =
        load.matrix(tied ? "embed_in.weight" : "embed_out.weight", info.vocabulary, h);
    load.finish("GPT-NeoX", {"embed_out"});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = words_.width();
    const std::vector<uint32_t> all_positions = tree.positions();
    begin(tree.nodes.size(), watch);
    embed(tree);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      const auto positions = std::span(all_positions).first(hidden_.rows());
      nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
      see(Site::attention_input, l, normed_);
      nn::linear(runtime_, normed_, layer.qkv, qkv_);
      sort_heads();
      rotary_.apply(runtime_, positions, shape_.heads, query_.data(), h);
      rotary_.apply(runtime_, positions, shape_.heads, key_.data(), h);
      attention_.run(shape_, tree, query_, key_, value_, context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, parallel_ ? hidden_ : attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, normed_, layer.up, inner_, activation_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

 private:
  // Stored head by head, query, key and value of each together; or all queries first.
  void sort_heads() {
    const size_t n = qkv_.rows(), w = shape_.width, h = shape_.heads * w;
    const size_t next_head = by_head_ ? 3 * w : w, next = by_head_ ? w : h;
    query_.resize(n, h);
    key_.resize(n, h);
    value_.resize(n, h);
    runtime_.parallel(n, [&](size_t i, int) {
      for (size_t a = 0; a < shape_.heads; ++a) {
        const float* from = qkv_.row(i) + a * next_head;
        std::copy(from, from + w, query_.row(i) + a * w);
        std::copy(from + next, from + next + w, key_.row(i) + a * w);
        std::copy(from + 2 * next, from + 2 * next + w, value_.row(i) + a * w);
      }
    });
  }

  bool parallel_ = true, by_head_ = true;
  nn::Rotary rotary_;
  std::vector<Layer> layers_;
  nn::Matrix qkv_, query_, key_, value_;
};

Gguf::Settings gguf_settings(const checkpoint::Metadata& m) {
  Gguf::Settings settings;
  if (auto parallel = m.boolean("gptneox.use_parallel_residual"))
    settings.emplace_back("use_parallel_residual", *parallel);
  auto turned = m.integer("gptneox.rope.dimension_count"),
       width = m.integer("gptneox.embedding_length"),
       heads = m.integer("gptneox.attention.head_count");
  if (turned && width && heads && *width >= *heads && *heads > 0)
    settings.emplace_back("rotary_pct", double(*turned) / double(*width / *heads));
  settings.emplace_back("qkv_by_head", false);  // all queries, all keys, all values
  return settings;
}

}  // namespace

Family gpt_neox_family() {
  Gguf gguf{.architecture = "gptneox",
            .model_type = "gpt_neox",
            .keys = {{"attention.layer_norm_epsilon", "layer_norm_eps"}},
            .tensors = {{"token_embd.", "embed_in."},
                        {"output_norm.", "final_layer_norm."},
                        {"output.", "embed_out."}},
            .layers = "layers.",
            .in_layer = {{"attn_norm.", "input_layernorm."},
                         {"attn_qkv.", "attention.query_key_value."},
                         {"attn_output.", "attention.dense."},
                         {"ffn_norm.", "post_attention_layernorm."},
                         {"ffn_up.", "mlp.dense_h_to_4h."},
                         {"ffn_down.", "mlp.dense_4h_to_h."}},
            .more = gguf_settings};
  return {.model_types = {{"gpt_neox", "Pythia, GPT-NeoX 20B, RedPajama-INCITE"}},
          .make = make<Decoder, GptNeox>,
          .gguf = {gguf}};
}

}  // namespace minpair::model
