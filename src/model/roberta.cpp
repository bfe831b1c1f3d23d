// RoBERTa (Liu et al. 2019), XLM-R (Conneau et al. 2020), CamemBERT (Martin et al. 2020): BERT's
// layers; positions that begin after the padding id; a head with names of its own.

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"

namespace minpair::model {

namespace {

class Roberta : public Encoder {
 public:
  explicit Roberta(const Loading& from) : runtime_(from.runtime) {
    const Config& c = from.config;
    refuse_relative_positions(c);
    query::ModelInfo& info = from.info;
    info.layers = c.count("num_hidden_layers");
    info.hidden = c.count("hidden_size");
    info.heads = c.count("num_attention_heads");
    info.vocabulary = c.count("vocab_size");
    const size_t h = info.hidden, positions = c.size("max_position_embeddings", 514);
    const int64_t padding = c.integer("pad_token_id", 1);
    if (padding < 0 || static_cast<size_t>(padding) + 1 >= positions)
      throw bad_input(fmt::format("pad_token_id {} leaves no positions of {}", padding, positions))
          .at(c.file().string());
    padding_ = static_cast<tokenizer::TokenId>(padding);
    info.max_tokens = static_cast<uint32_t>(positions - static_cast<size_t>(padding) - 1);
    const double epsilon = c.real("layer_norm_eps", 1e-12);
    stack_.emplace(runtime_, attention_shape(c, h, info.heads),
                   nn::find_activation(c.text("hidden_act", "gelu")));

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "roberta.", "camembert."});
    embedding_.words = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, h);
    embedding_.positions = load.table("embeddings.position_embeddings.weight", positions, h);
    embedding_.segments =
        load.table("embeddings.token_type_embeddings.weight", c.size("type_vocab_size", 1), h);
    embedding_.norm = load.norm("embeddings.LayerNorm", h, epsilon);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("encoder.layer.{}.", i), kBertLayerNames,
                                   {h, c.size("intermediate_size"), epsilon}));
    if (from.with_head) {
      head_.dense = load.linear("lm_head.dense", h, h);
      head_.activation = nn::Activation::gelu;  // whatever hidden_act is
      head_.norm = load.norm("lm_head.layer_norm", h, epsilon);
      decoder_ =
          load_decoder(load, c, "embeddings.word_embeddings.weight", "lm_head.decoder.weight",
                       {"lm_head.bias", "lm_head.decoder.bias"}, info.vocabulary, h);
    }
    load.finish("RoBERTa", {"lm_head."});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Trace& trace) override {
    embedding_.run(runtime_, batch, positions(batch), hidden_);
    if (trace) trace("embeddings", hidden_);
    stack_->run(in_order(layers_), batch, rows, hidden_, trace);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  // Padding tokens, should a text contain one, do not count and stand at the padding's position.
  std::vector<uint32_t> positions(const Batch& batch) const {
    std::vector<uint32_t> positions;
    const uint32_t first = static_cast<uint32_t>(padding_) + 1;
    for (const nn::Sequence& sequence : batch.sequences)
      for (size_t i = 0, next = first; i < sequence.queries; ++i) {
        bool counts = batch.ids[sequence.query + i] != padding_;
        positions.push_back(counts ? static_cast<uint32_t>(next++) : first - 1);
      }
    return positions;
  }

  const nn::Runtime& runtime_;
  tokenizer::TokenId padding_;
  InputEmbedding embedding_;
  std::vector<PostNormLayer> layers_;
  std::optional<PostNormStack> stack_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix hidden_;
};

}  // namespace

std::unique_ptr<Encoder> make_roberta(const Loading& from) {
  return std::make_unique<Roberta>(from);
}

}  // namespace minpair::model
