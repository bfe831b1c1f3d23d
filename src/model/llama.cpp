// Llama (Touvron et al. 2023) and its family: RMS norm, rotary positions, grouped queries, a gated
// feed-forward layer. What Mistral, Qwen 2 and 3, and Gemma 1 to 3 do otherwise is stated in
// `Variant`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

struct Variant {
  bool qkv_bias = false;    // Qwen 2
  bool head_norms = false;  // Qwen 3, Gemma 3: queries and keys are normalised head by head
  bool norms_minus_one = false;
  bool gemma = false;  // norms store weight - 1, embeddings are scaled by the root of the width
  bool norms_around =
      false;               // Gemma 2 and 3: also after attention and after the feed-forward layer
  double query_scale = 0;  // of attention; 0: the root of the head's width
  float attention_cap = 0, logit_cap = 0;
  size_t window = 0;           // sliding window; 0: none
  std::vector<bool> windowed;  // which layers have it
  double local_theta = 0;      // Gemma 3: another rotary base in windowed layers
  bool interleaved = false;    // rotary pairs are neighbours (GGUF's llama), not halves
};

Variant variant_of(const Config& c, const std::string& type, size_t layers) {
  Variant v;
  v.gemma = type.starts_with("gemma");
  v.norms_minus_one = v.gemma && !c.flag("norm_weights_complete", false);
  v.norms_around = type == "gemma2" || type.starts_with("gemma3");
  v.head_norms = type == "qwen3" || type.starts_with("gemma3");
  v.qkv_bias = type == "qwen2" || c.flag("attention_bias", false);
  v.interleaved = c.flag("rope_interleaved", false);
  if (c.has("query_pre_attn_scalar")) v.query_scale = c.real("query_pre_attn_scalar", 256);
  // What a configuration does not say is as in the first of its kind; null is none.
  auto cap = [&](const char* key, double usual) {
    return float(c.says(key) ? c.real(key, 0) : usual);
  };
  if (type == "gemma2") v.attention_cap = cap("attn_logit_softcapping", 50);
  if (v.gemma) v.logit_cap = cap("final_logit_softcapping", type == "gemma2" ? 30 : 0);
  bool uses_window = type == "mistral" || type == "gemma2" || type.starts_with("gemma3") ||
                     (type.starts_with("qwen") && c.flag("use_sliding_window", false));
  if (uses_window && (c.has("sliding_window") || !c.says("sliding_window")))
    v.window = c.size("sliding_window", 4096);
  c.ignore({"sliding_window", "use_sliding_window", "attn_logit_softcapping",
            "final_logit_softcapping", "rope_local_base_freq"});
  // Layers say what they are, or a pattern does: every n-th layer sees everything.
  std::vector<std::string> kinds = c.texts("layer_types");
  size_t pattern = type == "gemma2"             ? 2
                   : type.starts_with("gemma3") ? c.size("sliding_window_pattern", 6)
                                                : 0;
  // Qwen: the first so many layers see everything.
  int64_t first_windowed = type.starts_with("qwen") ? c.integer("max_window_layers", 28) : 0;
  for (size_t i = 0; i < layers; ++i) {
    bool local = pattern ? (i + 1) % pattern != 0 : int64_t(i) >= first_windowed;
    if (i < kinds.size()) local = kinds[i] == "sliding_attention";
    v.windowed.push_back(v.window > 0 && local);
  }
  if (type.starts_with("gemma3")) v.local_theta = c.real("rope_local_base_freq", 10000);
  c.must_be("use_bidirectional_attention", false, "this is no causal language model");
  return v;
}

struct Layer {
  nn::Norm attention_norm, after_attention, mlp_norm, after_mlp, query_norm, key_norm;
  nn::Linear query, key_value, attention_output, gate_up, down;
};

class Llama : public Decoder {
 public:
  explicit Llama(const Loading& from) : Decoder(from, {}) {
    const Config& c = from.config;
    const query::ModelInfo& info = from.info;
    variant_ = variant_of(c, info.architecture, info.layers);
    // Gemma's first configurations say "gelu" and mean its approximation by tanh.
    std::string act = c.text("hidden_act", "silu");
    if (variant_.gemma && act == "gelu") act = "gelu_pytorch_tanh";
    activation_ = nn::find_activation(c.text("hidden_activation", act));
    shape_.heads = info.heads;
    shape_.key_heads = c.size("num_key_value_heads", info.heads);
    shape_.width = c.size("head_dim", info.hidden / info.heads);
    if (shape_.heads % shape_.key_heads || shape_.width == 0 || shape_.width % 2)
      throw bad_input("the heads do not fit: num_attention_heads, num_key_value_heads, head_dim")
          .at(c.file().string());
    shape_.scale = float(
        1 / std::sqrt(variant_.query_scale > 0 ? variant_.query_scale : double(shape_.width)));
    shape_.after = 0;
    shape_.cap = variant_.attention_cap;
    set_rotary(from);
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t kv = shape_.key_heads * shape_.width;
    const std::vector<uint32_t> all_positions = tree.positions();
    begin(tree.nodes.size(), watch);
    embed(tree);
    if (variant_.gemma) scale_embeddings();
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      const auto positions = std::span(all_positions).first(hidden_.rows());
      const bool local = variant_.windowed[l];
      nn::Rotary& rotary = local && variant_.local_theta > 0 ? local_rotary_ : rotary_;
      nn::AttentionShape shape = shape_;
      if (local) shape.before = variant_.window - 1;
      nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
      see(Site::attention_input, l, normed_);
      nn::linear(runtime_, normed_, layer.query, query_);
      nn::linear(runtime_, normed_, layer.key_value, key_value_);
      prepare(rotary, positions, layer.query_norm, shape_.heads, query_.data(), query_.columns());
      prepare(rotary, positions, layer.key_norm, shape_.key_heads, key_value_.data(), 2 * kv);
      attention_.run(shape, tree, query_, key_value_.part(0, kv), key_value_.part(kv, kv),
                     context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_,
          layer.after_attention);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, normed_, layer.gate_up, wide_);
      nn::gated(runtime_, wide_, activation_, inner_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_, layer.after_mlp);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  float logit_cap() const override { return variant_.logit_cap; }

 private:
  void set_rotary(const Loading& from) {
    Rope rope = rope_of(from.config, variant_.local_theta > 0 ? 1e6 : 1e4, shape_.width);
    divide_by_stored(from.checkpoint, rope.frequencies);
    shape_.scale = float(double(shape_.scale) * rope.scores);
    from.info.max_tokens = uint32_t(std::min<size_t>(from.info.max_tokens, rope.most_tokens));
    rotary_ = nn::Rotary(std::move(rope.frequencies), shape_.width, variant_.interleaved);
    if (variant_.local_theta == 0) return;
    double theta = from.config.real_in({"rope_parameters", "sliding_attention", "rope_theta"},
                                       variant_.local_theta);
    if (from.config.text_in({"rope_parameters", "sliding_attention", "rope_type"}, "default") !=
        "default")
      throw bad_input("windowed layers with scaled rotary positions are not supported")
          .at(from.config.file().string());
    local_rotary_ = nn::Rotary(nn::rotary_frequencies(theta, shape_.width));
  }

  nn::Norm norm(WeightLoader& load, const std::string& name, size_t width, double epsilon) const {
    nn::Norm n = load.norm(name, width, epsilon, false);
    n.centered = false;
    if (variant_.norms_minus_one)
      for (float& w : n.weight) w += 1;
    return n;
  }

  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "language_model.", "model."});
    const size_t h = info.hidden, inner = c.size("intermediate_size"), w = shape_.width;
    const double epsilon = c.real("rms_norm_eps", 1e-6);
    words_ = load.embedding("embed_tokens.weight", info.vocabulary, h);
    for (uint32_t i = 0; i < info.layers; ++i) {
      std::string p = fmt::format("layers.{}.", i), a = p + "self_attn.";
      Layer layer;
      layer.attention_norm = norm(load, p + "input_layernorm", h, epsilon);
      if (variant_.norms_around) {
        layer.after_attention = norm(load, p + "post_attention_layernorm", h, epsilon);
        layer.mlp_norm = norm(load, p + "pre_feedforward_layernorm", h, epsilon);
        layer.after_mlp = norm(load, p + "post_feedforward_layernorm", h, epsilon);
      } else {
        layer.mlp_norm = norm(load, p + "post_attention_layernorm", h, epsilon);
      }
      if (variant_.head_norms) {
        layer.query_norm = norm(load, a + "q_norm", w, epsilon);
        layer.key_norm = norm(load, a + "k_norm", w, epsilon);
      }
      layer.query = load.linear(a + "q_proj", shape_.heads * w, h, variant_.qkv_bias);
      layer.key_value =
          load.stacked({a + "k_proj", a + "v_proj"}, shape_.key_heads * w, h, variant_.qkv_bias);
      layer.attention_output =
          load.linear(a + "o_proj", h, shape_.heads * w, load.has(a + "o_proj.bias"));
      bool mlp_bias = c.flag("mlp_bias", false);
      layer.gate_up = load.stacked({p + "mlp.gate_proj", p + "mlp.up_proj"}, inner, h, mlp_bias);
      layer.down = load.linear(p + "mlp.down_proj", h, inner, mlp_bias);
      layers_.push_back(std::move(layer));
    }
    norm_ = norm(load, "norm", h, epsilon);
    const bool says_so = c.flag("tie_word_embeddings", variant_.gemma);
    const bool tied = says_so || (!c.has("tie_word_embeddings") && !load.has("lm_head.weight"));
    if (tied && !says_so)
      info.notes.push_back(
          "no lm_head in the checkpoint: the output is tied to the embedding table");
    output_.weights =
        load.matrix(tied ? "embed_tokens.weight" : "lm_head.weight", info.vocabulary, h);
    load.finish("model", {"lm_head"});
    info.parameters = load.parameters();
  }

  void scale_embeddings() {
    // PyTorch rounds the root to the embedding's type; in fp32 it is this float.
    const float scale = float(std::sqrt(double(hidden_.columns())));
    for (size_t i = 0; i < hidden_.rows(); ++i)
      for (size_t d = 0; d < hidden_.columns(); ++d) hidden_.row(i)[d] *= scale;
  }

  // Queries or keys: normalised head by head where the variant does so, then turned by their
  // positions.
  void prepare(nn::Rotary& rotary, std::span<const uint32_t> positions, const nn::Norm& head_norm,
               size_t heads, float* rows, size_t stride) {
    if (variant_.head_norms)
      runtime_.parallel(positions.size(), [&](size_t i, int) {
        for (size_t a = 0; a < heads; ++a) {
          float* head = rows + i * stride + a * shape_.width;
          runtime_.kernels().norm({head, head, shape_.width, head_norm.weight.data(), nullptr,
                                   head_norm.epsilon, false});
        }
      });
    rotary.apply(runtime_, positions, heads, rows, stride);
  }

  Variant variant_;
  nn::Rotary rotary_, local_rotary_;
  std::vector<Layer> layers_;
  nn::Matrix query_, key_value_, wide_;
};

// GGUF's Gemmas do not say which GELU they use.
Gguf::Settings gemma_settings(const checkpoint::Metadata&) {
  return {{"hidden_activation", std::string("gelu_pytorch_tanh")}};
}

// The largest Gemmas scale queries by the width per head, not by the head's own.
template <int kLargest>
Gguf::Settings large_gemma_settings(const checkpoint::Metadata& m) {
  Gguf::Settings settings = gemma_settings(m);
  const std::string p(m.text("general.architecture").value_or(""));
  if (m.integer(p + ".block_count").value_or(0) == kLargest)
    settings.emplace_back(
        "query_pre_attn_scalar",
        m.integer(p + ".embedding_length").value_or(0) /
            std::max<int64_t>(m.integer(p + ".attention.head_count").value_or(1), 1));
  return settings;
}

Gguf gguf_of(const std::string& architecture, const std::string& type,
             const std::string& mlp_norm = "post_attention_layernorm.") {
  return {.architecture = architecture,
          .model_type = type,
          .tensors = {{"token_embd.", "model.embed_tokens."},
                      {"output_norm.", "model.norm."},
                      {"output.", "lm_head."}},
          .layers = "model.layers.",
          .in_layer = {{"attn_norm.", "input_layernorm."},
                       {"attn_q.", "self_attn.q_proj."},
                       {"attn_k.", "self_attn.k_proj."},
                       {"attn_v.", "self_attn.v_proj."},
                       {"attn_output.", "self_attn.o_proj."},
                       {"attn_q_norm.", "self_attn.q_norm."},
                       {"attn_k_norm.", "self_attn.k_norm."},
                       {"ffn_norm.", mlp_norm},
                       {"ffn_gate.", "mlp.gate_proj."},
                       {"ffn_up.", "mlp.up_proj."},
                       {"ffn_down.", "mlp.down_proj."},
                       {"post_attention_norm.", "post_attention_layernorm."},
                       {"post_ffw_norm.", "post_feedforward_layernorm."}},
          .neighbours = architecture == "llama"};
}

}  // namespace

Family llama_family() {
  Family family{
      .model_types = {"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text"},
      .make = make<Decoder, Llama>,
      .gguf = {gguf_of("llama", "llama"), gguf_of("qwen2", "qwen2"), gguf_of("qwen3", "qwen3"),
               gguf_of("gemma", "gemma"), gguf_of("gemma2", "gemma2", "pre_feedforward_layernorm."),
               gguf_of("gemma3", "gemma3_text", "pre_feedforward_layernorm.")}};
  family.gguf[3].more = gemma_settings;
  family.gguf[4].more = large_gemma_settings<46>;
  family.gguf[5].more = large_gemma_settings<62>;
  return family;
}

}  // namespace minpair::model
