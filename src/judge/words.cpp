#include "judge/words.h"

#include <algorithm>
#include <cmath>

namespace minpair::judge {

double bits(double logprob) { return -logprob / std::log(2.0); }

std::vector<ScoredWord> words_of(const std::vector<TokenScore>& tokens) {
  std::vector<ScoredWord> words;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    const TokenScore& t = tokens[i];
    if (words.empty() || t.begins_word || t.special || words.back().special)
      words.push_back({.span = t.span, .special = t.special, .first = i});
    ScoredWord& word = words.back();
    word.span.end = std::max(word.span.end, t.span.end);
    word.in_locus |= t.in_locus;
    word.logprob += t.logprob;
    ++word.tokens;
  }
  return words;
}

}  // namespace minpair::judge
