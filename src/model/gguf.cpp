// A GGUF file as a model: its metadata in the terms of config.json, its tensors under Hugging
// Face's names. What an architecture names otherwise stands in its own file.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "model/causal.h"
#include "model/masked.h"
#include "model/renamed.h"
#include "tokenizer/make.h"

namespace minpair::model {
namespace {

using Json = nlohmann::ordered_json;

// GGUF's keys, after the architecture's name, and config.json's usual ones.
const Gguf::Names kIntegers = renames(
    "embedding_length=hidden_size block_count=num_hidden_layers "
    "feed_forward_length=intermediate_size attention.head_count=num_attention_heads "
    "attention.head_count_kv=num_key_value_heads attention.key_length=head_dim "
    "context_length=max_position_embeddings attention.sliding_window=sliding_window "
    "expert_count=num_experts expert_used_count=num_experts_per_tok "
    "expert_feed_forward_length=moe_intermediate_size "
    "expert_shared_feed_forward_length=shared_expert_intermediate_size");
const Gguf::Names kReals = renames(
    "attention.layer_norm_rms_epsilon=rms_norm_eps attention.layer_norm_epsilon=layer_norm_epsilon "
    "rope.freq_base=rope_theta attn_logit_softcapping=attn_logit_softcapping "
    "final_logit_softcapping=final_logit_softcapping");

// Made for embeddings of texts.
constexpr std::string_view kEncoders[] = {"bert",         "nomic-bert",   "nomic-bert-moe",
                                          "jina-bert-v2", "jina-bert-v3", "modern-bert",
                                          "neo-bert",     "eurobert"};

struct Found {
  const Gguf& names;
  const Family& family;
};

// The model_type of a directory that is read, of what GGUF calls so; empty: there is none.
std::string type_of(const std::string& architecture) {
  for (const auto& [theirs, ours] :
       Gguf::Names{{"command-r", "cohere"}, {"starcoder", "gpt_bigcode"}})
    if (architecture == theirs) return ours;
  auto plain = [](std::string name) {
    std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
    return name;
  };
  for (const Family& family : families())
    for (const ModelType& known : family.model_types)
      if (plain(known.type) == plain(architecture)) return known.type;
  return "";
}

Found find_family(const checkpoint::Checkpoint& checkpoint, const std::string& file) {
  const checkpoint::Metadata& m = checkpoint.metadata();
  std::string name(m.text("general.architecture").value_or(""));
  const bool experts = m.integer(name + ".expert_count").value_or(0) > 0;
  std::vector<std::string> known;
  for (const Family& family : families())
    for (const Gguf& gguf : family.gguf) {
      if (name == gguf.architecture && experts == gguf.experts) return {gguf, family};
      if (!std::ranges::count(known, gguf.architecture)) known.push_back(gguf.architecture);
    }
  if (experts && std::ranges::count(known, name))
    throw bad_input(fmt::format("mixtures of experts of the kind '{}' are not read", name))
        .at(file)
        .hint("Mixtral, Qwen's and OLMoE are");
  std::string hint;
  if (std::string type = type_of(name); !type.empty())
    hint = fmt::format("the directory of the original model is read ('{}'); ", type);
  if (std::ranges::count(kEncoders, name))
    throw bad_input(fmt::format("GGUF files of '{}' hold no language model: the part that predicts "
                                "the word at a mask is left out of them",
                                name))
        .at(file)
        .hint("use the directory of the original model");
  throw bad_input(fmt::format("the GGUF architecture '{}' is not supported", name))
      .at(file)
      .hint(hint + "supported as GGUF are " + join(known, ", "));
}

int64_t vocabulary_of(const checkpoint::Checkpoint& checkpoint, const std::string& file) {
  const checkpoint::TensorView* table = checkpoint.find("token_embd.weight");
  if (!table || table->shape.size() != 2)
    throw bad_input("the tensor token_embd.weight is missing").at(file);
  return table->shape[0];
}

// What no key says, but the tensors that are there.
void say_what_tensors_say(const checkpoint::Checkpoint& checkpoint, Json& config,
                          const std::string& prefix, const std::string& file) {
  const checkpoint::Metadata& m = checkpoint.metadata();
  auto has = [&](const char* tensor) { return checkpoint.find(tensor) != nullptr; };
  config["qkv_in_order"] = has("blk.0.attn_qkv.weight");
  config["use_qkv_bias"] = has("blk.0.attn_q.bias");
  if (has("blk.0.attn_q.bias") && has("blk.0.attn_output.bias")) config["attention_bias"] = true;
  if (has("blk.0.ffn_gate.bias")) config["mlp_bias"] = true;
  config["qk_layernorm"] = has("blk.0.attn_q_norm.weight");
  if (has("blk.0.ssm_in.weight")) {
    config["use_bias"] = has("blk.0.ssm_in.bias");
    config["use_conv_bias"] = has("blk.0.ssm_conv1d.bias");
  }
  const bool gated_t5 = has("enc.blk.0.ffn_gate.weight");
  if (has("enc.blk.0.ffn_up.weight"))
    config["feed_forward_proj"] = gated_t5 ? "gated-gelu" : "relu";
  if (gated_t5 && !has("output.weight") && !has("enc.blk.1.attn_rel_b.weight"))
    throw bad_input("the file does not say whether this T5 scales what its output layer reads")
        .at(file)
        .hint("use the directory of the original model");
  config["num_ln_in_parallel_attn"] = has("blk.0.attn_norm_2.weight") ? 2 : 1;
  config["conv_bias"] = has("blk.0.shortconv.conv.bias");
  const auto turned = m.integer(prefix + "rope.dimension_count"),
             width = m.integer(prefix + "embedding_length"),
             heads = m.integer(prefix + "attention.head_count");
  if (turned && width && heads && *heads > 0 && *width >= *heads) {
    const int64_t each = m.integer(prefix + "attention.key_length").value_or(*width / *heads);
    config["partial_rotary_factor"] = double(*turned) / double(std::max<int64_t>(each, 1));
  }
  if (has("rope_factors_short.weight"))
    throw bad_input("rotary positions that are scaled by two lists (longrope) are not read")
        .at(file)
        .hint("the directory of the original model is read, or a GGUF of a plain version");
}

// Of a number, or of the numbers of all layers.
std::optional<int64_t> largest(const checkpoint::Metadata& m, const std::string& key) {
  if (!m.is_list(key)) return m.integer(key);
  const std::vector<int64_t> all = m.integers(key);
  if (all.empty()) return {};
  return *std::ranges::max_element(all);
}

Json config_of(const checkpoint::Checkpoint& checkpoint, const Gguf& names,
               const std::string& file) {
  const checkpoint::Metadata& m = checkpoint.metadata();
  const std::string prefix = names.architecture + ".";
  Json config{{"model_type", names.model_type}, {"vocab_size", vocabulary_of(checkpoint, file)}};
  auto key = [&](const std::string& theirs, const std::string& usual) {
    for (const auto& [from, to] : names.keys)
      if (from == theirs) return to;
    return usual;
  };
  for (const auto& [theirs, usual] : kIntegers)
    if (auto value = largest(m, prefix + theirs); value && (*value || usual != "sliding_window"))
      config[key(theirs, usual)] = *value;
  for (const auto& [theirs, usual] : kReals)
    if (auto value = m.real(prefix + theirs)) config[key(theirs, usual)] = *value;
  std::string scaling(m.text(prefix + "rope.scaling.type").value_or("none"));
  if (scaling != "none") {
    Json& said = config["rope_scaling"] = {
        {"type", scaling}, {"factor", m.real(prefix + "rope.scaling.factor").value_or(1)}};
    for (const auto& [theirs, ours] :
         Gguf::Names{{"original_context_length", "original_max_position_embeddings"},
                     {"yarn_beta_fast", "beta_fast"},
                     {"yarn_beta_slow", "beta_slow"},
                     {"yarn_log_multiplier", "mscale"},
                     {"yarn_log_multiplier", "mscale_all_dim"}})
      if (auto value = m.real(prefix + "rope.scaling." + theirs)) said[ours] = *value;
  }
  say_what_tensors_say(checkpoint, config, prefix, file);
  if (names.more)
    for (const auto& [name, value] : names.more(m))
      std::visit([&setting = config[name]](const auto& v) { setting = v; }, value);
  config["tie_word_embeddings"] = checkpoint.find("output.weight") == nullptr;
  config["rope_neighbours"] = names.neighbours;
  config["norm_weights_complete"] = true;  // Gemma's norms are stored with the one that others add
  config["linear_transposed"] = false;     // GPT-2's layers are turned already
  return config;
}

std::vector<Gguf::Stack> stacks_of(const Gguf& names) {
  if (!names.stacks.empty()) return names.stacks;
  return {{"blk.", names.layers, names.in_layer}};
}

std::string renamed(const std::string& name, const Gguf& names,
                    const std::vector<Gguf::Stack>& stacks) {
  for (const Gguf::Stack& stack : stacks) {
    if (!name.starts_with(stack.theirs)) continue;
    const size_t number = stack.theirs.size(), dot = name.find('.', number);
    if (dot == std::string::npos) return name;
    return stack.ours + name.substr(number, dot + 1 - number) +
           replaced(name.substr(dot + 1), stack.in_layer);
  }
  return replaced(name, names.tensors);
}

// Matrices in a row become tensors of their own.
Renamed::Rename renaming(const Gguf& names) {
  return [&names, stacks = stacks_of(names)](checkpoint::TensorView t) {
    std::vector<checkpoint::TensorView> all;
    t.name = renamed(t.name, names, stacks);
    if (t.name.find("{}") == std::string::npos || t.shape.size() != 3 || !t.contiguous())
      all.push_back(std::move(t));
    else
      for (int64_t i = 0; i < t.shape[0]; ++i) all.push_back(matrix_of(t, size_t(i)));
    return all;
  };
}

}  // namespace

Gguf::Settings Gguf::integers(const checkpoint::Metadata& from, const std::string& prefix,
                              const Names& names) {
  Settings settings;
  for (const auto& [theirs, ours] : names)
    if (auto value = from.integer(prefix + theirs)) settings.emplace_back(ours, *value);
  return settings;
}

query::ModelInfo known_of_gguf(const std::filesystem::path& file, const std::string& name) {
  const std::unique_ptr<checkpoint::Checkpoint> checkpoint = checkpoint::open_checkpoint(file);
  const Found found = find_family(*checkpoint, file.string());
  return known_of(found.family, name, found.names.model_type);
}

std::unique_ptr<query::Model> load_gguf(Source source) {
  std::string file = source.path.string();
  std::unique_ptr<checkpoint::Checkpoint> checkpoint = checkpoint::open_checkpoint(source.path);
  const Found found = find_family(*checkpoint, file);
  source.known = known_of(found.family, source.known.name, found.names.model_type);
  Parts parts{
      std::make_unique<Config>(source.path, json_text(config_of(*checkpoint, found.names, file))),
      nullptr, tokenizer::make_gguf_tokenizer(checkpoint->metadata()), false};
  parts.checkpoint = std::make_unique<Renamed>(std::move(checkpoint), renaming(found.names));
  if (auto make = std::get_if<MakeEncoder>(&found.family.make))
    return std::make_unique<MaskedModel>(source, *make, std::move(parts));
  return std::make_unique<CausalModel>(source, std::get<MakeDecoder>(found.family.make),
                                       std::move(parts));
}

}  // namespace minpair::model
