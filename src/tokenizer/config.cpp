#include "tokenizer/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "tokenizer/json.h"

namespace minpair::tokenizer {
namespace {

// A special token is written as a string, as an object with "content", or as null: there is none.
void read_name(JsonValue root, std::string_view key, std::string SpecialNames::*role,
               TokenizerConfig& config) {
  std::optional<std::string_view> s = string_member(root, key);
  if (!s)
    if (std::optional<JsonValue> object = member(root, key)) s = string_member(*object, "content");
  JsonValue value;
  if (s)
    config.names.*role = *s;
  else if (!root.at_key(key).get(value) && value.is_null())
    config.without.push_back(role);
}

void read_names(JsonValue root, TokenizerConfig& config) {
  read_name(root, "unk_token", &SpecialNames::unk, config);
  read_name(root, "pad_token", &SpecialNames::pad, config);
  read_name(root, "cls_token", &SpecialNames::cls, config);
  read_name(root, "sep_token", &SpecialNames::sep, config);
  read_name(root, "mask_token", &SpecialNames::mask, config);
  read_name(root, "bos_token", &SpecialNames::bos, config);
  read_name(root, "eos_token", &SpecialNames::eos, config);
}

TokenId checked_id(int64_t id, const JsonFile& file) {
  if (id < 0 || id >= int64_t(Vocabulary::kMaxPieces))
    throw bad_input(fmt::format("an added token has the impossible id {}", id)).at(file.name());
  return TokenId(id);
}

void read_added_decoder(const JsonFile& file, TokenizerConfig& config) {
  std::optional<JsonValue> decoder = member(file.root, "added_tokens_decoder");
  if (!decoder || !decoder->is_object()) return;
  for (auto [key, value] : simdjson::dom::object(*decoder)) {
    int64_t id = -1;
    for (char c : key) {
      if (c < '0' || c > '9' || id > int64_t(Vocabulary::kMaxPieces)) {
        id = -1;
        break;
      }
      id = (id < 0 ? 0 : id * 10) + (c - '0');
    }
    AddedToken token;
    token.id = checked_id(id, file);
    token.content = string_member(value, "content").value_or("");
    token.special = bool_member(value, "special").value_or(false);
    token.normalized = bool_member(value, "normalized").value_or(!token.special);
    token.single_word = bool_member(value, "single_word").value_or(false);
    token.strip_left = bool_member(value, "lstrip").value_or(false);
    token.strip_right = bool_member(value, "rstrip").value_or(false);
    config.added.push_back(token);
  }
}

void read_tokenizer_config_json(const JsonFile& file, TokenizerConfig& config) {
  JsonValue root = file.root;
  read_names(root, config);
  config.tokenizer_class = string_member(root, "tokenizer_class").value_or("");
  if (config.tokenizer_class.ends_with("Fast"))
    config.tokenizer_class.resize(config.tokenizer_class.size() - 4);
  config.do_lower_case = bool_member(root, "do_lower_case");
  config.do_lowercase = bool_member(root, "do_lowercase");
  config.do_lowercase_and_remove_accent = bool_member(root, "do_lowercase_and_remove_accent");
  config.strip_accents = bool_member(root, "strip_accents");
  config.tokenize_chinese_chars = bool_member(root, "tokenize_chinese_chars");
  config.add_bos_token = bool_member(root, "add_bos_token");
  config.add_eos_token = bool_member(root, "add_eos_token");
  config.add_prefix_space = bool_member(root, "add_prefix_space");
  config.keep_accents = bool_member(root, "keep_accents");
  config.legacy = bool_member(root, "legacy");
  if (std::optional<JsonValue> list = member(root, "never_split"); list && list->is_array())
    for (JsonValue word : simdjson::dom::array(*list))
      if (word.is_string()) config.never_split.emplace_back(std::string_view(word));
  read_added_decoder(file, config);
}

void read_added_tokens_json(const JsonFile& file, TokenizerConfig& config) {
  if (!file.root.is_object()) throw bad_input("added tokens must be an object").at(file.name());
  for (auto [content, value] : simdjson::dom::object(file.root)) {
    int64_t id;
    if (value.get(id))
      throw bad_input(fmt::format("the added token '{}' has no id", content)).at(file.name());
    bool known =
        std::any_of(config.added.begin(), config.added.end(),
                    [&, text = content](const AddedToken& t) { return t.content == text; });
    if (known) continue;
    AddedToken token{std::string(content), checked_id(id, file)};
    token.special = false;
    config.added.push_back(token);
  }
}

void read_model_config(const JsonFile& file, TokenizerConfig& config) {
  JsonValue root = file.root;
  config.model_type = string_member(root, "model_type").value_or("");
  config.model_vocabulary = int_member(root, "vocab_size");
  config.model_bos = int_member(root, "bos_token_id");
  config.model_eos = int_member(root, "eos_token_id");
  config.model_pad = int_member(root, "pad_token_id");
  config.model_mask = int_member(root, "mask_token_id");
}

}  // namespace

TokenizerConfig read_tokenizer_config(const fs::path& directory) {
  TokenizerConfig config;
  auto read = [&](const char* name, auto reader) {
    if (fs::is_regular_file(directory / name)) reader(JsonFile(directory / name), config);
  };
  read("special_tokens_map.json",
       [](const JsonFile& file, TokenizerConfig& c) { read_names(file.root, c); });
  read("tokenizer_config.json", read_tokenizer_config_json);
  read("added_tokens.json", read_added_tokens_json);
  read("config.json", read_model_config);
  return config;
}

}  // namespace minpair::tokenizer
