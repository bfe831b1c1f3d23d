#pragma once
// What is done to a text before it is cut. Each function makes one step of a tokenizer.json.

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/charsmap.h"

namespace minpair::tokenizer {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
};

using NormalizerPtr = std::shared_ptr<const Normalizer>;

enum class NormalForm { nfc, nfd, nfkc, nfkd };

struct BertNormalizerOptions {
  bool clean_text = true, split_cjk = true, strip_accents = false, lowercase = false;
};

NormalizerPtr normalize_bert(BertNormalizerOptions options);
NormalizerPtr normalize_form(NormalForm form);
NormalizerPtr normalize_lowercase();
NormalizerPtr normalize_strip_accents();  // drops every mark
NormalizerPtr normalize_strip(bool left, bool right);
NormalizerPtr normalize_prepend(std::string text);  // unless the text is empty
NormalizerPtr normalize_replace(std::string what, std::string with);
NormalizerPtr normalize_replace_regex(const std::string& pattern, std::string with);
NormalizerPtr normalize_nmt();
NormalizerPtr normalize_byte_level();  // bytes as the characters GPT-2 writes them with
// Grapheme by grapheme, as Hugging Face applies SentencePiece's map.
NormalizerPtr normalize_precompiled(Charsmap map);
NormalizerPtr normalize_sequence(std::vector<NormalizerPtr> steps);

struct SentencePieceNormalizerOptions {
  bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true;
  bool whitespace_as_suffix = false;
  bool prefix_only_at_start = false;
  std::vector<std::string> user_defined;  // pass through untouched
};
// As SentencePiece itself does: the longest match of its map, spaces to "▁".
NormalizerPtr normalize_sentencepiece(Charsmap map, SentencePieceNormalizerOptions options);

// GPT-2's printable stand-in for a byte.
char32_t byte_level_character(unsigned char byte);
void to_byte_level(AlignedText& text);

// How Moses, the translation system (Koehn et al. 2007), cleans a text and puts spaces between its
// words and signs: what XLM and FlauBERT were trained on.

// `language`: "en" or "fr". After it, words are what white space separates.
NormalizerPtr normalize_moses(const std::string& language);

}  // namespace minpair::tokenizer
