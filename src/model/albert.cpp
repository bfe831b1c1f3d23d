// ALBERT (Lan et al. 2020): narrow embeddings, and layers that are used again and again.

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"

namespace minpair::model {

namespace {

const PostNormNames kNames{.query = "attention.query",
                           .key = "attention.key",
                           .value = "attention.value",
                           .attention_output = "attention.dense",
                           .attention_norm = "attention.LayerNorm",
                           .up = "ffn",
                           .down = "ffn_output",
                           .output_norm = "full_layer_layer_norm"};

// They cost nothing on disk, so that a wrong number would not be noticed there.
constexpr size_t kMostLayers = 1000;

class Albert : public Encoder {
 public:
  explicit Albert(const Loading& from) : runtime_(from.runtime) {
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
    const nn::Activation activation = nn::find_activation(c.text("hidden_act", "gelu_new"));
    stack_.emplace(runtime_, attention_shape(c, h, info.heads), activation);

    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "albert."});
    embedding_.words = load.embedding("embeddings.word_embeddings.weight", info.vocabulary, e);
    embedding_.positions = load.table("embeddings.position_embeddings.weight", info.max_tokens, e);
    embedding_.segments =
        load.table("embeddings.token_type_embeddings.weight", c.size("type_vocab_size", 2), e);
    embedding_.norm = load.norm("embeddings.LayerNorm", e, epsilon);
    widen_ = load.linear("encoder.embedding_hidden_mapping_in", h, e);
    load_groups(load, c, {h, c.size("intermediate_size"), epsilon});
    if (from.with_head) {
      head_.dense = load.linear("predictions.dense", e, h);
      head_.activation = activation;
      head_.norm = load.norm("predictions.LayerNorm", e, epsilon);
      decoder_ =
          load_decoder(load, c, "embeddings.word_embeddings.weight", "predictions.decoder.weight",
                       {"predictions.bias", "predictions.decoder.bias"}, info.vocabulary, e);
    }
    load.finish("ALBERT", {"predictions."});
    info.parameters = load.parameters();
    for (size_t i = 0; i < info.layers; ++i)
      for (size_t inner = 0; inner < inner_; ++inner)
        order_.push_back(&layers_[i * groups_ / info.layers * inner_ + inner]);
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Trace& trace) override {
    embedding_.run(runtime_, batch, batch.positions, narrow_);
    nn::linear(runtime_, narrow_, widen_, hidden_);
    if (trace) trace("embeddings", hidden_);
    stack_->run(order_, batch, rows, hidden_, trace);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  void load_groups(WeightLoader& load, const Config& c, const PostNormShape& shape) {
    groups_ = c.size("num_hidden_groups", 1);
    inner_ = c.size("inner_group_num", 1);
    const size_t layers = c.size("num_hidden_layers");
    if (groups_ > layers)
      throw bad_input("there are more groups than layers").at(c.file().string());
    if (layers > kMostLayers)
      throw bad_input(fmt::format("{} layers are too many", layers)).at(c.file().string());
    for (size_t group = 0; group < groups_; ++group)
      for (size_t inner = 0; inner < inner_; ++inner)
        layers_.push_back(load_layer(
            load, fmt::format("encoder.albert_layer_groups.{}.albert_layers.{}.", group, inner),
            kNames, shape));
  }

  const nn::Runtime& runtime_;
  InputEmbedding embedding_;
  nn::Linear widen_;
  size_t groups_ = 1, inner_ = 1;
  std::vector<PostNormLayer> layers_;  // [group][inner]
  std::vector<const PostNormLayer*> order_;
  std::optional<PostNormStack> stack_;
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix narrow_, hidden_;
};

}  // namespace

std::unique_ptr<Encoder> make_albert(const Loading& from) { return std::make_unique<Albert>(from); }

}  // namespace minpair::model
