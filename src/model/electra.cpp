// ELECTRA's generator (Clark et al. 2020): BERT with embeddings narrower than the layers, and a
// head that returns to their width. The discriminator tells real tokens from replaced ones: it is
// no language model.

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"

namespace minpair::model {

namespace {

class Electra : public Encoder {
 public:
  explicit Electra(const Loading& from) : runtime_(from.runtime) {
    const Config& c = from.config;
    refuse_relative_positions(c);
    query::ModelInfo& info = from.info;
    info.layers = c.count("num_hidden_layers");
    info.hidden = c.count("hidden_size");
    info.heads = c.count("num_attention_heads");
    info.vocabulary = c.count("vocab_size");
    info.max_tokens = c.count("max_position_embeddings", 512);
    const size_t h = info.hidden, e = c.size("embedding_size", 128);
    const double epsilon = c.real("layer_norm_eps", 1e-12);
    stack_.emplace(runtime_, attention_shape(c, h, info.heads),
                   nn::find_activation(c.text("hidden_act", "gelu")));

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "electra."});
    if (from.with_head && load.has("discriminator_predictions.dense.weight"))
      throw bad_input("this is ELECTRA's discriminator, which is no language model")
          .hint("use the generator that was trained beside it (its name ends in -generator)");
    embedding_.words = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, e);
    embedding_.positions = load.table("embeddings.position_embeddings.weight", info.max_tokens, e);
    embedding_.segments =
        load.table("embeddings.token_type_embeddings.weight", c.size("type_vocab_size", 2), e);
    embedding_.norm = load.norm("embeddings.LayerNorm", e, epsilon);
    if (e != h) project_ = load.linear("embeddings_project", h, e);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, fmt::format("encoder.layer.{}.", i), kBertLayerNames,
                                   {h, c.size("intermediate_size"), epsilon}));
    if (from.with_head) {
      head_.dense = load.linear("generator_predictions.dense", e, h);
      head_.activation = nn::Activation::gelu;  // whatever hidden_act is
      head_.norm = load.norm("generator_predictions.LayerNorm", e, epsilon);
      decoder_ =
          load_decoder(load, c, "embeddings.word_embeddings.weight", "generator_lm_head.weight",
                       {"generator_lm_head.bias"}, info.vocabulary, e);
    }
    load.finish("ELECTRA", {"generator_"});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Trace& trace) override {
    if (project_.weights.outputs() == 0) {
      embedding_.run(runtime_, batch, batch.positions, hidden_);
    } else {
      embedding_.run(runtime_, batch, batch.positions, narrow_);
      nn::linear(runtime_, narrow_, project_, hidden_);
    }
    if (trace) trace("embeddings", hidden_);
    stack_->run(in_order(layers_), batch, rows, hidden_, trace);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  const nn::Runtime& runtime_;
  InputEmbedding embedding_;
  nn::Linear project_;
  std::vector<PostNormLayer> layers_;
  std::optional<PostNormStack> stack_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix narrow_, hidden_;
};

}  // namespace

std::unique_ptr<Encoder> make_electra(const Loading& from) {
  return std::make_unique<Electra>(from);
}

}  // namespace minpair::model
