#pragma once
// Where a sentence starts and ends for a model that reads from left to right, and where its words
// do.

#include <vector>

#include "model/config.h"
#include "model/model.h"

namespace minpair {

struct Edge {
  TokenId id = -1;   // -1: nothing
  std::string from;  // who says so
};

// The beginning of text of a transformer. What is wrong in its configuration goes to the notes.
Edge start_of_text(const Config& config, const Tokenizer& tokenizer, ModelInfo& info);

// Settles the start and the end: what the user asked for, else the model's own. Both become part of
// the fingerprint, so that scores with different edges never meet.
void set_edges(ModelInfo& info, const Tokenizer& tokenizer, const LoadOptions& options, Edge start,
               Edge end);

// Is a word complete before this token? It begins another one, is punctuation, or ends the text.
bool completes_word(const Tokenizer& tokenizer, TokenId id);
// All such tokens among the first `vocabulary`, ascending: what kWordEnd stands for.
std::vector<TokenId> word_ends(const Tokenizer& tokenizer, uint32_t vocabulary);

}  // namespace minpair
