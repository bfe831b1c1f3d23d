// DistilBERT (Sanh et al. 2019): BERT without segments, and with names of its own.

#include <fmt/format.h>

#include "model/layers.h"

namespace minpair::model {

namespace {

const PostNormNames kNames{.query = "attention.q_lin",
                           .key = "attention.k_lin",
                           .value = "attention.v_lin",
                           .attention_output = "attention.out_lin",
                           .attention_norm = "sa_layer_norm",
                           .up = "ffn.lin1",
                           .down = "ffn.lin2",
                           .output_norm = "output_layer_norm"};

constexpr double kEpsilon = 1e-12;  // not configurable

class DistilBert : public Encoder {
 public:
  explicit DistilBert(const Loading& from) : runtime_(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    info.layers = c.count("n_layers");
    info.hidden = c.count("dim");
    info.heads = c.count("n_heads");
    info.vocabulary = c.count("vocab_size");
    info.max_tokens = c.count("max_position_embeddings", 512);
    const size_t h = info.hidden;
    const nn::Activation activation = nn::find_activation(c.text("activation", "gelu"));
    stack_.emplace(runtime_, attention_shape(c, h, info.heads), activation);

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "distilbert."});
    embedding_.words = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, h);
    embedding_.positions = load.table("embeddings.position_embeddings.weight", info.max_tokens, h);
    embedding_.norm = load.norm("embeddings.LayerNorm", h, kEpsilon);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("transformer.layer.{}.", i), kNames,
                                   {h, c.size("hidden_dim"), kEpsilon}));
    if (from.with_head) {
      head_.dense = load.linear("vocab_transform", h, h);
      head_.activation = activation;
      head_.norm = load.norm("vocab_layer_norm", h, kEpsilon);
      decoder_ =
          load_decoder(load, c, "embeddings.word_embeddings.weight", "vocab_projector.weight",
                       {"vocab_projector.bias"}, info.vocabulary, h);
    }
    load.finish("DistilBERT", {"vocab_"});
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

std::unique_ptr<Encoder> make_distilbert(const Loading& from) {
  return std::make_unique<DistilBert>(from);
}

}  // namespace minpair::model
