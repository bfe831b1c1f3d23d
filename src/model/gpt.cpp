// Decoders of GPT's kind: GPT (Radford et al. 2018), GPT-2 (Radford et al. 2019), OPT (Zhang et al.
// 2022), XGLM (Lin et al. 2022), GPT-Neo (Black et al. 2021), GPT-J (Wang & Komatsuzaki 2021),
// GPT-NeoX (Black et al. 2022; Pythia), BLOOM (Scao et al. 2022), Phi (Gunasekar et al. 2023),
// Falcon (Almazrouei et al. 2023), MPT, CodeGen, StarCoder. A layer is attention and a feed-forward
// layer; how they are put together, and how a token knows its place, is stated in `GptVariant`.

#include "model/gpt_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

// Vaswani et al. (2017), all sines first.
nn::Matrix waves(size_t positions, size_t width) {
  nn::Matrix table(positions, width);
  const size_t half = width / 2;
  const double step = std::log(10000.0) / double(half - 1);
  for (size_t p = 0; p < positions; ++p)
    for (size_t i = 0; i < half; ++i) {
      double angle = float(p) * float(std::exp(-step * double(i)));
      table.row(p)[i] = float(std::sin(angle));
      table.row(p)[half + i] = float(std::cos(angle));
    }
  return table;
}

struct Layer {
  nn::Norm attention_norm, mlp_norm;
  nn::Linear qkv, attention_output, up, down;
};

class Gpt : public Decoder {
 public:
  explicit Gpt(const Loading& from)
      : Decoder(from, gpt_variant(from.config, from.info.architecture).sizes),
        variant_(gpt_variant(from.config, from.info.architecture)) {
    const Config& c = from.config;
    activation_ = nn::find_activation(c.text(variant_.activation, variant_.usual_activation));
    shape_ = attention_shape(c, from.info.hidden, from.info.heads);
    shape_.after = 0;
    if (variant_.score_scale > 0) shape_.scale = float(variant_.score_scale);
    if (variant_.key_heads > 0) shape_.key_heads = variant_.key_heads;
    if (shape_.heads % shape_.key_heads)
      throw bad_input("the heads do not fit the heads of keys").at(c.file().string());
    WeightLoader load(runtime_, from.checkpoint, variant_.prefixes, variant_.transposed);
    load_embeddings(load, from);
    load_layers(load, from);
    load_head(load, from);
    from.info.parameters = load.finish(variant_.name, {variant_.output});
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const GptVariant& v = variant_;
    const size_t h = shape_.heads * shape_.width, kv = shape_.key_heads * shape_.width;
    const std::vector<uint32_t> positions = tree.positions();
    embed(tree, watch);
    place(positions);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      nn::AttentionShape shape = shape_;
      if (!v.before.empty()) shape.before = v.before[l];
      if (v.scaled_by_layer) shape.scale /= float(l + 1);
      nn::linear(runtime_, attention_input(l, layer.attention_norm, v.norms_first), layer.qkv,
                 qkv_);
      if (v.clip > 0) clip(qkv_, v.clip);
      if (v.places == Places::rotary)
        rotary_.apply(runtime_, std::span(positions).first(qkv_.rows()),
                      shape_.heads + shape_.key_heads, qkv_.data(), qkv_.columns());
      attention_.run(shape, tree, qkv_.part(0, h), qkv_.part(h, kv), qkv_.part(h + kv, kv),
                     context_);
      see(Site::heads, l, context_);
      if (v.own_norms) nn::normalize(runtime_, hidden_, layer.mlp_norm, normed_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      if (!v.norms_first) nn::normalize(runtime_, attended_, layer.attention_norm);
      see(Site::attention_residual, l, attended_);
      if (v.norms_first && !v.side_by_side)
        nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      feed_forward(l, v.norms_first ? normed_ : attended_, layer.up, false, layer.down, attended_,
                   hidden_);
      if (!v.norms_first) nn::normalize(runtime_, hidden_, layer.mlp_norm);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  void finish(nn::Matrix& stream) override {
    if (!norm_.weight.empty()) nn::normalize(runtime_, stream, norm_);
    narrow(stream);
  }
  bool stream_is_sum() const override { return variant_.norms_first && !norm_.weight.empty(); }
  void finish_parts(nn::Matrix& rows) override {
    Decoder::finish_parts(rows);
    narrow(rows);
  }

 private:
  void narrow(nn::Matrix& stream) {
    if (narrow_.weights.outputs() == 0) return;
    nn::linear(runtime_, stream, narrow_, normed_);
    std::swap(stream, normed_);
  }

  void load_embeddings(WeightLoader& load, const Loading& from) {
    const Config& c = from.config;
    const GptVariant& v = variant_;
    const size_t h = from.info.hidden, positions = from.info.max_tokens + v.first_place;
    const size_t e = v.embedding_width ? v.embedding_width : h;
    words_ = load.embedding(v.words, from.info.vocabulary, e);
    if (e != h) {
      widen_ = load.linear("project_in", h, e, false);
      narrow_ = load.linear("project_out", e, h, false);
    }
    if (v.places == Places::learned) positions_ = load.table(v.learned, positions, h);
    if (v.places == Places::waves) positions_ = waves(positions, h);
    if (v.places == Places::alibi && v.rounded_slopes)
      shape_.more = &rounded_steps_;
    else if (v.places == Places::alibi)
      shape_.slopes = variant_.slopes;
    if (v.places == Places::rotary) set_rotary(from);
    if (!v.embedding_norm.empty()) embedding_norm_ = load.norm(v.embedding_norm, h, epsilon(c));
  }

  void set_rotary(const Loading& from) {
    const Config& c = from.config;
    const size_t turned = variant_.turned ? variant_.turned : shape_.width;
    if (turned > shape_.width || turned % 2)
      throw bad_input(
          fmt::format("{} of {} columns of a head cannot be turned", turned, shape_.width))
          .at(c.file().string());
    Rope rope = rope_of(c, variant_.theta, turned);
    if (rope.scores != 1)
      throw bad_input("this rotary scaling is not supported for " + variant_.name)
          .at(c.file().string());
    rotary_ = nn::Rotary(std::move(rope.frequencies), shape_.width, variant_.neighbours);
  }

  double epsilon(const Config& c) const { return c.real(variant_.epsilon, 1e-5); }

  void load_layers(WeightLoader& load, const Loading& from) {
    const Config& c = from.config;
    const GptVariant& v = variant_;
    const size_t h = from.info.hidden, inner = c.size(v.inner, 4 * h);
    for (uint32_t i = 0; i < from.info.layers; ++i) {
      const std::string p = fmt::format(fmt::runtime(v.layer), i);
      Layer layer;
      layer.attention_norm = load.norm(p + v.attention_norm, h, epsilon(c), v.norm_bias);
      if (!v.side_by_side || v.own_norms)
        layer.mlp_norm = load.norm(p + v.mlp_norm, h, epsilon(c), v.norm_bias);
      layer.qkv = load_qkv(load, p, h);
      layer.attention_output = load.linear(p + v.attention_output, h, h, v.output_bias);
      layer.up = load.linear(p + v.up, inner, h, v.mlp_bias);
      layer.down = load.linear(p + v.down, h, inner, v.mlp_bias);
      layers_.push_back(std::move(layer));
    }
    if (!v.norm.empty()) norm_ = load.norm(v.norm, h, epsilon(c), v.norm_bias);
  }

  nn::Linear load_qkv(WeightLoader& load, const std::string& p, size_t h) const {
    const GptVariant& v = variant_;
    const size_t w = shape_.width, heads = shape_.heads, keys = shape_.key_heads;
    if (v.qkv.size() > 1)
      return load.stacked({p + v.qkv[0], p + v.qkv[1], p + v.qkv[2]}, h, h, v.qkv_bias);
    const size_t all = (heads + 2 * keys) * w;
    if (v.in_order) return load.linear(p + v.qkv[0], all, h, v.qkv_bias);
    if (!v.row_of) return load.by_head(p + v.qkv[0], heads, w, h, v.qkv_bias);
    auto row_of = [&](size_t output) {
      size_t head = output / w, part = head < heads ? 0 : head < heads + keys ? 1 : 2;
      if (part > 0) head -= heads + (part - 1) * keys;
      return v.row_of(part, head) * w + output % w;
    };
    return load.picked(p + v.qkv[0], all, all, h, row_of, v.qkv_bias);
  }

  void load_head(WeightLoader& load, const Loading& from) {
    const GptVariant& v = variant_;
    const std::string own = v.output + ".weight";
    const bool tied = is_tied(from.config, load, own, v.words, v.tied);
    output_.weights = load.matrix(tied ? v.words : own, from.info.vocabulary,
                                  words_ ? words_.width() : from.info.hidden);
    if (v.head_bias) output_.bias = load.vector(v.output + ".bias", from.info.vocabulary);
  }

  // From words to what the first layer reads.
  void place(std::span<const uint32_t> positions) {
    if (variant_.embeddings_times != 1)
      for (size_t i = 0; i < hidden_.rows(); ++i)
        for (size_t d = 0; d < hidden_.columns(); ++d)
          hidden_.row(i)[d] *= float(variant_.embeddings_times);
    if (widen_.weights.outputs() > 0) {
      nn::linear(runtime_, hidden_, widen_, normed_);
      std::swap(hidden_, normed_);
    }
    for (size_t i = 0; positions_.rows() > 0 && i < hidden_.rows(); ++i) {
      const float* place = positions_.row(positions[i] + variant_.first_place);
      for (size_t d = 0; d < hidden_.columns(); ++d) hidden_.row(i)[d] += place[d];
    }
    if (!embedding_norm_.weight.empty()) nn::normalize(runtime_, hidden_, embedding_norm_);
  }

  static float round_to_bf16(float x) {
    uint32_t bits = std::bit_cast<uint32_t>(x);
    bits += 0x7fff + (bits >> 16 & 1);
    return std::bit_cast<float>(bits & 0xffff0000);
  }

  GptVariant variant_;
  nn::Rotary rotary_;
  // By the place of the key, not by its distance: the rounding is not the same everywhere.
  nn::MoreScores rounded_steps_ = [this](const nn::ScoreBlock& block) {
    const float slope = round_to_bf16(variant_.slopes[block.head]);
    for (size_t j = 0; j < block.keys; ++j) {
      float step = round_to_bf16(slope * float(block.key + j)) * shape_.scale;
      for (size_t i = 0; i < block.queries; ++i) block.scores[i * block.stride + j] += step;
    }
  };
  nn::Matrix positions_;
  nn::Norm embedding_norm_;
  nn::Linear widen_, narrow_;
  std::vector<Layer> layers_;
};

}  // namespace

Family gpt_family() {
  return {.model_types = {{"gpt2", "GPT-2, DistilGPT-2, German GPT-2, BabyLM baselines"},
                          {"opt", "OPT 125M to 66B"},
                          {"xglm", "XGLM 564M to 7.5B"},
                          {"gpt_neo", "GPT-Neo 125M to 2.7B"},
                          {"gptj", "GPT-J 6B"},
                          {"bloom", "BLOOM 560M to 176B, BLOOMZ"},
                          {"phi", "Phi-1, Phi-1.5, Phi-2"},
                          {"falcon", "Falcon 1B to 180B, Falcon-RW"},
                          {"mpt", "MPT 7B, 30B"},
                          {"openai-gpt", "GPT (2018)"},
                          {"codegen", "CodeGen"},
                          {"gpt_bigcode", "StarCoder, SantaCoder"},
                          {"gpt_neox", "Pythia, GPT-NeoX 20B, RedPajama-INCITE"}},
          .make = make<Decoder, Gpt>,
          .gguf = gpt_gguf()};
}

}  // namespace minpair::model
