#include "model/rwkv_folders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/renamed.h"

namespace minpair::model {
namespace {

// Also of version 5.
const Names kOutside6 =
    renames("rwkv.embeddings.=token_embd. rwkv.ln_out.=output_norm. head.=output.");
// Matrices whose rows are inputs end in "turned".
const Names kInLayer6 = renames(
    "pre_ln.=token_embd_norm. ln1.=attn_norm. ln2.=attn_norm_2. "
    "attention.time_maa_w1=time_mix_w1.turned attention.time_maa_w2=time_mix_w2.{}.turned "
    "attention.time_maa_x=time_mix_lerp_x.weight attention.time_maa_w=time_mix_lerp_w.weight "
    "attention.time_maa_k=time_mix_lerp_k.weight attention.time_maa_v=time_mix_lerp_v.weight "
    "attention.time_maa_r=time_mix_lerp_r.weight attention.time_maa_g=time_mix_lerp_g.weight "
    "attention.time_decay_w1=time_mix_decay_w1.turned "
    "attention.time_decay_w2=time_mix_decay_w2.turned attention.time_decay=time_mix_decay.weight "
    "attention.time_faaaa=time_mix_first.weight attention.ln_x.=time_mix_ln. attention.=time_mix_ "
    "feed_forward.time_maa_k=channel_mix_lerp_k.weight "
    "feed_forward.time_maa_r=channel_mix_lerp_r.weight feed_forward.=channel_mix_");

// What is the token's own share in version 5 is that of the one before in later ones: other names.
const Names kInLayer5 = renames(
    "pre_ln.=token_embd_norm. ln1.=attn_norm. ln2.=attn_norm_2. "
    "attention.time_mix_key=time_mix_own_k.weight attention.time_mix_value=time_mix_own_v.weight "
    "attention.time_mix_receptance=time_mix_own_r.weight "
    "attention.time_mix_gate=time_mix_own_g.weight attention.time_decay=time_mix_decay.weight "
    "attention.time_faaaa=time_mix_first.weight attention.ln_x.=time_mix_ln. attention.=time_mix_ "
    "feed_forward.time_mix_key=channel_mix_own_k.weight "
    "feed_forward.time_mix_receptance=channel_mix_own_r.weight feed_forward.=channel_mix_");

const Names kOutside7 =
    renames("model.embeddings.=token_embd. model.norm.=output_norm. lm_head.=output.");

Names in_layer_7() {
  Names names = renames(
      "pre_norm.=token_embd_norm. attn_norm.=attn_norm. ffn_norm.=attn_norm_2. "
      "attn.x_x=time_mix_lerp_fused.weight attn.r_proj.=time_mix_receptance. "
      "attn.k_proj.=time_mix_key. attn.v_proj.=time_mix_value. attn.o_proj.=time_mix_output. "
      "attn.g_norm.=time_mix_ln. ffn.x_k=channel_mix_lerp_k.weight ffn.=channel_mix_");
  for (const char* letter : {"r", "w", "k", "v", "a", "g"}) {
    const std::string low = fmt::format("attn.{}_lora.lora.", letter);
    const std::string ours = fmt::format("time_mix_{}", letter);
    names.emplace_back(low + "0.weight", ours + "1.weight");
    names.emplace_back(low + "2.weight", ours + "2.weight");
    names.emplace_back(low + "2.bias", ours + "0.weight");
    names.emplace_back(fmt::format("attn.x_{}", letter),
                       fmt::format("time_mix_lerp_{}.weight", letter));
  }
  for (const char* name : {"k_k", "k_a", "r_k"})
    names.emplace_back(fmt::format("attn.{}", name), fmt::format("time_mix_{}.weight", name));
  return names;
}

std::vector<checkpoint::TensorView> in_terms_of_gguf(checkpoint::TensorView tensor,
                                                     const std::string& layers,
                                                     const Names& outside, const Names& in_layer) {
  const size_t number = layers.size(), dot = tensor.name.find('.', number);
  if (!tensor.name.starts_with(layers) || dot == std::string::npos) {
    tensor.name = replaced(tensor.name, outside);
    return {tensor};
  }
  const std::string inside = replaced(tensor.name.substr(dot + 1), in_layer);
  const std::string layer = "blk." + tensor.name.substr(number, dot + 1 - number);
  tensor.name = inside.starts_with("token_embd_norm.") ? inside : layer + inside;
  if (!tensor.name.ends_with(".turned")) return {tensor};
  tensor.name.replace(tensor.name.size() - 6, 6, "weight");
  if (tensor.shape.size() != 3 || !tensor.contiguous()) return {turned(tensor)};
  std::vector<checkpoint::TensorView> all;
  for (int64_t i = 0; i < tensor.shape[0]; ++i) all.push_back(turned(matrix_of(tensor, size_t(i))));
  return all;
}

size_t rounded_up(double size, size_t to) { return (size_t(size) + to - 1) / to * to; }

RwkvSettings settings_5(const Config& c) {
  const size_t h = c.size("hidden_size");
  RwkvSettings s;
  s.head = c.size("head_size", 64);
  s.inner = c.size("intermediate_size", std::max<size_t>(1, size_t(double(h) * 3.5) / 32 * 32));
  s.epsilon = c.real("layer_norm_epsilon", 1e-5);
  const double divisor = c.real("head_size_divisor", 8);
  s.heads_epsilon = 1e-5 * divisor * divisor;
  if (c.size("attention_hidden_size", h) != h)
    throw bad_input("\"attention_hidden_size\" must be \"hidden_size\"").at(c.file().string());
  c.must_be("tie_word_embeddings", false, "an output layer of its own is needed");
  // The stream is halved in half precision alone, in whose range it must stay.
  c.ignore({"num_attention_heads", "model_max_length", "context_length", "rescale_every"});
  return s;
}

// As llama.cpp has it, with one epsilon, and halved in any precision.
RwkvSettings settings_6(const Config& c) {
  RwkvSettings s = settings_5(c);
  s.last_epsilon = s.epsilon;
  s.halved_every = size_t(std::max<int64_t>(0, c.integer("rescale_every", 6)));
  return s;
}

RwkvSettings settings_7(const Config& c) {
  const size_t h = c.size("hidden_size");
  RwkvSettings s;
  s.head = c.has("head_dim") ? c.size("head_dim") : std::max<size_t>(1, h / c.size("num_heads"));
  s.inner = c.size("intermediate_size", rounded_up(double(h) * c.real("hidden_ratio", 4), 32));
  s.epsilon = s.last_epsilon = c.real("norm_eps", 1e-5);
  s.heads_epsilon = double(s.head) * s.epsilon;
  if (c.has("attn"))
    throw bad_input("\"attn\": layers that attend are not computed beside RWKV's")
        .at(c.file().string());
  if (c.text("hidden_act", "sqrelu") != "sqrelu")
    throw bad_input("\"hidden_act\" must be \"sqrelu\"").at(c.file().string());
  for (double width : c.reals_in({"value_dim"}))
    if (width != double(h))
      throw bad_input("\"value_dim\" must be \"hidden_size\" in every layer").at(c.file().string());
  c.must_be("norm_first", true, "a norm of the embeddings is needed");
  c.must_be("norm_bias", true, "norms without biases are not supported");
  c.must_be("tie_word_embeddings", false, "an output layer of its own is needed");
  // Ranks are those of the tensors.
  c.ignore({"attn_mode", "num_heads", "hidden_ratio", "a_low_rank_dim", "decay_low_rank_dim",
            "gate_low_rank_dim", "v_low_rank_dim", "fuse_norm", "fuse_cross_entropy",
            "fuse_linear_cross_entropy", "use_l2warp", "max_position_embeddings"});
  return s;
}

}  // namespace

RwkvSettings rwkv_settings(const Config& config, int version) {
  return version == 5 ? settings_5(config) : version == 6 ? settings_6(config) : settings_7(config);
}

std::unique_ptr<checkpoint::Checkpoint> rwkv_tensors(const checkpoint::Checkpoint& folder,
                                                     int version) {
  const bool seventh = version == 7;
  const Names in_layer = seventh ? in_layer_7() : version == 6 ? kInLayer6 : kInLayer5;
  return std::make_unique<Renamed>(folder, [&](checkpoint::TensorView tensor) {
    return in_terms_of_gguf(std::move(tensor), seventh ? "model.layers." : "rwkv.blocks.",
                            seventh ? kOutside7 : kOutside6, in_layer);
  });
}

}  // namespace minpair::model
