#pragma once
// What tokenizers ask about a character, answered from a table.

#include <cstdint>
#include <string>

namespace minpair::tokenizer {

enum CharacterClass : uint8_t {
  kSpace = 1,        // White_Space
  kControl = 2,      // categories Cc, Cf, Co, Cs, but not tab, line feed, carriage return
  kPunctuation = 4,  // category P*, and every ASCII character that is neither letter nor digit
  kCjk = 8,          // what BERT takes for a Chinese character
  kNonspacing = 16,  // category Mn
  kLetter = 32,      // category L*
  kNumber = 64,      // category N*
  kWord = 128,       // \w: alphabetic, marks, decimal digits, connector punctuation
};

const uint8_t* make_bmp_classes();
uint8_t class_beyond_bmp(char32_t c);

inline uint8_t class_of(char32_t c) {
  static const uint8_t* const bmp = make_bmp_classes();
  return c < 0x10000 ? bmp[c] : class_beyond_bmp(c);
}

// Appends the canonical decomposition (NFD) of one character.
void append_decomposed(std::u32string& to, char32_t c);
// Lower case of one character, without looking at its neighbours (no final sigma).
void append_lower(std::u32string& to, char32_t c);

}  // namespace minpair::tokenizer
