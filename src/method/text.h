#pragma once
// From a text to what a model reads. Nothing else turns a text into ids: how a context is joined to
// it, what stands before its first token and after its last, and what cannot be scored are decided
// here.
//
//   Encoded e = encoded({"Er ging.", "Peter war da."}, model.tokenizer(), model.info());
//   if (e.problem == Reason::none) use(e.ids, e.tokens);

#include <vector>

#include "judge/reason.h"
#include "judge/score.h"
#include "query/query.h"
#include "suite/item.h"

namespace minpair::method {

using judge::Reason;

void require_utf8(const suite::Text& text);  // else an error that says where

struct Encoded {
  std::vector<tokenizer::TokenId> ids;    // special tokens included
  std::vector<judge::TokenScore> tokens;  // parallel to `ids`; not yet scored
  // The tokens of the context, which is read and never scored. Their spans are empty.
  size_t context_begin = 0, context_end = 0;
  // Why the text has no score: empty_text, nothing_to_score (the tokenizer drops all of it, or all
  // of it is special tokens), unknown_text.
  Reason problem = Reason::none;

  bool in_context(size_t i) const { return context_begin <= i && i < context_end; }
};

// Which edges of a longer text this is. A model that reads from left to right may read a token
// before the first word, and one after the last; a masked model's template is never divided.
struct Edges {
  bool start = true, end = true;
};

// Spans are bytes of the text. Where a token would reach over the joint, context and text are
// tokenized separately. Throws when one of them is not UTF-8.
Encoded encoded(const suite::Text& text, const tokenizer::Tokenizer& tokenizer,
                const query::ModelInfo& model, Edges edges = {});

// Whether a context changes how a sentence of the item is tokenized.
bool retokenized_by_context(const suite::Item& item, const tokenizer::Tokenizer& tokenizer);

// Sets `begins_word`.
void mark_words(Encoded& tokens, const tokenizer::Tokenizer& tokenizer);
// Sets `in_locus`. False when a token reaches over the edge of the locus.
bool mark_locus(std::vector<judge::TokenScore>& tokens, const suite::Sentence& sentence);

}  // namespace minpair::method
