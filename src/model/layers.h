#pragma once
// The layer that BERT introduced and DistilBERT, RoBERTa, ELECTRA and ALBERT kept:
// attention, add & norm, feed-forward, add & norm.

#include "model/masked.h"

namespace minpair {

struct PostNormNames {
  std::string query, key, value, attention_output, attention_norm, up, down, output_norm;
};

struct PostNormShape {
  size_t hidden, heads, intermediate;
  double epsilon;
  nn::Activation activation;
};

struct PostNormLayer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm attention_norm, output_norm;
};

PostNormLayer load_layer(WeightLoader& load, const std::string& prefix, const PostNormNames& names,
                         const PostNormShape& shape);

// Throws when the heads do not divide the width.
nn::AttentionShape attention_shape(const Config& config, size_t hidden, size_t heads);

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

}  // namespace minpair
