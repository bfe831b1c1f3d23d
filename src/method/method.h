#pragma once
// A method turns an item into queries, and the answers into log-probabilities per token.
// It never sees a model: only the tokenizer and the limits the model states.
//
//   const Method& pll = find_method("pll");
//   Questions asked = pll.ask(item, context);
//   if (asked.excluded == Reason::none) scores = pll.score(asked, answers_to(asked.queries));
//
// A new method is one file and one line in methods.h.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/method_info.h"
#include "method/text.h"
#include "query/query.h"
#include "suite/suite.h"

namespace minpair::method {

// Which number of which answer is about a token: indices of the query, its ask and the target.
struct Asked {
  uint32_t query = 0, ask = 0, target = 0;
};

struct SentenceQuestions {
  std::vector<judge::TokenScore> tokens;  // not yet scored
  std::vector<Asked> asked;               // parallel to `tokens`
  std::string form;                       // if it is a form in a cloze, not a sentence of the item
};

// What a method asks about one item. `excluded` is the reason when it cannot be asked at all.
struct Questions {
  std::vector<query::Query> queries;
  std::vector<SentenceQuestions> sentences;  // parallel to the item's
  Reason excluded = Reason::none;
};

inline Questions excluded(Reason why) { return {.excluded = why}; }

class VocabularyWords;  // words.h

struct MethodContext {
  const tokenizer::Tokenizer& tokenizer;
  const query::ModelInfo& model;
  const VocabularyWords* words = nullptr;  // for methods that judge clozes
};

// A sentence as the model reads it, with its locus.
struct SentenceTokens : Encoded {
  size_t locus_begin = 0, locus_end = 0;  // the tokens of the locus
  bool locus_is_whole = true;             // none of them reaches over its edge

  size_t locus_size() const { return locus_end - locus_begin; }
};

class Method {
 public:
  virtual ~Method() = default;
  virtual const judge::MethodInfo& info() const = 0;
  virtual bool supports(const query::ModelInfo& model) const = 0;

  // What is asked about the item. Excluded: a cloze, by a method that cannot judge it; and every
  // item with a text that cannot be scored (text.h).
  Questions ask(const suite::Item& item, const MethodContext& context) const;
  // The same, when all sentences can be scored.
  virtual Questions questions(const suite::Item& item, std::vector<SentenceTokens> sentences,
                              const MethodContext& context) const = 0;
  // `answers` parallel to the queries; one score per sentence of the item. The default is logit
  // minus log-sum-exp, for every token.
  virtual std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const;

  const std::string& name() const { return info().name; }
  const std::string& explanation() const { return info().explanation; }
  const std::string& citation() const { return info().citation; }
  const judge::View& view() const { return info().view; }
  const judge::Reads& reads() const { return info().reads; }
};

// The other word of an agreement in the first sentence, where the item says which that is: its
// feature `other`, "12-17" in characters.
std::optional<Span> other_word(const suite::Item& item);
// How many pieces apart the locus and that word begin.
std::optional<uint32_t> distance_in_pieces(const suite::Item& item,
                                           const tokenizer::Tokenizer& tokenizer);

const Method& find_method(const std::string& name);  // throws with did-you-mean
// The same for one model; without a name, its default_method().
const Method& find_method(const std::string& name, const query::ModelInfo& model);
const std::vector<const Method*>& all_methods();
// The method a user gets without asking for one: `pll-word-l2r` for masked models, `lp` for others.
const Method& default_method(const query::ModelInfo& model);
// "ce,pll" or "all": every one must support the model.
std::vector<const Method*> find_methods(const std::string& names, const query::ModelInfo& model);

// The methods for a suite: those asked for (of "all", those that judge what the suite has: clozes
// or not); else that of the suite's paper, if it fits this model; else the default.
std::vector<const Method*> methods_for(const suite::Manifest& manifest, const std::string& asked,
                                       bool clozes, const query::ModelInfo& model);
// What each of several models is scored with, of the methods that were named ("", "all" or
// "lp,masked"): those that fit it. Throws when none fits a model, or one fits no model.
struct FittingMethods {
  std::string names;  // as methods_for() takes them
  std::vector<std::string> left_out;
};
std::vector<FittingMethods> fitting_methods(const std::string& names,
                                            const std::vector<query::ModelInfo>& models);
// Throws when the manifest names an unknown method or norm, or a norm that the method lacks.
void check_manifest(const suite::Manifest& manifest, const std::string& file);

}  // namespace minpair::method
