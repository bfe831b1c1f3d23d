#include "corpus/words.h"

#include <algorithm>

#include "base/text.h"

namespace minpair::corpus {

namespace {

struct Character {
  char32_t code = 0;
  Span span;
};

std::vector<Character> decode(std::string_view text) {
  std::vector<Character> out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    Character c;
    c.span.begin = at;
    c.code = next_character(text, at);
    c.span.end = at;
    out.push_back(c);
  }
  return out;
}

bool is_hebrew_point(char32_t c) { return c >= 0x0591 && c <= 0x05C7 && c != 0x05BE; }
bool in_word(char32_t c) {
  return is_letter(c) || is_digit(c) || is_hebrew_point(c) || (c >= 0x0300 && c <= 0x036F);
}
bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019; }
bool is_hyphen(char32_t c) { return c == '-' || c == 0x2010 || c == 0x2011 || c == 0x05BE; }
bool is_geresh(char32_t c) { return c == 0x05F3 || c == 0x05F4 || c == '"'; }

// Does `c`, between two characters of words, belong to the word?
bool joins(char32_t before, char32_t c, char32_t after, std::string_view language) {
  if (!in_word(before) || !in_word(after)) return false;
  if (is_hyphen(c)) return true;
  if (is_apostrophe(c)) return language != "fr";
  if (is_geresh(c)) return language == "he";
  return (c == '.' || c == ',' || c == ':') && is_digit(before) && is_digit(after);
}

// `doesn't` is `does n't`, `author's` is `author 's`: the Penn Treebank's convention.
size_t english_clitic(std::string_view word) {
  for (const std::string_view clitic :
       {"n't", "n’t", "'s", "’s", "'re", "’re", "'ve", "’ve", "'ll", "’ll", "'d", "’d", "'m", "’m"})
    if (word.size() > clitic.size() && word.ends_with(clitic)) return word.size() - clitic.size();
  return 0;
}

void add_word(std::string_view word, std::string_view language, std::vector<std::string>& out) {
  const size_t cut = language == "en" ? english_clitic(word) : 0;
  if (cut > 0) out.emplace_back(word.substr(0, cut));
  out.emplace_back(word.substr(cut));
}

size_t word_end(const std::vector<Character>& text, size_t begin, std::string_view language) {
  size_t end = begin + 1;
  while (end < text.size()) {
    const char32_t c = text[end].code;
    const bool last = end + 1 == text.size();
    if (in_word(c) || (!last && joins(text[end - 1].code, c, text[end + 1].code, language))) {
      ++end;
    } else if (language == "fr" && is_apostrophe(c)) {
      return end + 1;  // the elided article keeps its apostrophe
    } else {
      break;
    }
  }
  return end;
}

size_t token_end(const std::vector<Character>& text, size_t begin, std::string_view language) {
  if (in_word(text[begin].code)) return word_end(text, begin, language);
  size_t end = begin + 1;
  if (text[begin].code == '.')
    while (end < text.size() && text[end].code == '.') ++end;  // "..." is one token
  return end;
}

bool is_invisible(char32_t c) {
  return c == 0 || c == 0xFFFD || c == 0x00AD || c == 0x200B || c == 0x200E || c == 0x200F ||
         c == 0xFEFF || (c < 0x20 && !is_space(c));
}

}  // namespace

const std::vector<std::string>& corpus_languages() {
  static const std::vector<std::string> all{"de", "en", "fr", "ru", "he"};
  return all;
}

std::vector<std::string> split_words(std::string_view sentence, std::string_view language) {
  std::vector<std::string> out;
  std::vector<Character> text = decode(sentence);
  std::erase_if(text, [](const Character& c) { return is_invisible(c.code); });
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i].code)) {
      ++i;
      continue;
    }
    const size_t end = token_end(text, i, language);
    std::string word;
    for (size_t k = i; k < end; ++k) word += slice(sentence, text[k].span);
    add_word(word, language, out);
    i = end;
  }
  return out;
}

}  // namespace minpair::corpus
