// How GGUF files name the parts of GPT-2, GPT-NeoX, BLOOM, Falcon, MPT and Phi. Query, key and
// value are in order there, whatever order they have in the original.

#include "base/error.h"
#include "model/gpt_variant.h"

namespace minpair::model {
namespace {

Gguf gpt2() {
  return {.architecture = "gpt2",
          .model_type = "gpt2",
          .keys = renames("embedding_length=n_embd block_count=n_layer feed_forward_length=n_inner "
                          "attention.head_count=n_head context_length=n_positions"),
          .tensors =
              renames("token_embd.=wte. position_embd.=wpe. output_norm.=ln_f. output.=lm_head."),
          .layers = "h.",
          .in_layer = renames("attn_norm.=ln_1. attn_qkv.=attn.c_attn. attn_output.=attn.c_proj. "
                              "ffn_norm.=ln_2. ffn_up.=mlp.c_fc. ffn_down.=mlp.c_proj.")};
}

Gguf::Settings settings_of_neox(const checkpoint::Metadata& m) {
  Gguf::Settings settings;
  if (auto parallel = m.boolean("gptneox.use_parallel_residual"))
    settings.emplace_back("use_parallel_residual", *parallel);
  auto turned = m.integer("gptneox.rope.dimension_count"),
       width = m.integer("gptneox.embedding_length"),
       heads = m.integer("gptneox.attention.head_count");
  if (turned && width && heads && *width >= *heads && *heads > 0) {
    const int64_t each = *width / *heads;
    settings.emplace_back("rotary_pct", double(*turned) / double(each));
  }
  return settings;
}

Gguf bloom() {
  return {
      .architecture = "bloom",
      .model_type = "bloom",
      .keys =
          renames("block_count=n_layer feed_forward_length=n_inner attention.head_count=n_head"),
      .tensors = renames("token_embd.=word_embeddings. token_embd_norm.=word_embeddings_layernorm. "
                         "output_norm.=ln_f. output.=lm_head."),
      .layers = "h.",
      .in_layer = renames("attn_norm.=input_layernorm. attn_qkv.=self_attention.query_key_value. "
                          "attn_output.=self_attention.dense. ffn_norm.=post_attention_layernorm. "
                          "ffn_up.=mlp.dense_h_to_4h. ffn_down.=mlp.dense_4h_to_h.")};
}

Gguf gpt_neox() {
  Gguf gguf = bloom();
  gguf.architecture = "gptneox", gguf.model_type = "gpt_neox", gguf.layers = "layers.";
  gguf.keys = {{"attention.layer_norm_epsilon", "layer_norm_eps"}};
  gguf.tensors = renames("token_embd.=embed_in. output_norm.=final_layer_norm. output.=embed_out.");
  for (auto& [theirs, ours] : gguf.in_layer)
    if (ours.starts_with("self_")) ours.erase(0, 5);  // self_attention: attention
  gguf.more = settings_of_neox;
  return gguf;
}

// With two norms, the second one is attention's.
Gguf falcon() {
  Gguf gguf = bloom();
  gguf.architecture = gguf.model_type = "falcon";
  gguf.keys = {{"feed_forward_length", "ffn_hidden_size"},
               {"attention.head_count_kv", "num_kv_heads"}};
  gguf.in_layer.insert(gguf.in_layer.begin(), {"attn_norm_2.", "ln_attn."});
  gguf.more = [](const checkpoint::Metadata&) -> Gguf::Settings {
    return {{"new_decoder_architecture", true}};
  };
  return gguf;
}

Gguf mpt() {
  return {.architecture = "mpt",
          .model_type = "mpt",
          .keys = renames("embedding_length=d_model block_count=n_layers "
                          "attention.head_count=n_heads context_length=max_seq_len"),
          .tensors = renames("token_embd.=wte. output_norm.=norm_f. output.=lm_head."),
          .layers = "blocks.",
          .in_layer = renames("attn_norm.=norm_1. attn_qkv.=attn.Wqkv. attn_output.=attn.out_proj. "
                              "ffn_norm.=norm_2. ffn_up.=ffn.up_proj. ffn_down.=ffn.down_proj."),
          .more = [](const checkpoint::Metadata& m) -> Gguf::Settings {
            if (m.real("mpt.attention.max_alibi_bias").value_or(8) != 8)
              throw bad_input("MPT's mpt.attention.max_alibi_bias must be 8");
            if (auto clip = m.real("mpt.attention.clamp_kqv")) return {{"clip_qkv", *clip}};
            return {};
          }};
}

Gguf phi() {
  return {.architecture = "phi2",
          .model_type = "phi",
          .keys = {{"attention.layer_norm_epsilon", "layer_norm_eps"}},
          .tensors =
              renames("token_embd.=embed_tokens. output_norm.=final_layernorm. output.=lm_head."),
          .layers = "layers.",
          .in_layer = renames(
              "attn_norm.=input_layernorm. attn_qkv.=self_attn.qkv_proj. attn_q.=self_attn.q_proj. "
              "attn_k.=self_attn.k_proj. attn_v.=self_attn.v_proj. attn_output.=self_attn.dense. "
              "ffn_up.=mlp.fc1. ffn_down.=mlp.fc2.")};
}

}  // namespace

std::vector<Gguf> gpt_gguf() { return {gpt2(), bloom(), falcon(), mpt(), phi(), gpt_neox()}; }

}  // namespace minpair::model
