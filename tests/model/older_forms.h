#pragma once
// How transformers 4.44 and 4.57 write the configurations that 5.12 has written in
// tests/model/golden. Neither can be run here: the rules are from the library's published source
// and from configurations that these versions wrote, as docs/models.md says.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/golden.h"

namespace minpair::testing {

using Json = nlohmann::json;

constexpr int kNever = 1000;  // not in transformers 4

// The first 4.N that has a type; all others are older than 4.42.
inline int first_version(const std::string& type) {
  static const std::pair<const char*, int> since[] = {
      {"mamba2", 44},         {"olmoe", 45},        {"granite", 45},
      {"olmo2", 47},          {"cohere2", 48},      {"modernbert", 48},
      {"helium", 49},         {"gemma3", 50},       {"gemma3_text", 50},
      {"qwen3", 51},          {"qwen3_moe", 51},    {"smollm3", 53},
      {"xlstm", 55},          {"olmo3", 57},        {"modernbert-decoder", 55},
      {"nomic_bert", kNever}, {"eurobert", kNever}, {"mistral3", 50},
      {"lfm2", 54},           {"apertus", 56},      {"ministral", 57},
      {"ministral3", kNever}, {"qwen3_5", kNever},  {"qwen3_5_text", kNever}};
  for (const auto& [name, version] : since)
    if (type == name) return version;
  return 0;
}

inline bool is_among(const std::string& list, const std::string& type) {
  return list == "*" || (' ' + list + ' ').find(' ' + type + ' ') != std::string::npos;
}

// What cannot be written in an older form; whoever meets it passes it on.
struct NotWritable {
  std::string why;
};

inline void drop_if(Json& c, const char* key, const Json& usual) {
  if (c.contains(key) && c[key] == usual) c.erase(key);
}

// "rope_parameters" of all layers, or of one kind, without what has a key of its own.
inline Json scaling_of(Json rope) {
  rope.erase("rope_theta"), rope.erase("partial_rotary_factor");
  return rope.value("rope_type", "default") == "default" ? Json(nullptr) : rope;
}

inline void split_rope(Json& c) {
  const Json rope = c["rope_parameters"];
  c.erase("rope_parameters");
  c["rope_theta"] = rope.value("rope_theta", Json(10000.0));
  c["rope_scaling"] = scaling_of(rope);
  if (rope.contains("partial_rotary_factor"))
    c["partial_rotary_factor"] = rope["partial_rotary_factor"];
}

// Layers that see everything, and layers with a window.
inline void split_both_ropes(Json& c, const char* global, const char* local) {
  const Json rope = c["rope_parameters"];
  if (!rope.contains("full_attention") || !rope.contains("sliding_attention"))
    throw NotWritable{"two kinds of layers"};
  c.erase("rope_parameters");
  c[global] = rope["full_attention"]["rope_theta"];
  c[local] = rope["sliding_attention"]["rope_theta"];
  if (!scaling_of(rope["sliding_attention"]).is_null()) throw NotWritable{"a scaled window"};
  c["rope_scaling"] = scaling_of(rope["full_attention"]);
}

// Every n-th layer sees everything.
inline void layers_to_pattern(Json& c, const char* key, size_t first) {
  const Json kinds = c["layer_types"];
  c.erase("layer_types");
  for (size_t n = 1; n <= kinds.size() + 1; ++n) {
    bool fits = true;
    for (size_t i = 0; i < kinds.size(); ++i)
      fits &= (kinds[i] == "full_attention") == ((i + first) % n == 0);
    if (!fits) continue;
    c[key] = n;
    return;
  }
  throw NotWritable{"layers in no pattern"};
}

// Qwen: the last layers, if any, have the window.
inline void layers_to_qwen(Json& c) {
  const Json kinds = c["layer_types"];
  c.erase("layer_types");
  const bool used = c.value("use_sliding_window", false) && !c["sliding_window"].is_null();
  for (size_t i = 0; i < kinds.size(); ++i)
    if ((kinds[i] == "sliding_attention") !=
        (used && int64_t(i) >= c.value("max_window_layers", int64_t{28})))
      throw NotWritable{"layers in no pattern"};
  // It is written whether it is used or not.
  if (c["sliding_window"].is_null() || c["sliding_window"] == 0) c["sliding_window"] = 4096;
}

struct Rule {
  const char* types;  // with spaces between; "*": all
  int before;         // of versions 4.N with N less than this
  const char* what;
  void (*rewrite)(Json&);
};

constexpr const char* kFlatRope =
    "llama mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe gemma gemma2 olmo olmo2 olmo3 olmoe "
    "stablelm cohere cohere2 granite smollm3 starcoder2 phi phi3 helium falcon gpt_neox apertus "
    "ministral lfm2";
constexpr const char* kBerts =
    "bert roberta xlm-roberta camembert electra albert ernie megatron-bert data2vec-text "
    "roberta-prelayernorm xlm-roberta-xl";
// Whose class says that the output is not the embedding table.
constexpr const char* kUntied =
    "llama mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe olmo olmo2 olmo3 olmoe stablelm granite "
    "phi phi3 helium gpt_neox gptj codegen rwkv mamba2 mt5 xlstm apertus ministral";

// In this order.
inline const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"*", 56, "\"torch_dtype\" is the name of \"dtype\"",
       [](Json& c) {
         if (!c.contains("dtype")) return;
         c["torch_dtype"] = c["dtype"];
         c.erase("dtype");
       }},
      {"*", 58, "what every configuration has is not written where it is usual",
       [](Json& c) {
         for (const char* key : {"is_decoder", "add_cross_attention"}) drop_if(c, key, false);
         if (!is_among(kUntied, c["model_type"])) drop_if(c, "tie_word_embeddings", true);
       }},
      {kFlatRope, 58, "\"rope_theta\", \"rope_scaling\" instead of \"rope_parameters\"",
       split_rope},
      {"gpt_neox", 58, "\"rotary_pct\", \"rotary_emb_base\" and, as copies, the newer names",
       [](Json& c) {
         c["rotary_pct"] = c["partial_rotary_factor"];
         c["rotary_emb_base"] = c["rope_theta"];
       }},
      {"gpt_neox", 45, "without the copies",
       [](Json& c) { c.erase("partial_rotary_factor"), c.erase("rope_theta"); }},
      {"gemma3_text", 58, "\"rope_local_base_freq\" is the base in windowed layers",
       [](Json& c) {
         split_both_ropes(c, "rope_theta", "rope_local_base_freq");
         c["_sliding_window_pattern"] = 6;
       }},
      {"modernbert modernbert-decoder", 58, "\"global_rope_theta\", \"local_rope_theta\"",
       [](Json& c) {
         split_both_ropes(c, "global_rope_theta", "local_rope_theta");
         if (!c["rope_scaling"].is_null()) throw NotWritable{"scaled positions"};
         c.erase("rope_scaling");
       }},
      {"modernbert", 58, "\"global_attn_every_n_layers\" instead of \"layer_types\"",
       [](Json& c) { layers_to_pattern(c, "global_attn_every_n_layers", 0); }},
      {"gemma3_text cohere2", 53, "\"sliding_window_pattern\" instead of \"layer_types\"",
       [](Json& c) {
         c.erase("_sliding_window_pattern");
         layers_to_pattern(c, "sliding_window_pattern", 1);
       }},
      {"gemma2", 53, "every other layer has the window",
       [](Json& c) {
         layers_to_pattern(c, "every", 1);
         if (c["every"] != 2) throw NotWritable{"layers in no pattern"};
         c.erase("every");
       }},
      {"qwen2 qwen3 qwen2_moe", 53, "\"max_window_layers\" instead of \"layer_types\"",
       layers_to_qwen},
      {"mistral mixtral qwen2 qwen2_moe gemma gemma2 starcoder2 cohere", 45,
       "positions are never scaled",
       [](Json& c) {
         if (!c["rope_scaling"].is_null()) throw NotWritable{"scaled positions"};
         c.erase("rope_scaling");
       }},
      {"*", 58, "both names of the kind of scaling",
       [](Json& c) {
         if (c.contains("rope_scaling") && c["rope_scaling"].is_object())
           c["rope_scaling"]["type"] = c["rope_scaling"]["rope_type"];
       }},
      {"gpt_neox falcon phi stablelm olmo phi3", 45, "the older name alone",
       [](Json& c) {
         if (c["rope_scaling"].is_object()) c["rope_scaling"].erase("rope_type");
       }},
      {"phi3", 49, "the whole of a head is turned",
       [](Json& c) {
         if (c.contains("partial_rotary_factor") && c["partial_rotary_factor"] != 1.0)
           throw NotWritable{"a part of a head"};
         c.erase("partial_rotary_factor");
       }},
      {"llama mixtral", 45, "the width of a head is not written",
       [](Json& c) {
         const bool usual =
             c["head_dim"].is_null() ||
             c["head_dim"] == c["hidden_size"].get<int>() / c["num_attention_heads"].get<int>();
         if (!usual) throw NotWritable{"heads of another width"};
         c.erase("head_dim");
       }},
      {"gemma", 58, "a second key for the activation, null",
       [](Json& c) { c["hidden_activation"] = nullptr; }},
      {"gemma", 48, "and the only one that counts",
       [](Json& c) { c["hidden_activation"] = "gelu_pytorch_tanh"; }},
      {kBerts, 58, "\"position_embedding_type\"",
       [](Json& c) { c["position_embedding_type"] = "absolute"; }},
      {"llama olmo cohere bloom", 58, "\"pretraining_tp\"",
       [](Json& c) { c["pretraining_tp"] = 1; }},
      {"deberta deberta-v2", 48, "there is one kind of head",
       [](Json& c) {
         if (!c.value("legacy", true)) throw NotWritable{"another head"};
         c.erase("legacy");
       }},
      {"t5", 58, "an output of its own is not scaled, one that is the embedding table is",
       [](Json& c) {
         const bool scaled = c.value("scale_decoder_outputs", false);
         c.erase("scale_decoder_outputs"), c.erase("tie_word_embeddings");
         if (!scaled) c["tie_word_embeddings"] = false;
       }},
      {"mt5", 58, "an output of its own", [](Json& c) { c["tie_word_embeddings"] = false; }},
      {"mpt", 46, "of attention only what is unusual",
       [](Json& c) {
         const Json usual = {{"alibi", true},
                             {"alibi_bias_max", 8},
                             {"attn_impl", "torch"},
                             {"attn_pdrop", 0},
                             {"attn_type", "multihead_attention"},
                             {"attn_uses_sequence_id", false},
                             {"clip_qkv", nullptr},
                             {"prefix_lm", false},
                             {"qk_ln", false},
                             {"softmax_scale", nullptr}};
         for (const auto& [key, value] : usual.items())
           drop_if(c["attn_config"], key.c_str(), value);
       }},
      {"gpt_bigcode", 50, "the heads of keys are not written",
       [](Json& c) { c.erase("num_key_value_heads"); }},
      {"qwen2_moe", 46, "queries, keys and values always have a bias", [](Json& c) {
         if (!c.value("qkv_bias", true)) throw NotWritable{"no bias"};
         c.erase("qkv_bias");
       }}};
  return all;
}

// The configuration as 4.`minor` writes it. Throws NotWritable.
inline Json in_older_form(Json c, int minor) {
  const auto type = c.at("model_type").get<std::string>();
  if (first_version(type) > minor) throw NotWritable{"a later type"};
  if (c.contains("text_config")) {
    c["text_config"] = in_older_form(c["text_config"], minor);
    c["text_config"].erase("transformers_version");
  }
  for (const Rule& rule : rules())
    if (minor < rule.before && is_among(rule.types, type)) rule.rewrite(c);
  c["transformers_version"] = "4." + std::to_string(minor) + ".1";
  return c;
}

// As Python writes it: infinities have a name.
inline std::string python_text(const Json& c) {
  std::string text = c.dump(1);
  const std::string wrapped = "\"__float__\": \"Infinity\"";
  for (size_t at; (at = text.find(wrapped)) != std::string::npos;) {
    const size_t begin = text.rfind('{', at), end = text.find('}', at) + 1;
    text.replace(begin, end - begin, "Infinity");
  }
  return text;
}

inline Json config_of(const std::string& name) {
  return Json::parse(read_file(golden(name) / "config.json"));
}

// What 5.12 wrote, of a type that transformers 4 has, too.
inline std::vector<std::string> written_by_5() {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(golden(""))) {
    const std::string name = folder.path().filename().string();
    if (!std::filesystem::exists(folder.path() / "reference.json") ||
        !std::filesystem::exists(folder.path() / "config.json"))
      continue;
    const Json config = config_of(name);
    if (config.value("transformers_version", "").starts_with("5.") &&
        first_version(config.at("model_type")) != kNever)
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// A file of weights whose tensors can be added to and renamed.
class Weights {
 public:
  explicit Weights(const std::filesystem::path& file) : bytes_(read_file(file)) {
    uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), 8);
    header_ = Json::parse(bytes_.substr(8, length));
    data_ = bytes_.substr(8 + length);
  }
  bool has(const std::string& name) const { return header_.contains(name); }
  void copy(const std::string& from, const std::string& to) { header_[to] = header_.at(from); }
  void add(const std::string& name, const char* type, const Json& shape, size_t bytes) {
    header_[name] = {
        {"dtype", type}, {"shape", shape}, {"data_offsets", {data_.size(), data_.size() + bytes}}};
    data_.append(bytes, '\1');
  }
  void rename_begin(const std::string& begin, const std::string& to) {
    Json renamed = Json::object();
    for (const auto& [name, tensor] : header_.items())
      renamed[name.starts_with(begin) ? to + name.substr(begin.size()) : name] = tensor;
    header_ = renamed;
  }
  void rename(const std::string& ending, const std::string& to) {
    Json renamed = Json::object();
    for (const auto& [name, tensor] : header_.items())
      renamed[name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) + to : name] =
          tensor;
    header_ = renamed;
  }
  // Each tensor has its own bytes, one after the other.
  void write(const std::filesystem::path& file) const {
    Json header = Json::object();
    std::string data;
    for (const auto& [name, tensor] : header_.items()) {
      if (name == "__metadata__") {
        header[name] = tensor;
        continue;
      }
      const size_t begin = tensor["data_offsets"][0], end = tensor["data_offsets"][1];
      header[name] = tensor;
      header[name]["data_offsets"] = {data.size(), data.size() + end - begin};
      data += data_.substr(begin, end - begin);
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const uint64_t length = text.size();
    write_file(file, std::string(reinterpret_cast<const char*>(&length), 8) + text + data);
  }

 private:
  std::string bytes_, data_;
  Json header_;
};

// Loads a golden folder with another configuration, and with other weights if they are given.
inline std::unique_ptr<query::Model> load_with(const std::string& name, const Json& config,
                                               const Weights* weights = nullptr) {
  TemporaryFolder folder;
  for (const auto& file : std::filesystem::directory_iterator(golden(name))) {
    const std::string own = file.path().filename().string();
    if (own != "config.json" && (!weights || own != "model.safetensors"))
      std::filesystem::create_symlink(file.path(), folder / own);
  }
  write_file(folder / "config.json", python_text(config));
  if (weights) weights->write(folder / "model.safetensors");
  return load_model(folder.path().string(), {.threads = 1});
}

// T5 and mT5 without their scaling have an output of their own in transformers 4.
inline std::unique_ptr<query::Model> load_older(const std::string& name, const Json& older) {
  const bool own = is_among("t5 mt5", older["model_type"]) &&
                   !older.value("tie_word_embeddings", older["model_type"] == "t5");
  Weights weights(golden(name) / "model.safetensors");
  if (own && !weights.has("lm_head.weight")) weights.copy("shared.weight", "lm_head.weight");
  return load_with(name, older, own ? &weights : nullptr);
}

inline std::vector<query::Query> queries_of(const std::string& name) {
  const Json made = Json::parse(read_file(golden(name) / "reference.json"));
  const std::string kind = made.value("kind", "causal");
  std::vector<query::Query> queries;
  for (const Json& input : made.at("inputs")) {
    const auto ids = input.at("ids").get<std::vector<tokenizer::TokenId>>();
    query::Query q{ids, {}, {}};
    if (kind == "spans") {
      for (tokenizer::TokenId target = 5; target < 25; ++target)
        q.asks.push_back({uint32_t(ids.size() / 2), query::Targets{{target}}});
    } else if (kind == "masked") {
      for (uint32_t i = 0; i < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i]}}});
    } else {
      q.ids.pop_back();
      for (uint32_t i = 0; i + 1 < ids.size(); ++i)
        q.asks.push_back({i, query::Targets{{ids[i + 1]}}});
    }
    queries.push_back(std::move(q));
  }
  return queries;
}

inline std::vector<query::Answer> answers(query::Model& model, const std::string& name) {
  return model.answer(queries_of(name));
}

}  // namespace minpair::testing
