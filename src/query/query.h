#pragma once
// What is asked of a model, what is changed inside it, and what comes back. Methods make
// queries, models answer them, the engine carries them; none of the three needs to know another.
//
//   Query query{ids, {{position, Targets{{target}}}}};
//   Answer answer = model.answer({&query, 1})[0];
//   double logprob = logits_of(answer[0]).logprob();
//
// A query is a value with an identity: equal queries are asked once. Its bytes are in bytes.h.

#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/inputs.h"
#include "tokenizer/tokenizer.h"

namespace minpair::query {

// --- what can be asked at a position ---
//
// For a causal or recurrent model the answer at position p is about the token *after* p.

// Among the targets of a causal or recurrent model: all tokens before which a word is complete
// (tokenizer/word_ends.h), as one. Its logit is the logarithm of the sum of their exponentials.
constexpr tokenizer::TokenId kWordEnd = -2;

struct Targets {
  std::vector<tokenizer::TokenId> ids;
  bool normalized = true;  // false: only logits are compared, no sum over the vocabulary is needed
  bool operator==(const Targets&) const = default;
};

// The rank of a token among all, the best first, equals by id: from 1.
struct Rank {
  tokenizer::TokenId id = 0;
  bool operator==(const Rank&) const = default;
};

// Of the whole distribution, in nats.
struct Entropy {
  bool operator==(const Entropy&) const = default;
};

// The k best tokens, equals by id.
struct Best {
  uint32_t k = 1;
  bool operator==(const Best&) const = default;
};

// What a reducer makes of the logits of many words, for one class of them: two figures (which ones
// depends on the reducer), and its best words.
struct ClassRecord {
  float figures[2] = {0, 0};
  struct Word {
    uint32_t word = 0;  // as the reducer numbers them
    float logprob = 0;
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> best;
  bool operator==(const ClassRecord&) const = default;
};
using ClassRecords = std::vector<ClassRecord>;

// Logits in, a small record out; nothing else is kept.
class Reducer {
 public:
  virtual ~Reducer() = default;
  // Reducers with the same identity turn the same logits into the same record.
  virtual Hash128 identity() const = 0;
  virtual std::span<const tokenizer::TokenId> ids() const = 0;  // whose logits it wants
  virtual ClassRecords reduce(std::span<const float> logits) const = 0;
};

struct Classes {
  std::shared_ptr<const Reducer> reducer;
  bool operator==(const Classes& other) const;
};

// What a layer has inside (below).
enum class Site : uint8_t {
  residual,   // the stream after the layer; of recurrent networks its state
  attention,  // what attention adds to the stream
  head,       // what one head gives, before heads are mixed
  mlp,        // what the feed-forward layer adds to the stream
  neuron,     // one neuron of the feed-forward layer, after its activation
  unit,       // one unit of a recurrent layer: its state, and its memory in an LSTM
  // Of one unit, on the way to its state. An LSTM has all but the last two, a GRU those and the
  // candidate.
  cell,         // the memory alone
  hidden,       // the state alone, as the layer above and the next step read it
  input_gate,   // what share of the candidate is added to the memory
  forget_gate,  // what share of the memory is kept
  candidate,    // what would be added; of a GRU, the new state
  output_gate,  // what share of the memory is shown
  update_gate,  // what share of the last state is kept
  reset_gate    // what share of what the last state says is heard by the candidate
};
constexpr size_t kSites = size_t(Site::reset_gate) + 1;

// What stands at a site, of all heads, neurons or units; of units an LSTM's memory after the state.
// Layers count from 1; layer 0 of the residual stream is the embeddings. An encoder's layers are
// followed by its decoder's. There attention and heads are those among the decoder's tokens, then
// those that look at the encoder.
struct Hidden {
  uint16_t layer = 0;
  Site site = Site::residual;
  bool operator==(const Hidden&) const = default;
};

// The logits as they would be if layer n were the last.
struct Lens {
  uint16_t layer = 0;
  std::vector<tokenizer::TokenId> ids;
  bool operator==(const Lens&) const = default;
};

using What = std::variant<Targets, Rank, Entropy, Best, Classes, Hidden, Lens>;

struct Ask {
  uint32_t position = 0;
  What what;
  bool operator==(const Ask&) const = default;
};

// --- what can be changed inside ---

constexpr uint32_t kEverywhere = UINT32_MAX;  // as a position: at all of them
constexpr uint32_t kAll = UINT32_MAX;  // as an index: all heads, neurons or units of the layer

struct Place {
  Site site = Site::residual;
  uint16_t layer = 0;  // as in Hidden
  uint32_t index = 0;  // of the head, neuron or unit
  uint32_t position = 0;
  bool operator==(const Place&) const = default;
};

struct From {  // what another input has there, at positions of its own; the mean of several
  std::vector<tokenizer::TokenId> ids;
  std::vector<uint32_t> positions;
  bool operator==(const From&) const = default;
};
struct Zero {
  bool operator==(const Zero&) const = default;
};
// As many values as the place has. A recurrent state may be followed by an LSTM's memory.
struct Put {
  std::vector<float> values;
  bool operator==(const Put&) const = default;
};
struct Add {
  std::vector<float> values;
  float by = 1;
  bool operator==(const Add&) const = default;
};

struct Change {
  Place at;
  std::variant<From, Zero, Put, Add> how;
  bool operator==(const Change&) const = default;
};

struct Query {
  std::vector<tokenizer::TokenId> ids;  // special tokens included
  std::vector<Ask> asks;                // positions ascending
  std::vector<Change> changes;
  bool operator==(const Query&) const = default;
};

// --- what comes back ---

struct Logits {               // to Targets and Lens
  std::vector<float> logits;  // of the targets, in order
  double log_sum_exp = 0;     // over the vocabulary; 0 when it was not asked to be normalized
  double logprob(size_t target = 0) const { return double(logits[target]) - log_sum_exp; }
  bool operator==(const Logits&) const = default;
};
struct Ranked {
  uint32_t rank = 0;
  bool operator==(const Ranked&) const = default;
};
struct Nats {
  double entropy = 0;
  bool operator==(const Nats&) const = default;
};
struct BestTokens {
  struct Token {
    tokenizer::TokenId id = 0;
    double logprob = 0;
    bool operator==(const Token&) const = default;
  };
  std::vector<Token> tokens;  // best first
  bool operator==(const BestTokens&) const = default;
};
struct State {  // to Hidden
  std::vector<float> values;
  bool operator==(const State&) const = default;
};

using Record = std::variant<Logits, Ranked, Nats, BestTokens, ClassRecords, State>;
using Answer = std::vector<Record>;  // one per ask, in order

inline const Logits& logits_of(const Record& record) { return std::get<Logits>(record); }

// --- who answers ---

// Where the token at an edge of a sentence comes from.
enum class EdgeFrom : uint8_t {
  nobody,
  start_option,
  end_option,
  tokenizer_bos,
  tokenizer_cls,
  tokenizer_eos,
  tokenizer_none,
  config_bos,
  config_score_end,
  transformers,
  recurrent_start,
  recurrent_end,
  vocabulary_none,
  arpa
};
std::string_view text(EdgeFrom from);  // "the tokenizer's beginning of text"

struct ModelInfo {
  std::string name;          // what the user called it
  std::string architecture;  // "bert"
  enum class Kind { masked, causal, recurrent, ngram } kind = Kind::masked;
  uint32_t layers = 0, hidden = 0, heads = 0, vocabulary = 0;
  // Of an encoder with a decoder: how many of the layers are the encoder's, and how many heads the
  // decoder has of each of its two kinds.
  uint32_t encoder_layers = 0, decoder_heads = 0;
  // A masked model that says at each token what the next one is.
  bool answers_before = false;
  // Masks in a row are one gap to it, and it says only what stands first in there.
  bool fills_gaps = false;
  uint32_t max_tokens = 0;  // the longest input, special tokens included; 0: no limit
  // Tokens that best go through it together: enough to keep the cores busy, few enough for memory.
  // Nothing below the engine cuts a batch.
  uint32_t batch_tokens = 2048;
  // Causal and recurrent models: what stands before the first token, and what is scored after the
  // last; -1: nothing.
  tokenizer::TokenId start = -1, end = -1;
  EdgeFrom start_from = EdgeFrom::nobody, end_from = EdgeFrom::nobody;
  uint64_t parameters = 0;
  std::string precision = "fp32";  // of matrix products: scores of two precisions never mix
  std::string matrix_unit;         // what computes them, for the user
  std::string fingerprint;         // weights + configuration
  std::vector<std::string> notes;  // what a careful user should know

  // It says nothing about a token that it sees: only what stands at a mask.
  bool answers_only_masks() const { return fills_gaps || answers_before; }
  bool is_of_decoder(uint32_t layer) const { return encoder_layers && layer > encoder_layers; }
  uint32_t heads_in(uint32_t layer) const {
    return is_of_decoder(layer) ? 2 * decoder_heads : heads;
  }
};

std::string_view key_of(ModelInfo::Kind kind);  // "masked", "causal", "recurrent", "ngram"

using AskSet = std::bitset<std::variant_size_v<What>>;  // by the index in What
using SiteSet = std::bitset<kSites>;

// What every model can be asked, since it has an output: everything before Hidden and Lens.
constexpr AskSet kAsksOfOutputs{0b0011111};

class Model {
 public:
  // What it was read from; a wrapper has those of the model inside.
  std::vector<InputFile> files;

  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;
  virtual const tokenizer::Tokenizer& tokenizer() const = 0;
  virtual AskSet asks() const { return kAsksOfOutputs; }
  virtual SiteSet sites() const { return {}; }  // what can be changed in it

  // Answers a batch of queries of any lengths, packed without padding, all at once: the caller cuts
  // batches (info().batch_tokens). An answer is the same bits whatever else is in the batch, in
  // whatever order, on any number of threads.
  virtual std::vector<Answer> answer(std::span<const Query> queries) = 0;
};

// Throws when the model cannot answer the query: an unknown id, a position outside, something asked
// or changed that it does not know.
void check(const Query& query, const Model& model);

// How many floats an answer is made from before it is reduced to a record.
uint64_t width(const What& what, const ModelInfo& info);

}  // namespace minpair::query
