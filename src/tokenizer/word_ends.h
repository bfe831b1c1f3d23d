#pragma once
// Where words end for a model that reads from left to right.

#include <cstdint>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

// Is a word complete before this token? It begins another one, is punctuation, or ends the text.
bool completes_word(const Tokenizer& tokenizer, TokenId id);
// All such tokens among the first `vocabulary`, ascending: what kWordEnd stands for.
std::vector<TokenId> word_ends(const Tokenizer& tokenizer, uint32_t vocabulary);

}  // namespace minpair::tokenizer
