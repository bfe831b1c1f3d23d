#pragma once
// The layer that BERT introduced and DistilBERT, RoBERTa, ELECTRA and ALBERT kept:
// attention, add & norm, feed-forward, add & norm.

#include <optional>

#include "model/masked.h"

namespace minpair::model {

struct PostNormNames {
  std::string query, key, value, attention_output, attention_norm, up, down, output_norm;
};

// BERT's own, which RoBERTa and ELECTRA kept.
extern const PostNormNames kBertLayerNames;

struct PostNormShape {
  size_t hidden, intermediate;
  double epsilon;
};

struct PostNormLayer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm attention_norm, output_norm;
};

PostNormLayer load_layer(WeightLoader& load, const std::string& prefix, const PostNormNames& names,
                         const PostNormShape& shape);

// Every layer once, from the first to the last.
std::vector<const PostNormLayer*> in_order(const std::vector<PostNormLayer>& layers);

// Throws when the heads do not divide the width.
nn::AttentionShape attention_shape(const Config& config, size_t hidden, size_t heads);
// "absolute" is the only kind of position_embedding_type there is here.
void refuse_relative_positions(const Config& config);

// Runs layers over a batch, keeping the memory between calls.
class PostNormStack {
 public:
  PostNormStack(const nn::Runtime& runtime, nn::AttentionShape attention, nn::Activation activation)
      : runtime_(runtime), attention_(attention), activation_(activation) {}

  // `order[i]` is the layer that runs as number i. `hidden` is changed; at the end it holds only
  // `rows`.
  void run(std::span<const PostNormLayer* const> order, const Batch& batch,
           std::span<const uint32_t> rows, nn::Matrix& hidden, const Trace& trace);

 private:
  const nn::Runtime& runtime_;
  nn::AttentionShape attention_;
  nn::Activation activation_;
  nn::Matrix qkv_, context_, attended_, inner_, picked_, picked_context_;
};

// The sum of a word's, its position's and the first segment's embedding, normed.
struct InputEmbedding {
  Embedding words;
  nn::Matrix positions, segments;  // segments may be empty
  nn::Norm norm;
  // `position[i]` is the row of `positions` for token i.
  void run(const nn::Runtime& runtime, const Batch& batch, std::span<const uint32_t> position,
           nn::Matrix& out) const;
};

// Only some rows of a matrix.
void pick_rows(const nn::Matrix& from, std::span<const uint32_t> rows, nn::Matrix& to);

// dense, activation, norm: the transformation before the decoder.
struct TransformHead {
  nn::Linear dense;
  nn::Activation activation = nn::Activation::gelu;
  nn::Norm norm;
  nn::Matrix out;
  const nn::Matrix& run(const nn::Runtime& runtime, const nn::View& hidden);
};

// The decoder: tied to the embedding table unless the configuration says otherwise; its bias has
// had several names.
nn::Linear load_decoder(WeightLoader& load, const Config& config, const std::string& embedding,
                        const std::string& decoder, const std::vector<std::string>& biases,
                        size_t vocabulary, size_t width);

}  // namespace minpair::model
