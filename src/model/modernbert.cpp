// ModernBERT (Warner et al. 2024): rotary positions, pre-norm layers without biases, gated
// feed-forward; most layers see only a window around each token. The same layers, each token seeing
// only those before it, are the decoders of Ettin (Weller et al. 2025), trained beside encoders on
// the same text.

#include <fmt/format.h>

#include "base/error.h"
#include "model/causal.h"

namespace minpair::model {
namespace {

const std::string kWords = "embeddings.tok_embeddings.weight";

// Layers that see a window turn by other angles than those that see everything.
struct Rotaries {
  nn::Rotary global, local;
};

Rotaries rotaries_of(const Config& c, size_t width) {
  double global = c.real("global_rope_theta", 160000);
  // Null is the global one, as transformers 4 has it.
  double local = c.real("local_rope_theta", c.says("local_rope_theta") ? global : 10000);
  for (const char* layers : {"full_attention", "sliding_attention"})
    if (c.text_in({"rope_parameters", layers, "rope_type"}, "default") != "default")
      throw bad_input("scaled rotary positions are not supported for ModernBERT")
          .at(c.file().string());
  global = c.real_in({"rope_parameters", "full_attention", "rope_theta"}, global);
  local = c.real_in({"rope_parameters", "sliding_attention", "rope_theta"}, local);
  return {nn::Rotary(nn::rotary_frequencies(global, width)),
          nn::Rotary(nn::rotary_frequencies(local, width))};
}

struct Layer {
  bool local = false;
  nn::Norm attention_norm;  // the first layer has none
  nn::Linear qkv, attention_output;
  nn::Norm mlp_norm;
  nn::Linear up, down;  // `up` gives the input and its gate, side by side
};

// `qkv`: the names of one tensor or of three.
Layer load_layer(WeightLoader& load, const Config& c, size_t number, size_t width,
                 const std::vector<std::string>& qkv) {
  const std::string p = fmt::format("layers.{}.", number);
  const double epsilon = c.real("norm_eps", 1e-5);
  const bool norm_bias = c.flag("norm_bias", false), bias = c.flag("attention_bias", false);
  const bool mlp_bias = c.flag("mlp_bias", false);
  const size_t inner = c.size("intermediate_size", 1152);
  const std::vector<std::string> types = c.texts("layer_types");
  if (!types.empty() && types.size() != c.size("num_hidden_layers", 22))
    throw bad_input("\"layer_types\" speaks of another number of layers").at(c.file().string());
  const size_t every = c.size("global_attn_every_n_layers", 3);
  std::vector<std::string> names;
  for (const std::string& name : qkv) names.push_back(p + "attn." + name);
  Layer layer;
  layer.local = number < types.size() ? types[number] == "sliding_attention" : number % every != 0;
  if (number > 0) layer.attention_norm = load.norm(p + "attn_norm", width, epsilon, norm_bias);
  layer.qkv = load.stacked(names, 3 * width / names.size(), width, bias);
  layer.attention_output = load.linear(p + "attn.Wo", width, width, bias);
  layer.mlp_norm = load.norm(p + "mlp_norm", width, epsilon, norm_bias);
  layer.up = load.linear(p + "mlp.Wi", 2 * inner, width, mlp_bias);
  layer.down = load.linear(p + "mlp.Wo", width, inner, mlp_bias);
  return layer;
}

// `Kind`: Encoder or Decoder.
template <class Kind>
class ModernBertLayers : public Kind {
 protected:
  using Kind::Kind;
  using Kind::runtime_, Kind::shape_, Kind::activation_, Kind::words_, Kind::norm_, Kind::head_,
      Kind::output_, Kind::hidden_, Kind::normed_, Kind::qkv_, Kind::context_, Kind::attended_;

  // Names of the head begin with `head`.
  void load(const Loading& from, const std::string& what, const std::string& head,
            const std::vector<std::string>& qkv) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    const size_t h = info.hidden;
    activation_ = nn::find_activation(c.text("hidden_activation", "gelu"));
    rotaries_ = rotaries_of(c, shape_.width);
    c.ignore(
        {"position_embedding_type layer_norm_eps deterministic_flash_attn reference_compile "
         "repad_logits_with_grad sparse_prediction sparse_pred_ignore_index"});
    WeightLoader load(runtime_, from.checkpoint, {"module.", "model."});
    const double epsilon = c.real("norm_eps", 1e-5);
    const bool norm_bias = c.flag("norm_bias", false);
    words_ = load.embedding(kWords, info.vocabulary, h);
    embedding_norm_ = load.norm("embeddings.norm", h, epsilon, norm_bias);
    for (size_t i = 0; i < info.layers; ++i) layers_.push_back(load_layer(load, c, i, h, qkv));
    norm_ = load.norm("final_norm", h, epsilon, norm_bias);
    head_.dense = load.linear(head + "dense", h, h, c.flag("classifier_bias", false));
    head_.activation = nn::find_activation(c.text("classifier_activation", "gelu"));
    head_.norm = load.norm(head + "norm", h, epsilon, norm_bias);
    const bool tied = is_tied(c, load, "decoder.weight", kWords);
    output_.weights = load.matrix(tied ? kWords : "decoder.weight", info.vocabulary, h);
    if (c.flag("decoder_bias", true)) output_.bias = load.vector("decoder.bias", info.vocabulary);
    info.parameters = load.finish(what, {head, "decoder."});
  }

  void begin_layers() {
    nn::normalize(runtime_, hidden_, embedding_norm_);
    this->see(Site::embeddings, 0, hidden_);
  }
  // Into qkv_.
  void read(size_t l, std::span<const uint32_t> positions) {
    const Layer& layer = layers_[l];
    nn::linear(runtime_, this->attention_input(l, layer.attention_norm, l > 0), layer.qkv, qkv_);
    nn::Rotary& rotary = layer.local ? rotaries_.local : rotaries_.global;
    rotary.apply(runtime_, positions, 2 * shape_.heads, qkv_.data(), qkv_.columns());
  }
  // What follows attention.
  void finish_layer(size_t l) {
    const Layer& layer = layers_[l];
    this->add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
    this->see(Site::attention_residual, l, attended_);
    nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
    this->feed_forward(l, normed_, layer.up, true, layer.down, attended_, hidden_);
    this->see(Site::residual, l, hidden_);
  }

  std::vector<Layer> layers_;

 private:
  Rotaries rotaries_;
  nn::Norm embedding_norm_;
};

class ModernBert : public ModernBertLayers<Encoder> {
 public:
  explicit ModernBert(const Loading& from) : ModernBertLayers(from.runtime) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    info.layers = c.count("num_hidden_layers", 22);
    info.hidden = c.count("hidden_size", 768);
    info.heads = c.count("num_attention_heads", 12);
    info.vocabulary = c.count("vocab_size", 50368);
    info.max_tokens = c.count("max_position_embeddings", 8192);
    shape_ = local_ = attention_shape(c, info.hidden, info.heads);
    local_.before = local_.after = static_cast<size_t>(c.size("local_attention", 128) / 2);
    for (const char* key : {"causal_mask", "is_causal"})
      c.must_be(key, false, "tokens that do not see later ones are not supported");
    load(from, "ModernBERT", "head.", {"Wqkv"});
  }

  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = words_.width();
    embed(batch, watch);
    begin_layers();
    for (size_t l = 0; l < layers_.size(); ++l) {
      join(l, batch.late, hidden_);
      read(l, batch.positions_of(hidden_.rows()));
      nn::attend(runtime_, layers_[l].local ? local_ : shape_, batch.sequences_of(qkv_.rows()),
                 qkv_.part(0, h), qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      // What nobody reads need not leave the last layer.
      if (l + 1 == layers_.size()) keep(rows, {&context_, &hidden_});
      finish_layer(l);
    }
    return last_norm();
  }

 private:
  nn::AttentionShape local_;
};

// Between the last norm and the output there is the masked model's transforming head.
class ModernBertDecoder : public ModernBertLayers<Decoder> {
 public:
  explicit ModernBertDecoder(const Loading& from) : ModernBertLayers(from, SizeKeys()) {
    const Config& c = from.config;
    shape_ = attention_shape(c, from.info.hidden, from.info.heads);
    shape_.after = 0;
    window_ = c.size("local_attention", 128) / 2;
    // Transformers 4 makes it anew of the other, 5 keeps it.
    if (c.has("sliding_window") && c.has("local_attention") &&
        c.size("sliding_window") != c.size("local_attention") / 2)
      throw bad_input("\"sliding_window\" must be half of \"local_attention\"")
          .at(c.file().string())
          .hint(
              "versions of transformers do not agree on which counts; keep the one that is meant");
    if (c.has("sliding_window")) window_ = c.size("sliding_window");
    if (window_ == 0) throw bad_input("\"local_attention\" is too small").at(c.file().string());
    for (const char* key : {"causal_mask", "is_causal"})
      c.must_be(key, true, "a decoder's tokens do not see later ones");
    load(from, "ModernBERT's decoder", "lm_head.", {"q_proj", "k_proj", "v_proj"});
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const size_t h = shape_.heads * shape_.width;
    const std::vector<uint32_t> positions = tree.positions();
    embed(tree, watch);
    begin_layers();
    for (size_t l = 0; l < layers_.size(); ++l) {
      join(l, tree.late, hidden_);
      nn::AttentionShape shape = shape_;
      if (layers_[l].local) shape.before = window_ - 1;
      read(l, std::span(positions).first(hidden_.rows()));
      attention_.run(shape, tree, qkv_.part(0, h), qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      finish_layer(l);
    }
    return last_norm(rows);
  }

  void finish(nn::Matrix& stream) override {
    Decoder::finish(stream);
    head_.run(runtime_, stream);
    std::swap(stream, head_.out);
  }
  bool stream_is_sum() const override { return false; }  // the head is no sum of its parts

 private:
  size_t window_ = 0;
};

}  // namespace

Family modernbert_family() {
  return {.model_types = {{"modernbert", "ModernBERT, mmBERT"}}, .make = make<Encoder, ModernBert>};
}

Family modernbert_decoder_family() {
  return {.model_types = {{"modernbert-decoder", "Ettin's decoders, 17M to 1B"}},
          .make = make<Decoder, ModernBertDecoder>};
}

}  // namespace minpair::model
