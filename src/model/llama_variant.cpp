#include "model/llama_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "base/error.h"

namespace minpair::model {
namespace {

using Variant = LlamaVariant;

bool is_one_of(const std::string& type, std::initializer_list<const char*> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Of keys that have one right value, because the library computes nothing else.
void must_say(const Config& c, const char* key, const char* only) {
  if (const std::string said = c.text(key, only); said != only)
    throw bad_input(fmt::format("\"{}\" is \"{}\"; only \"{}\" is supported", key, said, only))
        .at(c.file().string());
}
void must_equal(const Config& c, const char* key, double only) {
  if (const double said = c.real(key, only); said != only)
    throw bad_input(fmt::format("\"{}\" is {}; here only {} is supported", key, said, only))
        .at(c.file().string());
}

// Whose class scales positions where nothing is said: it is not guessed.
void must_say_scaling(const Config& c) {
  if (!c.has("rope_parameters") && !c.has("rope_scaling") && !c.has("rope_neighbours"))
    throw bad_input("nothing is said about positions: \"rope_parameters\" is missing")
        .at(c.file().string());
}

// What a configuration does not say is as in the first of its kind; null is none.
double real_or_none(const Config& c, const char* key, double usual) {
  return c.says(key) ? c.real(key, 0) : usual;
}

// Of the two keys, transformers up to 4.47 looked at the second one only, later versions look at
// the first. Google's own files say "gelu" there and mean its approximation by tanh.
std::string gemma_activation(const Config& c) {
  const std::string tanh = "gelu_pytorch_tanh";
  std::string first = c.text("hidden_act", tanh), second = c.text("hidden_activation", tanh);
  if (first == second || (first == "gelu" && second == tanh)) return second;
  throw bad_input(fmt::format("\"hidden_act\" is \"{}\" and \"hidden_activation\" is {}", first,
                              c.has("hidden_activation") ? '"' + second + '"' : "not said"))
      .at(c.file().string())
      .hint("versions of transformers do not agree on which counts; say the same in both");
}

void gemma(const Config& c, const std::string& type, Variant& v) {
  v.tied = true;
  v.activation =
      type == "gemma" ? gemma_activation(c) : c.text("hidden_activation", "gelu_pytorch_tanh");
  c.ignore({"hidden_act"});
  v.norms_minus_one = !c.flag("norm_weights_complete", false);
  // PyTorch rounds the root to the embedding's type; in fp32 it is this float.
  v.embeddings_times = float(std::sqrt(double(c.size("hidden_size"))));
  // The whole of Gemma 3 does not look at it.
  if (type != "gemma3")
    v.logit_cap = float(real_or_none(c, "final_logit_softcapping", type == "gemma2" ? 30 : 0));
  c.ignore({"final_logit_softcapping"});
  if (type == "gemma") return;
  // GGUF files say it where it is not the head's width.
  if (!c.has("query_pre_attn_scalar") && v.norms_minus_one) v.score_scale = 1.0 / 16;
  v.norms_after = true;
  if (type == "gemma2") v.attention_cap = float(real_or_none(c, "attn_logit_softcapping", 50));
  c.ignore({"attn_logit_softcapping"});
  if (type == "gemma2") return;
  v.head_norms = HeadNorms::shared;
  v.theta = 1e6;
  v.local_theta = c.real("rope_local_base_freq", 10000);
}

void olmo(const Config& c, const std::string& type, Variant& v) {
  v.usual_epsilon = 1e-5;
  v.clip = float(c.real("clip_qkv", 0));
  if (type == "olmo") {
    v.centered = true;
    v.norm_weights = false;
    v.epsilon = "";
  } else {
    v.head_norms = HeadNorms::together;
    v.norms_after = type != "olmoe";
    v.norms_before = !v.norms_after;
  }
  // Positions are scaled in layers that see everything, and only there. Transformers 5.0 to 5.12,
  // which write "rope_parameters" for all layers at once, scale all of them.
  if (type == "olmo3" &&
      (c.has("rope_scaling") || c.has_in({"rope_parameters", "sliding_attention"})))
    v.local_theta = c.real("rope_theta", v.theta);
}

void stablelm(const Config& c, Variant& v) {
  v.centered = v.norm_bias = true;
  v.epsilon = "layer_norm_eps", v.usual_epsilon = 1e-5;
  v.qkv_bias = c.flag("use_qkv_bias", false);
  v.side_by_side = c.flag("use_parallel_residual", false);
  v.rotary_part = 0.25;
  if (c.flag("qk_layernorm", false)) v.head_norms = HeadNorms::each;
  v.names.query_norm = "self_attn.q_layernorm", v.names.key_norm = "self_attn.k_layernorm";
}

void cohere(const Config& c, const std::string& type, Variant& v) {
  v.centered = v.side_by_side = v.interleaved = v.tied = true;
  v.epsilon = "layer_norm_eps", v.usual_epsilon = 1e-5;
  v.logits_times = float(c.real("logit_scale", 0.0625));
  v.theta = type == "cohere" ? 5e5 : 1e4;
  c.ignore({"model_max_length"});
  if (type == "cohere" && c.flag("use_qk_norm", false)) v.head_norms = HeadNorms::each;
  if (type != "cohere2") return;
  // Cohere's own files say these as well. The library does not look at them.
  must_say(c, "position_embedding_type", "rope_gptj");
  must_say(c, "order_of_interleaved_layers", "local_attn_first");
  must_equal(c, "rotary_pct", 1);
  for (const char* key : {"use_embedding_sharing", "use_gated_activation", "use_parallel_block",
                          "use_parallel_embedding"})
    c.must_be(key, true, "the library computes nothing else");
}

void granite(const Config& c, Variant& v) {
  v.embeddings_times = float(c.real("embedding_multiplier", 1));
  v.residual_times = float(c.real("residual_multiplier", 1));
  v.logits_times = float(1 / c.real("logits_scaling", 1));
  v.score_scale = c.real("attention_multiplier", 1);
}

void starcoder(const Config& c, Variant& v) {
  v.centered = v.norm_bias = v.tied = true;
  v.gated = false;
  v.names.up = "mlp.c_fc", v.names.down = "mlp.c_proj";
  v.epsilon = "norm_epsilon", v.usual_epsilon = 1e-5;
  v.activation = c.text("hidden_act", "gelu_pytorch_tanh");
  v.output_bias = v.qkv_bias = v.mlp_bias = c.flag("use_bias", true);
  // Left over from training; the library does not look at them.
  c.ignore({"activation_function", "attention_softmax_in_fp32", "layer_norm_epsilon", "mlp_type",
            "norm_type", "scale_attention_softmax_in_fp32", "scale_attn_weights"});
}

void apertus(const Config& c, Variant& v) {
  v.usual_epsilon = 1e-5, v.theta = 12e6;
  v.activation = c.text("hidden_act", "xielu");
  v.gated = false;
  v.names.attention_norm = "attention_layernorm", v.names.mlp_norm = "feedforward_layernorm";
  c.must_be("qk_norm", true, "the library computes nothing else");
  for (const char* key : {"post_norm", "mlp_bias"})
    c.must_be(key, false, "the library computes nothing else");
  must_say_scaling(c);
}

void ministral3(const Config& c, Variant& v) {
  v.usual_epsilon = 1e-5, v.theta = 1e6;
  must_say_scaling(c);
  const char* original = "original_max_position_embeddings";
  v.growth =
      c.real_in({"rope_parameters", "llama_4_scaling_beta"}, c.real("llama_4_scaling_beta", 0));
  v.grows_each = size_t(std::max(
      1.0, c.real_in({"rope_parameters", original}, c.real_in({"rope_scaling", original}, 16384))));
}

// Layers say what they are, or those that attend are listed; otherwise every so many attends.
std::vector<bool> attending(const Config& c, size_t layers, size_t each) {
  const std::vector<std::string> kinds = c.texts("layer_types");
  const std::vector<double> listed = c.reals_in({"full_attn_idxs"});
  std::vector<bool> all;
  for (size_t i = 0; i < layers; ++i)
    all.push_back(i < kinds.size()          ? kinds[i] == "full_attention"
                  : c.has("full_attn_idxs") ? std::ranges::count(listed, double(i)) > 0
                                            : (i + 1) % each == 0);
  return all;
}

void qwen3_5(const Config& c, size_t layers, Variant& v) {
  v.norms_minus_one = !c.flag("norm_weights_complete", false);
  v.rotary_part = 0.25;
  v.gated_attention = true;
  v.names.mixer = "linear_attn.", v.names.mixer_output = "linear_attn.out_proj";
  v.attends = attending(c, layers, c.size("full_attention_interval", 4));
  c.must_be("attn_output_gate", true, "the library computes nothing else");
  must_say(c, "hidden_act", "silu");  // the library's ways do not agree on others
  // Of pictures, whose tokens have positions of their own; and of a layer that guesses ahead.
  for (const char* key : {"mrope_section", "mrope_interleaved"}) c.has_in({"rope_parameters", key});
  c.ignore({"mamba_ssm_dtype", "mtp_num_hidden_layers", "mtp_use_dedicated_embeddings"});
}

void lfm2(const Config& c, size_t layers, Variant& v) {
  v.epsilon = "norm_eps", v.usual_epsilon = 1e-5;
  v.theta = 1e6;
  v.activation = "silu";
  v.tied = c.flag("tie_embedding", true);
  if (c.has("tie_embedding"))
    c.must_be("tie_word_embeddings", v.tied, "\"tie_embedding\" says otherwise");
  v.names = {.attention_norm = "operator_norm",
             .mlp_norm = "ffn_norm",
             .last_norm = "embedding_norm",
             .query_norm = "self_attn.q_layernorm",
             .key_norm = "self_attn.k_layernorm",
             .attention_output = "self_attn.out_proj",
             .gate = "feed_forward.w1",
             .up = "feed_forward.w3",
             .down = "feed_forward.w2",
             .mixer = "conv.",
             .mixer_output = "conv.out_proj"};
  v.inner = c.size("block_ff_dim", c.size("intermediate_size", 12288));
  if (c.flag("block_auto_adjust_ff_dim", true)) {
    const size_t by = c.size("block_multiple_of", 256);
    v.inner = size_t(c.real("block_ffn_dim_multiplier", 1) * double(v.inner * 2 / 3));
    v.inner = (v.inner + by - 1) / by * by;
  }
  v.attends = attending(c, layers, 1);
  // Up to transformers 4 it counts.
  must_equal(c, "theta", c.real_in({"rope_parameters", "rope_theta"}, c.real("rope_theta", 1e6)));
  // Liquid AI's own files say these as well. The library does not look at them.
  c.ignore({"block_dim", "block_mlp_init_scale", "block_norm_eps", "block_out_init_scale",
            "block_use_swiglu", "block_use_xavier_init", "conv_dim", "conv_dim_out",
            "conv_use_xavier_init", "num_heads", "use_pos_enc", "intermediate_size",
            "block_multiple_of", "block_ffn_dim_multiplier"});
}

void experts(const Config& c, const std::string& type, size_t layers, Variant& v) {
  v.experts = c.size(c.has("num_local_experts") ? "num_local_experts" : "num_experts");
  v.experts_each = c.size("num_experts_per_tok");
  v.expert_inner = c.size("moe_intermediate_size", c.size("intermediate_size"));
  if (type == "qwen2_moe") v.shared_inner = c.size("shared_expert_intermediate_size");
  v.experts_sum_to_one = type == "mixtral" || c.flag("norm_topk_prob", false);
  const std::vector<double> plain = c.reals_in({"mlp_only_layers"});
  const size_t step = c.size("decoder_sparse_step", 1);
  for (size_t i = 0; i < layers; ++i)
    v.mixed.push_back((i + 1) % step == 0 &&
                      std::find(plain.begin(), plain.end(), double(i)) == plain.end());
  c.ignore(
      {"output_router_logits", "router_aux_loss_coef", "router_jitter_noise", "max_window_layers"});
  if (type.starts_with("qwen"))
    c.must_be("use_sliding_window", false, "windows of mixtures of experts are not supported");
}

// Layers say what they are, or a pattern does: every n-th layer sees everything.
void windows(const Config& c, const std::string& type, size_t layers, Variant& v) {
  const bool gemma3 = type.starts_with("gemma3"), qwen = is_one_of(type, {"qwen2", "qwen3"});
  const bool always =
      is_one_of(type, {"mistral", "ministral", "gemma2", "olmo3", "cohere2"}) || gemma3;
  const bool maybe = is_one_of(type, {"mixtral", "ministral3", "starcoder2", "phi3"}) ||
                     ((qwen || type == "smollm3") && c.flag("use_sliding_window", false));
  const bool unsaid = (always || qwen) && !c.says("sliding_window");
  if ((always || maybe) && (c.has("sliding_window") || unsaid))
    v.window = c.size("sliding_window", 4096);
  c.ignore({"sliding_window", "use_sliding_window", "rope_local_base_freq"});
  std::vector<std::string> kinds = c.texts("layer_types");
  if (!kinds.empty() && kinds.size() != layers)
    throw bad_input(
        fmt::format("\"layer_types\" speaks of {}, not {}", counted(kinds.size(), "layer"), layers))
        .at(c.file().string());
  size_t pattern = 0;
  if (type == "gemma2") pattern = 2;
  if (type == "olmo3") pattern = 4;
  if (type == "cohere2" || gemma3) pattern = c.size("sliding_window_pattern", gemma3 ? 6 : 4);
  if (type == "cohere2" && kinds.empty()) must_equal(c, "layer_switch", double(pattern));
  if (type == "smollm3" && v.window > 0 && kinds.empty())
    throw bad_input("\"layer_types\" must say which layers have the window").at(c.file().string());
  // Qwen: the first so many layers see everything.
  int64_t first_windowed = qwen ? c.integer("max_window_layers", 28) : 0;
  for (size_t i = 0; i < layers; ++i) {
    bool local = pattern ? (i + 1) % pattern != 0 : int64_t(i) >= first_windowed;
    if (!kinds.empty()) local = kinds[i] == "sliding_attention";
    v.windowed.push_back(v.window > 0 && local);
  }
  // Another name of Cohere's for the pattern, which the layers' kinds must follow where both are
  // said.
  if (type == "cohere2" && !kinds.empty() && c.has("layer_switch"))
    for (size_t i = 0, each = c.size("layer_switch"); i < layers; ++i)
      if ((kinds[i] == "full_attention") != ((i + 1) % each == 0))
        throw bad_input("\"layer_types\" does not follow \"layer_switch\"").at(c.file().string());
}

void positions(const Config& c, const std::string& type, size_t layers, Variant& v) {
  if (is_one_of(type, {"stablelm", "phi3"}) || type.starts_with("qwen3_5"))
    v.rotary_part = c.real_in({"rope_parameters", "partial_rotary_factor"},
                              c.real("partial_rotary_factor", v.rotary_part));
  else
    c.ignore({"partial_rotary_factor"});  // the library does not look at it
  for (const char* key : {"rope_parameters", "rope_scaling"})
    for (const char* name : {"rope_type", "type"})
      if (const std::string scaling = c.text_in({key, name}, "default");
          type == "phi3" && !is_one_of(scaling, {"default", "longrope", "su"}))
        throw bad_input(fmt::format("Phi's positions are not scaled by \"{}\"", scaling))
            .at(c.file().string());
  v.turned.assign(layers, true);
  if (type == "cohere2") v.turned = v.windowed;
  if (type != "smollm3") return;
  const std::vector<double> said = c.reals_in({"no_rope_layers"});
  const size_t interval = c.size("no_rope_layer_interval", 4);
  for (size_t i = 0; i < layers; ++i)
    v.turned[i] = i < said.size() ? said[i] != 0 : (i + 1) % interval != 0;
}

}  // namespace

LlamaVariant llama_variant(const Config& c, const std::string& whole, size_t layers) {
  Variant v;
  // Mistral's files with a part for pictures say inside which kind their text model is.
  const std::string type = whole == "mistral3" ? c.text("model_type", "mistral") : whole;
  if (whole == "mistral3" && !is_one_of(type, {"mistral", "ministral", "ministral3"}))
    throw bad_input(fmt::format("its text model, '{}', is not supported", type))
        .at(c.file().string());
  v.activation = c.text("hidden_act", "silu");
  v.qkv_bias = is_one_of(type, {"qwen2", "qwen2_moe"}) || c.flag("attention_bias", false);
  v.mlp_bias = c.flag("mlp_bias", false);
  v.output_bias = type != "helium" && c.flag("attention_bias", false);
  v.interleaved = c.flag("rope_neighbours", type == "helium");  // of GGUF files
  c.must_be("rope_interleaved", false, "transformers does not look at it, others may");
  if (c.has("query_pre_attn_scalar"))
    v.score_scale = 1 / std::sqrt(c.real("query_pre_attn_scalar", 256));
  if (type.starts_with("gemma")) gemma(c, type, v);
  if (type.starts_with("olmo")) olmo(c, type, v);
  if (type.starts_with("cohere")) cohere(c, type, v);
  if (type.starts_with("qwen3") || is_one_of(type, {"apertus", "lfm2"}))
    v.head_norms = HeadNorms::shared;
  if (type == "apertus") apertus(c, v);
  if (type == "ministral3") ministral3(c, v);
  if (type.starts_with("qwen3_5")) qwen3_5(c, layers, v);
  if (type == "lfm2") lfm2(c, layers, v);
  if (v.inner == 0) v.inner = c.size("intermediate_size");
  if (type == "stablelm") stablelm(c, v);
  if (type == "granite") granite(c, v);
  if (type == "starcoder2") starcoder(c, v);
  if (type == "qwen2_moe") v.qkv_bias = c.flag("qkv_bias", true);
  if (type == "phi3") {
    v.fused = true;
    v.usual_epsilon = 1e-5;
    c.ignore({"original_max_position_embeddings", "full_attn_mod", "interpolate_factor"});
    c.must_be("lm_head_bias", false, "a bias of the output is not supported");
  }
  if (type == "mixtral") v.theta = 1e6, v.usual_epsilon = 1e-5;
  if (type == "helium") v.theta = 1e5, v.usual_epsilon = 1e-8;
  if (type == "smollm3") {
    v.theta = 2e6, v.tied = true;
    c.ignore({"max_window_layers"});
  }
  if (type == "mixtral" || type == "olmoe" || type.ends_with("_moe")) experts(c, type, layers, v);
  windows(c, type, layers, v);
  positions(c, type, layers, v);
  c.must_be("use_bidirectional_attention", false, "this is no causal language model");
  c.must_be("use_mrope", false, "positions in pictures are not supported");  // of Qwen 2.5
  return v;
}

}  // namespace minpair::model
