#pragma once
// Where the two sentences of a minimal pair part: one input, one place in it, and the two tokens
// that are compared there.

#include "introspect/reason.h"
#include "query/query.h"
#include "suite/item.h"

namespace minpair::introspect {

// Throws when the model has no layers: an n-gram model.
void check_layers(const query::Model& model);

struct Contrast {
  std::vector<tokenizer::TokenId> ids;  // what the model reads: the same for both
  uint32_t position = 0;                // where it is asked
  tokenizer::TokenId good = 0, bad = 0;
  Reason excluded = Reason::none;  // why there is none
};

// The first tokens of the loci that differ. A masked model reads the sentence with these and the
// rest of the locus masked, and is asked at the first mask; causal and recurrent models read what
// stands before, and are asked at its last token.
Contrast contrast_of(const suite::Item& item, const query::Model& model);

// What is asked there, and its answer: the logit of the good token minus that of the bad one.
query::Query margin_question(const Contrast& contrast);
double margin_of(const query::Answer& answer);
// The same of every layer, as if it were the last; NaN: the head reads another width.
query::Query lens_question(const Contrast& contrast, uint32_t layers);
std::vector<double> lens_margins(const query::Answer& answer);

}  // namespace minpair::introspect
