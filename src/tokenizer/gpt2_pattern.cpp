// GPT-2 cuts a text with the pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Here by hand, because every byte-level model runs it over everything.

#include "tokenizer/characters.h"
#include "tokenizer/pre_tokenizer.h"

namespace minpair::tokenizer {
namespace {

enum Kind { kindSpace, kindLetter, kindNumber, kindOther };

Kind kind_of(char32_t c) {
  uint8_t k = class_of(c);
  if (k & kLetter) return kindLetter;
  if (k & kNumber) return kindNumber;
  return (k & kSpace) ? kindSpace : kindOther;
}

size_t contraction(std::string_view text, size_t at) {
  for (std::string_view c : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.substr(at, c.size()) == c) return c.size();
  return 0;
}

// The end of the run of characters of this kind that begins at `at`.
size_t run_end(std::string_view text, size_t at, Kind kind) {
  for (size_t next = at; next < text.size(); at = next)
    if (kind_of(next_character(text, next)) != kind) break;
  return at;
}

// White space up to the last one before something else: that one goes with what follows.
size_t space_end(std::string_view text, size_t at) {
  size_t last = at, end = at;
  for (size_t next = at; next < text.size(); end = next) {
    if (kind_of(next_character(text, next)) != kindSpace) break;
    last = end;
  }
  return end == text.size() || last == at ? end : last;
}

size_t word_end(std::string_view text, size_t at) {
  if (text[at] == '\'')
    if (size_t n = contraction(text, at)) return at + n;
  size_t first = at;
  if (text[at] == ' ' && at + 1 < text.size()) ++first;
  size_t peek = first;
  Kind kind = kind_of(next_character(text, peek));
  if (kind != kindSpace) return run_end(text, first, kind);
  return space_end(text, at);
}

class Gpt2 : public PreTokenizer {
 public:
  void apply(Words& words) const override {
    std::vector<Span> cut;
    for (const Span& word : words.spans) {
      std::string_view text = slice(words.text.bytes, word);
      for (size_t at = 0; at < text.size();) {
        size_t end = word_end(text, at);
        cut.push_back({word.begin + at, word.begin + end});
        at = end;
      }
    }
    words.spans = std::move(cut);
  }
};

}  // namespace

PreTokenizerPtr split_gpt2() { return std::make_shared<Gpt2>(); }

}  // namespace minpair::tokenizer
