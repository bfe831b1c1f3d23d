#pragma once
// Scores: what a method found for every token of a sentence, or for the words of a cloze.
//
//   SentenceScore score;                  // from a method
//   measure(item, Scope::sentence, scores);
//   score.value({Unit::token});           // the mean, if it can be computed

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/view.h"
#include "suite/item.h"
#include "tokenizer/tokenizer.h"

namespace minpair::judge {

// One scored token of one sentence.
struct TokenScore {
  tokenizer::TokenId id = 0;
  Span span;  // bytes of the sentence
  bool special = false;
  bool in_locus = false;
  bool begins_word = false;
  float logit = 0;
  double logprob = 0;  // natural log; higher is better
};

// What a cloze says about one side, the right words or the wrong ones.
struct WordScore {
  // form: one word, scored by its token; only named here.
  // features: words with the right features, or the others. views: the logarithm of their mean
  //   probability (among the words of the part of speech), their mean logit.
  // lemmas: the forms with the right features of all lemmas that also have others. views: the
  //   logarithm of their share of the probability, the share of lemmas where they win.
  enum class Kind : uint8_t { form, features, lemmas } kind = Kind::form;
  uint32_t count = 0;  // words, or lemmas
  float views[2] = {0, 0};
  struct Best {
    std::string form;
    float logprob = 0;
    bool operator==(const Best&) const = default;
  };
  std::vector<Best> best;  // the few most probable
  bool operator==(const WordScore&) const = default;
};

// One sentence, or one side of a cloze.
struct SentenceScore {
  std::vector<TokenScore> tokens;  // only those the method scores, in the order of the sentence
  std::optional<WordScore> cloze;  // a side of a cloze, instead of a sentence
  uint32_t words = 0, characters = 0, bytes = 0;  // of what was scored: measure()
  // Published scores are often one number for the whole sentence, without tokens.
  struct Total {
    uint32_t tokens = 0;
    double logprob = 0;
  };
  std::optional<Total> total;

  uint32_t token_count() const { return total ? total->tokens : uint32_t(tokens.size()); }
  // Nothing when the view cannot be computed: a total says nothing about its special tokens.
  std::optional<double> value(const View& view) const;
};

// What is scored: the whole sentence, or the locus alone. Words, characters and bytes are those of
// what is scored.
enum class Scope : uint8_t { sentence, locus };
void measure(const suite::Item& item, Scope scope, std::vector<SentenceScore>& scores);

// All sentences have the same number of scored tokens.
bool equal_lengths(const std::vector<SentenceScore>& sentences);

}  // namespace minpair::judge
