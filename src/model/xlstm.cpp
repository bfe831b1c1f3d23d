// xLSTM (Beck et al. 2024), as its 7B model has it (Beck et al. 2025): each head remembers values
// under keys in a matrix. How much of it a token keeps, and how much it writes, are one number each
// for the whole matrix.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/causal.h"
#include "model/fading.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm memory_norm, heads_norm, mlp_norm;
  nn::Linear query_key, value_gate, gates, memory_output, gate_up, down;
};

float log_sigmoid(float x) { return std::min(x, 0.0f) - std::log1p(std::exp(-std::abs(x))); }

float capped(float x, float cap) { return cap > 0 ? cap * std::tanh(x / cap) : x; }

// As the library rounds sizes.
size_t rounded_up(double size, size_t to) {
  return size_t(std::floor((size + double(to) - 1) / double(to))) * to;
}

// Null: there is none.
float cap_of(const Config& c, const char* key, double usual) {
  return float(c.says(key) ? c.real(key, 0) : usual);
}

SizeKeys keys_of(const Config& c) {
  return {.layers = c.has("num_blocks") ? "num_blocks" : "num_hidden_layers",
          .hidden = c.has("hidden_size") ? "hidden_size" : "embedding_dim",
          .heads = "num_heads",
          .tokens = ""};
}

class Xlstm : public Decoder {
 public:
  explicit Xlstm(const Loading& from) : Decoder(from, keys_of(from.config)) {
    const Config& c = from.config;
    const size_t h = from.info.hidden;
    heads_ = from.info.heads;
    activation_ = nn::Activation::silu;
    key_width_ = size_t(double(h) * c.real("qk_dim_factor", 0.5));
    value_width_ = size_t(double(h) * c.real("v_dim_factor", 1));
    if (key_width_ == 0 || key_width_ % heads_ || value_width_ == 0 || value_width_ % heads_ ||
        c.size("embedding_dim", h) != h)
      throw bad_input("the heads do not fit: num_heads, qk_dim_factor, v_dim_factor, embedding_dim")
          .at(c.file().string());
    gate_cap_ = cap_of(c, "gate_soft_cap", 15);
    logit_cap_ = cap_of(c, "output_logit_soft_cap", 30);
    epsilon_ = float(c.real("eps", 1e-6));
    if (c.text("inference_state_dtype", "float32") != "float32")
      throw bad_input("\"inference_state_dtype\": only states of float32 are computed")
          .at(c.file().string());
    c.must_be("add_qk_norm", false, "norms of queries and keys are not supported");
    c.must_be("add_post_norm", false, "norms after the layers' parts are not supported");
    // How it is computed there, and what its first configurations say besides.
    c.ignore({"num_hidden_layers", "chunkwise_kernel", "sequence_kernel", "step_kernel", "mode",
              "chunk_size", "return_last_states", "autocast_kernel_dtype",
              "norm_reduction_force_float32", "max_inference_chunksize", "add_out_norm",
              "add_post_blocks_norm", "add_forward_backend_padding", "forward_backend_name",
              "cell_norm_eps", "igate_bias_init_range", "mlstm_round_up_to_multiple_of",
              "force_bos_token_insert", "tie_word_embeddings"});
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    embed(tree, watch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      nn::normalize(runtime_, hidden_, layer.memory_norm, normed_);
      nn::linear(runtime_, normed_, layer.query_key, query_key_);
      nn::linear(runtime_, normed_, layer.value_gate, value_gate_);
      nn::linear(runtime_, normed_, layer.gates, gates_);
      set_shares(tree);
      remember(tree);
      open_gates(layer);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.memory_output, hidden_, attended_);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      feed_forward(l, normed_, layer.gate_up, true, layer.down, attended_, hidden_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  bool attends() const override { return false; }
  float logit_cap() const override { return logit_cap_; }

 private:
  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "backbone.", "model."});
    const size_t h = info.hidden;
    words_ = load.embedding("embeddings.weight", info.vocabulary, h);
    for (size_t i = 0; i < info.layers; ++i)
      layers_.push_back(load_layer(load, c, fmt::format("blocks.{}.", i), h));
    norm_ = norm(load, c, "out_norm", h, false);
    output_.weights = load.matrix("lm_head.weight", info.vocabulary, h);
    info.parameters = load.finish("xLSTM", {"lm_head"});
  }

  static nn::Norm norm(WeightLoader& load, const Config& c, const std::string& name, size_t width,
                       bool bias) {
    return load.rms_norm(name, width, c.real("norm_eps", 1e-6), bias);
  }

  Layer load_layer(WeightLoader& load, const Config& c, const std::string& p, size_t h) const {
    const bool bias = c.flag("use_bias", false), fused = c.text("weight_mode", "single") == "fused";
    const std::string m = p + "mlstm_layer.", f = p + "ffn.";
    const size_t k = 2 * key_width_, v = 2 * value_width_;
    const size_t inner = rounded_up(double(h) * c.real("ffn_proj_factor", 2.667),
                                    c.size("ffn_round_up_to_multiple_of", 64));
    Layer layer;
    layer.memory_norm = norm(load, c, p + "norm_mlstm", h, bias);
    layer.heads_norm =
        load.norm(m + "multihead_norm", value_width_, c.real("norm_eps", 1e-6), bias);
    layer.mlp_norm = norm(load, c, p + "norm_ffn", h, bias);
    if (fused) {
      layer.query_key = load.rows(m + "qkv_opreact", k + v, 0, k, h, bias);
      layer.value_gate = load.rows(m + "qkv_opreact", k + v, k, v, h, bias);
      layer.gates = load.linear(m + "ifgate_preact", 2 * heads_, h);
      layer.gate_up = load.linear(f + "proj_up_gate_z", 2 * inner, h, bias);
    } else {
      layer.query_key = load.stacked({m + "q", m + "k"}, key_width_, h, bias);
      layer.value_gate = load.stacked({m + "v", m + "ogate_preact"}, value_width_, h, bias);
      layer.gates = load.stacked({m + "igate_preact", m + "fgate_preact"}, heads_, h);
      layer.gate_up = load.stacked({f + "proj_up_gate", f + "proj_up"}, inner, h, bias);
    }
    layer.memory_output = load.linear(m + "out_proj", h, value_width_, bias);
    layer.down = load.linear(f + "proj_down", h, inner, bias);
    return layer;
  }

  // Gates are exponential: numbers carry a common factor exp(-largest), so that they stay finite.
  // The sum of the keys, faded like the memory, says how large an answer may be.
  void set_shares(const PrefixTree& tree) {
    const size_t width = key_width_ / heads_;
    const float scale = float(1 / std::sqrt(double(width)));
    shares_.resize(gates_.rows(), 3 * heads_);
    scan(
        runtime_, tree, gates_.rows(), heads_, std::vector<float>(width + 1),
        [&](uint32_t node, size_t head, std::vector<float>& state) {
          const float *query = query_key_.row(node) + head * width, *key = query + key_width_;
          const float input = capped(gates_.row(node)[head], gate_cap_);
          const float forget = log_sigmoid(capped(gates_.row(node)[heads_ + head], gate_cap_));
          float& largest = state[width];
          const float top = std::max(forget + largest, input);
          const float kept = std::exp(forget + largest - top), written = std::exp(input - top);
          float asked = 0;
          for (size_t d = 0; d < width; ++d) {
            state[d] = kept * state[d] + written * key[d];
            asked += query[d] * state[d];
          }
          largest = top;
          float* shares = shares_.row(node) + head;
          shares[0] = kept, shares[heads_] = written;
          shares[2 * heads_] =
              scale / (std::max(std::abs(asked * scale), std::exp(-top)) + epsilon_);
        },
        1);
  }

  // Into context_: what the memories answer to the queries.
  void remember(const PrefixTree& tree) {
    const size_t values = value_width_ / heads_;
    scan_.run(runtime_, tree,
              {.heads = heads_,
               .states = key_width_ / heads_,
               .channels = values,
               .keys = query_key_.part(key_width_, key_width_),
               .queries = query_key_.part(0, key_width_),
               .inputs = value_gate_.part(0, value_width_),
               .kept = shares_.part(0, heads_),
               .taken = shares_.part(heads_, heads_)},
              context_);
    runtime_.parallel(context_.rows(), [&](size_t i, int) {
      for (size_t j = 0; j < value_width_; ++j)
        context_.row(i)[j] *= shares_.row(i)[2 * heads_ + j / values];
    });
  }

  // Each head's answer is normalised, and passes a gate.
  void open_gates(const Layer& layer) {
    normalize_parts(runtime_, context_, layer.heads_norm, value_width_ / heads_);
    runtime_.parallel(context_.rows(), [&](size_t i, int) {
      float* out = context_.row(i);
      runtime_.kernels().gate(nn::Activation::sigmoid, value_gate_.row(i) + value_width_, out, out,
                              value_width_);
    });
  }

  size_t heads_ = 0, key_width_ = 0, value_width_ = 0;
  float gate_cap_ = 0, logit_cap_ = 0, epsilon_ = 0;
  std::vector<Layer> layers_;
  nn::Matrix query_key_, value_gate_, gates_;
  nn::Matrix shares_;  // of each head: what its memory keeps, what is written, the answer's factor
  FadingScan scan_;
};

}  // namespace

Family xlstm_family() {
  return {.model_types = {{"xlstm", "xLSTM 7B"}}, .make = make<Decoder, Xlstm>};
}

}  // namespace minpair::model
