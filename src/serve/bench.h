#pragma once
// Sentences that a user typed, and what a model says about them: for `score` and for the bench of
// `serve`.

#include <string>
#include <vector>

#include "method/method.h"
#include "model/model.h"

namespace minpair::serve {

// A word of a sentence that was read from left to right. Surprisal is in bits.
struct TypedWord {
  Span span;  // bytes of the sentence
  std::string text;
  bool in_locus = false;
  double surprisal = 0;  // of its pieces
  double complete = 0;   // of the word as such: `lp-by-words`
};

struct TypedSentence {
  std::string text;
  judge::SentenceScore score;
  std::vector<TypedWord> words;  // of the method `lp`
  double sum() const { return score.value({judge::Unit::sum}).value_or(0); }
  double mean() const { return score.value({judge::Unit::token}).value_or(0); }
};

// `context` is read before each and not scored. The loci are found by aligning. Throws when the
// method cannot judge these sentences.
std::vector<TypedSentence> score_typed(query::Model& model, const method::Method& method,
                                       const std::vector<std::string>& texts,
                                       const std::string& context = {});
double bits(double logprob);  // the surprisal of a natural log-probability
// Which one wins, by the method's own view.
judge::Preference preference(const std::vector<TypedSentence>& sentences,
                             const method::Method& method);

// As JSON; indented unless `indent` is negative.
std::string typed_json(const query::Model& model, const method::Method& method,
                       const std::vector<TypedSentence>& sentences, int indent);

// What a model would put at each [MASK]; a model that reads from left to right sees what stands
// before the first one.
std::string bench_json(query::Model& model, const std::string& method,
                       const std::vector<std::string>& texts, size_t top);

// A pair (right, wrong), looked into; the third text is the right one with another subject or
// attractor.
std::string looked_into_json(query::Model& model, const std::vector<std::string>& texts);

}  // namespace minpair::serve
