#pragma once
// Stored scores, and the views over them: every normalisation is computed from the
// log-probabilities of the tokens, never by a second run.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// What a cloze says of one side, the right words or the wrong ones.
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

struct SentenceScore {
  std::vector<TokenScore> tokens;  // only those the method scores, in the order of the sentence
  std::optional<WordScore> cloze;  // a side of a cloze, instead of a sentence
};

struct MethodInfo {
  std::string name;
  std::string explanation;  // one line
  std::string citation;
  std::string default_norm;  // "mean" or "sum": what the paper that introduced the method reports
  // How that paper counts a tie: "right", "wrong" or "half".
  std::string paper_ties;
  // What is scored: the whole sentence, or the locus alone. Words, characters and bytes are those
  // of what is scored.
  enum class Scope { sentence, locus } scope = Scope::sentence;
  bool cloze = false;  // judges items with a single sentence, whose locus is a blank
  int version = 1;     // part of the key of stored scores: raise it when a score changes
};

// A view. For sentences a normalisation: the sum of the tokens' log-probabilities, divided by
// something, with or without the special tokens ([CLS], [SEP], ...). For clozes over many words:
// their mean probability or their mean logit; for clozes over lemmas: every lemma equal, or by its
// probability.
struct Norm {
  enum class By {
    sum,
    mean,
    word,
    character,
    byte,
    probability,
    logit,
    equal_weight,
    model_weight
  } by = By::sum;
  bool special = true;  // of sentences only
  bool operator==(const Norm&) const = default;
};

constexpr size_t kNorms = 14;
size_t index_of(const Norm& norm);  // 0 to kNorms-1
Norm norm_at(size_t index);
std::string norm_name(const Norm& norm);  // "mean", "mean-no-special"
Norm find_norm(std::string_view name);    // throws with did-you-mean
// The views that a run has whose own view is `norm`: sentences ten, clozes two.
std::vector<Norm> family_of(const Norm& norm);
// Does an item count by its share instead of as right or wrong?
bool graded(const Norm& norm);

// One sentence as it is stored.
struct StoredSentence {
  uint32_t words = 0, characters = 0, bytes = 0;  // of what was scored: sentence or locus
  std::vector<TokenScore> tokens;                 // empty where only a total is known
  // Published scores are often one number for the whole sentence.
  struct Total {
    uint32_t tokens = 0;
    double logprob = 0;
  };
  std::optional<Total> total;
  std::optional<WordScore> cloze;  // a side of a cloze

  uint32_t token_count() const { return total ? total->tokens : uint32_t(tokens.size()); }
  // Nothing when the view cannot be had: a total says nothing about its special tokens.
  std::optional<double> value(const Norm& norm) const;
};

std::vector<StoredSentence> to_store(const suite::Item& item, MethodInfo::Scope scope,
                                     std::vector<SentenceScore> scores);

// Compact bytes and back. Reading throws on anything malformed. `distance`: how many pieces apart
// the two words of an agreement are, where the item says which they are.
std::string pack_scores(const std::vector<StoredSentence>& sentences,
                        std::optional<uint32_t> distance = {});
std::vector<StoredSentence> unpack_scores(std::string_view bytes);
std::optional<uint32_t> unpack_distance(std::string_view bytes);

// What one item says under one view.
enum class Outcome : uint8_t { wrong = 0, tie = 1, right = 2, unavailable = 3 };

struct Verdict {
  Outcome outcome = Outcome::unavailable;
  double margin = 0;  // the best grammatical sentence minus the best ungrammatical one
  // The same for every pair of a grammatical and an ungrammatical sentence, as shares of all pairs;
  // in graded views the shares themselves.
  double pairs_right = 0, pairs_tied = 0;
};

// Which of the scored sentences are grammatical. Methods that judge classes of words in a cloze
// score the right class first.
std::vector<bool> grammatical_of(const suite::Item& item, size_t scored);
Verdict judge(const std::vector<StoredSentence>& sentences, const std::vector<bool>& grammatical,
              const Norm& norm);

// Two bits a view; zeros for the views that the run lacks.
uint32_t pack_outcomes(const std::array<Verdict, kNorms>& verdicts, const std::vector<Norm>& views);
Outcome outcome_in(uint32_t packed, size_t norm_index);

// All sentences have the same number of scored tokens.
bool equal_lengths(const std::vector<StoredSentence>& sentences);

}  // namespace minpair::judge
