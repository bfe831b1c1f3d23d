#pragma once
// What is asked of a model, and what comes back. Methods make queries, models answer them, the
// engine carries them; none of the three needs to know another.
//
//   Query query{ids, {{position, {target}}}};
//   Answer answer = model.answer({&query, 1})[0];
//   double logprob = answer[0].logits[0] - answer[0].log_sum_exp;

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace minpair::query {

// At `position` of the input, what does the model say about `targets`? For a causal or recurrent
// model the answer at position p is about the token *after* p.
struct Read {
  uint32_t position = 0;
  std::vector<tokenizer::TokenId> targets;
  bool normalized = true;  // false: only logits are compared, no sum over the vocabulary is needed
  // Not -1: the number of a list of words that the planner puts into `targets` before a model sees
  // this (method/words.h).
  int32_t words = -1;
  bool operator==(const Read&) const = default;
};

// Among the targets of a causal or recurrent model: all tokens before which a word is complete
// (tokenizer/word_ends.h), as one. Its logit is the logarithm of the sum of their exponentials.
constexpr tokenizer::TokenId kWordEnd = -2;

struct Query {
  std::vector<tokenizer::TokenId> ids;  // special tokens included
  std::vector<Read> reads;              // positions ascending
  bool operator==(const Query&) const = default;
};

// One per read, in order.
struct ReadAnswer {
  std::vector<float> logits;  // of the targets, in order
  double log_sum_exp = 0;     // over the vocabulary; 0 when the read was not normalized
};

using Answer = std::vector<ReadAnswer>;

struct ModelInfo {
  std::string name;          // what the user called it
  std::string architecture;  // "bert"
  enum class Kind { masked, causal, recurrent, ngram } kind = Kind::masked;
  uint32_t layers = 0, hidden = 0, heads = 0, vocabulary = 0;
  uint32_t max_tokens = 0;  // the longest input, special tokens included; 0: no limit
  // Causal and recurrent models: what stands before the first token, and what is scored after the
  // last; -1: nothing.
  tokenizer::TokenId start = -1, end = -1;
  std::string start_from, end_from;  // who says so: "the tokenizer's bos_token"
  uint64_t parameters = 0;
  std::string precision = "fp32";  // of matrix products: scores of two precisions never mix
  std::string matrix_unit;         // what computes them, for the user
  std::string fingerprint;         // weights + configuration
  std::vector<std::string> notes;  // what a careful user should know
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;
  virtual const tokenizer::Tokenizer& tokenizer() const = 0;

  // Answers a batch of queries of any lengths, packed without padding. An answer is the same bits
  // whatever else is in the batch, in whatever order, on any number of threads.
  virtual std::vector<Answer> answer(std::span<const Query> queries) = 0;
};

}  // namespace minpair::query
