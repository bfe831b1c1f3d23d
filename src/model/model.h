#pragma once
// A model answers queries. It never sees an item, a sentence or a method.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace minpair {

// At `position` of the input, what does the model say about `targets`? For a causal or recurrent
// model the answer at position p is about the token *after* p.
struct Read {
  uint32_t position = 0;
  std::vector<TokenId> targets;
  bool normalized = true;  // false: only logits are compared, no sum over the vocabulary is needed
  // Not -1: the number of a list of words that the planner puts into `targets` before a model sees
  // this (method/words.h).
  int32_t words = -1;
  bool operator==(const Read&) const = default;
};

// Among the targets of a causal or recurrent model: all tokens before which a word is complete
// (model/edges.h), as one. Its logit is the logarithm of the sum of their exponentials.
constexpr TokenId kWordEnd = -2;

struct Query {
  std::vector<TokenId> ids;  // special tokens included
  std::vector<Read> reads;   // positions ascending
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
  TokenId start = -1, end = -1;
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
  virtual const Tokenizer& tokenizer() const = 0;

  // Answers a batch of queries of any lengths, packed without padding. An answer is the same bits
  // whatever else is in the batch, in whatever order, on any number of threads.
  virtual std::vector<Answer> answer(std::span<const Query> queries) = 0;
};

struct LoadOptions {
  int threads = 0;                   // 0: all
  std::string precision = "fp32";    // fast, bf16, auto: see nn/matrix_unit.h
  std::filesystem::path vocabulary;  // for word-level models that lack one
  // Models that read from left to right: a token as the vocabulary writes it, "none", or "auto" for
  // the model's own.
  std::string start = "auto", end = "auto";
};

// A directory, a .gguf file, an id in the Hugging Face cache, or the name of a shipped model.
std::unique_ptr<Model> load_model(const std::string& name_or_path, const LoadOptions& options = {});
// Where `name_or_path` leads; throws with suggestions when it leads nowhere.
std::filesystem::path locate_model(const std::string& name_or_path);

}  // namespace minpair
