#pragma once
// Text as a person would write it, in any language and script: what a sentence begins and ends
// with, and where spaces stand. `language` is a BCP 47 tag; it may be empty.
//
//   std::string text;
//   Joiner joiner;
//   for (std::string_view word : words("¿ quién duerme ?")) {
//     if (joiner.space_before(beside(word, "es"))) text += ' ';
//     text += word;
//   }
//   text = capitalized(text, "es");         // ¿Quién duerme?
//   text += missing_stop(text, "es");       // nothing: it has a final mark

#include <string>
#include <string_view>

namespace minpair::inline base {

// Scripts that are written without spaces between words: every letter is a unit of its own.
bool stands_alone(char32_t c);
// Is there, behind which at most quotes and brackets close, a mark that ends a sentence: . ? ! …
// or । 。 ؟ ; of other scripts?
bool ends_sentence(std::string_view text);
// The final mark that the text lacks, as its script has it: ".", "।", "。". Empty where it has one,
// where it ends in another mark, and in scripts without one.
std::string_view missing_stop(std::string_view text, std::string_view language);
// The first letter in the title case of the language: İlk, IJs, ¿Duerme. Nothing changes where a
// digit or a symbol stands first.
std::string capitalized(std::string_view text, std::string_view language);

// Is the first letter lower case, in a script that has capitals?
bool lacks_capital(std::string_view text);
// Has it a letter or a digit?
bool has_word(std::string_view text);

// How a word stands beside its neighbours.
struct Beside {
  bool closes = false;  // no space before it
  bool opens = false;   // no space behind it
  bool quote = false;   // does either, in turns
  // It begins or ends with a letter or mark of a script without spaces.
  bool alone_first = false, alone_last = false;
};
Beside beside(std::string_view word, std::string_view language);

// Goes through the words of a sentence.
class Joiner {
 public:
  // Whether a space stands before this word, the next one.
  bool space_before(const Beside& word);

 private:
  Beside last_;
  bool begun_ = false, quoted_ = false;
};

}  // namespace minpair::inline base
