#pragma once
// The words of a sentence as a model reads them.

#include <vector>

#include "introspect/contrast.h"
#include "suite/item.h"

namespace minpair::introspect {

// The tokens of one word.
struct Word {
  Span span;
  std::vector<uint32_t> positions;
};

// Runs of tokens with letters or digits and nothing between them; not those of the locus.
std::vector<Word> words_of(const suite::Sentence& sentence, const std::vector<Span>& spans);

// Whether the model fills a gap: an encoder with a decoder. A mask is a gap there, whose length is
// not told; beside the one that is asked for, it would be a part of it.
bool fills_gap(const query::Model& model);

// What stands for a word that is not there: a mask, or -1 where the others are read without it.
tokenizer::TokenId stand_in(const query::Model& model);

// The same question without a word.
query::Query without(const Word& word, Contrast contrast, tokenizer::TokenId mask);

}  // namespace minpair::introspect
