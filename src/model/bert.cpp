// BERT (Devlin et al. 2019): embeddings of word, position and segment; post-norm layers; a head
// that transforms, then multiplies with the embedding table.

#include <fmt/format.h>

#include "model/layers.h"

namespace minpair::model {

namespace {

class Bert : public Encoder {
 public:
  explicit Bert(const Loading& from) : runtime_(from.runtime) {
    const Config& c = from.config;
    refuse_relative_positions(c);
    query::ModelInfo& info = from.info;
    info.layers = c.count("num_hidden_layers");
    info.hidden = c.count("hidden_size");
    info.heads = c.count("num_attention_heads");
    info.vocabulary = c.count("vocab_size");
    info.max_tokens = c.count("max_position_embeddings", 512);
    const size_t h = info.hidden;
    const double epsilon = c.real("layer_norm_eps", 1e-12);
    const nn::Activation activation = nn::find_activation(c.text("hidden_act", "gelu"));
    stack_.emplace(runtime_, attention_shape(c, h, info.heads), activation);

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "bert."});
    embedding_.words = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, h);
    embedding_.positions = load.table("embeddings.position_embeddings.weight", info.max_tokens, h);
    embedding_.segments =
        load.table("embeddings.token_type_embeddings.weight", c.size("type_vocab_size", 2), h);
    embedding_.norm = load.norm("embeddings.LayerNorm", h, epsilon);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("encoder.layer.{}.", i), kBertLayerNames,
                                   {h, c.size("intermediate_size"), epsilon}));
    if (from.with_head) {
      head_.dense = load.linear("cls.predictions.transform.dense", h, h);
      head_.activation = activation;
      head_.norm = load.norm("cls.predictions.transform.LayerNorm", h, epsilon);
      decoder_ = load_decoder(
          load, c, "embeddings.word_embeddings.weight", "cls.predictions.decoder.weight",
          {"cls.predictions.bias", "cls.predictions.decoder.bias"}, info.vocabulary, h);
    }
    load.finish("BERT", {"cls."});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Trace& trace) override {
    embedding_.run(runtime_, batch, batch.positions, hidden_);
    if (trace) trace("embeddings", hidden_);
    stack_->run(in_order(layers_), batch, rows, hidden_, trace);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  const nn::Runtime& runtime_;
  InputEmbedding embedding_;
  std::vector<PostNormLayer> layers_;
  std::optional<PostNormStack> stack_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix hidden_;
};

}  // namespace

std::unique_ptr<Encoder> make_bert(const Loading& from) { return std::make_unique<Bert>(from); }

}  // namespace minpair::model
