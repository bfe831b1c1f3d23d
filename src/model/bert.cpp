// BERT (Devlin et al. 2019) and its family: embeddings of word, position and segment; post-norm
// layers; a head that transforms, then multiplies with the embedding table. What DistilBERT (Sanh
// et al. 2019), RoBERTa (Liu et al. 2019; also XLM-R and CamemBERT), the generator of ELECTRA
// (Clark et al. 2020) and ALBERT (Lan et al. 2020) do otherwise is stated in `Variant`.

#include <fmt/format.h>

#include "base/error.h"
#include "model/architecture.h"

namespace minpair::model {
namespace {

struct Variant {
  std::string name = "BERT";
  // Keys of config.json, and what is meant where one is absent.
  const char *layers = "num_hidden_layers", *hidden = "hidden_size", *heads = "num_attention_heads",
             *inner = "intermediate_size", *activation = "hidden_act", *epsilon = "layer_norm_eps";
  const char* usual_activation = "gelu";
  size_t positions = 512, segments = 2;
  bool positions_after_padding = false;  // RoBERTa
  // ELECTRA, ALBERT: embeddings are narrower than the layers, and this matrix widens them.
  std::string widen;
  bool shares_layers = false;  // ALBERT: layers are used again and again
  // Tensors.
  std::string layer = "encoder.layer.{}.";
  std::string query = "attention.self.query", key = "attention.self.key",
              value = "attention.self.value", attention_output = "attention.output.dense",
              attention_norm = "attention.output.LayerNorm", up = "intermediate.dense",
              down = "output.dense", output_norm = "output.LayerNorm";
  std::string head = "cls.", head_dense = "cls.predictions.transform.dense",
              head_norm = "cls.predictions.transform.LayerNorm",
              decoder = "cls.predictions.decoder.weight";
  std::vector<std::string> decoder_bias{"cls.predictions.bias", "cls.predictions.decoder.bias"};
  bool gelu_in_head = false;  // whatever the activation of the layers is
};

Variant distilbert() {
  Variant v{.name = "DistilBERT",
            .layers = "n_layers",
            .hidden = "dim",
            .heads = "n_heads",
            .inner = "hidden_dim",
            .activation = "activation",
            .epsilon = "",  // not configurable
            .segments = 0};
  v.layer = "transformer.layer.{}.";
  v.query = "attention.q_lin", v.key = "attention.k_lin", v.value = "attention.v_lin";
  v.attention_output = "attention.out_lin", v.attention_norm = "sa_layer_norm";
  v.up = "ffn.lin1", v.down = "ffn.lin2", v.output_norm = "output_layer_norm";
  v.head = "vocab_", v.head_dense = "vocab_transform", v.head_norm = "vocab_layer_norm";
  v.decoder = "vocab_projector.weight", v.decoder_bias = {"vocab_projector.bias"};
  return v;
}

Variant roberta() {
  Variant v{.name = "RoBERTa", .positions = 514, .segments = 1, .positions_after_padding = true};
  v.head = "lm_head.", v.head_dense = "lm_head.dense", v.head_norm = "lm_head.layer_norm";
  v.decoder = "lm_head.decoder.weight", v.decoder_bias = {"lm_head.bias", "lm_head.decoder.bias"};
  v.gelu_in_head = true;
  return v;
}

Variant electra() {
  Variant v{.name = "ELECTRA", .widen = "embeddings_project"};
  v.head = "generator_", v.head_dense = "generator_predictions.dense";
  v.head_norm = "generator_predictions.LayerNorm";
  v.decoder = "generator_lm_head.weight", v.decoder_bias = {"generator_lm_head.bias"};
  v.gelu_in_head = true;
  return v;
}

Variant albert() {
  Variant v{.name = "ALBERT",
            .usual_activation = "gelu_new",
            .widen = "encoder.embedding_hidden_mapping_in",
            .shares_layers = true};
  v.layer = "encoder.albert_layer_groups.{}.albert_layers.{}.";
  v.query = "attention.query", v.key = "attention.key", v.value = "attention.value";
  v.attention_output = "attention.dense", v.attention_norm = "attention.LayerNorm";
  v.up = "ffn", v.down = "ffn_output", v.output_norm = "full_layer_layer_norm";
  v.head = "predictions.", v.head_dense = "predictions.dense";
  v.head_norm = "predictions.LayerNorm", v.decoder = "predictions.decoder.weight";
  v.decoder_bias = {"predictions.bias", "predictions.decoder.bias"};
  return v;
}

Variant variant_of(const std::string& type) {
  if (type == "distilbert") return distilbert();
  if (type == "electra") return electra();
  if (type == "albert") return albert();
  return type == "bert" ? Variant{} : roberta();
}

// Shared layers cost nothing on disk, so that a wrong number would not be noticed there.
constexpr size_t kMostSharedLayers = 1000;
const std::string kWords = "embeddings.word_embeddings.weight";

struct Layer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm attention_norm, output_norm;
};

class Bert : public Encoder {
 public:
  explicit Bert(const Loading& from)
      : Encoder(from.runtime), variant_(variant_of(from.info.architecture)) {
    const Config& c = from.config;
    const Variant& v = variant_;
    if (std::string kind = c.text("position_embedding_type", "absolute"); kind != "absolute")
      throw bad_input(fmt::format("position_embedding_type \"{}\" is not supported", kind))
          .at(c.file().string())
          .hint("only \"absolute\" positions are");
    c.must_be("is_decoder", false,
              "each token would see only those before it, which is not supported here");
    c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
    c.ignore({"down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks",
              "layers_to_keep", "sinusoidal_pos_embds", "tie_weights_", "pad_token_id",
              "tie_word_embeddings"});
    query::ModelInfo& info = from.info;
    read_sizes(from, {v.layers, v.hidden, v.heads, "max_position_embeddings", v.positions});
    epsilon_ = c.real(v.epsilon, 1e-12);
    activation_ = nn::find_activation(c.text(v.activation, v.usual_activation));
    shape_ = attention_shape(c, info.hidden, info.heads);

    WeightLoader load(runtime_, from.checkpoint,
                      {"module.", "model.", "bert.", "distilbert.", "roberta.", "camembert.",
                       "electra.", "albert."});
    if (from.with_head && load.has("discriminator_predictions.dense.weight"))
      throw bad_input("this is ELECTRA's discriminator, which is no language model")
          .hint("use the generator that was trained beside it (its name ends in -generator)");
    load_embeddings(load, c, info);
    load_layers(load, c, info);
    if (from.with_head) load_head(load, c, info);
    load.finish(v.name, {v.head});
    info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = shape_.heads * shape_.width;
    begin(batch.ids.size(), watch);
    embed(batch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < order_.size(); ++l) {
      const Layer& layer = layers_[order_[l]];
      join(l, batch.late, hidden_);
      const nn::Matrix& in = see_copy(Site::attention_input, l, hidden_);
      nn::linear(runtime_, in, layer.qkv, qkv_);
      nn::attend(runtime_, shape_, batch.sequences_of(qkv_.rows()), qkv_.part(0, h),
                 qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == order_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      nn::normalize(runtime_, attended_, layer.attention_norm);
      see(Site::attention_residual, l, attended_);
      nn::linear(runtime_, attended_, layer.up, inner_, activation_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      nn::normalize(runtime_, hidden_, layer.output_norm);
      see(Site::residual, l, hidden_);
    }
    see(Site::output, 0, hidden_);
    return hidden_;
  }

  const nn::Matrix& head(const nn::View& hidden) override { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const override { return decoder_; }

 private:
  void load_embeddings(WeightLoader& load, const Config& c, query::ModelInfo& info) {
    const size_t positions = info.max_tokens, h = info.hidden;
    const size_t e = variant_.widen.empty() ? h : c.size("embedding_size", 128);
    if (variant_.positions_after_padding) {
      const int64_t padding = c.integer("pad_token_id", 1);
      if (padding < 0 || static_cast<size_t>(padding) + 1 >= positions)
        throw bad_input(
            fmt::format("pad_token_id {} leaves no positions of {}", padding, positions))
            .at(c.file().string());
      padding_ = static_cast<tokenizer::TokenId>(padding);
      info.max_tokens = static_cast<uint32_t>(positions - static_cast<size_t>(padding) - 1);
    }
    words_ = load.embedding(kWords, info.vocabulary, e);
    positions_ = load.table("embeddings.position_embeddings.weight", positions, e);
    if (variant_.segments)
      segments_ = load.table("embeddings.token_type_embeddings.weight",
                             c.size("type_vocab_size", variant_.segments), e);
    embedding_norm_ = load.norm("embeddings.LayerNorm", e, epsilon_);
    if (e != h || variant_.shares_layers) widen_ = load.linear(variant_.widen, h, e);
  }

  void load_layers(WeightLoader& load, const Config& c, query::ModelInfo& info) {
    const size_t layers = info.layers;
    const size_t groups = variant_.shares_layers ? c.size("num_hidden_groups", 1) : layers;
    const size_t each = variant_.shares_layers ? c.size("inner_group_num", 1) : 1;
    if (groups > layers) throw bad_input("there are more groups than layers").at(c.file().string());
    if (variant_.shares_layers && layers > kMostSharedLayers)
      throw bad_input(fmt::format("{} layers are too many", layers)).at(c.file().string());
    for (size_t group = 0; group < groups; ++group)
      for (size_t i = 0; i < each; ++i)
        layers_.push_back(load_layer(load, fmt::format(fmt::runtime(variant_.layer), group, i),
                                     info.hidden, c.size(variant_.inner)));
    for (size_t l = 0; l < layers; ++l)
      for (size_t i = 0; i < each; ++i) order_.push_back(l * groups / layers * each + i);
    info.layers = uint32_t(order_.size());
  }

  Layer load_layer(WeightLoader& load, const std::string& p, size_t h, size_t inner) const {
    const Variant& v = variant_;
    Layer layer;
    layer.qkv = load.stacked({p + v.query, p + v.key, p + v.value}, h, h);
    layer.attention_output = load.linear(p + v.attention_output, h, h);
    layer.attention_norm = load.norm(p + v.attention_norm, h, epsilon_);
    layer.up = load.linear(p + v.up, inner, h);
    layer.down = load.linear(p + v.down, h, inner);
    layer.output_norm = load.norm(p + v.output_norm, h, epsilon_);
    return layer;
  }

  void load_head(WeightLoader& load, const Config& c, const query::ModelInfo& info) {
    const Variant& v = variant_;
    const size_t e = positions_.columns();
    head_.dense = load.linear(v.head_dense, e, info.hidden);
    head_.activation = v.gelu_in_head ? nn::Activation::gelu : activation_;
    head_.norm = load.norm(v.head_norm, e, epsilon_);
    bool tied = c.flag("tie_word_embeddings", true);
    decoder_.weights = load.matrix(tied ? kWords : v.decoder, info.vocabulary, e);
    std::string bias = v.decoder_bias.front();
    for (const std::string& name : v.decoder_bias)
      if (load.has(name)) bias = name;
    decoder_.bias = load.vector(bias, info.vocabulary);
  }

  // The sum of a word's, the first segment's and the position's embedding, normed.
  void embed(const Batch& batch) {
    const bool narrow = widen_.weights.outputs() > 0;
    nn::Matrix& out = narrow ? narrow_ : hidden_;
    const size_t width = positions_.columns();
    std::vector<uint32_t> position = batch.positions;
    if (variant_.positions_after_padding) count_after_padding(batch, position);
    out.resize(batch.ids.size(), width);
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      float* x = out.row(i);
      words_.row(static_cast<size_t>(batch.ids[i]), x);
      if (segments_.rows())
        for (size_t d = 0; d < width; ++d) x[d] += segments_.row(0)[d];
      const float* p = positions_.row(position[i]);
      for (size_t d = 0; d < width; ++d) x[d] += p[d];
    }
    nn::normalize(runtime_, out, embedding_norm_);
    if (narrow) nn::linear(runtime_, narrow_, widen_, hidden_);
  }

  // Padding tokens, should a text contain one, do not count and stand at the padding's position.
  void count_after_padding(const Batch& batch, std::vector<uint32_t>& position) const {
    const uint32_t first = static_cast<uint32_t>(padding_) + 1;
    for (const nn::Sequence& sequence : batch.sequences) {
      uint32_t next = first;
      for (size_t i = sequence.query; i < sequence.query + sequence.queries; ++i)
        position[i] = batch.ids[i] != padding_ ? next++ : first - 1;
    }
  }

  Variant variant_;
  double epsilon_ = 0;
  nn::Activation activation_;
  nn::AttentionShape shape_;
  tokenizer::TokenId padding_ = -1;
  Embedding words_;
  nn::Matrix positions_, segments_;
  nn::Norm embedding_norm_;
  nn::Linear widen_;
  std::vector<Layer> layers_;
  std::vector<size_t> order_;  // which of them runs as number l
  TransformHead head_;
  nn::Linear decoder_;
  nn::Matrix narrow_, hidden_, qkv_, context_, attended_, inner_;
};

}  // namespace

Family bert_family() {
  return {.model_types = {"bert", "distilbert", "roberta", "xlm-roberta", "camembert", "electra",
                          "albert"},
          .make = make<Encoder, Bert>};
}

}  // namespace minpair::model
