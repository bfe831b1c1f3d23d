#pragma once
// A method turns an item into queries, and the answers into log-probabilities per token.
// It never sees a model: only the tokenizer and the limits the model states.

#include <cstdint>
#include <memory>
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
  double logprob = 0;  // natural log; equals `logit` where the method compares logits
};

struct SentenceScore {
  std::vector<TokenScore> tokens;  // only those the method scores
};

// What a method asks about one item. `excluded` is the reason when it cannot be asked at all.
struct Plan {
  std::vector<Query> queries;
  std::string excluded;  // "locus_not_single_token", "too_long", "unknown_locus", ... ; empty: fine
};

struct MethodContext {
  const Tokenizer& tokenizer;
  ModelInfo::Kind kind;
  uint32_t max_tokens;
};

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual std::string explanation() const = 0;  // one line
  virtual std::string citation() const = 0;
  virtual bool supports(ModelInfo::Kind kind) const = 0;
  // Higher is better. "mean" or "sum": what the paper that introduced the method reports.
  virtual std::string default_norm() const = 0;

  virtual Plan plan(const Item& item, const MethodContext& context) const = 0;
  // `answers` parallel to the plan's queries; one score per sentence of the item.
  virtual std::vector<SentenceScore> score(const Item& item, const MethodContext& context,
                                           const Plan& plan,
                                           const std::vector<const Answer*>& answers) const = 0;
};

const Method& find_method(const std::string& name);  // throws with did-you-mean
const std::vector<const Method*>& all_methods();

}  // namespace minpair
