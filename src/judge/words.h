#pragma once
// The words of a scored text.
//
//   for (const ScoredWord& w : words_of(score.tokens)) use(bits(w.logprob));

#include <vector>

#include "judge/score.h"

namespace minpair::judge {

// A word as the model reads it: a token that begins one, and those after it. A special token stands
// alone.
struct ScoredWord {
  Span span;  // bytes of the sentence
  bool special = false, in_locus = false;
  uint32_t first = 0, tokens = 0;  // its tokens: the first one's place, and how many
  double logprob = 0;
};
std::vector<ScoredWord> words_of(const std::vector<TokenScore>& tokens);
double bits(double logprob);  // the surprisal of a natural log-probability

}  // namespace minpair::judge
