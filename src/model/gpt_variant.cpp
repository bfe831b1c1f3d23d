#include "model/gpt_variant.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace minpair::model {
namespace {

using Variant = GptVariant;

// Press et al. (2022): powers of two; where the heads are no power of two, every other one of twice
// as many fills up.
std::vector<float> alibi_slopes(size_t heads) {
  size_t whole = 1;
  while (whole * 2 <= heads) whole *= 2;
  auto slope = [](size_t of, size_t i) {
    return float(std::pow(2.0, -8.0 / double(of) * double(i + 1)));
  };
  std::vector<float> slopes;
  for (size_t i = 0; i < whole; ++i) slopes.push_back(slope(whole, i));
  for (size_t i = 0; slopes.size() < heads; ++i) slopes.push_back(slope(2 * whole, 2 * i));
  return slopes;
}

size_t head_width(const Config& c, const Variant& v) {
  return c.size(v.sizes.hidden) / c.size(v.sizes.heads);
}

// GPT-2 stores its linear layers as [inputs × outputs].
Variant gpt2(const Config& c) {
  Variant v{.name = "GPT-2",
            .sizes = {"n_layer", "n_embd", "n_head", "n_positions", c.size("n_ctx", 1024)},
            .inner = "n_inner",
            .in_order = true};
  v.scaled_by_layer = c.flag("scale_attn_by_inverse_layer_idx", false);
  if (!c.flag("scale_attn_weights", true)) v.score_scale = 1;
  c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
  c.ignore({"reorder_and_upcast_attn", "predict_special_tokens", "n_special"});
  v.transposed = c.flag("linear_transposed", true);
  v.qkv = {"attn.c_attn"}, v.attention_output = "attn.c_proj";
  v.up = "mlp.c_fc", v.down = "mlp.c_proj";
  return v;
}

Variant opt(const Config& c) {
  Variant v{.name = "OPT", .inner = "ffn_dim", .epsilon = "", .usual_activation = "relu"};
  v.first_place = 2;
  v.embedding_width = c.size("word_embed_proj_dim", c.size(v.sizes.hidden));
  v.norms_first = c.flag("do_layer_norm_before", true);
  v.qkv_bias = v.output_bias = v.mlp_bias = c.flag("enable_bias", true);
  c.must_be("layer_norm_elementwise_affine", true, "norms without weights are not supported");
  v.prefixes = {"module.", "model.", "decoder."};
  v.words = "embed_tokens.weight", v.learned = "embed_positions.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.attention_output = "self_attn.out_proj", v.attention_norm = "self_attn_layer_norm";
  v.up = "fc1", v.down = "fc2", v.mlp_norm = "final_layer_norm", v.norm = "final_layer_norm";
  if (!v.norms_first || c.flag("_remove_final_layer_norm", false)) v.norm.clear();
  return v;
}

Variant xglm(const Config& c) {
  Variant v{.name = "XGLM",
            .sizes = {"num_layers", "d_model", "attention_heads"},
            .inner = "ffn_dim",
            .epsilon = "",
            .usual_activation = "gelu",
            .places = Places::waves,
            .first_place = 2};
  if (c.flag("scale_embedding", true)) v.embeddings_times = std::sqrt(double(c.size("d_model")));
  c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
  c.must_agree("num_layers", "num_hidden_layers");
  v.prefixes = {"module.", "model."};
  v.words = "embed_tokens.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.attention_output = "self_attn.out_proj", v.attention_norm = "self_attn_layer_norm";
  v.up = "fc1", v.down = "fc2", v.mlp_norm = "final_layer_norm", v.norm = "layer_norm";
  return v;
}

Variant gpt_neo(const Config& c) {
  Variant v{.name = "GPT-Neo", .sizes = {"num_layers", "hidden_size", "num_heads"}};
  v.score_scale = 1;
  v.qkv_bias = false;
  v.qkv = {"attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"};
  v.attention_output = "attn.attention.out_proj", v.up = "mlp.c_fc", v.down = "mlp.c_proj";
  c.ignore({"attention_types"});
  c.must_agree("num_layers", "num_hidden_layers");
  c.must_agree("num_heads", "num_attention_heads");
  const size_t window = c.size("window_size", 256);
  for (const std::string& kind : c.texts("attention_layers"))
    v.before.push_back(kind == "local" ? window - 1 : SIZE_MAX);
  if (v.before.size() != c.size(v.sizes.layers))
    throw bad_input("\"attention_layers\" must say \"global\" or \"local\" for every layer")
        .at(c.file().string());
  return v;
}

Variant gptj(const Config& c) {
  Variant v{.name = "GPT-J",
            .sizes = {"n_layer", "n_embd", "n_head", "n_positions"},
            .inner = "n_inner",
            .places = Places::rotary,
            .side_by_side = true,
            .neighbours = true,
            .head_bias = true,
            .tied = false};
  v.turned = c.size("rotary_dim", c.says("rotary_dim") ? head_width(c, v) : 64);
  v.qkv_bias = v.output_bias = false;
  v.qkv = {"attn.q_proj", "attn.k_proj", "attn.v_proj"};
  v.attention_output = "attn.out_proj", v.up = "mlp.fc_in", v.down = "mlp.fc_out";
  c.must_be("scale_attn_weights", true, "this is not supported");
  c.must_be("rotary", true, "learned positions are not supported");
  return v;
}

Variant bloom(const Config& c) {
  Variant v{.name = "BLOOM",
            .sizes = {"n_layer", c.has("hidden_size") ? "hidden_size" : "n_embed",
                      c.has("n_head") ? "n_head" : "num_attention_heads", "seq_length"},
            .inner = "n_inner",
            .usual_activation = "gelu_new",
            .places = Places::alibi};
  c.must_be("apply_residual_connection_post_layernorm", false, "this is not supported");
  c.must_agree("n_head", "num_attention_heads");
  c.must_agree("hidden_size", "n_embed");
  c.ignore({"slow_but_exact", "offset_alibi", "skip_bias_add", "skip_bias_add_qkv",
            "attention_softmax_in_fp32", "masked_softmax_fusion", "bias_dropout_fusion",
            "unk_token_id"});
  v.in_order = c.flag("qkv_in_order", false);
  v.slopes = alibi_slopes(c.size(v.sizes.heads));
  v.words = "word_embeddings.weight", v.embedding_norm = "word_embeddings_layernorm";
  v.qkv = {"self_attention.query_key_value"}, v.attention_output = "self_attention.dense";
  v.attention_norm = "input_layernorm", v.mlp_norm = "post_attention_layernorm";
  v.up = "mlp.dense_h_to_4h", v.down = "mlp.dense_4h_to_h";
  return v;
}

Variant phi(const Config& c) {
  Variant v{.name = "Phi",
            .activation = "hidden_act",
            .epsilon = "layer_norm_eps",
            .places = Places::rotary,
            .side_by_side = true,
            .head_bias = true,
            .tied = false};
  c.must_be("qk_layernorm", false, "norms of queries and keys are not supported");
  if (c.size("num_key_value_heads", c.size(v.sizes.heads)) != c.size(v.sizes.heads))
    throw bad_input("Phi with fewer key heads is not supported").at(c.file().string());
  v.turned =
      size_t(double(head_width(c, v)) * c.real_in({"rope_parameters", "partial_rotary_factor"},
                                                  c.real("partial_rotary_factor", 0.5)));
  v.prefixes = {"module.", "model."};
  v.words = "embed_tokens.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.in_order = c.flag("qkv_in_order", false);  // the first GGUF files of Phi-2
  if (v.in_order) v.qkv = {"self_attn.qkv_proj"};
  v.attention_output = "self_attn.dense", v.attention_norm = "input_layernorm";
  v.up = "mlp.fc1", v.down = "mlp.fc2", v.norm = "final_layernorm";
  return v;
}

// Rotary positions on a part of each head; attention and feed-forward side by side, each with a
// norm of its own.
Variant gpt_neox(const Config& c) {
  Variant v{.name = "GPT-NeoX",
            .activation = "hidden_act",
            .epsilon = "layer_norm_eps",
            .usual_activation = "gelu",
            .places = Places::rotary,
            .tied = false};
  v.side_by_side = v.own_norms = c.flag("use_parallel_residual", true);
  const double part = c.real_in({"rope_parameters", "partial_rotary_factor"}, 0.25);
  v.turned = size_t(double(head_width(c, v)) *
                    c.real("rotary_pct", c.real("partial_rotary_factor", part)));
  v.theta = c.real("rotary_emb_base", 10000);
  c.must_agree("rotary_emb_base", "rope_theta");
  c.must_agree("rotary_pct", "partial_rotary_factor");
  v.in_order = c.flag("qkv_in_order", false);
  v.qkv_bias = v.output_bias = c.flag("attention_bias", true);
  c.ignore({"type_vocab_size"});
  v.prefixes = {"module.", "gpt_neox."};
  v.words = "embed_in.weight", v.layer = "layers.{}.", v.output = "embed_out";
  v.qkv = {"attention.query_key_value"}, v.attention_output = "attention.dense";
  v.attention_norm = "input_layernorm", v.mlp_norm = "post_attention_layernorm";
  v.up = "mlp.dense_h_to_4h", v.down = "mlp.dense_4h_to_h", v.norm = "final_layer_norm";
  return v;
}

// Three ways of keeping query, key and value in one tensor: all queries, one key, one value; each
// key head with its queries; each head with its own.
Variant falcon(const Config& c) {
  Variant v{.name = "Falcon",
            .inner = "ffn_hidden_size",
            .activation = "activation",
            .usual_activation = "gelu",
            .places = c.flag("alibi", false) ? Places::alibi : Places::rotary};
  const bool grouped = c.flag("new_decoder_architecture", false);
  const bool single = !grouped && c.flag("multi_query", true);
  const size_t heads = c.size(v.sizes.heads);
  v.key_heads = grouped ? c.size("num_kv_heads", heads) : single ? 1 : heads;
  const size_t each = heads / v.key_heads;
  v.in_order = c.flag("qkv_in_order", false);
  v.row_of = [=](size_t part, size_t head) {
    if (part == 0) return head / each * (each + 2) + head % each;
    return head * (each + 2) + each + part - 1;
  };
  v.side_by_side = grouped || c.flag("parallel_attn", true);
  if (grouped) c.must_be("parallel_attn", true, "this is not supported");
  v.own_norms = grouped && c.size("num_ln_in_parallel_attn", 2) == 2;
  v.qkv_bias = v.output_bias = v.mlp_bias = c.flag("bias", false);
  v.slopes = alibi_slopes(heads);
  v.rounded_slopes = true;
  if (v.places == Places::alibi) c.ignore({"rope_parameters", "rope_theta", "rope_scaling"});
  c.ignore({"num_kv_heads", "multi_query", "parallel_attn", "num_ln_in_parallel_attn", "n_embed",
            "apply_residual_connection_post_layernorm", "intermediate_size"});
  v.words = "word_embeddings.weight", v.qkv = {"self_attention.query_key_value"};
  v.attention_output = "self_attention.dense";
  v.attention_norm = v.own_norms ? "ln_attn" : "input_layernorm";
  v.mlp_norm = v.own_norms ? "ln_mlp" : "post_attention_layernorm";
  // In GGUF files the norm that both parts may share has one name.
  if (v.in_order && v.own_norms) v.mlp_norm = "input_layernorm";
  v.up = "mlp.dense_h_to_4h", v.down = "mlp.dense_4h_to_h";
  return v;
}

// Slopes as in BLOOM, but other ones fill up where the heads are no power of two.
Variant mpt(const Config& c) {
  Variant v{.name = "MPT",
            .sizes = {"n_layers", "d_model", "n_heads", "max_seq_len"},
            .inner = "",
            .activation = "",
            .usual_activation = "gelu",
            .places = Places::alibi};
  auto must = [&](const char* key, const char* usual) {
    if (c.text_in({"attn_config", key}, usual) != usual)
      throw bad_input(fmt::format("\"{}\" must be \"{}\"", key, usual)).at(c.file().string());
  };
  must("attn_type", "multihead_attention");
  for (const char* key : {"qk_ln", "prefix_lm"})
    if (c.flag_in({"attn_config", key}, false))
      throw bad_input(fmt::format("\"{}\" is not supported", key)).at(c.file().string());
  if (!c.flag_in({"attn_config", "alibi"}, true))
    throw bad_input("MPT with learned positions is not supported").at(c.file().string());
  v.clip = float(c.real_in({"attn_config", "clip_qkv"}, c.real("clip_qkv", 0)));
  v.score_scale = c.real_in({"attn_config", "softmax_scale"}, 0);
  c.text_in({"attn_config", "attn_impl"}, "");
  c.real_in({"attn_config", "attn_pdrop"}, 0);
  c.flag_in({"attn_config", "attn_uses_sequence_id"}, false);
  c.text_in({"attn_config", "model_type"}, "");
  c.must_be("no_bias", true, "biases are not supported");
  if (c.has("logit_scale"))
    throw bad_input("\"logit_scale\" is not supported").at(c.file().string());
  c.ignore({"expansion_ratio", "embedding_fraction", "init_device", "learned_pos_emb", "norm_type",
            "verbose", "init_config", "attn_config", "tokenizer_name"});
  const size_t heads = c.size(v.sizes.heads);
  const double most = c.real_in({"attn_config", "alibi_bias_max"}, 8);
  if (most != 8)  // the library reads it, and takes 8
    throw bad_input("\"alibi_bias_max\" must be 8").at(c.file().string());
  size_t whole = 1;
  while (whole < heads) whole *= 2;
  std::vector<float> all;
  for (size_t i = 1; i <= whole; ++i)
    all.push_back(float(std::pow(2.0, -double(i) * most / double(whole))));
  if (whole == heads) v.slopes = all;
  for (size_t first : {1, 0})
    for (size_t i = first; i < whole && v.slopes.size() < heads; i += 2) v.slopes.push_back(all[i]);
  v.qkv_bias = v.output_bias = v.mlp_bias = v.norm_bias = false;
  v.in_order = true;
  v.layer = "blocks.{}.", v.qkv = {"attn.Wqkv"}, v.attention_output = "attn.out_proj";
  v.attention_norm = "norm_1", v.mlp_norm = "norm_2", v.norm = "norm_f";
  v.up = "ffn.up_proj", v.down = "ffn.down_proj";
  return v;
}

Variant openai_gpt(const Config& c) {
  Variant v{.name = "GPT",
            .sizes = {"n_layer", "n_embd", "n_head", "n_positions", 512},
            .inner = "",
            .activation = "afn",
            .norms_first = false};
  // Their "gelu" is the approximation by tanh.
  if (c.text("afn", "gelu") == "gelu") v.activation = "";
  v.transposed = true;
  v.words = "tokens_embed.weight", v.learned = "positions_embed.weight", v.norm.clear();
  v.qkv = {"attn.c_attn"}, v.attention_output = "attn.c_proj";
  v.in_order = true;
  v.up = "mlp.c_fc", v.down = "mlp.c_proj";
  c.ignore({"predict_special_tokens", "n_special"});
  return v;
}

// GPT-J in another order: four blocks, each with queries, values, keys.
Variant codegen(const Config& c) {
  Variant v = gptj(c);
  v.name = "CodeGen";
  const size_t heads = c.size(v.sizes.heads);
  if (heads % 4) throw bad_input("CodeGen's heads come in fours").at(c.file().string());
  v.qkv = {"attn.qkv_proj"};
  v.row_of = [each = heads / 4](size_t part, size_t head) {
    const size_t place[] = {0, 2, 1};
    return (head / each * 3 + place[part]) * each + head % each;
  };
  return v;
}

Variant bigcode(const Config& c) {
  Variant v{.name = "GPT-BigCode",
            .sizes = {"n_layer", "n_embd", "n_head", "n_positions"},
            .inner = "n_inner",
            .usual_activation = "gelu_pytorch_tanh"};
  v.in_order = c.flag("multi_query", true);
  if (v.in_order) v.key_heads = 1;
  if (!c.flag("scale_attn_weights", true)) v.score_scale = 1;
  c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
  c.ignore({"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "num_key_value_heads",
            "inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length",
            "pre_allocate_kv_cache", "validate_runner_input"});
  v.qkv = {"attn.c_attn"}, v.attention_output = "attn.c_proj";
  v.up = "mlp.c_fc", v.down = "mlp.c_proj";
  return v;
}

}  // namespace

GptVariant gpt_variant(const Config& c, const std::string& type) {
  if (type == "gpt2") return gpt2(c);
  if (type == "gpt_neox") return gpt_neox(c);
  if (type == "opt") return opt(c);
  if (type == "xglm") return xglm(c);
  if (type == "gpt_neo") return gpt_neo(c);
  if (type == "gptj") return gptj(c);
  if (type == "bloom") return bloom(c);
  if (type == "falcon") return falcon(c);
  if (type == "mpt") return mpt(c);
  if (type == "openai-gpt") return openai_gpt(c);
  if (type == "codegen") return codegen(c);
  return type == "gpt_bigcode" ? bigcode(c) : phi(c);
}

}  // namespace minpair::model
