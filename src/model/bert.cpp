// BERT (Devlin et al. 2019): embeddings of word, position and segment; post-norm layers; a head
// that transforms, then multiplies with the embedding table.

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"

namespace minpair {

namespace {

const PostNormNames kNames{.query = "attention.self.query",
                           .key = "attention.self.key",
                           .value = "attention.self.value",
                           .attention_output = "attention.output.dense",
                           .attention_norm = "attention.output.LayerNorm",
                           .up = "intermediate.dense",
                           .down = "output.dense",
                           .output_norm = "output.LayerNorm"};

class Bert : public Encoder {
 public:
  explicit Bert(const Loading& from)
      : runtime_(from.runtime),
        stack_(from.runtime,
               attention_shape(from.config, from.config.size("hidden_size"),
                               from.config.size("num_attention_heads")),
               nn::find_activation(from.config.text("hidden_act", "gelu"))) {
    const Config& c = from.config;
    if (std::string kind = c.text("position_embedding_type", "absolute"); kind != "absolute")
      throw bad_input(fmt::format("position_embedding_type \"{}\" is not supported", kind))
          .at(c.file().string())
          .hint("only \"absolute\" positions are");
    ModelInfo& info = from.info;
    info.layers = static_cast<uint32_t>(c.size("num_hidden_layers"));
    info.hidden = static_cast<uint32_t>(c.size("hidden_size"));
    info.heads = static_cast<uint32_t>(c.size("num_attention_heads"));
    info.vocabulary = static_cast<uint32_t>(c.size("vocab_size"));
    info.max_tokens = static_cast<uint32_t>(c.size("max_position_embeddings", 512));

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "bert."});
    const size_t h = info.hidden;
    const double epsilon = c.real("layer_norm_eps", 1e-12);
    words_ = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, h);
    positions_ = load.table("embeddings.position_embeddings.weight", info.max_tokens, h);
    segments_ =
        load.table("embeddings.token_type_embeddings.weight", c.size("type_vocab_size", 2), h);
    norm_ = load.norm("embeddings.LayerNorm", h, epsilon);
    PostNormShape shape{h, info.heads, c.size("intermediate_size"), epsilon, {}};
    for (uint32_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("encoder.layer.{}.", i), kNames, shape));
    for (const PostNormLayer& layer : layers_) order_.push_back(&layer);

    if (from.with_head) {
      head_.activation = nn::find_activation(c.text("hidden_act", "gelu"));
      head_.dense = load.linear("cls.predictions.transform.dense", h, h);
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
    const size_t h = positions_.columns();
    hidden_.resize(batch.ids.size(), h);
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      float* x = hidden_.row(i);
      words_.row(static_cast<size_t>(batch.ids[i]), x);
      const float* position = positions_.row(batch.positions[i]);
      const float* segment = segments_.row(0);
      for (size_t d = 0; d < h; ++d) x[d] = x[d] + segment[d] + position[d];
    }
    nn::normalize(runtime_, hidden_, norm_);
    if (trace) trace("embeddings", hidden_);
    stack_.run(order_, batch, rows, hidden_, trace);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  const nn::Runtime& runtime_;
  Embedding words_;
  nn::Matrix positions_, segments_;
  nn::Norm norm_;
  std::vector<PostNormLayer> layers_;
  std::vector<const PostNormLayer*> order_;
  PostNormStack stack_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix hidden_;
};

}  // namespace

std::unique_ptr<Encoder> make_bert(const Loading& from) { return std::make_unique<Bert>(from); }

}  // namespace minpair
