#pragma once
// What the small JSON files beside a vocabulary say: tokenizer_config.json,
// special_tokens_map.json, added_tokens.json, and the model's own config.json.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/make.h"

namespace minpair::tokenizer {

namespace fs = std::filesystem;

struct TokenizerConfig {
  std::string tokenizer_class;  // "BertTokenizer", without "Fast"; may be empty
  std::string model_type;       // "bert", from config.json; may be empty
  SpecialNames names;           // empty where the files are silent
  std::vector<std::string SpecialNames::*> without;  // roles that the files say no token has
  std::optional<bool> do_lower_case, strip_accents, tokenize_chinese_chars;
  std::optional<bool> do_lowercase, do_lowercase_and_remove_accent;  // FlauBERT, XLM
  std::optional<bool> add_bos_token, add_eos_token, add_prefix_space, keep_accents, legacy;
  std::vector<std::string> never_split;
  std::vector<AddedToken> added;            // added_tokens.json, added_tokens_decoder
  std::optional<int64_t> model_vocabulary;  // rows of the model's embedding
  std::optional<int64_t> model_bos, model_eos, model_pad, model_mask;
};

// Absent files are no error; files that are not what they must be are.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory);

}  // namespace minpair::tokenizer
