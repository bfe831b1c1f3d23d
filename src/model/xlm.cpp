// XLM (Conneau and Lample 2019) and FlauBERT (Le et al. 2020): embeddings of word and position,
// maybe of a language; layers with their norms behind them or, in some FlauBERTs, before; the
// embedding table again as the head, with nothing between.

#include <fmt/format.h>

#include "base/error.h"
#include "model/architecture.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Linear qkv, attention_output, up, down;
  nn::Norm first_norm, second_norm;
};

class Xlm : public Encoder {
 public:
  explicit Xlm(const Loading& from) : Encoder(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    const bool flaubert = info.architecture == "flaubert";
    read_sizes(from, {"n_layers", "emb_dim", "n_heads", "max_position_embeddings", 512});
    shape_ = attention_shape(c, info.hidden, info.heads);
    activation_ = c.flag("gelu_activation", true) ? nn::Activation::gelu : nn::Activation::relu;
    norms_first_ = flaubert && c.flag("pre_norm", false);
    c.must_be("causal", false, "each token would see only those before it");
    c.must_be("asm", false, "its adaptive softmax is not supported");
    c.must_be("is_encoder", true, "as a decoder it reads what another model has encoded");
    const size_t languages = c.size("n_langs", 1);
    const bool embeds_languages = c.flag("use_lang_emb", true) && languages > 1;
    if (embeds_languages)
      info.notes.push_back(
          fmt::format("this model also has embeddings of {} languages; none is added, as the "
                      "library does when it is not told a language",
                      languages));
    ignore_training(c);

    WeightLoader load(runtime_, from.checkpoint, {"module.", "transformer."});
    const double epsilon = c.real("layer_norm_eps", 1e-12);
    words_ = load.embedding("embeddings.weight", info.vocabulary, info.hidden);
    // Sines, where the configuration asks for them, are stored, too.
    positions_ = load.table("position_embeddings.weight", info.max_tokens, info.hidden);
    embedding_norm_ = load.norm("layer_norm_emb", info.hidden, epsilon);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, i, info.hidden, epsilon));
    const bool tied = is_tied(c, load, "pred_layer.proj.weight", "embeddings.weight");
    output_.weights = load.matrix(tied ? "embeddings.weight" : "pred_layer.proj.weight",
                                  info.vocabulary, info.hidden);
    output_.bias = load.vector("pred_layer.proj.bias", info.vocabulary);
    info.parameters = load.finish(flaubert ? "FlauBERT" : "XLM", {"pred_layer."});
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = words_.width();
    embed(batch, watch);
    place(batch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, batch.late, hidden_);
      nn::linear(runtime_, attention_input(l, layer.first_norm, norms_first_), layer.qkv, qkv_);
      nn::attend(runtime_, shape_, batch.sequences_of(qkv_.rows()), qkv_.part(0, h),
                 qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) keep(rows, {&context_, &hidden_});
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      if (!norms_first_) nn::normalize(runtime_, attended_, layer.first_norm);
      see(Site::attention_residual, l, attended_);
      if (norms_first_) nn::normalize(runtime_, attended_, layer.second_norm, normed_);
      feed_forward(l, norms_first_ ? normed_ : attended_, layer.up, false, layer.down, attended_,
                   hidden_);
      if (!norms_first_) nn::normalize(runtime_, hidden_, layer.second_norm);
      see(Site::residual, l, hidden_);
    }
    return last_norm();
  }

 private:
  // What published configurations say about how the model was trained and what else it may do.
  static void ignore_training(const Config& c) {
    c.ignore(
        {"amp bos_index bptt clip_grad_norm embed_init_std encoder_only end_n_top epoch_size "
         "eos_index fp16 group_by_size id2lang init_std lang2id lang_id langs layerdrop "
         "lg_sampling_factor lgs mask_index max_batch_size max_vocab min_count mlm_steps n_langs "
         "n_words pad_index same_enc_dec sample_alpha share_inout_emb sinusoidal_embeddings "
         "start_n_top tokens_per_batch unk_index word_blank word_dropout word_keep word_mask "
         "word_mask_keep_rand word_pred word_rand word_shuffle"});
  }

  Layer load_layer(WeightLoader& load, size_t i, size_t h, double epsilon) const {
    const std::string a = fmt::format("attentions.{}.", i), f = fmt::format("ffns.{}.", i);
    Layer layer;
    layer.qkv = load.stacked({a + "q_lin", a + "k_lin", a + "v_lin"}, h, h);
    layer.attention_output = load.linear(a + "out_lin", h, h);
    layer.first_norm = load.norm(fmt::format("layer_norm1.{}", i), h, epsilon);
    layer.up = load.linear(f + "lin1", 4 * h, h);
    layer.down = load.linear(f + "lin2", h, 4 * h);
    layer.second_norm = load.norm(fmt::format("layer_norm2.{}", i), h, epsilon);
    return layer;
  }

  void place(const Batch& batch) {
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      const float* position = positions_.row(batch.positions[i]);
      for (size_t d = 0; d < hidden_.columns(); ++d) hidden_.row(i)[d] += position[d];
    }
    nn::normalize(runtime_, hidden_, embedding_norm_);
  }

  bool norms_first_ = false;
  nn::Matrix positions_;
  nn::Norm embedding_norm_;
  std::vector<Layer> layers_;
};

}  // namespace

Family xlm_family() {
  return {.model_types = {{"xlm", "XLM for English, for 17 and 100 languages"},
                          {"flaubert", "FlauBERT small, base and large"}},
          .make = make<Encoder, Xlm>};
}

}  // namespace minpair::model
