#include "tokenizer/tokenizer_json_parts.h"

#include <fmt/format.h>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

Error malformed(const JsonFile& file, std::string_view what) {
  return bad_input(fmt::format("{} is not what it must be", what))
      .at(file.name())
      .hint("is this a tokenizer.json of Hugging Face?");
}

simdjson::dom::array list_of(const JsonFile& file, JsonValue value, std::string_view key) {
  simdjson::dom::array list;
  std::optional<JsonValue> found = member(value, key);
  if (!found || found->get(list)) throw malformed(file, fmt::format("'{}'", key));
  return list;
}

std::string text_of(const JsonFile& file, JsonValue value, std::string_view key) {
  std::optional<std::string_view> s = string_member(value, key);
  if (!s) throw malformed(file, fmt::format("'{}'", key));
  return std::string(*s);
}

std::string decode_base64(const JsonFile& file, std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    int v = c >= 'A' && c <= 'Z'   ? c - 'A'
            : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : c >= '0' && c <= '9' ? c - '0' + 52
            : c == '+'             ? 62
            : c == '/'             ? 63
                                   : -1;
    if (c == '=') break;
    if (v < 0) throw malformed(file, "the precompiled character map");
    bits = bits << 6 | uint32_t(v);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += char(bits >> count & 0xFF);
    }
  }
  return bytes;
}

// {"String": "..."} or {"Regex": "..."}
struct Pattern {
  std::string text;
  bool regex;
};

Pattern read_pattern(const JsonFile& file, JsonValue value) {
  std::optional<JsonValue> pattern = member(value, "pattern");
  if (pattern)
    for (bool regex : {false, true})
      if (auto s = string_member(*pattern, regex ? "Regex" : "String"))
        return {std::string(*s), regex};
  throw malformed(file, "'pattern'");
}

Delimiter read_delimiter(const JsonFile& file, JsonValue value, std::string_view otherwise) {
  std::string_view s = string_member(value, "behavior").value_or(otherwise);
  if (s == "Removed") return Delimiter::removed;
  if (s == "Isolated") return Delimiter::isolated;
  if (s == "MergedWithPrevious") return Delimiter::merged_with_previous;
  if (s == "MergedWithNext") return Delimiter::merged_with_next;
  if (s == "Contiguous") return Delimiter::contiguous;
  throw unsupported(file, "behavior of a split", s);
}

PreTokenizerPtr read_metaspace(const JsonFile& file, JsonValue value) {
  std::string replacement(string_member(value, "replacement").value_or("\u2581"));
  if (count_characters(replacement) != 1) throw malformed(file, "the replacement of Metaspace");
  Prepend prepend =
      bool_member(value, "add_prefix_space").value_or(true) ? Prepend::always : Prepend::never;
  if (std::optional<std::string_view> scheme = string_member(value, "prepend_scheme")) {
    if (*scheme == "always")
      prepend = Prepend::always;
    else if (*scheme == "first")
      prepend = Prepend::first;
    else if (*scheme == "never")
      prepend = Prepend::never;
    else
      throw unsupported(file, "prepend scheme", *scheme);
  }
  return split_metaspace(replacement, prepend, bool_member(value, "split").value_or(true));
}

PreTokenizerPtr read_split(const JsonFile& file, JsonValue value) {
  Pattern pattern = read_pattern(file, value);
  Delimiter delimiter = read_delimiter(file, value, "Removed");
  bool invert = bool_member(value, "invert").value_or(false);
  return pattern.regex ? split_regex(pattern.text, delimiter, invert)
                       : split_string(pattern.text, delimiter, invert);
}

NormalizerPtr read_replace(const JsonFile& file, JsonValue value) {
  Pattern pattern = read_pattern(file, value);
  std::string with = text_of(file, value, "content");
  return pattern.regex ? normalize_replace_regex(pattern.text, with)
                       : normalize_replace(pattern.text, with);
}

}  // namespace

Error unsupported(const JsonFile& file, std::string_view what, std::string_view kind) {
  return bad_input(fmt::format("the {} '{}' is not supported", what, kind))
      .at(file.name())
      .hint(
          "without it the model would get other ids than it was trained on; please report the "
          "model's name");
}

std::string_view type_of(JsonValue value) { return string_member(value, "type").value_or(""); }

BertNormalizerJson read_bert_normalizer(JsonValue value) {
  return {bool_member(value, "clean_text").value_or(true),
          bool_member(value, "handle_chinese_chars").value_or(true),
          bool_member(value, "lowercase").value_or(true), bool_member(value, "strip_accents")};
}

NormalizerPtr read_normalizer(const JsonFile& file, JsonValue value) {
  std::string_view type = type_of(value);
  if (type == "Sequence") {
    std::vector<NormalizerPtr> steps;
    for (JsonValue v : list_of(file, value, "normalizers"))
      steps.push_back(read_normalizer(file, v));
    return normalize_sequence(std::move(steps));
  }
  if (type == "BertNormalizer") {
    BertNormalizerJson b = read_bert_normalizer(value);
    return normalize_bert(
        {b.clean_text, b.handle_chinese_chars, b.strip_accents.value_or(b.lowercase), b.lowercase});
  }
  if (type == "NFC") return normalize_form(NormalForm::nfc);
  if (type == "NFD") return normalize_form(NormalForm::nfd);
  if (type == "NFKC") return normalize_form(NormalForm::nfkc);
  if (type == "NFKD") return normalize_form(NormalForm::nfkd);
  if (type == "Lowercase") return normalize_lowercase();
  if (type == "StripAccents") return normalize_strip_accents();
  if (type == "Strip")
    return normalize_strip(bool_member(value, "strip_left").value_or(true),
                           bool_member(value, "strip_right").value_or(true));
  if (type == "Prepend") return normalize_prepend(text_of(file, value, "prepend"));
  if (type == "Replace") return read_replace(file, value);
  if (type == "Nmt") return normalize_nmt();
  if (type == "ByteLevel") return normalize_byte_level();
  if (type == "Precompiled")
    return normalize_precompiled(
        Charsmap(decode_base64(file, string_member(value, "precompiled_charsmap").value_or(""))));
  throw unsupported(file, "normalizer", type);
}

PreTokenizerPtr read_pre_tokenizer(const JsonFile& file, JsonValue value,
                                   std::optional<bool> add_prefix_space) {
  std::string_view type = type_of(value);
  if (type == "Sequence") {
    std::vector<PreTokenizerPtr> steps;
    for (JsonValue v : list_of(file, value, "pretokenizers"))
      steps.push_back(read_pre_tokenizer(file, v, add_prefix_space));
    return split_sequence(std::move(steps));
  }
  if (type == "BertPreTokenizer") return split_bert();
  if (type == "ByteLevel")
    return split_byte_level(
        add_prefix_space.value_or(bool_member(value, "add_prefix_space").value_or(true)),
        bool_member(value, "use_regex").value_or(true));
  if (type == "Whitespace") return split_whitespace_words();
  if (type == "WhitespaceSplit") return split_whitespace();
  if (type == "Punctuation") return split_punctuation(read_delimiter(file, value, "Isolated"));
  if (type == "Digits")
    return split_digits(bool_member(value, "individual_digits").value_or(false));
  if (type == "Metaspace") return read_metaspace(file, value);
  if (type == "Split") return read_split(file, value);
  if (type == "CharDelimiterSplit")
    return split_string(text_of(file, value, "delimiter"), Delimiter::removed, false);
  throw unsupported(file, "pre-tokenizer", type);
}

namespace {

// ["</s>", 2]
Template::Named read_pair(const JsonFile& file, JsonValue value, std::string_view key) {
  simdjson::dom::array pair = list_of(file, value, key);
  std::string_view token;
  int64_t id;
  if (pair.at(0).get(token) || pair.at(1).get(id)) throw malformed(file, fmt::format("'{}'", key));
  return {std::string(token), id};
}

// A short file can stand for very many tokens: a template may name the same ones again and again.
constexpr size_t kMostAround = 1000;

void check_size(const JsonFile& file, size_t tokens) {
  if (tokens > kMostAround)
    throw unsupported(file, "template", fmt::format("of more than {} tokens", kMostAround));
}

void read_special(const JsonFile& file, JsonValue tokens, std::string_view name,
                  std::vector<Template::Named>& to) {
  std::optional<JsonValue> entry = member(tokens, name);
  if (!entry) throw malformed(file, fmt::format("the template's token '{}'", name));
  simdjson::dom::array names = list_of(file, *entry, "tokens"), ids = list_of(file, *entry, "ids");
  check_size(file, to.size() + names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view token;
    int64_t id;
    if (names.at(i).get(token) || ids.at(i).get(id))
      throw malformed(file, fmt::format("the template's token '{}'", name));
    to.push_back({std::string(token), id});
  }
}

Template read_template(const JsonFile& file, JsonValue value) {
  Template t;
  bool after = false;
  std::optional<JsonValue> tokens = member(value, "special_tokens");
  const simdjson::dom::array parts = list_of(file, value, "single");
  check_size(file, parts.size());
  for (JsonValue part : parts) {
    if (std::optional<JsonValue> special = member(part, "SpecialToken")) {
      if (!tokens) throw malformed(file, "'special_tokens'");
      read_special(file, *tokens, text_of(file, *special, "id"), after ? t.after : t.before);
    } else if (member(part, "Sequence")) {
      if (after) throw unsupported(file, "template", "with the sentence twice");
      after = true;
    } else {
      throw malformed(file, "'single'");
    }
  }
  if (!after) throw malformed(file, "'single'");
  return t;
}

}  // namespace

Template read_post_processor(const JsonFile& file, JsonValue value) {
  std::string_view type = type_of(value);
  if (type == "TemplateProcessing") return read_template(file, value);
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return {{read_pair(file, value, "cls")}, {read_pair(file, value, "sep")}};
  if (type == "ByteLevel") return {};
  if (type == "Sequence") {
    Template all;
    for (JsonValue v : list_of(file, value, "processors")) {
      Template t = read_post_processor(file, v);
      check_size(file, all.before.size() + all.after.size() + t.before.size() + t.after.size());
      all.before.insert(all.before.begin(), t.before.begin(), t.before.end());
      all.after.insert(all.after.end(), t.after.begin(), t.after.end());
    }
    return all;
  }
  throw unsupported(file, "post-processor", type);
}

}  // namespace minpair::tokenizer
