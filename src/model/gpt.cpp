// Decoders of GPT's kind, beside GPT-2 itself: OPT (Zhang et al. 2022), XGLM (Lin et al. 2022),
// GPT-Neo (Black et al. 2021), GPT-J (Wang & Komatsuzaki 2021), BLOOM (Scao et al. 2022) and Phi
// (Gunasekar et al. 2023). A layer is attention and a feed-forward layer; how they are put
// together, and how a token knows its place, is stated in `Variant`.

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/rope.h"

namespace minpair::model {
namespace {

enum class Places { learned, waves, rotary, alibi };

struct Variant {
  std::string name;
  SizeKeys sizes;
  // Keys of config.json, and what is meant where one is absent.
  const char *inner = "intermediate_size", *activation = "activation_function",
             *epsilon = "layer_norm_epsilon";  // none: always 1e-5
  std::string usual_activation = "gelu_new";
  Places places = Places::learned;
  size_t first_place = 0;     // OPT, XGLM: the first token's
  bool norms_first = true;    // OPT 350m: after the sums
  bool side_by_side = false;  // GPT-J, Phi: both parts read one norm's output
  bool scaled = true;         // GPT-Neo: scores are not divided by the root of the width
  bool neighbours = false;    // rotary pairs lie beside each other
  bool qkv_bias = true, output_bias = true, mlp_bias = true, head_bias = false, tied = true;
  double embeddings_times = 1;
  // Tensors.
  std::vector<std::string> prefixes{"module.", "transformer."};
  std::string words = "wte.weight", learned = "wpe.weight", embedding_norm, layer = "h.{}.";
  std::vector<std::string>
      qkv;  // three, or one that has query, key and value of each head together
  std::string attention_output, attention_norm = "ln_1", mlp_norm = "ln_2", up, down, norm = "ln_f";
};

Variant opt(const Config& c) {
  Variant v{.name = "OPT", .inner = "ffn_dim", .epsilon = "", .usual_activation = "relu"};
  v.first_place = 2;
  v.norms_first = c.flag("do_layer_norm_before", true);
  v.qkv_bias = v.output_bias = v.mlp_bias = c.flag("enable_bias", true);
  c.must_be("layer_norm_elementwise_affine", true, "norms without weights are not supported");
  v.prefixes = {"module.", "model.", "decoder."};
  v.words = "embed_tokens.weight", v.learned = "embed_positions.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.attention_output = "self_attn.out_proj", v.attention_norm = "self_attn_layer_norm";
  v.up = "fc1", v.down = "fc2", v.mlp_norm = "final_layer_norm", v.norm = "final_layer_norm";
  if (!v.norms_first || c.flag("_remove_final_layer_norm", false)) v.norm.clear();
  return v;
}

Variant xglm(const Config& c) {
  Variant v{.name = "XGLM",
            .sizes = {"num_layers", "d_model", "attention_heads"},
            .inner = "ffn_dim",
            .epsilon = "",
            .usual_activation = "gelu",
            .places = Places::waves,
            .first_place = 2};
  if (c.flag("scale_embedding", true)) v.embeddings_times = std::sqrt(double(c.size("d_model")));
  c.must_be("add_cross_attention", false, "this model reads what another one has encoded");
  c.ignore({"num_hidden_layers"});
  v.prefixes = {"module.", "model."};
  v.words = "embed_tokens.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.attention_output = "self_attn.out_proj", v.attention_norm = "self_attn_layer_norm";
  v.up = "fc1", v.down = "fc2", v.mlp_norm = "final_layer_norm", v.norm = "layer_norm";
  return v;
}

Variant gpt_neo(const Config& c) {
  Variant v{.name = "GPT-Neo", .sizes = {"num_layers", "hidden_size", "num_heads"}};
  v.scaled = v.qkv_bias = false;
  v.qkv = {"attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"};
  v.attention_output = "attn.attention.out_proj", v.up = "mlp.c_fc", v.down = "mlp.c_proj";
  c.ignore({"attention_types", "num_hidden_layers", "num_attention_heads"});
  return v;
}

Variant gptj(const Config& c) {
  Variant v{.name = "GPT-J",
            .sizes = {"n_layer", "n_embd", "n_head", "n_positions"},
            .inner = "n_inner",
            .places = Places::rotary,
            .side_by_side = true,
            .neighbours = true,
            .head_bias = true,
            .tied = false};
  v.qkv_bias = v.output_bias = false;
  v.qkv = {"attn.q_proj", "attn.k_proj", "attn.v_proj"};
  v.attention_output = "attn.out_proj", v.up = "mlp.fc_in", v.down = "mlp.fc_out";
  c.must_be("scale_attn_weights", true, "this is not supported");
  return v;
}

Variant bloom(const Config& c) {
  Variant v{.name = "BLOOM",
            .sizes = {"n_layer", c.has("hidden_size") ? "hidden_size" : "n_embed", "n_head",
                      "seq_length"},
            .inner = "n_inner",
            .usual_activation = "gelu_new",
            .places = Places::alibi};
  c.must_be("apply_residual_connection_post_layernorm", false, "this is not supported");
  c.ignore({"slow_but_exact", "n_embed", "num_attention_heads", "offset_alibi", "skip_bias_add",
            "skip_bias_add_qkv", "attention_softmax_in_fp32", "masked_softmax_fusion",
            "bias_dropout_fusion", "unk_token_id"});
  v.words = "word_embeddings.weight", v.embedding_norm = "word_embeddings_layernorm";
  v.qkv = {"self_attention.query_key_value"}, v.attention_output = "self_attention.dense";
  v.attention_norm = "input_layernorm", v.mlp_norm = "post_attention_layernorm";
  v.up = "mlp.dense_h_to_4h", v.down = "mlp.dense_4h_to_h";
  return v;
}

Variant phi(const Config& c) {
  Variant v{.name = "Phi",
            .activation = "hidden_act",
            .epsilon = "layer_norm_eps",
            .places = Places::rotary,
            .side_by_side = true,
            .head_bias = true,
            .tied = false};
  c.must_be("qk_layernorm", false, "norms of queries and keys are not supported");
  if (c.size("num_key_value_heads", c.size(v.sizes.heads)) != c.size(v.sizes.heads))
    throw bad_input("Phi with fewer key heads is not supported").at(c.file().string());
  v.prefixes = {"module.", "model."};
  v.words = "embed_tokens.weight", v.layer = "layers.{}.";
  v.qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
  v.attention_output = "self_attn.dense", v.attention_norm = "input_layernorm";
  v.up = "mlp.fc1", v.down = "mlp.fc2", v.norm = "final_layernorm";
  return v;
}

Variant variant_of(const Config& c, const std::string& type) {
  if (type == "opt") return opt(c);
  if (type == "xglm") return xglm(c);
  if (type == "gpt_neo") return gpt_neo(c);
  if (type == "gptj") return gptj(c);
  return type == "bloom" ? bloom(c) : phi(c);
}

// Press et al. (2022): powers of two; where the heads are no power of two, every other one of twice
// as many fills up.
std::vector<float> alibi_slopes(size_t heads) {
  size_t whole = 1;
  while (whole * 2 <= heads) whole *= 2;
  auto slope = [](size_t of, size_t i) {
    return float(std::pow(2.0, -8.0 / double(of) * double(i + 1)));
  };
  std::vector<float> slopes;
  for (size_t i = 0; i < whole; ++i) slopes.push_back(slope(whole, i));
  for (size_t i = 0; slopes.size() < heads; ++i) slopes.push_back(slope(2 * whole, 2 * i));
  return slopes;
}

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
  size_t before = SIZE_MAX;  // GPT-Neo: every other layer sees only so many tokens back
};

class Gpt : public Decoder {
 public:
  explicit Gpt(const Loading& from)
      : Decoder(from, variant_of(from.config, from.info.architecture).sizes),
        variant_(variant_of(from.config, from.info.architecture)) {
    const Config& c = from.config;
    activation_ = nn::find_activation(c.text(variant_.activation, variant_.usual_activation));
    shape_ = attention_shape(c, from.info.hidden, from.info.heads);
    shape_.after = 0;
    if (!variant_.scaled) shape_.scale = 1;
    WeightLoader load(runtime_, from.checkpoint, variant_.prefixes);
    load_embeddings(load, from);
    load_layers(load, from);
    load_head(load, from);
    load.finish(variant_.name, {"lm_head"});
    from.info.parameters = load.parameters();
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    const Variant& v = variant_;
    const size_t h = shape_.heads * shape_.width;
    const std::vector<uint32_t> positions = tree.positions();
    begin(tree.nodes.size(), watch);
    embed_at(tree, positions);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      shape_.before = layer.before;
      nn::linear(runtime_, read(v.norms_first, hidden_, layer.attention_norm, l), layer.qkv, qkv_);
      if (v.places == Places::rotary)
        rotary_.apply(runtime_, std::span(positions).first(qkv_.rows()), 2 * shape_.heads,
                      qkv_.data(), qkv_.columns());
      attention_.run(shape_, tree, qkv_.part(0, h), qkv_.part(h, h), qkv_.part(2 * h, h), context_);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.attention_output, hidden_, attended_);
      if (!v.norms_first) nn::normalize(runtime_, attended_, layer.attention_norm);
      see(Site::attention_residual, l, attended_);
      if (v.norms_first && !v.side_by_side)
        nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      nn::linear(runtime_, v.norms_first ? normed_ : attended_, layer.up, inner_, activation_);
      see(Site::mlp_inner, l, inner_);
      add(Site::mlp_output, l, inner_, layer.down, attended_, hidden_);
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
    const Variant& v = variant_;
    const size_t h = from.info.hidden, positions = from.info.max_tokens + v.first_place;
    const size_t e = v.name == "OPT" ? c.size("word_embed_proj_dim", h) : h;
    words_ = load.embedding(v.words, from.info.vocabulary, e);
    if (e != h) {
      widen_ = load.linear("project_in", h, e, false);
      narrow_ = load.linear("project_out", e, h, false);
    }
    if (v.places == Places::learned) positions_ = load.table(v.learned, positions, h);
    if (v.places == Places::waves) positions_ = waves(positions, h);
    if (v.places == Places::alibi) {
      slopes_ = alibi_slopes(from.info.heads);
      shape_.slopes = slopes_;
    }
    if (v.places == Places::rotary) set_rotary(from);
    if (!v.embedding_norm.empty()) embedding_norm_ = load.norm(v.embedding_norm, h, epsilon(c));
  }

  void set_rotary(const Loading& from) {
    const Config& c = from.config;
    double part = c.real_in({"rope_parameters", "partial_rotary_factor"}, 0.5);
    size_t turned = from.info.architecture == "gptj"
                        ? c.size("rotary_dim", shape_.width)
                        : size_t(double(shape_.width) * c.real("partial_rotary_factor", part));
    if (turned > shape_.width || turned % 2)
      throw bad_input(
          fmt::format("{} of {} columns of a head cannot be turned", turned, shape_.width))
          .at(c.file().string());
    Rope rope = rope_of(c, 10000, turned);
    if (rope.scores != 1)
      throw bad_input("this rotary scaling is not supported for " + variant_.name)
          .at(c.file().string());
    rotary_ = nn::Rotary(std::move(rope.frequencies), shape_.width, variant_.neighbours);
  }

  double epsilon(const Config& c) const { return c.real(variant_.epsilon, 1e-5); }

  void load_layers(WeightLoader& load, const Loading& from) {
    const Config& c = from.config;
    const Variant& v = variant_;
    const size_t h = from.info.hidden, inner = c.size(v.inner, 4 * h);
    const std::vector<std::string> kinds = c.texts("attention_layers");
    const size_t window = c.size("window_size", 256);
    for (uint32_t i = 0; i < from.info.layers; ++i) {
      const std::string p = fmt::format(fmt::runtime(v.layer), i);
      Layer layer;
      layer.attention_norm = load.norm(p + v.attention_norm, h, epsilon(c));
      if (!v.side_by_side) layer.mlp_norm = load.norm(p + v.mlp_norm, h, epsilon(c));
      if (v.qkv.size() == 1)
        layer.qkv = load.by_head(p + v.qkv[0], shape_.heads, shape_.width, h, v.qkv_bias);
      else
        layer.qkv = load.stacked({p + v.qkv[0], p + v.qkv[1], p + v.qkv[2]}, h, h, v.qkv_bias);
      layer.attention_output = load.linear(p + v.attention_output, h, h, v.output_bias);
      layer.up = load.linear(p + v.up, inner, h, v.mlp_bias);
      layer.down = load.linear(p + v.down, h, inner, v.mlp_bias);
      if (i < kinds.size() && kinds[i] == "local") layer.before = window - 1;
      layers_.push_back(std::move(layer));
    }
    if (v.name == "GPT-Neo" && kinds.size() != from.info.layers)
      throw bad_input("\"attention_layers\" must say \"global\" or \"local\" for every layer")
          .at(c.file().string());
    if (!v.norm.empty()) norm_ = load.norm(v.norm, h, epsilon(c));
  }

  void load_head(WeightLoader& load, const Loading& from) {
    const Variant& v = variant_;
    bool tied = from.config.flag("tie_word_embeddings", v.tied) && !load.has("lm_head.weight");
    output_.weights =
        load.matrix(tied ? v.words : "lm_head.weight", from.info.vocabulary, words_.width());
    if (v.head_bias) output_.bias = load.vector("lm_head.bias", from.info.vocabulary);
  }

  void embed_at(const PrefixTree& tree, std::span<const uint32_t> positions) {
    embed(tree);
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

  // What attention reads.
  const nn::Matrix& read(bool normed, const nn::Matrix& stream, const nn::Norm& norm, size_t l) {
    if (!normed) return see_copy(Site::attention_input, l, stream);
    nn::normalize(runtime_, stream, norm, normed_);
    see(Site::attention_input, l, normed_);
    return normed_;
  }

  Variant variant_;
  nn::Rotary rotary_;
  std::vector<float> slopes_;
  nn::Matrix positions_, qkv_;
  nn::Norm embedding_norm_;
  nn::Linear widen_, narrow_;
  std::vector<Layer> layers_;
};

}  // namespace

Family gpt_family() {
  return {.model_types = {"opt", "xglm", "gpt_neo", "gptj", "bloom", "phi"},
          .make = make<Decoder, Gpt>};
}

}  // namespace minpair::model
