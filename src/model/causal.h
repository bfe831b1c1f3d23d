#pragma once
// What all causal language models share: the prefix tree of a batch, attention along its paths,
// reading answers. An architecture is a Decoder.

#include <memory>
#include <span>
#include <vector>

#include "model/architecture.h"
#include "model/prefix_tree.h"

namespace minpair::model {

// Attention in a prefix tree: a node sees its ancestors and itself.
class TreeAttention {
 public:
  explicit TreeAttention(const nn::Runtime& runtime) : runtime_(runtime) {}
  // `shape.after` must be 0; `shape.before` limits a sliding window.
  void run(const nn::AttentionShape& shape, const PrefixTree& tree, const nn::View& queries,
           const nn::View& keys, const nn::View& values, nn::Matrix& out);
  void set_mixing(Mixing* mixing) { mixing_ = mixing; }

 private:
  void run_gathered(const nn::AttentionShape& shape, const PrefixTree& tree,
                    std::span<const uint32_t> chains, const nn::View& queries, const nn::View& keys,
                    const nn::View& values, nn::Matrix& out);

  const nn::Runtime& runtime_;
  Mixing* mixing_ = nullptr;
  nn::Matrix path_keys_, path_values_;
};

// The parts that every decoder has. Its file loads them, and says what a layer does.
class Decoder : public Network {
 public:
  // The hidden states after the last norm at `rows` (nodes of the tree, ascending).
  virtual const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                                    const Watch& watch) = 0;
  // From the last stream to what the output layer multiplies: the last norm.
  virtual void finish(nn::Matrix& stream) { nn::normalize(runtime_, stream, norm_); }
  // Whether the last stream is the sum of what was added to it, without a norm in between.
  virtual bool stream_is_sum() const { return true; }
  // How much of what a layer (from 0) reads and adds is left in the last stream.
  virtual float left_of(size_t /*layer*/) const { return 1; }
  // Whether tokens look at each other by attention, which can be listened to.
  virtual bool attends() const { return true; }
  // The first row is a last stream: the others become what they are of it after finish(), whose
  // norm keeps the scale that it has for the first; the last one becomes what the norm adds.
  virtual void finish_parts(nn::Matrix& rows);
  // Tells what attention mixes (mixing.h) while it reads one input; null: nobody.
  void listen(Mixing* mixing) { set_mixing(mixing), attention_.set_mixing(mixing); }
  const nn::Linear& output() const { return output_; }
  // Logits are cap · tanh(logit / cap); 0: as they are (Gemma 2).
  virtual float logit_cap() const { return 0; }

 protected:
  Decoder(const Loading& from, const SizeKeys& keys);
  void embed(const PrefixTree& tree, const Watch& watch);       // a new pass, into hidden_
  const nn::Matrix& last_norm(std::span<const uint32_t> rows);  // what forward() gives

  TreeAttention attention_;
};

// Decoder::left_of(), where the stream is halved after every so many layers; 0: never.
float left_of_halved(size_t layer, size_t layers, size_t every);

// Reads the output layer where a tree is asked.
class TreeOutputs {
 public:
  // The state of read i of the tree is row rows[i] of `states`.
  std::vector<Logits> read(const nn::Runtime& runtime, const PrefixTree& tree,
                           const nn::View& states, std::span<const uint32_t> rows,
                           const nn::Linear& output, float cap,
                           const tokenizer::Tokenizer& tokenizer);

 private:
  std::vector<uint8_t> word_ends_;  // per token; found when first asked for
};

class CausalModel : public NetworkModel {
 public:
  CausalModel(const Source& source, MakeDecoder make_decoder, Parts parts);

  query::SiteSet sites() const override { return decoder_->sites(); }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

  const nn::Matrix& watch(const std::vector<tokenizer::TokenId>& ids, const Watch& watch) override;

  const Decoder& decoder() const { return *decoder_; }
  // direct.h, of a decoder whose stream is a sum.
  std::vector<double> direct_effects(std::span<const std::vector<float>> parts,
                                     tokenizer::TokenId good, tokenizer::TokenId bad);
  // What the last stream there is the sum of: the embedding, and what attention and the
  // feed-forward layer of every layer add.
  std::vector<std::vector<float>> parts_at(const std::vector<tokenizer::TokenId>& ids,
                                           uint32_t position, Mixing& mixing);

 private:
  std::unique_ptr<Decoder> decoder_;
  TreeOutputs outputs_;
};

}  // namespace minpair::model
