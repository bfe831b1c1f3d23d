// GPT-BERT (Charpentier and Samuel 2024), the winner of BabyLM's second round: one network, trained
// to say what comes next both where it sees all tokens, some of them masked, and where it sees only
// those before. So it is read either as a masked or as a causal model (--as), and even as a masked
// one it says at each token what the *next* one is. LTG-BERT's layers, with gated attention; each
// half of a layer reads a weighted sum of all streams so far (Pagliardini et al. 2024).

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "model/causal.h"
#include "model/disentangled.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Linear query_key, value, gate, attention_output, up, down;
  Distances keys, queries;
  std::vector<float> after_attention, after_mlp;  // how much of each stream so far
};

const char* layers_key(const Config& c) {
  return c.has("num_hidden_layers") ? "num_hidden_layers" : "num_layers";
}

// `Kind`: Encoder or Decoder.
template <class Kind>
class GptBert : public Kind {
 protected:
  using Kind::runtime_, Kind::shape_, Kind::words_, Kind::norm_, Kind::output_, Kind::hidden_,
      Kind::normed_, Kind::context_, Kind::wide_, Kind::inner_, Kind::head_;
  using Attend = std::function<void(const nn::AttentionShape&)>;  // of query_key_, value_

  using Kind::Kind;

  void load(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    const size_t h = info.hidden, inner = c.size("intermediate_size");
    epsilon_ = float(c.real("layer_norm_eps", 1e-7));
    norm_ = plain_norm(h), inner_norm_ = plain_norm(inner);
    shape_ = attention_shape(c, h, info.heads);
    shape_.scale /= std::sqrt(3.0f);
    const size_t buckets = c.size("position_bucket_size", 32), rows = 2 * buckets - 1;
    rows_ = DistanceRows(info.max_tokens, int64_t(buckets) - 1, int64_t(rows), int64_t(buckets),
                         info.max_tokens);
    c.ignore({"num_layers", "num_hidden_layers", "is_decoder", "temperature", "hidden_act"});
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model.", "transformer."});
    words_ = load.embedding("embedding.word_embedding.weight", info.vocabulary, h);
    nn::Matrix distances = load.table("embedding.relative_embedding", rows, h);
    nn::Norm norm = load.norm("embedding.relative_layer_norm", h, epsilon_);
    if (distances.rows() && !norm.weight.empty()) nn::normalize(runtime_, distances, norm);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, i, h, inner, distances));
    load_head(load, info);
    info.parameters = load.finish("GPT-BERT", {"classifier.", "lm_head."});
  }

  // From the embeddings in hidden_ to the last stream.
  void run(const LateRows& late, const Attend& attend) {
    nn::Matrix& stream = hidden_;
    nn::normalize(runtime_, stream, norm_);
    this->see(Site::embeddings, 0, stream);
    streams_.resize(2 * layers_.size() + 1);
    streams_[0].resize(stream.rows(), stream.columns());
    std::memcpy(streams_[0].data(), stream.data(),
                stream.rows() * stream.columns() * sizeof(float));
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      this->join(l, late, stream);
      for (uint32_t s = 0; s < 2 * l + 1; ++s) this->join(l, late, streams_[s], beside(s));
      this->attention_input(l, norm_);
      nn::linear(runtime_, normed_, layer.query_key, query_key_);
      nn::linear(runtime_, normed_, layer.value, value_);
      nn::linear(runtime_, normed_, layer.gate, gate_, nn::Activation::gelu);
      nn::MoreScores more = [&](const nn::ScoreBlock& block) {
        rows_.add(runtime_.kernels(), shape_.scale, layer.keys, layer.queries, block);
      };
      nn::AttentionShape shape = shape_;
      shape.more = &more;
      attend(shape);
      this->see(Site::heads, l, context_);
      for (size_t i = 0; i < context_.rows() * context_.columns(); ++i)
        context_.data()[i] *= gate_.data()[i];
      nn::normalize(runtime_, context_, norm_);
      this->add(Site::attention_output, l, context_, layer.attention_output, stream,
                streams_[2 * l + 1]);
      mix(layer.after_attention, stream);
      this->see(Site::attention_residual, l, stream);
      nn::normalize(runtime_, stream, norm_, normed_);
      nn::linear(runtime_, normed_, layer.up, wide_);
      nn::gated(runtime_, wide_, nn::Activation::gelu_tanh, inner_);
      nn::normalize(runtime_, inner_, inner_norm_);
      this->see(Site::mlp_inner, l, inner_);
      this->add(Site::mlp_output, l, inner_, layer.down, stream, streams_[2 * l + 2]);
      mix(layer.after_mlp, stream);
      this->see(Site::residual, l, stream);
      for (uint32_t s = 0; s < 2 * l + 3; ++s) this->see(Site::residual, l, streams_[s], beside(s));
    }
  }

  size_t width() const { return shape_.heads * shape_.width; }

  nn::Matrix query_key_, value_;

 private:
  // Later layers read the earlier streams, too: they go along with the last one.
  static Part beside(uint32_t stream) { return {kSharing + stream, false}; }

  nn::Norm plain_norm(size_t width) const {
    return {.weight = std::vector<float>(width, 1.0f), .bias = {}, .epsilon = epsilon_};
  }

  Layer load_layer(WeightLoader& load, size_t number, size_t h, size_t inner,
                   const nn::Matrix& distances) const {
    const std::string a = fmt::format("attention_layers.{}.", number),
                      m = fmt::format("mlp_layers.{}.mlp.", number);
    Layer layer;
    const nn::Linear query = load.rows(a + "in_proj_qk", 2 * h, 0, h, h);
    const nn::Linear key = load.rows(a + "in_proj_qk", 2 * h, h, h, h);
    if (query.weights.outputs() && distances.rows()) {
      layer.queries = Distances(runtime_, distances, query, shape_.width);
      layer.keys = Distances(runtime_, distances, key, shape_.width);
    }
    layer.query_key = load.linear(a + "in_proj_qk", 2 * h, h);
    layer.value = load.rows(a + "in_proj_vg", 2 * h, 0, h, h);
    layer.gate = load.rows(a + "in_proj_vg", 2 * h, h, h, h);
    layer.attention_output = load.linear(a + "out_proj", h, h);
    // The gate is the second half there.
    layer.up = load.picked(
        m + "1", 2 * inner, 2 * inner, h, [inner](size_t i) { return (i + inner) % (2 * inner); },
        false);
    layer.down = load.linear(m + "4", h, inner, false);
    auto weights = [&](size_t half) {
      return load.vector(fmt::format("dwa_modules.alphas.{}", half), half + 2);
    };
    layer.after_attention = weights(2 * number), layer.after_mlp = weights(2 * number + 1);
    return layer;
  }

  void load_head(WeightLoader& load, const query::ModelInfo& info) {
    const bool newer = load.has("lm_head.nonlinearity.1.weight");  // BabyLM's third round
    const std::string p = newer ? "lm_head.nonlinearity." : "classifier.nonlinearity.";
    head_.dense = load.linear(p + "1", info.hidden, info.hidden);
    head_.norm = norm_;
    const bool own = load.has(p + "5.weight");
    output_.weights = load.matrix(own ? p + "5.weight" : "embedding.word_embedding.weight",
                                  info.vocabulary, info.hidden);
    output_.bias = load.vector(p + "5.bias", info.vocabulary);
  }

  // The sum of the first streams, each so many times.
  void mix(const std::vector<float>& times, nn::Matrix& out) const {
    out.resize(streams_[0].rows(), streams_[0].columns());
    runtime_.parallel(out.rows(), [&](size_t row, int) {
      float* x = out.row(row);
      for (size_t d = 0; d < out.columns(); ++d) x[d] = times[0] * streams_[0].row(row)[d];
      for (size_t s = 1; s < times.size(); ++s)
        for (size_t d = 0; d < out.columns(); ++d) x[d] += times[s] * streams_[s].row(row)[d];
    });
  }

  float epsilon_ = 0;
  DistanceRows rows_;
  nn::Norm inner_norm_;  // this and norm_: without weights
  std::vector<Layer> layers_;
  std::vector<nn::Matrix> streams_;  // before they were mixed
  nn::Matrix gate_;
};

class GptBertEncoder : public GptBert<Encoder> {
 public:
  explicit GptBertEncoder(const Loading& from) : GptBert(from.runtime) {
    read_sizes(from, {.layers = layers_key(from.config), .usual_tokens = 512});
    load(from);
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = width();
    embed(batch, watch);
    run(batch.late, [&](const nn::AttentionShape& shape) {
      nn::attend(runtime_, shape, batch.sequences_of(value_.rows()), query_key_.part(0, h),
                 query_key_.part(h, h), value_, context_);
    });
    keep(rows, {&hidden_});
    return last_norm();
  }
};

class GptBertDecoder : public GptBert<Decoder> {
 public:
  explicit GptBertDecoder(const Loading& from)
      : GptBert(from, SizeKeys{.layers = layers_key(from.config), .usual_tokens = 512}) {
    load(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = width();
    embed(tree, watch);
    run(tree.late, [&](nn::AttentionShape shape) {
      shape.after = 0;
      attention_.run(shape, tree, query_key_.part(0, h), query_key_.part(h, h), value_, context_);
    });
    return last_norm(rows);
  }

  void finish(nn::Matrix& stream) override {
    Decoder::finish(stream);
    head_.run(runtime_, stream);
    std::swap(stream, head_.out);
  }
  bool stream_is_sum() const override { return false; }
};

const char* const kCovers = "GPT-BERT, BabyLM's baselines of 2025";

}  // namespace

Family gpt_bert_family() {
  return {.model_types = {{"gpt_bert", kCovers}},
          .make = make<Encoder, GptBertEncoder>,
          .answers_before = true};
}

Family gpt_bert_causal_family() {
  return {.model_types = {{"gpt_bert", kCovers}}, .make = make<Decoder, GptBertDecoder>};
}

}  // namespace minpair::model
