#pragma once
// A method turns an item into queries, and the answers into log-probabilities per token.
// It never sees a model: only the tokenizer and the limits the model states.
//
//   const Method& pll = find_method("pll");
//   Plan plan = pll.plan(item, context);
//   if (plan.excluded.empty()) scores = pll.score(plan, answers_to(plan.queries));
//
// A new method is one file and one line in methods.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "suite/item.h"

namespace minpair {

// One scored token of one sentence.
struct TokenScore {
  TokenId id = 0;
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

// Which number of which answer is about a token: queries[query].reads[read].targets[target].
struct Asked {
  uint32_t query = 0, read = 0, target = 0;
};

struct SentencePlan {
  std::vector<TokenScore> tokens;  // not yet scored
  std::vector<Asked> asked;        // parallel to `tokens`
  std::string form;                // where it is a form in a cloze, and no sentence of the item
};

// What a method asks about one item. `excluded` is the reason when it cannot be asked at all.
struct Plan {
  std::vector<Query> queries;
  std::vector<SentencePlan> sentences;  // parallel to the item's
  // "locus_not_single_token", "unknown_locus", "empty_locus", "locus_inside_token", "too_long",
  // "cloze", "not_a_cloze", "no_features", "too_few_words", "no_other_form"; empty: fine
  std::string excluded;
  // When the only read is about many words; answered by WordQuestion::kept() numbers.
  const class WordQuestion* words = nullptr;
};

class VocabularyWords;  // words.h

struct MethodContext {
  const Tokenizer& tokenizer;
  ModelInfo::Kind kind = ModelInfo::Kind::masked;
  uint32_t max_tokens = 0;  // 0: no limit
  // Causal and recurrent models: what stands before the first token, and what is scored after the
  // last; -1: nothing.
  TokenId start = -1, end = -1;
  const VocabularyWords* words = nullptr;  // for methods that judge clozes
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

class Method {
 public:
  virtual ~Method() = default;
  virtual const MethodInfo& info() const = 0;
  virtual bool supports(ModelInfo::Kind kind) const = 0;

  virtual Plan plan(const Item& item, const MethodContext& context) const = 0;
  // `answers` parallel to the plan's queries; one score per sentence of the item. As it is here:
  // logit minus log-sum-exp, for every token.
  virtual std::vector<SentenceScore> score(const Plan& plan,
                                           const std::vector<const Answer*>& answers) const;

  const std::string& name() const { return info().name; }
  const std::string& explanation() const { return info().explanation; }
  const std::string& citation() const { return info().citation; }
  const std::string& default_norm() const { return info().default_norm; }
};

// What the method asks about the item; a cloze is excluded from methods that cannot judge it.
Plan plan_item(const Method& method, const Item& item, const MethodContext& context);

// How many pieces apart the locus and the other word of an agreement begin, where the item says
// which that is: its feature `other`, "12-17" in characters of the first sentence.
std::optional<uint32_t> distance_in_pieces(const Item& item, const Tokenizer& tokenizer);

const Method& find_method(const std::string& name);  // throws with did-you-mean
const std::vector<const Method*>& all_methods();
// The method a user gets without asking for one: `ce` for masked models.
const Method& default_method(ModelInfo::Kind kind);
// "ce,pll" or "all": every one must support the kind of model.
std::vector<const Method*> find_methods(const std::string& names, ModelInfo::Kind kind);

}  // namespace minpair
