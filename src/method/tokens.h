#pragma once
// What the methods for masked models share: a sentence as tokens, with the locus among them.

#include "method/method.h"

namespace minpair::method {

struct SentenceTokens {
  std::vector<tokenizer::TokenId> ids;    // special tokens included
  std::vector<judge::TokenScore> tokens;  // parallel to `ids`
  size_t locus_begin = 0, locus_end = 0;  // the tokens of the locus
  // Those of the context, which is read and never scored. Their spans are empty.
  size_t context_begin = 0, context_end = 0;

  size_t locus_size() const { return locus_end - locus_begin; }
  bool in_context(size_t i) const { return context_begin <= i && i < context_end; }
};

// A context and the text after it, as one text; spans are the text's. Where a piece would reach
// over the joint, both are tokenized on their own.
SentenceTokens encoded(const tokenizer::Tokenizer& tokenizer, std::string_view context,
                       std::string_view text, bool with_special);

SentenceTokens tokens_of(const suite::Sentence& sentence, const tokenizer::Tokenizer& tokenizer);
// Without the tokens that masked models put around a sentence.
SentenceTokens plain_tokens_of(const suite::Sentence& sentence,
                               const tokenizer::Tokenizer& tokenizer);

// The same, for a method that needs the locus: gives the reason when it cannot be had. Where a
// token reaches over the edge of the locus, the locus is tokenized on its own and put in the place
// of a mask.
Reason locus_tokens_of(const suite::Sentence& sentence, const tokenizer::Tokenizer& tokenizer,
                       SentenceTokens& tokens);

// Adds a query in which the tokens [masked_begin, masked_end) are masked, and asks about the tokens
// [read_begin, read_end) that are not of the context, each about itself.
void ask_masked(Questions& questions, const SentenceTokens& tokens, size_t masked_begin,
                size_t masked_end, size_t read_begin, size_t read_end, tokenizer::TokenId mask);

// The mask token; throws when the tokenizer has none.
tokenizer::TokenId mask_of(const MethodContext& context);

bool too_long(const SentenceTokens& tokens, const MethodContext& context);
// The vocabulary has only its unknown token for a piece of the locus: two such words are the same
// to the model.
bool unknown_locus(const SentenceTokens& tokens, const tokenizer::Tokenizer& tokenizer);

// Where the word of token `at` ends (one past its last token); special tokens belong to no word.
size_t word_end(const SentenceTokens& tokens, size_t at);

}  // namespace minpair::method
