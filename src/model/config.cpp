#include "model/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/python_json.h"
#include "base/text.h"

namespace minpair::model {

using nlohmann::json;

namespace {

constexpr int64_t kLargest = int64_t{1} << 28;

// How a model was trained, made, named, fine-tuned or is used to write text.
constexpr std::string_view kHarmless =
    " architectures model_type torch_dtype dtype transformers_version use_cache"
    " tokenizer_class auto_map language unsloth_version is_llama_config fp16 bf16"
    " initializer_range init_std layerdrop initializer_factor initializer_cutoff_factor "
    "gradient_checkpointing"
    " use_bfloat16 torchscript output_past attn_implementation bos_token_id eos_token_id"
    " pad_token_id sep_token_id cls_token_id mask_token_id unk_token_id decoder_start_token_id"
    " eos_token_ids image_token_id boi_token_index eoi_token_index image_token_index "
    "finetuning_task"
    " task_specific_params problem_type id2label label2id num_labels output_attentions"
    " output_hidden_states return_dict tie_encoder_decoder cross_attention_hidden_size"
    " chunk_size_feed_forward tf_legacy_loss prefix max_length min_length do_sample"
    " early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p"
    " typical_p repetition_penalty length_penalty no_repeat_ngram_size"
    " encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores"
    " return_dict_in_generate forced_bos_token_id forced_eos_token_id remove_invalid_values"
    " exponential_decay_length_penalty suppress_tokens begin_suppress_tokens"
    " cache_implementation pretraining_tp summary_type summary_use_proj summary_activation"
    " summary_proj_to_labels summary_first_dropout summary_last_dropout classifier_pooling"
    " classifier_bias classifier_activation pooler_fc_size pooler_num_attention_heads"
    " pooler_num_fc_layers pooler_size_per_head pooler_type directionality seq_length n_ctx"
    " vocab_size_or_config_json_file bos_token eos_token pad_token mask_token sep_token cls_token"
    " unk_token"
    " ";

bool is_harmless(const std::string& key) {
  if (key.starts_with('_') || key.find("dropout") != key.npos || key.ends_with("_pdrop") ||
      key.ends_with("_drop"))
    return true;
  return kHarmless.find(' ' + key + ' ') != kHarmless.npos;
}

bool says_nothing(const json& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

// transformers 5 writes infinities as objects.
void unwrap_floats(json& value) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.size() == 1 && value.contains("__float__")) {
    const std::string name = value["__float__"].is_string() ? value["__float__"] : json("");
    const double largest = std::numeric_limits<double>::max();
    value = name == "Infinity"    ? json(largest)
            : name == "-Infinity" ? json(-largest)
                                  : json(nullptr);
    return;
  }
  for (json& inner : value) unwrap_floats(inner);
}

}  // namespace

Config::Config(const std::filesystem::path& file)
    : Config(file, read_file(file, uint64_t{1} << 24)) {}

Config::Config(const std::filesystem::path& file, std::string json_text)
    : file_(file), bytes_(std::move(json_text)) {
  // There may be comments, so that only the parser knows what is nested.
  const auto not_too_deep = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestJson)
      throw bad_input(fmt::format("this is nested more than {} deep", kDeepestJson))
          .at(file.string());
    return true;
  };
  json parsed = json::parse(bytes_, not_too_deep, false, true);
  if (parsed.is_discarded()) parsed = json::parse(standard_json(bytes_), not_too_deep, false, true);
  if (parsed.is_discarded() || !parsed.is_object())
    throw bad_input("this is not a JSON object")
        .at(file.string())
        .hint("download config.json again");
  unwrap_floats(parsed);
  json_ = std::make_shared<const json>(std::move(parsed));
  asked_ = std::make_shared<std::set<std::string>>();
}

const json* Config::find(std::string_view key) const {
  asked_->emplace(key);
  auto found = json_->find(std::string(key));
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

void Config::wrong(std::string_view key, std::string_view wanted) const {
  throw bad_input(fmt::format("\"{}\" must be {}", key, wanted)).at(file_.string());
}

bool Config::has(std::string_view key) const { return find(key) != nullptr; }
bool Config::says(std::string_view key) const { return json_->contains(std::string(key)); }

size_t Config::size(std::string_view key) const {
  if (!has(key))
    throw bad_input(fmt::format("\"{}\" is missing", key))
        .at(file_.string())
        .hint("is this the config.json that belongs to the weights?");
  return size(key, 1);
}

size_t Config::size(std::string_view key, size_t otherwise) const {
  int64_t value = integer(key, static_cast<int64_t>(otherwise));
  if (value < 1 || value > kLargest)
    wrong(key, fmt::format("between 1 and {}, not {}", kLargest, value));
  return static_cast<size_t>(value);
}

int64_t Config::integer(std::string_view key, int64_t otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t{INT64_MAX})
    wrong(key, "a smaller number");
  if (!value->is_number_integer()) wrong(key, "a whole number");
  return value->get<int64_t>();
}

double Config::real(std::string_view key, double otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_number()) wrong(key, "a number");
  return value->get<double>();
}

bool Config::flag(std::string_view key, bool otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_boolean()) wrong(key, "true or false");
  return value->get<bool>();
}

std::string Config::text(std::string_view key, std::string_view otherwise) const {
  const json* value = find(key);
  if (!value) return std::string(otherwise);
  if (!value->is_string()) wrong(key, "a text");
  return value->get<std::string>();
}

std::vector<std::string> Config::texts(std::string_view key) const {
  std::vector<std::string> all;
  const json* value = find(key);
  if (!value) return all;
  if (value->is_string()) return {value->get<std::string>()};
  if (!value->is_array()) wrong(key, "a list of texts");
  for (const json& one : *value) {
    if (!one.is_string()) wrong(key, "a list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

const json* Config::find_in(const std::vector<std::string>& path) const {
  const json* at = json_.get();
  asked_->insert(join(path, "."));
  for (const std::string& key : path) {
    if (!at->is_object()) return nullptr;
    auto found = at->find(key);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

double Config::real_in(const std::vector<std::string>& path, double otherwise) const {
  const json* at = find_in(path);
  if (!at) return otherwise;
  if (!at->is_number()) wrong(path.back(), "a number");
  return at->get<double>();
}

bool Config::flag_in(const std::vector<std::string>& path, bool otherwise) const {
  const json* at = find_in(path);
  if (!at) return otherwise;
  if (!at->is_boolean()) wrong(path.back(), "true or false");
  return at->get<bool>();
}

std::string Config::text_in(const std::vector<std::string>& path,
                            const std::string& otherwise) const {
  const json* at = find_in(path);
  if (!at) return otherwise;
  if (!at->is_string()) wrong(path.back(), "a text");
  return at->get<std::string>();
}

std::vector<double> Config::reals_in(const std::vector<std::string>& path) const {
  std::vector<double> all;
  const json* at = find_in(path);
  if (!at) return all;
  for (const json& one : *at) {
    if (!at->is_array() || !one.is_number()) wrong(path.back(), "a list of numbers");
    all.push_back(one.get<double>());
  }
  return all;
}

Config Config::inside(std::string_view key, const std::string& usual) const {
  const json* value = usual.empty() ? nullptr : find(key);
  if (!value || !value->is_object()) return *this;
  json all = json::parse(usual);
  if (has("transformers_version")) all["transformers_version"] = *find("transformers_version");
  all.update(*value);
  // Transformers 5 looks only at what the whole says about its output.
  const char* tied = "tie_word_embeddings";
  if (written_by().first != 4 && has(tied)) all[tied] = flag(tied, true);
  return Config(file_, json_text(all));
}

std::pair<int, int> Config::written_by() const {
  const std::string said = text("transformers_version", "");
  std::pair<int, int> version{0, 0};
  const char* end = said.data() + said.size();
  const char* dot = std::from_chars(said.data(), end, version.first).ptr;
  if (dot != end) std::from_chars(dot + 1, end, version.second);
  return version;
}

void Config::must_agree(std::string_view key, std::string_view other) const {
  if (!has(key) || !has(other) || real(key, 0) == real(other, 0)) return;
  throw bad_input(fmt::format("\"{}\" is {} and \"{}\" is {}, which are one thing", key,
                              real(key, 0), other, real(other, 0)))
      .at(file_.string())
      .hint(
          "versions of transformers do not agree on which of them counts; keep the one that is "
          "meant");
}

void Config::ignore(std::initializer_list<std::string_view> keys) const {
  for (std::string_view some : keys)
    for (std::string_view key : split(some, ' ')) asked_->emplace(key);
}

void Config::must_be(std::string_view key, bool usual, const std::string& why) const {
  if (flag(key, usual) == usual) return;
  throw bad_input(fmt::format("\"{}\" is {}: {}", key, !usual, why)).at(file_.string());
}

void Config::refuse_unknown(const std::string& architecture) const {
  const char* more = std::getenv("MINPAIR_IGNORE_KEYS");
  std::string brave = fmt::format(",{},", more ? more : "");
  std::function<void(const json&, const std::string&)> look = [&](const json& object,
                                                                  const std::string& before) {
    for (const auto& [name, value] : object.items()) {
      std::string key = before + name;
      auto deeper = asked_->lower_bound(key + ".");
      if (value.is_object() && deeper != asked_->end() && deeper->starts_with(key + "."))
        look(value, key + ".");
      else if (!asked_->contains(key) && !is_harmless(name) && !says_nothing(value) &&
               brave.find("," + key + ",") == brave.npos)
        throw bad_input(fmt::format("\"{}\" is not known for '{}', and may change the numbers", key,
                                    architecture))
            .at(file_.string())
            .hint(fmt::format("if you know that it does not: MINPAIR_IGNORE_KEYS={}", key));
    }
  };
  look(*json_, "");
}

}  // namespace minpair::model
