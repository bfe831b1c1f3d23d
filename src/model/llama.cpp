// Llama (Touvron et al. 2023) and its family: RMS norm, rotary positions, grouped queries, a gated
// feed-forward layer. What Mistral, Qwen, Gemma, OLMo, Cohere and others do otherwise is stated in
// `LlamaVariant`.

#include "model/llama_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "model/causal.h"
#include "model/experts.h"
#include "model/rope.h"
#include "model/token_mixer.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

// An activation (Huang and Schlag 2025): above zero a square, below it an exponential function,
// with factors of each layer's own, and a line through both.
struct Xielu {
  float above = 0, below = 0, line = 0, most = 0;

  void run(const nn::Runtime& runtime, nn::Matrix& rows) const {
    runtime.parallel(rows.rows(), [&](size_t i, int) {
      float* x = rows.row(i);
      std::vector<float> e(x, x + rows.columns());
      for (float& each : e) each = std::min(each, most);
      runtime.kernels().activate(nn::Activation::exponential, e.data(), e.size());
      for (size_t k = 0; k < e.size(); ++k)
        x[k] = (x[k] > 0 ? above * x[k] * x[k] : (e[k] - 1 - x[k]) * below) + line * x[k];
    });
  }
};

struct Layer {
  nn::Norm attention_norm, after_attention, mlp_norm, after_mlp, query_norm, key_norm;
  nn::Linear query, key_value, gate, attention_output, gate_up, down;
  std::unique_ptr<TokenMixer> mixer;  // instead of attention
  std::optional<Xielu> xielu;         // instead of the activation
  Experts experts;                    // instead of gate_up and down
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
    activation_ = variant_.activation == "xielu" ? nn::Activation::none
                                                 : nn::find_activation(variant_.activation);
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
    const std::vector<uint32_t> all_positions = tree.positions();
    embed(tree, watch);
    if (v.embeddings_times != 1) multiply(hidden_, v.embeddings_times);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      const nn::Matrix& in = attention_input(layer, l);
      if (layer.mixer)
        layer.mixer->mix(tree, in, context_);
      else
        attend(tree, l, std::span(all_positions).first(hidden_.rows()), in);
      if (attends()) see(Site::heads, l, context_);
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
    if (!attends()) return kSitesWithoutHeads;
    return variant_.experts > 0 ? without_neurons() : kSitesOfTransformers;
  }
  bool attends() const override { return variant_.attends.empty(); }
  float logit_cap() const override { return variant_.logit_cap; }

 private:
  void attend(const PrefixTree& tree, size_t l, std::span<const uint32_t> positions,
              const nn::Matrix& in) {
    const LlamaVariant& v = variant_;
    const Layer& layer = layers_[l];
    const size_t kv = shape_.key_heads * shape_.width;
    nn::AttentionShape shape = shape_;
    if (v.windowed[l]) shape.before = v.window - 1;
    if (!v.turned[l] || has_own_rotary(l)) shape.scale = unscaled_;
    nn::linear(runtime_, in, layer.query, query_);
    nn::linear(runtime_, in, layer.key_value, key_value_);
    if (v.gated_attention) nn::linear(runtime_, in, layer.gate, gate_);
    prepare(l, positions, layer.query_norm, shape_.heads, query_);
    prepare(l, positions, layer.key_norm, shape_.key_heads, key_value_);
    if (v.growth > 0) grow(positions);
    attention_.run(shape, tree, query_, key_value_.part(0, kv), key_value_.part(kv, kv), context_);
    if (v.gated_attention) gate_rows(runtime_, nn::Activation::sigmoid, gate_, context_);
  }

  // Queries far from the beginning are longer, so that attention to many keys stays sharp.
  void grow(std::span<const uint32_t> positions) {
    for (size_t i = 0; i < positions.size(); ++i) {
      const size_t times = positions[i] / variant_.grows_each;
      if (times == 0) continue;
      const auto by = float(1 + variant_.growth * std::log(1 + double(times)));
      for (size_t k = 0; k < query_.columns(); ++k) query_.row(i)[k] *= by;
    }
  }

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
      const std::string p = fmt::format("layers.{}.", i);
      Layer layer;
      load_norms(load, p, h, layer);
      if (!v.attends.empty() && !v.attends[i])
        load_mixer(load, c, p, h, layer);
      else
        load_attention(load, p, h, layer);
      load_feed_forward(load, c, p, i, h, layer);
      layers_.push_back(std::move(layer));
    }
    norm_ = norm(load, v.names.last_norm, h);
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
    if (v.norms_before) layer.attention_norm = norm(load, p + v.names.attention_norm, h);
    if (v.norms_after) {
      layer.after_attention = norm(load, p + "post_attention_layernorm", h);
      if (v.norms_before) layer.mlp_norm = norm(load, p + "pre_feedforward_layernorm", h);
      layer.after_mlp = norm(load, p + "post_feedforward_layernorm", h);
    } else if (!v.side_by_side) {
      layer.mlp_norm = norm(load, p + v.names.mlp_norm, h);
    }
  }

  void load_mixer(WeightLoader& load, const Config& c, const std::string& p, size_t h,
                  Layer& layer) const {
    const LlamaNames& names = variant_.names;
    const bool conv = names.mixer == "conv.";
    layer.mixer =
        (conv ? make_short_convolution : make_delta_net)(runtime_, c, load, p + names.mixer, h);
    layer.attention_output = load.linear(p + names.mixer_output, h, layer.mixer->width(),
                                         conv && c.flag("conv_bias", false));
  }

  void load_attention(WeightLoader& load, const std::string& p, size_t h, Layer& layer) const {
    const LlamaVariant& v = variant_;
    const std::string a = p + "self_attn.";
    const bool bias = v.qkv_bias;
    const size_t w = shape_.width, q = shape_.heads * w, kv = shape_.key_heads * w;
    layer.query_norm = head_norm(load, p + v.names.query_norm, shape_.heads);
    layer.key_norm = head_norm(load, p + v.names.key_norm, shape_.key_heads);
    auto row_of = [](size_t first) { return [first](size_t i) { return first + i; }; };
    if (v.fused) {
      layer.query = load.picked(a + "qkv_proj", q + 2 * kv, q, h, row_of(0), bias);
      layer.key_value = load.picked(a + "qkv_proj", q + 2 * kv, 2 * kv, h, row_of(q), bias);
    } else {
      auto half = [&](size_t which) {  // of each head
        return load.picked(
            a + "q_proj", 2 * q, q, h, [=](size_t i) { return i + (i / w + which) * w; }, bias);
      };
      layer.query = v.gated_attention ? half(0) : load.linear(a + "q_proj", q, h, bias);
      if (v.gated_attention) layer.gate = half(1);
      layer.key_value = load.stacked({a + "k_proj", a + "v_proj"}, kv, h, bias);
    }
    layer.attention_output = load.linear(p + v.names.attention_output, h, q, v.output_bias);
  }

  void load_feed_forward(WeightLoader& load, const Config& c, const std::string& p, size_t i,
                         size_t h, Layer& layer) const {
    const LlamaVariant& v = variant_;
    const size_t inner = v.inner;
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
      return;
    }
    if (v.activation == "xielu") layer.xielu = load_xielu(load, c, p + "mlp.act_fn.", i);
    layer.gate_up = !v.gated ? load.linear(p + v.names.up, inner, h, v.mlp_bias)
                    : v.fused
                        ? load.linear(p + "mlp.gate_up_proj", 2 * inner, h, v.mlp_bias)
                        : load.stacked({p + v.names.gate, p + v.names.up}, inner, h, v.mlp_bias);
    layer.down = load.linear(p + v.names.down, h, inner, v.mlp_bias);
  }

  // GGUF files have one list for all layers.
  Xielu load_xielu(WeightLoader& load, const Config& c, const std::string& a, size_t i) const {
    const auto number = [&](const std::string& name, double usual) {
      const std::vector<double> listed = c.reals_in({"xielu." + name});
      if (i < listed.size()) return listed[i];
      if (usual != 0 && !load.has(a + name)) return usual;
      const std::vector<float> stored = load.flat(a + name, 1);
      return stored.empty() ? usual : double(stored[0]);
    };
    const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
    const double line = number("beta", 0.5);
    return {.above = float(softplus(number("alpha_p", 0))),
            .below = float(line + softplus(number("alpha_n", 0))),
            .line = float(line),
            .most = float(number("eps", -1e-6))};
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
      if (layer.xielu) layer.xielu->run(runtime_, inner_);
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
  nn::Matrix query_, key_value_, gate_, wide_;
};

}  // namespace

Family llama_family() {
  // What Gemma 3's "text_config" need not say.
  const std::string gemma3 =
      R"({"vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
          "max_position_embeddings": 131072, "query_pre_attn_scalar": 256, "hidden_size": 2304,
          "intermediate_size": 9216, "num_hidden_layers": 26})";
  const std::string qwen3_5 =
      R"({"vocab_size": 248320, "num_attention_heads": 16, "num_key_value_heads": 4,
          "head_dim": 256, "max_position_embeddings": 32768, "hidden_size": 4096,
          "intermediate_size": 12288, "num_hidden_layers": 32})";
  return {.model_types = {{"llama", "Llama 1 to 3.2, TinyLlama, SmolLM, BabyLlama, Yi"},
                          {"mistral", "Mistral 7B, Nemo"},
                          {"mixtral", "Mixtral 8x7B"},
                          {"ministral", "Mistrals whose layers differ"},
                          {"ministral3", "Ministral 3, saved without its part for pictures"},
                          {"mistral3", "Ministral 3, Mistral Small 3.1: their text model",
                           R"({"model_type": "mistral"})"},
                          {"apertus", "Apertus 8B, 70B"},
                          {"qwen2", "Qwen 2, Qwen 2.5"},
                          {"qwen2_moe", "Qwen 1.5 MoE, Qwen 2 57B-A14B"},
                          {"qwen3", "Qwen 3"},
                          {"qwen3_moe", "Qwen 3 30B-A3B"},
                          {"qwen3_5_text", "Qwen 3.5, saved without its part for pictures"},
                          {"qwen3_5", "Qwen 3.5 0.8B to 27B: their text model", qwen3_5},
                          {"lfm2", "LFM2 350M to 2.6B"},
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
          .gguf = llama_gguf(),
          .sites = [](std::string_view type) {
            if (type.starts_with("qwen3_5") || type == "lfm2") return kSitesWithoutHeads;
            const bool experts = type == "mixtral" || type == "olmoe" || type.ends_with("_moe");
            return experts ? without_neurons() : kSitesOfTransformers;
          }};
}

}  // namespace minpair::model
