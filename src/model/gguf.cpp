// A GGUF file as a model: its metadata in the terms of config.json, its tensors under Hugging
// Face's names.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model/causal.h"
#include "tokenizer/make.h"

namespace minpair::model {
namespace {

using Json = nlohmann::ordered_json;

struct Family {
  const char* gguf;        // general.architecture
  const char* model_type;  // ours
  MakeDecoder make;
  bool neighbours;  // rotary pairs lie beside each other
};

constexpr Family families[] = {
    {"llama", "llama", make_llama, true},    {"qwen2", "qwen2", make_llama, false},
    {"qwen3", "qwen3", make_llama, false},   {"gemma", "gemma", make_llama, false},
    {"gemma2", "gemma2", make_llama, false}, {"gemma3", "gemma3_text", make_llama, false},
    {"gpt2", "gpt2", make_gpt2, false},      {"gptneox", "gpt_neox", make_gpt_neox, false},
};

const Family& family_of(const checkpoint::Checkpoint& checkpoint, const std::string& file) {
  std::string name(checkpoint.metadata().text("general.architecture").value_or(""));
  std::string known;
  for (const Family& f : families) {
    if (name == f.gguf) return f;
    known += (known.empty() ? "" : ", ") + std::string(f.gguf);
  }
  throw bad_input(fmt::format("the GGUF architecture '{}' is not supported", name))
      .at(file)
      .hint("supported are " + known);
}

int64_t vocabulary_of(const checkpoint::Checkpoint& checkpoint, const std::string& file) {
  const checkpoint::TensorView* table = checkpoint.find("token_embd.weight");
  if (!table || table->shape.size() != 2)
    throw bad_input("the tensor token_embd.weight is missing").at(file);
  return table->shape[0];
}

void add_neox(Json& config, const checkpoint::Metadata& m) {
  if (auto parallel = m.boolean("gptneox.use_parallel_residual"))
    config["use_parallel_residual"] = *parallel;
  auto turned = m.integer("gptneox.rope.dimension_count"),
       width = m.integer("gptneox.embedding_length"),
       heads = m.integer("gptneox.attention.head_count");
  if (turned && width && heads && *width >= *heads && *heads > 0)
    config["rotary_pct"] = double(*turned) / double(*width / *heads);
  config["qkv_by_head"] = false;  // all queries, all keys, all values
}

Json config_of(const checkpoint::Checkpoint& checkpoint, const Family& family,
               const std::string& file) {
  const checkpoint::Metadata& m = checkpoint.metadata();
  std::string prefix = std::string(family.gguf) + ".";
  Json config{{"model_type", family.model_type}, {"vocab_size", vocabulary_of(checkpoint, file)}};
  bool gpt2 = std::string_view(family.gguf) == "gpt2";
  bool neox = std::string_view(family.gguf) == "gptneox";
  auto integer = [&](const char* gguf, const char* ours) {
    if (auto value = m.integer(prefix + gguf)) config[ours] = *value;
  };
  auto real = [&](const char* gguf, const char* ours) {
    if (auto value = m.real(prefix + gguf)) config[ours] = *value;
  };
  integer("embedding_length", gpt2 ? "n_embd" : "hidden_size");
  integer("block_count", gpt2 ? "n_layer" : "num_hidden_layers");
  integer("feed_forward_length", gpt2 ? "n_inner" : "intermediate_size");
  integer("attention.head_count", gpt2 ? "n_head" : "num_attention_heads");
  integer("attention.head_count_kv", "num_key_value_heads");
  integer("attention.key_length", "head_dim");
  integer("context_length", gpt2 ? "n_positions" : "max_position_embeddings");
  integer("attention.sliding_window", "sliding_window");
  real("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  real("attention.layer_norm_epsilon", neox ? "layer_norm_eps" : "layer_norm_epsilon");
  real("rope.freq_base", "rope_theta");
  real("attn_logit_softcapping", "attn_logit_softcapping");
  real("final_logit_softcapping", "final_logit_softcapping");
  std::string scaling(m.text(prefix + "rope.scaling.type").value_or("none"));
  if (scaling != "none")
    config["rope_scaling"] = {{"type", scaling},
                              {"factor", m.real(prefix + "rope.scaling.factor").value_or(1)}};
  if (std::string_view(family.gguf).starts_with("gemma"))
    config["hidden_activation"] = "gelu_pytorch_tanh";
  if (neox) add_neox(config, m);
  // The largest Gemmas scale queries by the width per head, not by the head's own.
  int64_t layers = m.integer(prefix + "block_count").value_or(0);
  std::string_view name = family.gguf;
  if ((name == "gemma2" && layers == 46) || (name == "gemma3" && layers == 62))
    config["query_pre_attn_scalar"] = m.integer(prefix + "embedding_length").value_or(0) /
                                      m.integer(prefix + "attention.head_count").value_or(1);
  config["tie_word_embeddings"] = checkpoint.find("output.weight") == nullptr;
  config["rope_interleaved"] = family.neighbours;
  config["norm_weights_complete"] = true;  // Gemma's norms are stored with the one that others add
  config["linear_transposed"] = false;     // GPT-2's layers are turned already
  return config;
}

std::string renamed(const std::string& name, const Family& family) {
  static const std::pair<const char*, const char*> whole[] = {
      {"token_embd.", "model.embed_tokens."},
      {"output_norm.", "model.norm."},
      {"output.", "lm_head."}};
  static const std::pair<const char*, const char*> parts[] = {
      {"attn_norm.", "input_layernorm."},
      {"attn_q.", "self_attn.q_proj."},
      {"attn_k.", "self_attn.k_proj."},
      {"attn_v.", "self_attn.v_proj."},
      {"attn_output.", "self_attn.o_proj."},
      {"attn_q_norm.", "self_attn.q_norm."},
      {"attn_k_norm.", "self_attn.k_norm."},
      {"ffn_gate.", "mlp.gate_proj."},
      {"ffn_up.", "mlp.up_proj."},
      {"ffn_down.", "mlp.down_proj."},
      {"post_attention_norm.", "post_attention_layernorm."},
      {"post_ffw_norm.", "post_feedforward_layernorm."}};
  static const std::pair<const char*, const char*> gpt2_whole[] = {{"token_embd.", "wte."},
                                                                   {"position_embd.", "wpe."},
                                                                   {"output_norm.", "ln_f."},
                                                                   {"output.", "lm_head."}};
  static const std::pair<const char*, const char*> gpt2_parts[] = {
      {"attn_norm.", "ln_1."}, {"attn_qkv.", "attn.c_attn."}, {"attn_output.", "attn.c_proj."},
      {"ffn_norm.", "ln_2."},  {"ffn_up.", "mlp.c_fc."},      {"ffn_down.", "mlp.c_proj."}};
  static const std::pair<const char*, const char*> neox_whole[] = {
      {"token_embd.", "embed_in."},
      {"output_norm.", "final_layer_norm."},
      {"output.", "embed_out."}};
  static const std::pair<const char*, const char*> neox_parts[] = {
      {"attn_norm.", "input_layernorm."},   {"attn_qkv.", "attention.query_key_value."},
      {"attn_output.", "attention.dense."}, {"ffn_norm.", "post_attention_layernorm."},
      {"ffn_up.", "mlp.dense_h_to_4h."},    {"ffn_down.", "mlp.dense_4h_to_h."}};
  bool gpt2 = std::string_view(family.gguf) == "gpt2";
  bool neox = std::string_view(family.gguf) == "gptneox";
  bool around =
      std::string_view(family.gguf) == "gemma2" || std::string_view(family.gguf) == "gemma3";
  auto replace = [](const std::string& text, auto& table) -> std::string {
    for (auto [from, to] : table)
      if (text.starts_with(from)) return to + text.substr(std::string_view(from).size());
    return text;
  };
  if (!name.starts_with("blk."))
    return gpt2   ? replace(name, gpt2_whole)
           : neox ? replace(name, neox_whole)
                  : replace(name, whole);
  size_t dot = name.find('.', 4);
  if (dot == std::string::npos) return name;
  std::string number = name.substr(4, dot - 4), rest = name.substr(dot + 1);
  if (gpt2) return "h." + number + "." + replace(rest, gpt2_parts);
  if (neox) return "layers." + number + "." + replace(rest, neox_parts);
  if (rest.starts_with("ffn_norm."))
    rest = (around ? "pre_feedforward_layernorm." : "post_attention_layernorm.") + rest.substr(9);
  return "model.layers." + number + "." + replace(rest, parts);
}

// The same tensors under other names.
class Renamed : public checkpoint::Checkpoint {
 public:
  Renamed(std::unique_ptr<checkpoint::Checkpoint> original, const Family& family)
      : original_(std::move(original)) {
    tensors_ = original_->tensors();
    for (checkpoint::TensorView& t : tensors_) t.name = renamed(t.name, family);
    std::sort(tensors_.begin(), tensors_.end(),
              [](const checkpoint::TensorView& a, const checkpoint::TensorView& b) {
                return a.name < b.name;
              });
  }
  const std::vector<checkpoint::TensorView>& tensors() const override { return tensors_; }
  const std::string& fingerprint() const override { return original_->fingerprint(); }
  std::string format() const override { return original_->format(); }
  uint64_t file_bytes() const override { return original_->file_bytes(); }
  const checkpoint::Metadata& metadata() const override { return original_->metadata(); }
  void release_memory() const override { original_->release_memory(); }

 private:
  std::unique_ptr<checkpoint::Checkpoint> original_;
  std::vector<checkpoint::TensorView> tensors_;
};

}  // namespace

std::unique_ptr<query::Model> load_gguf(Source source) {
  std::string file = source.path.string();
  std::unique_ptr<checkpoint::Checkpoint> checkpoint = checkpoint::open_checkpoint(source.path);
  const Family& family = family_of(*checkpoint, file);
  source.architecture = family.model_type;
  auto config = std::make_unique<Config>(source.path, config_of(*checkpoint, family, file).dump());
  std::unique_ptr<tokenizer::Tokenizer> tokenizer =
      tokenizer::make_gguf_tokenizer(checkpoint->metadata());
  auto renamed_checkpoint = std::make_unique<Renamed>(std::move(checkpoint), family);
  return std::make_unique<CausalModel>(source, family.make, std::move(config),
                                       std::move(renamed_checkpoint), std::move(tokenizer));
}

}  // namespace minpair::model
