// LTG-BERT (Samuel et al. 2023), with which BabyLM's first baselines were trained, and NorBERT 3:
// norms first, most of them without weights, gated feed-forward layers, and disentangled attention
// whose distances share the projections of the contents.

#include <fmt/format.h>

#include <cmath>

#include "model/architecture.h"
#include "model/disentangled.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Linear query_key, value, attention_output, up, down;
  nn::Norm after_attention;
  Distances keys, queries;
};

class LtgBert : public Encoder {
 public:
  explicit LtgBert(const Loading& from) : Encoder(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    read_sizes(from, {.usual_tokens = 512});
    const size_t h = info.hidden, inner = c.size("intermediate_size");
    epsilon_ = c.real("layer_norm_eps", 1e-7);
    norm_ = plain_norm(h), inner_norm_ = plain_norm(inner);
    shape_ = attention_shape(c, h, info.heads);
    shape_.scale /= std::sqrt(3.0f);
    const size_t buckets = c.size("position_bucket_size", 32), rows = 2 * buckets - 1;
    rows_ = DistanceRows(info.max_tokens, int64_t(buckets) - 1, int64_t(rows), int64_t(buckets),
                         info.max_tokens);
    c.ignore({"output_all_encoded_layers", "hidden_act"});
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    words_ = load.embedding("embedding.word_embedding.weight", info.vocabulary, h);
    nn::Matrix distances = load.table("embedding.relative_embedding", rows, h);
    nn::Norm norm = load.norm("embedding.relative_layer_norm", h, epsilon_);
    if (distances.rows() && !norm.weight.empty()) nn::normalize(runtime_, distances, norm);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(
          load_layer(load, fmt::format("transformer.layers.{}.", i), h, inner, distances));
    head_.dense = load.linear("classifier.nonlinearity.1", h, h);
    head_.norm = norm_;
    output_.weights = load.matrix("embedding.word_embedding.weight", info.vocabulary, h);
    output_.bias = load.vector("classifier.nonlinearity.5.bias", info.vocabulary);
    info.parameters = load.finish("LTG-BERT", {"classifier."});
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = words_.width();
    embed(batch, watch);
    nn::normalize(runtime_, hidden_, norm_);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, batch.late, hidden_);
      attention_input(l, norm_);
      nn::linear(runtime_, normed_, layer.query_key, query_key_);
      nn::linear(runtime_, normed_, layer.value, value_);
      nn::MoreScores more = [&](const nn::ScoreBlock& block) {
        rows_.add(runtime_.kernels(), shape_.scale, layer.keys, layer.queries, block);
      };
      shape_.more = &more;
      nn::attend(runtime_, shape_, batch.sequences_of(value_.rows()), query_key_.part(0, h),
                 query_key_.part(h, h), value_, context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_,
          layer.after_attention);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, norm_, normed_);
      nn::linear(runtime_, normed_, layer.up, wide_);
      nn::gated(runtime_, wide_, nn::Activation::gelu_tanh, inner_);
      nn::normalize(runtime_, inner_, inner_norm_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm();
  }

 private:
  nn::Norm plain_norm(size_t width) const {
    return {.weight = std::vector<float>(width, 1.0f), .bias = {}, .epsilon = float(epsilon_)};
  }

  Layer load_layer(WeightLoader& load, const std::string& p, size_t h, size_t inner,
                   const nn::Matrix& distances) const {
    const std::string a = p + "attention.";
    Layer layer;
    nn::Linear query = load.rows(a + "in_proj_qk", 2 * h, 0, h, h);
    nn::Linear key = load.rows(a + "in_proj_qk", 2 * h, h, h, h);
    if (query.weights.outputs() && distances.rows()) {
      layer.queries = Distances(runtime_, distances, query, shape_.width);
      layer.keys = Distances(runtime_, distances, key, shape_.width);
    }
    layer.query_key = load.linear(a + "in_proj_qk", 2 * h, h);
    layer.value = load.linear(a + "in_proj_v", h, h);
    layer.attention_output = load.linear(a + "out_proj", h, h);
    layer.after_attention = load.norm(a + "post_layer_norm", h, epsilon_);
    // The gate is the second half there.
    layer.up = load.picked(
        p + "mlp.mlp.1", 2 * inner, 2 * inner, h,
        [inner](size_t i) { return (i + inner) % (2 * inner); }, false);
    layer.down = load.linear(p + "mlp.mlp.4", h, inner, false);
    return layer;
  }

  double epsilon_ = 0;
  DistanceRows rows_;
  nn::Norm inner_norm_;  // this and norm_: without weights
  std::vector<Layer> layers_;
  nn::Matrix query_key_, value_;
};

}  // namespace

Family ltg_bert_family() {
  return {.model_types = {{"ltgbert", "LTG-BERT, BabyLM's ltgbert-10m and -100m"},
                          {"norbert3", "NorBERT 3"}},
          .make = make<Encoder, LtgBert>};
}

}  // namespace minpair::model
