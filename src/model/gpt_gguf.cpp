// How GGUF files name the parts of BLOOM, Falcon, MPT and Phi. Query, key and value are in order
// there, whatever order they have in the original.

#include "base/error.h"
#include "model/gpt_variant.h"

namespace minpair::model {
namespace {

Gguf bloom() {
  return {.architecture = "bloom",
          .model_type = "bloom",
          .keys = {{"block_count", "n_layer"},
                   {"feed_forward_length", "n_inner"},
                   {"attention.head_count", "n_head"}},
          .tensors = {{"token_embd.", "word_embeddings."},
                      {"token_embd_norm.", "word_embeddings_layernorm."},
                      {"output_norm.", "ln_f."},
                      {"output.", "lm_head."}},
          .layers = "h.",
          .in_layer = {{"attn_norm.", "input_layernorm."},
                       {"attn_qkv.", "self_attention.query_key_value."},
                       {"attn_output.", "self_attention.dense."},
                       {"ffn_norm.", "post_attention_layernorm."},
                       {"ffn_up.", "mlp.dense_h_to_4h."},
                       {"ffn_down.", "mlp.dense_4h_to_h."}}};
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
  return {
      .architecture = "mpt",
      .model_type = "mpt",
      .keys = {{"embedding_length", "d_model"},
               {"block_count", "n_layers"},
               {"attention.head_count", "n_heads"},
               {"context_length", "max_seq_len"}},
      .tensors = {{"token_embd.", "wte."}, {"output_norm.", "norm_f."}, {"output.", "lm_head."}},
      .layers = "blocks.",
      .in_layer = {{"attn_norm.", "norm_1."},
                   {"attn_qkv.", "attn.Wqkv."},
                   {"attn_output.", "attn.out_proj."},
                   {"ffn_norm.", "norm_2."},
                   {"ffn_up.", "ffn.up_proj."},
                   {"ffn_down.", "ffn.down_proj."}},
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
          .tensors = {{"token_embd.", "embed_tokens."},
                      {"output_norm.", "final_layernorm."},
                      {"output.", "lm_head."}},
          .layers = "layers.",
          .in_layer = {{"attn_norm.", "input_layernorm."},
                       {"attn_qkv.", "self_attn.qkv_proj."},
                       {"attn_q.", "self_attn.q_proj."},
                       {"attn_k.", "self_attn.k_proj."},
                       {"attn_v.", "self_attn.v_proj."},
                       {"attn_output.", "self_attn.dense."},
                       {"ffn_up.", "mlp.fc1."},
                       {"ffn_down.", "mlp.fc2."}}};
}

}  // namespace

std::vector<Gguf> gpt_gguf() { return {bloom(), falcon(), mpt(), phi()}; }

}  // namespace minpair::model
