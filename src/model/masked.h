#pragma once
// What all masked language models share: packing queries, reading answers. An architecture is an
// Encoder: embeddings, layers, head (one file each, see load.cpp for the table).

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "model/config.h"
#include "model/model.h"
#include "model/source.h"
#include "model/weights.h"
#include "nn/nn.h"

namespace minpair::model {

// Some queries, their tokens one after the other.
struct Batch {
  std::vector<tokenizer::TokenId> ids;
  std::vector<uint32_t> positions;  // of each token in its sequence
  std::vector<nn::Sequence> sequences;
};

// Called with the hidden states of all tokens: "embeddings", then "layer 0", ...
using Trace = std::function<void(std::string_view stage, const nn::View& hidden)>;

class Encoder {
 public:
  virtual ~Encoder() = default;
  // The last hidden states at `rows` of the batch (ascending).
  virtual const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                                    const Trace& trace) = 0;
  // From hidden states to what the decoder multiplies.
  virtual const nn::Matrix& head(const nn::View& hidden) = 0;
  virtual const nn::Linear& decoder() const = 0;
};

// What an architecture's file fills in while it loads.
struct Loading {
  const nn::Runtime& runtime;
  const Config& config;
  const checkpoint::Checkpoint& checkpoint;
  bool with_head;          // false: only the encoder, for looking at hidden states
  query::ModelInfo& info;  // layers, hidden, heads, vocabulary, max_tokens, parameters, notes
};
using MakeEncoder = std::unique_ptr<Encoder> (*)(const Loading&);

std::unique_ptr<Encoder> make_bert(const Loading&);
std::unique_ptr<Encoder> make_distilbert(const Loading&);
std::unique_ptr<Encoder> make_roberta(const Loading&);
std::unique_ptr<Encoder> make_electra(const Loading&);
std::unique_ptr<Encoder> make_albert(const Loading&);
std::unique_ptr<Encoder> make_modernbert(const Loading&);

// Refuses what cannot be answered: unknown ids, too many tokens, positions outside.
void check_query(const query::Query& query, const query::ModelInfo& info);

class MaskedModel : public query::Model {
 public:
  MaskedModel(const Source& source, MakeEncoder make_encoder, bool with_head = true);

  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return *tokenizer_; }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

  // The hidden states of some inputs after every layer, for comparing with other programs.
  void trace(std::span<const std::vector<tokenizer::TokenId>> inputs, const Trace& trace);

 private:
  void answer_some(std::span<const query::Query> queries, std::span<query::Answer> answers);

  query::ModelInfo info_;
  nn::Runtime runtime_;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace minpair::model
