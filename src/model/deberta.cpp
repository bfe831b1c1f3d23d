// DeBERTa (He et al. 2021) and its versions 2 and 3 (He et al. 2023): BERT's layers with
// disentangled attention. A score is made of two contents, of a content and a distance (c2p), and
// of a distance and a content (p2c). Version 2 counts distances in buckets, and may have a
// convolution beside its first layer.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "model/architecture.h"
#include "model/disentangled.h"

namespace minpair::model {
namespace {

const std::string kWords = "embeddings.word_embeddings.weight";

struct Layer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm attention_norm, output_norm;
  Distances keys, queries;  // of distances; empty where the model does not use them
};

class Deberta : public Encoder {
 public:
  explicit Deberta(const Loading& from)
      : Encoder(from.runtime), first_version_(from.info.architecture == "deberta") {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    read_sizes(from, {.usual_tokens = 512});
    epsilon_ = c.real("layer_norm_eps", 1e-7);
    activation_ = nn::find_activation(c.text("hidden_act", "gelu"));
    c.must_be("talking_head", false, "heads that talk to each other are not supported");
    c.ignore({"pooler_hidden_act", "pooler_hidden_size", "padding_idx", "tie_word_embeddings"});
    set_attention(c, info);
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "deberta."});
    load_embeddings(load, c, info);
    const nn::Matrix distances = load_distances(load, info.hidden, c);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, i, info.hidden, c.size("intermediate_size"), distances));
    if (!first_version_ && c.integer("conv_kernel_size", 0) > 0) load_convolution(load, c);
    load_head(load, c, info);
    info.parameters = load.finish("DeBERTa", {"cls.", "lm_predictions."});
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = shape_.heads * shape_.width;
    begin(batch.ids.size(), watch);
    embed(batch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, batch.late, hidden_);
      const bool convolved = l == 0 && convolution_.weights.outputs() > 0;
      if (convolved) convolve(batch);
      const nn::Matrix& in = see_copy(Site::attention_input, l, hidden_);
      nn::linear(runtime_, in, layer.qkv, qkv_);
      nn::MoreScores more = [&](const nn::ScoreBlock& block) {
        rows_.add(runtime_.kernels(), shape_.scale, layer.keys, layer.queries, block);
      };
      shape_.more = relative_ ? &more : nullptr;
      nn::attend(runtime_, shape_, batch.sequences_of(qkv_.rows()), qkv_.part(0, h),
                 qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) {
        keep(rows, {&context_, &hidden_});
        if (convolved) keep(rows, {&convolved_});
      }
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      nn::normalize(runtime_, attended_, layer.attention_norm);
      see(Site::attention_residual, l, attended_);
      feed_forward(l, attended_, layer.up, false, layer.down, attended_, hidden_);
      nn::normalize(runtime_, hidden_, layer.output_norm);
      if (convolved) {
        for (size_t i = 0; i < hidden_.rows(); ++i)
          for (size_t d = 0; d < h; ++d) hidden_.row(i)[d] += convolved_.row(i)[d];
        nn::normalize(runtime_, hidden_, convolution_norm_);
      }
      see(Site::residual, l, hidden_);
    }
    return last_norm();
  }

 private:
  void set_attention(const Config& c, const query::ModelInfo& info) {
    shape_ = attention_shape(c, info.hidden, info.heads);
    if (c.size("attention_head_size", shape_.width) != shape_.width)
      throw bad_input("\"attention_head_size\" must be the width divided by the heads")
          .at(c.file().string());
    for (const std::string& said : c.texts("pos_att_type")) {
      const std::string kinds = lower(said);  // one, or "p2c|c2p"
      c2p_ |= kinds.find("c2p") != kinds.npos;
      p2c_ |= kinds.find("p2c") != kinds.npos;
    }
    shape_.scale /= float(std::sqrt(1.0 + c2p_ + p2c_));
    relative_ = c.flag("relative_attention", false) && (c2p_ || p2c_);
    share_keys_ = c.flag("share_att_key", false);
    int64_t furthest = c.integer("max_relative_positions", -1);
    if (furthest < 1) furthest = info.max_tokens;
    const int64_t buckets = first_version_ ? -1 : c.integer("position_buckets", -1);
    span_ = buckets > 0 ? buckets : furthest;
    rows_ =
        DistanceRows(info.max_tokens, span_, 2 * span_, std::max<int64_t>(buckets, 0), furthest);
  }

  void load_embeddings(WeightLoader& load, const Config& c, const query::ModelInfo& info) {
    const size_t h = info.hidden, e = c.size("embedding_size", h);
    words_ = load.embedding(kWords, info.vocabulary, e);
    if (c.flag("position_biased_input", true))
      positions_ = load.table("embeddings.position_embeddings.weight", info.max_tokens, e);
    if (int64_t types = c.integer("type_vocab_size", 0); types > 0)
      segments_ = load.table("embeddings.token_type_embeddings.weight", size_t(types), e);
    if (e != h) widen_ = load.linear("embeddings.embed_proj", h, e, false);
    embedding_norm_ = load.norm("embeddings.LayerNorm", h, epsilon_);
  }

  nn::Matrix load_distances(WeightLoader& load, size_t h, const Config& c) const {
    const bool normed = c.text("norm_rel_ebd", "none").find("layer_norm") != std::string::npos;
    if (!c.flag("relative_attention", false)) return {};
    nn::Matrix distances = load.table("encoder.rel_embeddings.weight", size_t(2 * span_), h);
    if (!first_version_ && normed && distances.rows() > 0)
      nn::normalize(runtime_, distances, load.norm("encoder.LayerNorm", h, epsilon_));
    return distances;
  }

  Layer load_layer(WeightLoader& load, size_t i, size_t h, size_t inner,
                   const nn::Matrix& distances) const {
    const std::string p = fmt::format("encoder.layer.{}.", i), a = p + "attention.self.";
    Layer layer;
    std::string keys = a + (share_keys_ ? "key_proj" : "pos_key_proj"),
                queries = a + (share_keys_ ? "query_proj" : "pos_query_proj");
    if (first_version_) {
      layer.qkv = load.by_head(a + "in_proj", shape_.heads, shape_.width, h, false);
      layer.qkv.bias = load.vector(a + "q_bias", h);
      layer.qkv.bias.resize(2 * h);
      std::vector<float> values = load.vector(a + "v_bias", h);
      layer.qkv.bias.insert(layer.qkv.bias.end(), values.begin(), values.end());
      keys = a + "pos_proj", queries = a + "pos_q_proj";
    } else {
      layer.qkv = load.stacked({a + "query_proj", a + "key_proj", a + "value_proj"}, h, h);
    }
    auto of_distances = [&](const std::string& name, bool bias) {
      nn::Linear made = load.linear(name, h, h, bias);
      return made.weights.outputs() && distances.rows()
                 ? Distances(runtime_, distances, made, shape_.width)
                 : Distances();
    };
    if (relative_ && c2p_) layer.keys = of_distances(keys, !first_version_);
    if (relative_ && p2c_) layer.queries = of_distances(queries, true);
    layer.attention_output = load.linear(p + "attention.output.dense", h, h);
    layer.attention_norm = load.norm(p + "attention.output.LayerNorm", h, epsilon_);
    layer.up = load.linear(p + "intermediate.dense", inner, h);
    layer.down = load.linear(p + "output.dense", h, inner);
    layer.output_norm = load.norm(p + "output.LayerNorm", h, epsilon_);
    return layer;
  }

  void load_convolution(WeightLoader& load, const Config& c) {
    const size_t h = shape_.heads * shape_.width;
    const size_t k = reach_ = c.size("conv_kernel_size", 3);
    if (k % 2 == 0 || c.size("conv_groups", 1) != 1)
      throw bad_input("only convolutions of an odd width and one group are supported")
          .at(c.file().string());
    convolution_activation_ = nn::find_activation(c.text("conv_act", "tanh"));
    std::vector<float> stored =
        load.numbers("encoder.conv.conv.weight", {int64_t(h), int64_t(h), int64_t(k)});
    convolution_.bias = load.vector("encoder.conv.conv.bias", h);
    convolution_norm_ = load.norm("encoder.conv.LayerNorm", h, epsilon_);
    if (stored.empty()) return;
    // As one product with the neighbours of a token, side by side.
    convolution_.weights =
        nn::Weights(runtime_, h, k * h, [&](size_t begin, size_t end, float* to) {
          for (size_t o = begin; o < end; ++o)
            for (size_t t = 0; t < k; ++t)
              for (size_t i = 0; i < h; ++i) *to++ = stored[(o * h + i) * k + t];
        });
  }

  void load_head(WeightLoader& load, const Config& c, query::ModelInfo& info) {
    const size_t h = info.hidden, e = words_ ? words_.width() : h;
    // The library's own default is a head that Microsoft's checkpoints do not have.
    const bool theirs = load.has("lm_predictions.lm_head.dense.weight");
    const bool legacy = c.flag("legacy", !theirs) && !theirs;
    const std::string p = legacy ? "cls.predictions." : "lm_predictions.lm_head.";
    const std::string transform = legacy ? p + "transform." : p;
    head_.dense = load.linear(transform + "dense", e, h);
    head_.activation = activation_;
    head_.norm = load.norm(transform + "LayerNorm", e, epsilon_);
    const bool tied = !legacy || is_tied(c, load, p + "decoder.weight", kWords);
    output_.weights = load.matrix(tied ? kWords : p + "decoder.weight", info.vocabulary, e);
    const bool other = legacy && !load.has(p + "bias");
    output_.bias = load.vector(p + (other ? "decoder.bias" : "bias"), info.vocabulary);
    if (load.has("mask_predictions.dense.weight"))
      info.notes.push_back(
          "these weights were trained to find replaced words (DeBERTa 3): what they say about a "
          "mask may be worth little; the generator that was trained beside them is the language "
          "model");
  }

  void embed(const Batch& batch) {
    const size_t e = words_.width();
    const bool narrow = widen_.weights.outputs() > 0;
    nn::Matrix& out = narrow ? narrow_ : hidden_;
    out.resize(batch.ids.size(), e);
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      float* x = out.row(i);
      words_.row(size_t(batch.ids[i]), x);
      if (positions_.rows())
        for (size_t d = 0; d < e; ++d) x[d] += positions_.row(batch.positions[i])[d];
      if (segments_.rows())
        for (size_t d = 0; d < e; ++d) x[d] += segments_.row(0)[d];
    }
    if (narrow) nn::linear(runtime_, narrow_, widen_, hidden_);
    nn::normalize(runtime_, hidden_, embedding_norm_);
  }

  // What the first layer's output is added to.
  void convolve(const Batch& batch) {
    const size_t h = hidden_.columns();
    neighbours_.resize(hidden_.rows(), reach_ * h);
    for (const nn::Sequence& s : batch.sequences_of(hidden_.rows()))
      for (size_t i = 0; i < s.queries; ++i)
        for (size_t t = 0; t < reach_; ++t) {
          float* to = neighbours_.row(s.query + i) + t * h;
          const size_t from = i + t - reach_ / 2;  // wraps around before the first token
          if (from < s.queries)
            std::memcpy(to, hidden_.row(s.query + from), h * sizeof(float));
          else
            std::memset(to, 0, h * sizeof(float));
        }
    nn::linear(runtime_, neighbours_, convolution_, convolved_, convolution_activation_);
  }

  bool first_version_, c2p_ = false, p2c_ = false, relative_ = false, share_keys_ = false;
  double epsilon_ = 0;
  nn::Activation convolution_activation_{};
  int64_t span_ = 0;
  DistanceRows rows_;
  nn::Matrix positions_, segments_;
  nn::Norm embedding_norm_, convolution_norm_;
  nn::Linear widen_, convolution_;
  size_t reach_ = 0;
  std::vector<Layer> layers_;
  nn::Matrix narrow_, neighbours_, convolved_;
};

}  // namespace

Family deberta_family() {
  return {.model_types = {{"deberta", "DeBERTa base, large"},
                          {"deberta-v2", "DeBERTa v2 and v3, mDeBERTa: where the head was saved"}},
          .make = make<Encoder, Deberta>};
}

}  // namespace minpair::model
