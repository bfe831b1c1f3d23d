// Llama (Touvron et al. 2023) and its family: RMS norm, rotary positions, grouped queries, a gated
// feed-forward layer. What Mistral, Qwen, Gemma, OLMo, Cohere and others do otherwise is stated in
// `LlamaVariant`.

#include "model/llama_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/experts.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm attention_norm, after_attention, mlp_norm, after_mlp, query_norm, key_norm;
  nn::Linear query, key_value, attention_output, gate_up, down;
  Experts experts;  // instead of gate_up and down
};

// An expert's neurons see only some of the tokens.
query::SiteSet without_neurons() {
  query::SiteSet all = kSitesOfTransformers;
  return all.reset(size_t(query::Site::neuron));
}

class Llama : public Decoder {
 public:
  explicit Llama(const Loading& from) : Decoder(from, {}) {
    const Config& c = from.config;
    const query::ModelInfo& info = from.info;
    variant_ = llama_variant(c, info.architecture, info.layers);
    activation_ = nn::find_activation(variant_.activation);
    shape_.heads = info.heads;
    shape_.key_heads = c.size("num_key_value_heads", info.heads);
    shape_.width = c.size("head_dim", info.hidden / info.heads);
    if (shape_.heads % shape_.key_heads || shape_.width == 0 || shape_.width % 2)
      throw bad_input("the heads do not fit: num_attention_heads, num_key_value_heads, head_dim")
          .at(c.file().string());
    shape_.scale = float(variant_.score_scale > 0 ? variant_.score_scale
                                                  : 1 / std::sqrt(double(shape_.width)));
    shape_.after = 0;
    shape_.cap = variant_.attention_cap;
    unscaled_ = shape_.scale;
    set_rotary(from);
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const LlamaVariant& v = variant_;
    const size_t kv = shape_.key_heads * shape_.width;
    const std::vector<uint32_t> all_positions = tree.positions();
    embed(tree, watch);
    if (v.embeddings_times != 1) multiply(hidden_, v.embeddings_times);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      const auto positions = std::span(all_positions).first(hidden_.rows());
      nn::AttentionShape shape = shape_;
      if (v.windowed[l]) shape.before = v.window - 1;
      if (!v.turned[l] || has_own_rotary(l)) shape.scale = unscaled_;
      const nn::Matrix& in = attention_input(layer, l);
      nn::linear(runtime_, in, layer.query, query_);
      nn::linear(runtime_, in, layer.key_value, key_value_);
      prepare(l, positions, layer.query_norm, shape_.heads, query_);
      prepare(l, positions, layer.key_norm, shape_.key_heads, key_value_);
      attention_.run(shape, tree, query_, key_value_.part(0, kv), key_value_.part(kv, kv),
                     context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_,
          layer.after_attention, v.residual_times);
      see(Site::attention_residual, l, attended_);
      if (v.norms_before && !v.side_by_side)
        nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      feed_forward(layer, v.norms_before ? normed_ : attended_, l);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  void finish(nn::Matrix& stream) override {
    Decoder::finish(stream);
    if (variant_.logits_times != 1) multiply(stream, variant_.logits_times);
  }
  void finish_parts(nn::Matrix& rows) override {
    Decoder::finish_parts(rows);
    if (variant_.logits_times != 1) multiply(rows, variant_.logits_times);
  }
  query::SiteSet sites() const override {
    return variant_.experts > 0 ? without_neurons() : kSitesOfTransformers;
  }
  float logit_cap() const override { return variant_.logit_cap; }

 private:
  bool has_own_rotary(size_t l) const { return variant_.windowed[l] && variant_.local_theta > 0; }

  void set_rotary(const Loading& from) {
    const LlamaVariant& v = variant_;
    const size_t turned = size_t(double(shape_.width) * v.rotary_part);
    if (turned == 0 || turned > shape_.width || turned % 2)
      throw bad_input(
          fmt::format("{} of {} columns of a head cannot be turned", turned, shape_.width))
          .at(from.config.file().string());
    Rope rope = rope_of(from.config, v.theta, turned);
    divide_by_stored(from.checkpoint, rope.frequencies);
    // What all columns share is a factor of the scores.
    const bool whole = turned == shape_.width;
    if (whole) shape_.scale = float(double(shape_.scale) * rope.scores);
    from.info.max_tokens = uint32_t(std::min<size_t>(from.info.max_tokens, rope.most_tokens));
    rotary_ = nn::Rotary(std::move(rope.frequencies), shape_.width, v.interleaved,
                         whole ? 1 : std::sqrt(rope.scores));
    if (from.info.architecture == "olmo3" && v.local_theta == 0 &&
        from.config.text_in({"rope_parameters", "rope_type"}, "default") != "default")
      from.info.notes.push_back(
          "positions are scaled in windowed layers, too, as by transformers 5.0 to 5.12, which "
          "wrote this; other versions and the model's authors scale them only in the others");
    if (v.local_theta == 0) return;
    double theta =
        from.config.real_in({"rope_parameters", "sliding_attention", "rope_theta"}, v.local_theta);
    if (from.config.text_in({"rope_parameters", "sliding_attention", "rope_type"}, "default") !=
        "default")
      throw bad_input("windowed layers with scaled rotary positions are not supported")
          .at(from.config.file().string());
    local_rotary_ = nn::Rotary(nn::rotary_frequencies(theta, shape_.width));
  }

  nn::Norm norm(WeightLoader& load, const std::string& name, size_t width) const {
    nn::Norm n;
    n.epsilon = float(epsilon_);
    n.centered = variant_.centered;
    n.weight = variant_.norm_weights ? load.vector(name + ".weight", width)
                                     : std::vector<float>(width, 1.0f);
    if (variant_.norm_bias) n.bias = load.vector(name + ".bias", width);
    if (variant_.norms_minus_one)
      for (float& w : n.weight) w += 1;
    return n;
  }

  // Of queries or keys.
  nn::Norm head_norm(WeightLoader& load, const std::string& name, size_t heads) const {
    const size_t w = shape_.width;
    if (variant_.head_norms == HeadNorms::none) return {};
    if (variant_.head_norms != HeadNorms::each)
      return norm(load, name, variant_.head_norms == HeadNorms::shared ? w : heads * w);
    nn::Norm n{.weight = {}, .bias = {}, .epsilon = float(epsilon_), .centered = true};
    if (load.has(name + ".weight")) {
      nn::Matrix all = load.table(name + ".weight", heads, w);
      n.weight.assign(all.data(), all.data() + all.rows() * all.columns());
    } else {
      for (size_t h = 0; h < heads; ++h) {
        std::vector<float> one = load.vector(fmt::format("{}.norms.{}.weight", name, h), w);
        n.weight.insert(n.weight.end(), one.begin(), one.end());
      }
    }
    return n;
  }

  void load_weights(const Loading& from) {
    const Config& c = from.config;
    const LlamaVariant& v = variant_;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "language_model.", "model."});
    const size_t h = info.hidden;
    epsilon_ = c.real(v.epsilon, v.usual_epsilon);
    words_ = load.embedding("embed_tokens.weight", info.vocabulary, h);
    for (uint32_t i = 0; i < info.layers; ++i) {
      const std::string p = fmt::format("layers.{}.", i), a = p + "self_attn.";
      Layer layer;
      load_norms(load, p, h, layer);
      layer.query_norm = head_norm(load, a + v.query_norm, shape_.heads);
      layer.key_norm = head_norm(load, a + v.key_norm, shape_.key_heads);
      load_attention(load, a, h, layer);
      load_feed_forward(load, c, p, i, h, layer);
      layers_.push_back(std::move(layer));
    }
    norm_ = norm(load, "norm", h);
    const bool says_so = c.flag("tie_word_embeddings", v.tied);
    const bool tied = is_tied(c, load, "lm_head.weight", "embed_tokens.weight", v.tied) ||
                      (!load.has("lm_head.weight") && !c.has("tie_word_embeddings"));
    if (tied && !says_so)
      info.notes.push_back(
          "no lm_head in the checkpoint: the output is tied to the embedding table");
    output_.weights =
        load.matrix(tied ? "embed_tokens.weight" : "lm_head.weight", info.vocabulary, h);
    load.finish("model", {"lm_head"});
    info.parameters = load.parameters();
  }

  void load_norms(WeightLoader& load, const std::string& p, size_t h, Layer& layer) const {
    const LlamaVariant& v = variant_;
    if (v.norms_before) layer.attention_norm = norm(load, p + "input_layernorm", h);
    if (v.norms_after) {
      layer.after_attention = norm(load, p + "post_attention_layernorm", h);
      if (v.norms_before) layer.mlp_norm = norm(load, p + "pre_feedforward_layernorm", h);
      layer.after_mlp = norm(load, p + "post_feedforward_layernorm", h);
    } else if (!v.side_by_side) {
      layer.mlp_norm = norm(load, p + "post_attention_layernorm", h);
    }
  }

  void load_attention(WeightLoader& load, const std::string& a, size_t h, Layer& layer) const {
    const bool bias = variant_.qkv_bias;
    const size_t q = shape_.heads * shape_.width, kv = shape_.key_heads * shape_.width;
    if (variant_.fused) {
      auto row_of = [](size_t first) { return [first](size_t i) { return first + i; }; };
      layer.query = load.picked(a + "qkv_proj", q + 2 * kv, q, h, row_of(0), bias);
      layer.key_value = load.picked(a + "qkv_proj", q + 2 * kv, 2 * kv, h, row_of(q), bias);
    } else {
      layer.query = load.linear(a + "q_proj", q, h, bias);
      layer.key_value = load.stacked({a + "k_proj", a + "v_proj"}, kv, h, bias);
    }
    layer.attention_output = load.linear(a + "o_proj", h, q, variant_.output_bias);
  }

  void load_feed_forward(WeightLoader& load, const Config& c, const std::string& p, size_t i,
                         size_t h, Layer& layer) const {
    const LlamaVariant& v = variant_;
    const size_t inner = c.size("intermediate_size");
    if (v.experts > 0 && v.mixed[i]) {
      const bool mixtral = load.has(p + "block_sparse_moe.gate.weight");
      layer.experts = Experts(load, p + (mixtral ? "block_sparse_moe." : "mlp."),
                              {.count = v.experts,
                               .each = v.experts_each,
                               .hidden = h,
                               .inner = v.expert_inner,
                               .shared_inner = v.shared_inner,
                               .sum_to_one = v.experts_sum_to_one},
                              mixtral);
    } else if (!v.gated) {
      layer.gate_up = load.linear(p + "mlp.c_fc", inner, h, v.mlp_bias);
      layer.down = load.linear(p + "mlp.c_proj", h, inner, v.mlp_bias);
    } else {
      layer.gate_up =
          v.fused ? load.linear(p + "mlp.gate_up_proj", 2 * inner, h, v.mlp_bias)
                  : load.stacked({p + "mlp.gate_proj", p + "mlp.up_proj"}, inner, h, v.mlp_bias);
      layer.down = load.linear(p + "mlp.down_proj", h, inner, v.mlp_bias);
    }
  }

  const nn::Matrix& attention_input(const Layer& layer, size_t l) {
    if (!variant_.norms_before) return see_copy(Site::attention_input, l, hidden_);
    nn::normalize(runtime_, hidden_, layer.attention_norm, normed_);
    see(Site::attention_input, l, normed_);
    return normed_;
  }

  // From attended_ to hidden_.
  void feed_forward(const Layer& layer, const nn::Matrix& in, size_t l) {
    if (!layer.experts.empty()) {
      layer.experts.run(runtime_, in, activation_, wide_);
      add(Site::mlp_output, l, wide_, attended_, hidden_, layer.after_mlp, variant_.residual_times);
      return;
    }
    if (variant_.gated) {
      nn::linear(runtime_, in, layer.gate_up, wide_);
      nn::gated(runtime_, wide_, activation_, inner_);
    } else {
      nn::linear(runtime_, in, layer.gate_up, inner_, activation_);
    }
    see(Site::mlp_inner, l, inner_);
    add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_, layer.after_mlp,
        variant_.residual_times);
  }

  // Queries or keys: normalised where the variant does so, then turned by their positions.
  void prepare(size_t l, std::span<const uint32_t> positions, const nn::Norm& norm, size_t heads,
               nn::Matrix& rows) {
    const LlamaVariant& v = variant_;
    const size_t all = heads * shape_.width;
    const size_t width = v.head_norms == HeadNorms::together ? all : shape_.width;
    if (!norm.weight.empty())
      runtime_.parallel(rows.rows(), [&](size_t i, int) {
        for (size_t at = 0; at < all; at += width) {
          const float* weight = norm.weight.data() + (norm.weight.size() == all ? at : 0);
          float* head = rows.row(i) + at;
          runtime_.kernels().norm(
              {head, head, width, weight, nullptr, norm.epsilon, norm.centered});
        }
      });
    if (v.clip > 0) clip(rows, v.clip);
    nn::Rotary& rotary = has_own_rotary(l) ? local_rotary_ : rotary_;
    if (v.turned[l]) rotary.apply(runtime_, positions, heads, rows.data(), rows.columns());
  }

  LlamaVariant variant_;
  double epsilon_ = 0;
  nn::Rotary rotary_, local_rotary_;
  float unscaled_ = 0;  // of layers whose queries and keys are not turned, or not as others are
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

Gguf::Settings granite_settings(const checkpoint::Metadata& m) {
  Gguf::Settings settings;
  for (const auto& [theirs, ours] : Gguf::Names{{"attention.scale", "attention_multiplier"},
                                                {"embedding_scale", "embedding_multiplier"},
                                                {"residual_scale", "residual_multiplier"},
                                                {"logit_scale", "logits_scaling"}})
    if (auto value = m.real("granite." + theirs)) settings.emplace_back(ours, *value);
  return settings;
}

// OLMo 3 has the same name there.
Gguf::Settings olmo2_settings(const checkpoint::Metadata& m) {
  if (m.integer("olmo2.attention.sliding_window"))
    throw bad_input("this is OLMo 3, which is not read from GGUF")
        .hint("the directory of the original model is read: minpair pull allenai/...");
  return {};
}

Gguf::Settings olmo_settings(const checkpoint::Metadata& m) {
  if (auto clip = m.real("olmo.attention.clamp_kqv")) return {{"clip_qkv", *clip}};
  return {};
}

// Whose converters put rotary pairs beside each other.
constexpr std::string_view kNeighbours[] = {"llama", "granite", "smollm3", "olmo"};

Gguf gguf_of(const std::string& architecture, const std::string& type,
             decltype(Gguf::more) more = nullptr,
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
          .neighbours = std::ranges::count(kNeighbours, architecture) > 0,
          .more = more};
}

// StarCoder 2: without gates.
Gguf gguf_of_starcoder() {
  Gguf gguf = gguf_of("starcoder2", "starcoder2");
  gguf.keys = {{"attention.layer_norm_epsilon", "norm_epsilon"}};
  gguf.in_layer.insert(gguf.in_layer.begin(),
                       {{"ffn_up.", "mlp.c_fc."}, {"ffn_down.", "mlp.c_proj."}});
  return gguf;
}

Gguf gguf_of_stablelm() {
  Gguf gguf = gguf_of("stablelm", "stablelm");
  gguf.keys = {{"attention.layer_norm_epsilon", "layer_norm_eps"}};
  gguf.more = [](const checkpoint::Metadata& m) -> Gguf::Settings {
    return {{"use_parallel_residual", m.boolean("stablelm.use_parallel_residual").value_or(false)}};
  };
  return gguf;
}

// Phi-3: what three and two layers are elsewhere, is one.
Gguf gguf_of_phi3() {
  Gguf gguf = gguf_of("phi3", "phi3");
  gguf.in_layer.insert(gguf.in_layer.begin(),
                       {{"attn_qkv.", "self_attn.qkv_proj."}, {"ffn_up.", "mlp.gate_up_proj."}});
  return gguf;
}

// The experts of a layer are one tensor.
Gguf gguf_of_experts(const std::string& architecture, const std::string& type) {
  Gguf gguf = gguf_of(architecture, type);
  gguf.experts = true;
  gguf.in_layer.insert(gguf.in_layer.begin(),
                       {{"ffn_gate_inp.", "mlp.gate."},
                        {"ffn_gate_exps.", "mlp.experts.{}.gate_proj."},
                        {"ffn_up_exps.", "mlp.experts.{}.up_proj."},
                        {"ffn_down_exps.", "mlp.experts.{}.down_proj."},
                        {"ffn_gate_inp_shexp.", "mlp.shared_expert_gate."},
                        {"ffn_gate_shexp.", "mlp.shared_expert.gate_proj."},
                        {"ffn_up_shexp.", "mlp.shared_expert.up_proj."},
                        {"ffn_down_shexp.", "mlp.shared_expert.down_proj."}});
  // No key says whether weights of experts sum to one; llama.cpp lets those of Qwen 3.
  if (type == "qwen3_moe")
    gguf.more = [](const checkpoint::Metadata&) -> Gguf::Settings {
      return {{"norm_topk_prob", true}};
    };
  return gguf;
}

}  // namespace

Family llama_family() {
  // What Gemma 3's "text_config" need not say.
  const std::string gemma3 =
      R"({"vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
          "max_position_embeddings": 131072, "query_pre_attn_scalar": 256, "hidden_size": 2304,
          "intermediate_size": 9216, "num_hidden_layers": 26})";
  return {
      .model_types = {{"llama", "Llama 1 to 3.2, TinyLlama, SmolLM, BabyLlama, Yi"},
                      {"mistral", "Mistral 7B, Nemo"},
                      {"mixtral", "Mixtral 8x7B"},
                      {"qwen2", "Qwen 2, Qwen 2.5"},
                      {"qwen2_moe", "Qwen 1.5 MoE, Qwen 2 57B-A14B"},
                      {"qwen3", "Qwen 3"},
                      {"qwen3_moe", "Qwen 3 30B-A3B"},
                      {"gemma", "Gemma 1"},
                      {"gemma2", "Gemma 2"},
                      {"gemma3_text", "Gemma 3 270M, 1B"},
                      {"gemma3", "Gemma 3 4B to 27B: their text model", gemma3},
                      {"olmo", "OLMo 1B, 7B"},
                      {"olmo2", "OLMo 2"},
                      {"olmo3", "OLMo 3"},
                      {"olmoe", "OLMoE"},
                      {"stablelm", "StableLM 2, StableLM 3B"},
                      {"cohere", "Command R, Aya"},
                      {"cohere2", "Command R7B, Command A, Aya"},
                      {"granite", "Granite 3"},
                      {"smollm3", "SmolLM3 3B"},
                      {"starcoder2", "StarCoder 2"},
                      {"phi3", "Phi-3, Phi-3.5, Phi-4"},
                      {"helium", "Helium 1"}},
      .make = make<Decoder, Llama>,
      .gguf = {gguf_of("llama", "llama"), gguf_of("qwen2", "qwen2"), gguf_of("qwen3", "qwen3"),
               gguf_of("gemma", "gemma", gemma_settings),
               gguf_of("gemma2", "gemma2", large_gemma_settings<46>, "pre_feedforward_layernorm."),
               gguf_of("gemma3", "gemma3_text", large_gemma_settings<62>,
                       "pre_feedforward_layernorm."),
               gguf_of("granite", "granite", granite_settings),
               gguf_of("olmo", "olmo", olmo_settings), gguf_of("olmo2", "olmo2", olmo2_settings),
               gguf_of("smollm3", "smollm3"), gguf_of_starcoder(), gguf_of_stablelm(),
               gguf_of_phi3(), gguf_of_experts("llama", "mixtral"),
               gguf_of_experts("qwen2moe", "qwen2_moe"), gguf_of_experts("qwen3moe", "qwen3_moe"),
               gguf_of_experts("olmoe", "olmoe")},
      .sites = [](std::string_view type) {
        const bool experts = type == "mixtral" || type == "olmoe" || type.ends_with("_moe");
        return experts ? without_neurons() : kSitesOfTransformers;
      }};
}

}  // namespace minpair::model
