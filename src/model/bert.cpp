// BERT (Devlin et al. 2019) and its family: embeddings of word, position and segment; post-norm
// layers; a head that transforms, then multiplies with the embedding table. What DistilBERT (Sanh
// et al. 2019), RoBERTa (Liu et al. 2019; also XLM-R and CamemBERT), the generator of ELECTRA
// (Clark et al. 2020), ALBERT (Lan et al. 2020), MPNet (Song et al. 2020), RoFormer (Su et al.
// 2021) and others do otherwise is stated in `BertVariant`.

#include <fmt/format.h>

#include "base/error.h"
#include "model/architecture.h"
#include "model/disentangled.h"

namespace minpair::model {
namespace {

struct BertVariant {
  std::string name = "BERT";
  // Keys of config.json, and what is meant where one is absent.
  const char *layers = "num_hidden_layers", *hidden = "hidden_size", *heads = "num_attention_heads",
             *inner = "intermediate_size", *activation = "hidden_act", *epsilon = "layer_norm_eps";
  std::string usual_activation = "gelu";
  double usual_epsilon = 1e-12;
  size_t positions = 512, segments = 2;
  bool positions_after_padding = false;  // RoBERTa
  int64_t padding = -1;                  // MPNet: whatever the configuration says
  // RoFormer, NomicBERT: queries and keys are turned instead of adding positions; 0: they are not.
  double rotary_theta = 0;
  bool neighbours = false;    // rotary pairs lie beside each other
  bool has_sines = false;     // RoFormer: angles are in a table
  bool turns_values = false;  // RoFormer, if it says so
  // MPNet: what the distance of two tokens adds to their score, by bucket.
  std::string distances;
  bool norms_first = false;  // Megatron-BERT, XLM-R XL, RoBERTa-PreLayerNorm: before, not after
  std::string last_norm;     // and then there is one after the last layer
  bool gated = false;        // NomicBERT
  bool biases = true;
  // ELECTRA, ALBERT: embeddings are narrower than the layers, and this matrix widens them.
  std::string widen;
  bool shares_layers = false;  // ALBERT: layers are used again and again
  // Tensors.
  std::string embedding_norm = "embeddings.LayerNorm";  // empty: there is none
  std::string tasks;                                    // ERNIE: its first row is added
  std::string layer = "encoder.layer.{}.";
  // Three, or one in this order.
  std::vector<std::string> qkv{"attention.self.query", "attention.self.key",
                               "attention.self.value"};
  std::string attention_output = "attention.output.dense",
              attention_norm = "attention.output.LayerNorm", down = "output.dense",
              output_norm = "output.LayerNorm";
  std::vector<std::string> up{"intermediate.dense"};  // with the gate: two
  std::string head = "cls.", head_dense = "cls.predictions.transform.dense",
              head_norm = "cls.predictions.transform.LayerNorm",
              decoder = "cls.predictions.decoder.weight";
  std::vector<std::string> decoder_bias{"cls.predictions.bias", "cls.predictions.decoder.bias"};
  bool gelu_in_head = false;  // whatever the activation of the layers is
};

using Variant = BertVariant;

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
  v.qkv = {"attention.q_lin", "attention.k_lin", "attention.v_lin"};
  v.attention_output = "attention.out_lin", v.attention_norm = "sa_layer_norm";
  v.up = {"ffn.lin1"}, v.down = "ffn.lin2", v.output_norm = "output_layer_norm";
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

Variant roberta_norms_first() {
  Variant v = roberta();
  v.name = "RoBERTa-PreLayerNorm";
  v.norms_first = true;
  v.attention_norm = "attention.LayerNorm", v.output_norm = "intermediate.LayerNorm";
  v.last_norm = "LayerNorm";
  return v;
}

Variant large_xlm_roberta() {
  Variant v = roberta();
  v.name = "XLM-R XL", v.usual_epsilon = 1e-5;
  v.norms_first = true;
  v.attention_norm = "attention.self_attn_layer_norm", v.output_norm = "LayerNorm";
  v.last_norm = "encoder.LayerNorm", v.embedding_norm.clear();
  return v;
}

Variant mpnet(const Config& c) {
  Variant v = roberta();
  v.name = "MPNet", v.segments = 0, v.padding = 1,
  v.distances = "encoder.relative_attention_bias.weight";
  v.qkv = {"attention.attn.q", "attention.attn.k", "attention.attn.v"};
  v.attention_output = "attention.attn.o", v.attention_norm = "attention.LayerNorm";
  c.ignore({"relative_attention_num_buckets"});
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
  v.qkv = {"attention.query", "attention.key", "attention.value"};
  v.attention_output = "attention.dense", v.attention_norm = "attention.LayerNorm";
  v.up = {"ffn"}, v.down = "ffn_output", v.output_norm = "full_layer_layer_norm";
  v.head = "predictions.", v.head_dense = "predictions.dense";
  v.head_norm = "predictions.LayerNorm", v.decoder = "predictions.decoder.weight";
  v.decoder_bias = {"predictions.bias", "predictions.decoder.bias"};
  return v;
}

Variant megatron() {
  Variant v{.name = "Megatron-BERT", .norms_first = true, .last_norm = "encoder.ln"};
  v.embedding_norm.clear();
  v.attention_norm = "attention.ln", v.output_norm = "ln";
  return v;
}

Variant ernie(const Config& c) {
  Variant v{.name = "ERNIE"};
  if (c.flag("use_task_id", false)) v.tasks = "embeddings.task_type_embeddings.weight";
  return v;
}

Variant roformer(const Config& c) {
  Variant v{.name = "RoFormer",
            .positions = 1536,
            .rotary_theta = 10000,
            .neighbours = true,
            .has_sines = true};
  v.turns_values = c.flag("rotary_value", false);
  if (c.has("embedding_size")) v.widen = "embeddings_project";
  return v;
}

Variant nomic(const Config& c) {
  Variant v{.name = "NomicBERT", .usual_activation = "silu", .positions = 2048};
  v.rotary_theta = c.real("rotary_emb_base", 1000);
  v.gated = true, v.biases = false;
  v.embedding_norm = "emb_ln", v.layer = "encoder.layers.{}.";
  v.qkv = {"attn.Wqkv"}, v.attention_output = "attn.out_proj", v.attention_norm = "norm1";
  // The second one is the gate.
  v.up = {"mlp.fc12", "mlp.fc11"}, v.down = "mlp.fc2", v.output_norm = "norm2";
  v.head_norm = "cls.predictions.transform.layer_norm";
  return v;
}

Variant bert_variant(const Config& c, const std::string& type) {
  if (type == "distilbert") return distilbert();
  if (type == "electra") return electra();
  if (type == "albert") return albert();
  if (type == "megatron-bert") return megatron();
  if (type == "ernie") return ernie(c);
  if (type == "roformer") return roformer(c);
  if (type == "nomic_bert") return nomic(c);
  if (type == "mpnet") return mpnet(c);
  if (type == "roberta-prelayernorm") return roberta_norms_first();
  if (type == "xlm-roberta-xl") return large_xlm_roberta();
  return type == "bert" ? Variant() : roberta();
}

// Shared layers cost nothing on disk, so that a wrong number would not be noticed there.
constexpr size_t kMostSharedLayers = 1000;
const std::string kWords = "embeddings.word_embeddings.weight";

struct Layer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm attention_norm, output_norm;
};

constexpr size_t kMostSines = 1 << 16;  // positions of a table that is made

class Bert : public Encoder {
 public:
  explicit Bert(const Loading& from)
      : Encoder(from.runtime), variant_(bert_variant(from.config, from.info.architecture)) {
    const Config& c = from.config;
    const BertVariant& v = variant_;
    if (std::string kind = c.text("position_embedding_type", "absolute"); kind != "absolute")
      throw bad_input(fmt::format("position_embedding_type \"{}\" is not supported", kind))
          .at(c.file().string())
          .hint("only \"absolute\" positions are");
    c.must_be("is_decoder", false,
              "each token would see only those before it, which is not supported here");
    c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
    c.ignore({"down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks",
              "layers_to_keep", "sinusoidal_pos_embds", "tie_weights_", "pad_token_id",
              "tie_word_embeddings", "task_type_vocab_size"});
    query::ModelInfo& info = from.info;
    read_sizes(from, {v.layers, v.hidden, v.heads, "max_position_embeddings", v.positions});
    epsilon_ = c.real(v.epsilon, v.usual_epsilon);
    activation_ = nn::find_activation(c.text(v.activation, v.usual_activation));
    shape_ = attention_shape(c, info.hidden, info.heads);

    WeightLoader load(runtime_, from.checkpoint,
                      {"module.", "model.", "bert.", "distilbert.", "roberta.", "camembert.",
                       "electra.", "albert.", "mpnet.", "ernie.", "roformer.", "nomic_bert.",
                       "data2vec_text.", "roberta_prelayernorm."});
    if (load.has("discriminator_predictions.dense.weight"))
      throw bad_input("this is ELECTRA's discriminator, which is not a language model")
          .hint("use the generator that was trained beside it (its name ends in -generator)");
    load_embeddings(load, c, info);
    set_places(load, c);
    load_layers(load, c, info);
    if (from.with_head) load_head(load, c, info);
    info.parameters = load.finish(v.name, {v.head});
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const BertVariant& v = variant_;
    const size_t h = shape_.heads * shape_.width;
    begin(batch.ids.size(), watch);
    embed(batch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < order_.size(); ++l) {
      const Layer& layer = layers_[order_[l]];
      join(l, batch.late, hidden_);
      nn::linear(runtime_, attention_input(l, layer.attention_norm, v.norms_first), layer.qkv,
                 qkv_);
      if (v.rotary_theta > 0)
        rotary_.apply(runtime_, batch.positions_of(qkv_.rows()),
                      (v.turns_values ? 3 : 2) * shape_.heads, qkv_.data(), qkv_.columns());
      nn::attend(runtime_, shape_, batch.sequences_of(qkv_.rows()), qkv_.part(0, h),
                 qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == order_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      if (!v.norms_first) nn::normalize(runtime_, attended_, layer.attention_norm);
      see(Site::attention_residual, l, attended_);
      if (v.norms_first) nn::normalize(runtime_, attended_, layer.output_norm, normed_);
      feed_forward(l, v.norms_first ? normed_ : attended_, layer.up, v.gated, layer.down, attended_,
                   hidden_);
      if (!v.norms_first) nn::normalize(runtime_, hidden_, layer.output_norm);
      see(Site::residual, l, hidden_);
    }
    return last_norm();
  }

 private:
  void load_embeddings(WeightLoader& load, const Config& c, query::ModelInfo& info) {
    const size_t positions = info.max_tokens, h = info.hidden;
    const size_t e = variant_.widen.empty() ? h : c.size("embedding_size", 128);
    if (variant_.positions_after_padding) {
      const int64_t padding =
          variant_.padding >= 0 ? variant_.padding : c.integer("pad_token_id", 1);
      if (padding < 0 || static_cast<size_t>(padding) + 1 >= positions)
        throw bad_input(
            fmt::format("pad_token_id {} leaves no positions of {}", padding, positions))
            .at(c.file().string());
      padding_ = static_cast<tokenizer::TokenId>(padding);
      info.max_tokens = static_cast<uint32_t>(positions - static_cast<size_t>(padding) - 1);
    }
    words_ = load.embedding(kWords, info.vocabulary, e);
    if (variant_.rotary_theta == 0)
      positions_ = load.table("embeddings.position_embeddings.weight", positions, e);
    if (!variant_.tasks.empty())
      tasks_ = load.table(variant_.tasks, c.size("task_type_vocab_size", 3), e);
    if (variant_.segments)
      segments_ = load.table("embeddings.token_type_embeddings.weight",
                             c.size("type_vocab_size", variant_.segments), e);
    if (!variant_.embedding_norm.empty())
      embedding_norm_ = load.norm(variant_.embedding_norm, e, epsilon_);
    if (e != h || variant_.shares_layers) widen_ = load.linear(variant_.widen, h, e);
  }

  // RoFormer's table is among the weights, in their precision; where it is not, it is made in
  // double precision, as the library makes it.
  nn::Matrix sines(WeightLoader& load, const Config& c, double theta) const {
    const size_t positions = c.size("max_position_embeddings", variant_.positions),
                 width = shape_.width;
    const std::string stored = "encoder.embed_positions.weight";
    if (load.has(stored)) return load.table(stored, positions, width);
    if (positions > kMostSines)
      throw bad_input(
          fmt::format("\"max_position_embeddings\" is {}, and no table of sines is stored",
                      positions))
          .at(c.file().string());
    nn::Matrix table(positions, width);
    for (size_t p = 0; p < positions; ++p)
      for (size_t i = 0; i < width / 2; ++i) {
        const double angle = double(p) * std::pow(theta, -2 * double(i) / double(width));
        table.row(p)[i] = float(std::sin(angle));
        table.row(p)[width / 2 + i] = float(std::cos(angle));
      }
    return table;
  }

  // How a token knows its place, where positions are not added.
  void set_places(WeightLoader& load, const Config& c) {
    const BertVariant& v = variant_;
    if (v.rotary_theta > 0) {
      double theta = c.real_in({"rope_parameters", "rope_theta"}, v.rotary_theta);
      if (c.text_in({"rope_parameters", "rope_type"}, "default") != "default")
        throw bad_input("scaled rotary positions are not supported for " + v.name)
            .at(c.file().string());
      rotary_ = v.has_sines ? nn::Rotary::of_table(sines(load, c, theta), v.neighbours)
                            : nn::Rotary(nn::rotary_frequencies(theta, shape_.width), shape_.width,
                                         v.neighbours);
      if (c.size("head_dim", shape_.width) != shape_.width)
        throw bad_input("\"head_dim\" must be the width divided by the heads")
            .at(c.file().string());
    }
    if (v.distances.empty()) return;
    distances_ = DistanceBias(load.table(v.distances, 32, shape_.heads), 128, true);
    shape_.more = &add_distances_;
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
    if (!variant_.last_norm.empty()) norm_ = load.norm(variant_.last_norm, info.hidden, epsilon_);
  }

  Layer load_layer(WeightLoader& load, const std::string& p, size_t h, size_t inner) const {
    const BertVariant& v = variant_;
    Layer layer;
    layer.qkv = v.qkv.size() == 1 ? load.linear(p + v.qkv[0], 3 * h, h, v.biases)
                                  : load.stacked({p + v.qkv[0], p + v.qkv[1], p + v.qkv[2]}, h, h);
    layer.attention_output = load.linear(p + v.attention_output, h, h, v.biases);
    layer.attention_norm = load.norm(p + v.attention_norm, h, epsilon_);
    std::vector<std::string> up;
    for (const std::string& name : v.up) up.push_back(p + name);
    layer.up = load.stacked(up, inner, h, v.biases);
    layer.down = load.linear(p + v.down, h, inner, v.biases);
    layer.output_norm = load.norm(p + v.output_norm, h, epsilon_);
    return layer;
  }

  void load_head(WeightLoader& load, const Config& c, const query::ModelInfo& info) {
    const BertVariant& v = variant_;
    const size_t e = words_ ? words_.width() : info.hidden;
    head_.dense = load.linear(v.head_dense, e, info.hidden);
    head_.activation = v.gelu_in_head ? nn::Activation::gelu : activation_;
    head_.norm = load.norm(v.head_norm, e, epsilon_);
    const bool tied = is_tied(c, load, v.decoder, kWords);
    output_.weights = load.matrix(tied ? kWords : v.decoder, info.vocabulary, e);
    std::string bias = v.decoder_bias.front();
    for (const std::string& name : v.decoder_bias)
      if (load.has(name)) bias = name;
    output_.bias = load.vector(bias, info.vocabulary);
  }

  // The sum of a word's, the first segment's and the position's embedding, normed.
  void embed(const Batch& batch) {
    const bool narrow = widen_.weights.outputs() > 0;
    nn::Matrix& out = narrow ? narrow_ : hidden_;
    const size_t width = words_.width();
    std::vector<uint32_t> position = batch.positions;
    if (variant_.positions_after_padding) count_after_padding(batch, position);
    out.resize(batch.ids.size(), width);
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      float* x = out.row(i);
      words_.row(static_cast<size_t>(batch.ids[i]), x);
      if (segments_.rows())
        for (size_t d = 0; d < width; ++d) x[d] += segments_.row(0)[d];
      if (positions_.rows())
        for (size_t d = 0; d < width; ++d) x[d] += positions_.row(position[i])[d];
      if (tasks_.rows())
        for (size_t d = 0; d < width; ++d) x[d] += tasks_.row(0)[d];
    }
    if (!embedding_norm_.weight.empty()) nn::normalize(runtime_, out, embedding_norm_);
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

  BertVariant variant_;
  double epsilon_ = 0;
  tokenizer::TokenId padding_ = -1;
  nn::Matrix positions_, segments_, tasks_;
  nn::Rotary rotary_;
  DistanceBias distances_;
  nn::MoreScores add_distances_ = [this](const nn::ScoreBlock& block) { distances_.add(block); };
  nn::Norm embedding_norm_;
  nn::Linear widen_;
  std::vector<Layer> layers_;
  std::vector<size_t> order_;  // which of them runs as number l
  nn::Matrix narrow_;
};

}  // namespace

Family bert_family() {
  return {
      .model_types = {{"bert", "BERT, multilingual BERT, German, Dutch, Hebrew BERT, MultiBERTs"},
                      {"distilbert", "DistilBERT"},
                      {"roberta", "RoBERTa, DistilRoBERTa, MiniBERTas"},
                      {"xlm-roberta", "XLM-R base and large"},
                      {"camembert", "CamemBERT, umBERTo, GottBERT"},
                      {"electra", "ELECTRA's generators"},
                      {"albert", "ALBERT"},
                      {"mpnet", "MPNet"},
                      {"data2vec-text", "data2vec text"},
                      {"ernie", "ERNIE 2, ERNIE 3"},
                      {"megatron-bert", "Megatron-BERT"},
                      {"roberta-prelayernorm", "RoBERTa with norms first"},
                      {"xlm-roberta-xl", "XLM-R XL and XXL"},
                      {"roformer", "RoFormer"},
                      {"nomic_bert", "NomicBERT, as transformers saves it"}},
      .make = make<Encoder, Bert>};
}

}  // namespace minpair::model
