#pragma once
// Which pieces are words, and where words end for a model that reads from left to right.

#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

// Does this token begin a word after that one? Most pieces show it themselves; where vocabularies
// mark the ends of words, the token before shows it.
bool begins_word_after(const Tokenizer& tokenizer, TokenId before, TokenId id);
// Is a word complete before this token? It begins another one, is punctuation, or ends the text.
bool completes_word(const Tokenizer& tokenizer, TokenId id);
// All such tokens among the first `vocabulary`, ascending: what kWordEnd stands for.
std::vector<TokenId> word_ends(const Tokenizer& tokenizer, uint32_t vocabulary);

// The word that the piece alone stands for, after a space; "" for what cannot be one. Not always
// UTF-8: a piece of bytes may end within a character.
std::string whole_word(const Tokenizer& tokenizer, TokenId id);

}  // namespace minpair::tokenizer
