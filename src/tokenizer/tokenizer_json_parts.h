#pragma once
// The parts of a tokenizer.json that describe work on text. Unknown kinds are named in the error.

#include <string>
#include <vector>

#include "base/error.h"
#include "tokenizer/json.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pre_tokenizer.h"

namespace minpair::tokenizer {

NormalizerPtr read_normalizer(const JsonFile& file, JsonValue value);
// `add_prefix_space` overrides what the file says about byte-level words.
PreTokenizerPtr read_pre_tokenizer(const JsonFile& file, JsonValue value,
                                   std::optional<bool> add_prefix_space);

struct BertNormalizerJson {
  bool clean_text, handle_chinese_chars, lowercase;
  std::optional<bool> strip_accents;
};
BertNormalizerJson read_bert_normalizer(JsonValue value);

// What a post-processor puts around a single sentence.
struct Template {
  struct Named {
    std::string token;
    int64_t id;
  };
  std::vector<Named> before, after;
};
Template read_post_processor(const JsonFile& file, JsonValue value);

Error unsupported(const JsonFile& file, std::string_view what, std::string_view kind);
std::string_view type_of(JsonValue value);  // "" when there is none

}  // namespace minpair::tokenizer
