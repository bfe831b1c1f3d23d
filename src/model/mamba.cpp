// Mamba (Gu & Dao 2023) and Mamba 2 (Dao & Gu 2024): layers that read from left to right with a
// state instead of attention. The state after a prefix is the same for all sentences that begin
// with it, so the prefix tree is walked once.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "model/causal.h"
#include "model/convolution.h"
#include "model/fading.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

struct Layer {
  nn::Norm norm;
  nn::Linear in, out;
  nn::Linear parts, steps;  // Mamba 1: what the steps, B and C are made of
  Convolution convolution;
  // A of Mamba 1, for powers of two: of each group of channels a row for each state.
  std::vector<Lanes> decay_rows;
  std::vector<float> decays, skip, bias;  // A, Mamba 2: of each head; D; Mamba 2: of the steps
  nn::Norm gated_norm;                    // Mamba 2
};

constexpr uint32_t kRun = 4;  // nodes that follow each other

// Each channel of the first version has a state of its own: it has no heads.
query::SiteSet sites_of(bool second) { return second ? kSitesOfHeadedBlocks : kSitesOfBlocks; }

class Mamba : public Decoder {
 public:
  explicit Mamba(const Loading& from)
      : Decoder(from, {.heads = "", .tokens = ""}), second_(from.info.architecture == "mamba2") {
    const Config& c = from.config;
    const size_t h = from.info.hidden;
    states_ = c.size("state_size", second_ ? 128 : 16);
    reach_ = c.size("conv_kernel", 4);
    width_ = second_ ? size_t(c.real("expand", 2) * double(h)) : c.size("intermediate_size", 2 * h);
    activation_ = nn::find_activation(c.text("hidden_act", "silu"));
    heads_ = second_ ? c.size("num_heads") : width_;
    groups_ = second_ ? c.size("n_groups", 8) : 1;
    norm_width_ = width_ / c.size("norm_groups", 1);
    if (width_ % heads_ || heads_ % groups_ || (second_ && c.size("head_dim") * heads_ != width_))
      throw bad_input("the heads do not fit: expand, num_heads, head_dim, n_groups")
          .at(c.file().string());
    if (second_) from.info.heads = uint32_t(heads_);
    if (std::vector<double> limit = c.reals_in({"time_step_limit"}); limit.size() == 2)
      shortest_ = float(limit[0]), longest_ = float(limit[1]);
    c.must_be("rms_norm", true, "norms of another kind are not supported");
    c.ignore(
        {"time_step_min time_step_max time_step_floor time_step_scale time_step_init_scheme "
         "rescale_prenorm_residual residual_in_fp32 use_mambapy use_associative_scan chunk_size "
         "expand d_inner d_model n_layer ssm_cfg fused_add_norm pad_vocab_size_multiple "
         "norm_before_gate time_step_rank intermediate_size"});
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    embed(tree, watch);
    see(Site::embeddings, 0, hidden_);
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      nn::normalize(runtime_, hidden_, layer.norm, normed_);
      nn::linear(runtime_, normed_, layer.in, wide_);
      layer.convolution.run(runtime_, tree, wide_.part(second_ ? width_ : 0, convolved()),
                            activation_, mixed_);
      if (second_)
        scan_heads(tree, layer);
      else
        scan_channels(tree, layer);
      if (second_) see(Site::heads, l, inner_);
      add(Site::attention_output, l, inner_, layer.out, hidden_, attended_);
      std::swap(hidden_, attended_);
      see(Site::residual, l, hidden_);
    }
    return last_norm(rows);
  }

  bool attends() const override { return false; }
  query::SiteSet sites() const override { return sites_of(second_); }

 private:
  size_t convolved() const { return width_ + (second_ ? 2 * groups_ * states_ : 0); }

  void load_weights(const Loading& from) {
    const Config& c = from.config;
    query::ModelInfo& info = from.info;
    WeightLoader load(runtime_, from.checkpoint, {"module.", "backbone.", "model."});
    const size_t h = info.hidden;
    const double epsilon = c.real("layer_norm_epsilon", 1e-5);
    words_ = load.embedding("embeddings.weight", info.vocabulary, h);
    auto norm = [&](const std::string& name, size_t width) {
      return load.rms_norm(name, width, epsilon);
    };
    for (size_t i = 0; i < info.layers; ++i) {
      const std::string p = fmt::format("layers.{}.", i);
      Layer layer = load_mixer(load, c, p + "mixer.", h);
      layer.norm = norm(p + "norm", h);
      if (second_) {
        layer.gated_norm = {.weight = load.flat(p + "mixer.norm.weight", width_),
                            .epsilon = float(epsilon),
                            .centered = false};
      }
      layers_.push_back(std::move(layer));
    }
    norm_ = norm("norm_f", h);
    const bool tied = is_tied(c, load, "lm_head.weight", "embeddings.weight", !second_);
    output_.weights =
        load.matrix(tied ? "embeddings.weight" : "lm_head.weight", info.vocabulary, h);
    info.parameters = load.finish("Mamba", {"lm_head"});
  }

  Layer load_mixer(WeightLoader& load, const Config& c, const std::string& m, size_t h) const {
    const bool bias = c.flag("use_bias", false), conv_bias = c.flag("use_conv_bias", true);
    const size_t rank = size_t(c.integer("time_step_rank", int64_t(h + 15) / 16));
    Layer layer;
    layer.in = load.linear(m + "in_proj", width_ + convolved() + (second_ ? heads_ : 0), h, bias);
    layer.out = load.linear(m + "out_proj", h, width_, bias);
    layer.convolution =
        Convolution(load.flat(m + "conv1d.weight", convolved() * reach_), reach_,
                    conv_bias ? load.vector(m + "conv1d.bias", convolved()) : std::vector<float>{});
    const size_t decays = second_ ? heads_ : width_ * states_;
    std::vector<float> decay;
    if (load.has(m + "A")) {  // as GGUF stores it
      decay = load.flat(m + "A", decays);
    } else {
      decay = load.flat(m + "A_log", decays);
      for (float& a : decay) a = -std::exp(a);
    }
    if (second_) {
      layer.decays = std::move(decay);
    } else if (!decay.empty()) {
      for (float& a : decay) a *= std::numbers::log2e_v<float>;
      layer.decay_rows = in_groups(decay);
    }
    layer.skip = repeated(load.flat(m + "D", heads_), width_ / heads_);
    if (second_) {
      layer.bias =
          load.vector(m + (load.has(m + "dt_proj.bias") ? "dt_proj.bias" : "dt_bias"), heads_);
    } else {
      layer.parts = load.linear(m + "x_proj", rank + 2 * states_, width_, false);
      layer.steps = load.linear(m + "dt_proj", width_, rank);
    }
    return layer;
  }

  static std::vector<float> repeated(const std::vector<float>& each, size_t times) {
    std::vector<float> out;
    for (float x : each) out.insert(out.end(), times, x);
    return out;
  }

  // Channels go through a scan in groups.
  size_t groups_of_channels() const { return (width_ + nn::kPanel - 1) / nn::kPanel; }
  std::vector<Lanes> in_groups(const std::vector<float>& decay) const {
    std::vector<Lanes> rows(groups_of_channels() * states_);
    for (size_t c = 0; c < width_; ++c)
      for (size_t n = 0; n < states_; ++n)
        rows[c / nn::kPanel * states_ + n][c % nn::kPanel] = decay[c * states_ + n];
    return rows;
  }

  // Many groups of channels go together, a few nodes of each at a time: rows are long, and reading
  // all of a row costs little more than a part of it.
  void scan_channels(const PrefixTree& tree, const Layer& layer) {
    nn::linear(runtime_, mixed_, layer.parts, parts_);
    const size_t rank = layer.steps.weights.inputs();
    nn::linear(runtime_, parts_.part(0, rank), layer.steps, steps_, nn::Activation::softplus);
    const size_t all = groups_of_channels(), together = panels_together(runtime_, states_, all);
    inner_.resize(wide_.rows(), width_);
    scan_runs(runtime_, tree, wide_.rows(), (all + together - 1) / together,
              std::vector<Lanes>(states_ * together), kRun, 1,
              [&](uint32_t node, uint32_t nodes, size_t unit, std::vector<Lanes>& states) {
                const size_t begin = unit * together, end = std::min(all, begin + together);
                nn::StateStep steps[kRun];
                for (size_t group = begin; group < end; ++group) {
                  const size_t channel = group * nn::kPanel;
                  for (uint32_t i = 0; i < nodes; ++i) {
                    const float* b = parts_.row(node + i) + rank;
                    steps[i] = {.states = states[(group - begin) * states_].data(),
                                .count = states_,
                                .decays = layer.decay_rows[group * states_].data(),
                                .lengths = steps_.row(node + i) + channel,
                                .input = mixed_.row(node + i) + channel,
                                .b = b,
                                .c = b + states_,
                                .out = inner_.row(node + i) + channel,
                                .channels = std::min(nn::kPanel, width_ - channel)};
                  }
                  runtime_.kernels().advance(steps, nodes);
                }
              });
    gate(layer, width_);
  }

  void scan_heads(const PrefixTree& tree, const Layer& layer) {
    const size_t first = width_ + convolved(), keys = groups_ * states_;
    steps_.resize(wide_.rows(), 2 * heads_);
    runtime_.parallel(wide_.rows(), [&](size_t i, int) {
      float *lengths = steps_.row(i), *left = lengths + heads_;
      for (size_t head = 0; head < heads_; ++head)
        lengths[head] = wide_.row(i)[first + head] + layer.bias[head];
      runtime_.kernels().activate(nn::Activation::softplus, lengths, heads_);
      for (size_t head = 0; head < heads_; ++head) {
        lengths[head] = std::min(std::max(lengths[head], shortest_), longest_);
        left[head] = std::exp(lengths[head] * layer.decays[head]);
      }
    });
    scan_.run(runtime_, tree,
              {.heads = heads_,
               .states = states_,
               .channels = width_ / heads_,
               .heads_a_key = heads_ / groups_,
               .keys = mixed_.part(width_, keys),
               .queries = mixed_.part(width_ + keys, keys),
               .inputs = mixed_.part(0, width_),
               .kept = steps_.part(heads_, heads_),
               .taken = steps_.part(0, heads_)},
              inner_);
    gate(layer, 0);
    normalize_parts(runtime_, inner_, layer.gated_norm, norm_width_);
  }

  // What passes by the state is added; then the gate, whose columns begin at `first`.
  void gate(const Layer& layer, size_t first) {
    runtime_.parallel(inner_.rows(), [&](size_t i, int) {
      float *y = inner_.row(i), *gate = wide_.row(i) + first;
      runtime_.kernels().add_products(layer.skip.data(), mixed_.row(i), y, width_);
      runtime_.kernels().gate(second_ ? nn::Activation::silu : activation_, gate, y, y, width_);
    });
  }

  bool second_;
  size_t states_ = 0, reach_ = 0, width_ = 0, heads_ = 0, groups_ = 1, norm_width_ = 0;
  float shortest_ = 0, longest_ = std::numeric_limits<float>::infinity();
  std::vector<Layer> layers_;
  nn::Matrix mixed_, parts_, steps_;
  FadingScan scan_;
};

Gguf gguf_of(const std::string& name) {
  return {.architecture = name,
          .model_type = name,
          .keys = {{"attention.layer_norm_rms_epsilon", "layer_norm_epsilon"}},
          .tensors = renames("token_embd.=embeddings. output_norm.=norm_f. output.=lm_head."),
          .layers = "layers.",
          .in_layer = renames("attn_norm.=norm. ssm_in.=mixer.in_proj. ssm_conv1d.=mixer.conv1d. "
                              "ssm_x.=mixer.x_proj. ssm_dt.=mixer.dt_proj. ssm_a=mixer.A "
                              "ssm_d=mixer.D ssm_norm.=mixer.norm. ssm_out.=mixer.out_proj.")};
}

Gguf mamba_gguf() {
  Gguf gguf = gguf_of("mamba");
  gguf.more = [](const checkpoint::Metadata& m) {
    if (m.boolean("mamba.ssm.dt_b_c_rms").value_or(false))
      throw bad_input("this is Falcon Mamba, whose further norms are not computed here");
    return Gguf::integers(m, "mamba.ssm.",
                          renames("conv_kernel=conv_kernel inner_size=intermediate_size "
                                  "state_size=state_size time_step_rank=time_step_rank"));
  };
  return gguf;
}

// Its norms are those of Mamba's own library: for each group by itself. transformers has one for
// all.
Gguf mamba2_gguf() {
  Gguf gguf = gguf_of("mamba2");
  gguf.more = [](const checkpoint::Metadata& m) {
    Gguf::Settings settings = Gguf::integers(
        m, "mamba2.ssm.",
        renames("conv_kernel=conv_kernel state_size=state_size time_step_rank=num_heads "
                "group_count=n_groups group_count=norm_groups"));
    const int64_t inner = m.integer("mamba2.ssm.inner_size").value_or(0),
                  heads = m.integer("mamba2.ssm.time_step_rank").value_or(0),
                  hidden = m.integer("mamba2.embedding_length").value_or(0);
    if (inner > 0 && heads > 0 && hidden > 0) {
      settings.emplace_back("expand", double(inner) / double(hidden));
      settings.emplace_back("head_dim", inner / heads);
    }
    return settings;
  };
  return gguf;
}

}  // namespace

Family mamba_family() {
  return {.model_types = {{"mamba", "Mamba 130M to 2.8B"}, {"mamba2", "Mamba 2, Codestral Mamba"}},
          .make = make<Decoder, Mamba>,
          .gguf = {mamba_gguf(), mamba2_gguf()},
          .sites = [](std::string_view type) { return sites_of(type == "mamba2"); }};
}

}  // namespace minpair::model
