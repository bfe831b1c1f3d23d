#pragma once
// For models trained on text whose sentences begin as their first word would be written inside a
// sentence.

#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

// Lower-cases the first letter of a text when the word is known in lower case ("Der" becomes "der",
// "Anna" stays).
std::unique_ptr<Tokenizer> with_plain_first_word(std::unique_ptr<Tokenizer> words);

}  // namespace minpair::tokenizer
