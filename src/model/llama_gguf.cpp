// How GGUF files write Llama and its family.

#include <algorithm>

#include "base/error.h"
#include "model/llama_variant.h"

namespace minpair::model {
namespace {

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
constexpr std::string_view kNeighbours[] = {"llama", "granite", "smollm3", "olmo", "mistral3"};

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

// Apertus: no gate.
Gguf gguf_of_apertus() {
  Gguf gguf = gguf_of("apertus", "apertus");
  gguf.in_layer.insert(gguf.in_layer.begin(), {{"attn_norm.", "attention_layernorm."},
                                               {"ffn_norm.", "feedforward_layernorm."}});
  gguf.more = [](const checkpoint::Metadata& m) {
    Gguf::Settings settings;
    for (const char* name : {"xielu.alpha_n", "xielu.alpha_p", "xielu.beta", "xielu.eps"}) {
      const std::vector<float> all = m.reals(name);
      settings.emplace_back(name, std::vector<double>(all.begin(), all.end()));
    }
    return settings;
  };
  return gguf;
}

Gguf::Settings ministral3_settings(const checkpoint::Metadata& m) {
  return {{"llama_4_scaling_beta", m.real("mistral3.attention.temperature_scale").value_or(0)}};
}

// The layers that attend, from a list of numbers that are not zero in the others, or in these.
void list_attending(const std::vector<int64_t>& of_layers, bool zero, Gguf::Settings& settings) {
  std::vector<double> attending;
  for (size_t i = 0; i < of_layers.size(); ++i)
    if ((of_layers[i] == 0) == zero) attending.push_back(double(i));
  if (!of_layers.empty()) settings.emplace_back("full_attn_idxs", attending);
}

Gguf gguf_of_lfm2() {
  Gguf gguf = gguf_of("lfm2", "lfm2");
  gguf.keys = {{"attention.layer_norm_rms_epsilon", "norm_eps"}};
  gguf.tensors.insert(gguf.tensors.begin(), {{"token_embd_norm.", "model.embedding_norm."},
                                             {"output_norm.", "model.embedding_norm."}});
  gguf.in_layer.insert(gguf.in_layer.begin(), {{"attn_norm.", "operator_norm."},
                                               {"attn_output.", "self_attn.out_proj."},
                                               {"attn_q_norm.", "self_attn.q_layernorm."},
                                               {"attn_k_norm.", "self_attn.k_layernorm."},
                                               {"ffn_norm.", "ffn_norm."},
                                               {"ffn_gate.", "feed_forward.w1."},
                                               {"ffn_up.", "feed_forward.w3."},
                                               {"ffn_down.", "feed_forward.w2."},
                                               {"shortconv.", "conv."}});
  gguf.more = [](const checkpoint::Metadata& m) {
    Gguf::Settings settings{{"block_auto_adjust_ff_dim", false},
                            {"conv_L_cache", m.integer("lfm2.shortconv.l_cache").value_or(3)}};
    if (m.is_list("lfm2.attention.head_count_kv"))
      list_attending(m.integers("lfm2.attention.head_count_kv"), false, settings);
    return settings;
  };
  return gguf;
}

// Qwen 3.5: the heads of its memories are in another order, where some share a key.
Gguf gguf_of_qwen3_5() {
  Gguf gguf = gguf_of("qwen35", "qwen3_5_text");
  gguf.in_layer.insert(gguf.in_layer.begin(),
                       {{"post_attention_norm.", "post_attention_layernorm."},
                        {"attn_qkv.", "linear_attn.in_proj_qkv."},
                        {"attn_gate.", "linear_attn.in_proj_z."},
                        {"ssm_beta.", "linear_attn.in_proj_b."},
                        {"ssm_alpha.", "linear_attn.in_proj_a."},
                        {"ssm_conv1d.", "linear_attn.conv1d."},
                        {"ssm_dt.bias", "linear_attn.dt_bias"},
                        {"ssm_a", "linear_attn.A"},
                        {"ssm_norm.", "linear_attn.norm."},
                        {"ssm_out.", "linear_attn.out_proj."}});
  gguf.more = [](const checkpoint::Metadata& m) {
    Gguf::Settings settings{{"heads_in_turn", true}};
    for (const auto& [theirs, ours] :
         Gguf::Names{{"ssm.conv_kernel", "linear_conv_kernel_dim"},
                     {"ssm.state_size", "linear_key_head_dim"},
                     {"ssm.group_count", "linear_num_key_heads"},
                     {"ssm.time_step_rank", "linear_num_value_heads"},
                     {"full_attention_interval", "full_attention_interval"}})
      if (auto value = m.integer("qwen35." + theirs)) settings.emplace_back(ours, *value);
    list_attending(m.integers("qwen35.attention.recurrent_layers"), true, settings);
    // Behind the layers there may be one that guesses ahead.
    settings.emplace_back("num_hidden_layers",
                          m.integer("qwen35.block_count").value_or(0) -
                              m.integer("qwen35.nextn_predict_layers").value_or(0));
    const int64_t heads = m.integer("qwen35.ssm.time_step_rank").value_or(0);
    if (heads > 0)
      settings.emplace_back("linear_value_head_dim",
                            m.integer("qwen35.ssm.inner_size").value_or(0) / heads);
    return settings;
  };
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

std::vector<Gguf> llama_gguf() {
  return {gguf_of("llama", "llama"),
          gguf_of("qwen2", "qwen2"),
          gguf_of("qwen3", "qwen3"),
          gguf_of("gemma", "gemma", gemma_settings),
          gguf_of("gemma2", "gemma2", large_gemma_settings<46>, "pre_feedforward_layernorm."),
          gguf_of("gemma3", "gemma3_text", large_gemma_settings<62>, "pre_feedforward_layernorm."),
          gguf_of("granite", "granite", granite_settings),
          gguf_of("olmo", "olmo", olmo_settings),
          gguf_of("olmo2", "olmo2", olmo2_settings),
          gguf_of("smollm3", "smollm3"),
          gguf_of_starcoder(),
          gguf_of_stablelm(),
          gguf_of_phi3(),
          gguf_of_apertus(),
          gguf_of_lfm2(),
          gguf_of_qwen3_5(),
          gguf_of("mistral3", "ministral3", ministral3_settings),
          gguf_of_experts("llama", "mixtral"),
          gguf_of_experts("qwen2moe", "qwen2_moe"),
          gguf_of_experts("qwen3moe", "qwen3_moe"),
          gguf_of_experts("olmoe", "olmoe")};
}

}  // namespace minpair::model
