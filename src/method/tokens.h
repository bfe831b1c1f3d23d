#pragma once
// What methods share: a sentence as tokens, with the locus among them, and questions about them.

#include "method/method.h"

namespace minpair::method {

SentenceTokens tokens_of(const suite::Sentence& sentence, const MethodContext& context);

// For a method that needs the locus: gives the reason when it cannot be had. Where a token reaches
// over the edge of the locus, the locus is tokenized on its own and put in the place of a mask.
Reason require_locus(SentenceTokens& tokens, const suite::Sentence& sentence,
                     const MethodContext& context);

// Adds a query in which the tokens [masked_begin, masked_end) are masked, and asks about the tokens
// [read_begin, read_end) that are not of the context, each about itself.
void ask_masked(Questions& questions, const SentenceTokens& tokens, size_t masked_begin,
                size_t masked_end, size_t read_begin, size_t read_end, tokenizer::TokenId mask);

// The mask token; throws when the tokenizer has none.
tokenizer::TokenId mask_of(const MethodContext& context);

bool too_long(const SentenceTokens& tokens, const MethodContext& context);
// The vocabulary has only its unknown token for a part of the locus: two such words are the same
// to the model.
bool unknown_locus(const SentenceTokens& tokens, const tokenizer::Tokenizer& tokenizer);

// Where the word of token `at` ends (one past its last token); special tokens belong to no word.
size_t word_end(const SentenceTokens& tokens, size_t at);

}  // namespace minpair::method
