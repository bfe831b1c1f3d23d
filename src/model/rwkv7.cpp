// RWKV 5, 6 and 7 (Peng et al. 2024, 2025): each head remembers values under keys in a matrix,
// whose rows fade, from version 6 on at a rate that depends on the token; version 7 also takes out
// what it replaces. Also the Qwens that were given such layers in place of attention. Tensors have
// the names of GGUF, which those of folders are given (rwkv_folders.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "base/error.h"
#include "model/causal.h"
#include "model/rwkv_folders.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

// What parts of a layer read: a token, mixed with the one before it, in other shares for each.
enum Input { decay, key, value, receptance, gate, rate };
constexpr size_t kInputs = 6;

// How much of a channel is that of the token before.
using Mix = std::vector<float>;

struct LowRank {
  nn::Linear down, up;
};

struct Layer {
  nn::Norm time_norm, heads_norm, mlp_norm;
  Mix mixes[kInputs];
  Mix first_mix;                   // 6: shares are those, and what a small network adds to them
  nn::Linear mix_down, mix_up[5];  // in the order of Input
  nn::Linear receptance, key, value, gate, output;
  LowRank decay;                      // from 6 on
  std::vector<float> kept;            // 5: what fading leaves of each key's row, whatever the token
  LowRank rate, value_mix, low_gate;  // 7
  std::vector<float> bonus;           // how the token itself counts; empty: as the past does
  std::vector<float> removed, slowed;  // 7: of keys
  Mix channel_key_mix, channel_gate_mix;
  nn::Linear channel_key, channel_value, channel_gate;
  nn::Linear gate_up, down;  // Qwen's
};

using RankOf = std::function<size_t(const std::string& name)>;

class Rwkv7 : public Decoder {
 public:
  explicit Rwkv7(const Loading& from)
      : Decoder(from, {.heads = "", .tokens = ""}),
        version_(version_of(from.info.architecture)),
        qwen_(!from.info.architecture.starts_with("rwkv") ||
              from.info.architecture.ends_with("qwen2")) {
    const Config& c = from.config;
    const size_t h = from.info.hidden;
    if (from.checkpoint.find("token_embd.weight")) {
      read_gguf(c);
    } else {
      folder_ = rwkv_tensors(from.checkpoint, version_);
      settings_ = rwkv_settings(c, version_);
    }
    head_ = settings_.head;
    if (h % head_) throw bad_input(fmt::format("heads of {} do not divide {}", head_, h));
    heads_ = h / head_;
    from.info.heads = uint32_t(heads_);
    const int64_t keys = c.integer("num_key_value_heads", 0);
    key_heads_ = keys > 0 && version_ != 7 ? size_t(keys) : heads_;
    if (heads_ % key_heads_)
      throw bad_input(fmt::format("{} cannot share {} keys", counted(heads_, "head"), key_heads_));
    load_weights(from);
  }

  const nn::Matrix& forward(const PrefixTree& tree, std::span<const uint32_t> rows,
                            const Watch& watch) override {
    embed(tree, watch);
    if (!qwen_) nn::normalize(runtime_, hidden_, embedding_norm_);
    see(Site::embeddings, 0, hidden_);
    // The stream is halved now and then, and what is added with it; in GGUF files the weights are.
    float times = 1;
    for (size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      join(l, tree.late, hidden_);
      if (version_ == 7 && l > 0) join(l, tree.late, first_value_, kFirstValue);
      nn::normalize(runtime_, hidden_, layer.time_norm, normed_);
      if (version_ == 7)
        mix_times_7(tree, layer, l);
      else
        mix_times_6(tree, layer);
      see(Site::heads, l, context_);
      add(Site::attention_output, l, context_, layer.output, hidden_, attended_, {}, times);
      see(Site::attention_residual, l, attended_);
      nn::normalize(runtime_, attended_, layer.mlp_norm, normed_);
      if (qwen_)
        feed_forward(layer, l);
      else
        mix_channels(tree, layer, l);
      add(Site::mlp_output, l, context_, attended_, hidden_, {}, times);
      if (settings_.halved_every && (l + 1) % settings_.halved_every == 0) {
        if (folder_) times /= 2;
        multiply(hidden_, 0.5f);
      }
      see(Site::residual, l, hidden_);
      if (version_ == 7) see(Site::residual, l, first_value_, kFirstValue);
    }
    return last_norm(rows);
  }

  float left_of(size_t layer) const override {
    return left_of_halved(layer, layers_.size(), settings_.halved_every);
  }
  bool attends() const override { return false; }

 private:
  // All layers of version 7 read a value of the first one: it goes along with the stream.
  static constexpr Part kFirstValue{kSharing, false};

  // --- loading

  void read_gguf(const Config& c) {
    settings_.head = c.size("head_size");
    settings_.inner = c.size("intermediate_size");
    settings_.halved_every = size_t(std::max<int64_t>(0, c.integer("rescale_every", 0)));
    settings_.epsilon = settings_.last_epsilon =
        qwen_ ? c.real("rms_norm_eps", 1e-6) : c.real("layer_norm_epsilon", 1e-5);
  }

  static int version_of(const std::string& type) {
    return type == "rwkv5" ? 5 : type.ends_with("rwkv7") ? 7 : 6;
  }

  nn::Norm norm(WeightLoader& load, const std::string& name, size_t h) const {
    nn::Norm n = load.norm(name, h, settings_.epsilon, !qwen_);
    n.centered = !qwen_;
    return n;
  }

  void load_weights(const Loading& from) {
    query::ModelInfo& info = from.info;
    const checkpoint::Checkpoint& tensors = folder_ ? *folder_ : from.checkpoint;
    WeightLoader load(runtime_, tensors, {});
    // As many as the first matrix of a small network has outputs.
    const RankOf rank_of = [&](const std::string& name) -> size_t {
      const checkpoint::TensorView* first = tensors.find(name + ".weight");
      return first && first->shape.size() == 2 ? size_t(std::max<int64_t>(1, first->shape[0])) : 1;
    };
    const size_t h = info.hidden;
    words_ = load.embedding("token_embd.weight", info.vocabulary, h);
    if (!qwen_) embedding_norm_ = norm(load, "token_embd_norm", h);
    for (size_t i = 0; i < info.layers; ++i) {
      const std::string p = fmt::format("blk.{}.", i), t = p + "time_mix_";
      Layer layer;
      layer.time_norm = norm(load, p + "attn_norm", h);
      layer.mlp_norm = norm(load, p + (qwen_ ? "ffn_norm" : "attn_norm_2"), h);
      if (version_ == 7)
        load_time_7(load, rank_of, t, i, h, layer);
      else if (version_ == 6)
        load_time_6(load, rank_of, t, h, layer);
      else
        load_time_5(load, t, h, layer);
      load_rest(load, p, h, layer);
      layers_.push_back(std::move(layer));
    }
    norm_ = norm(load, "output_norm", h);
    norm_.epsilon = float(settings_.last_epsilon);
    output_.weights = load.matrix("output.weight", info.vocabulary, h);
    info.parameters = load.finish("RWKV", {"output.weight"});
  }

  // The biases are optional in Qwen's.
  nn::Linear linear(WeightLoader& load, const std::string& name, size_t outputs, size_t h) const {
    return load.linear(name, outputs, h, load.has(name + ".bias"));
  }

  LowRank low_rank(WeightLoader& load, const std::string& t, const std::string& letter, size_t rank,
                   size_t h) const {
    LowRank both{load.linear(t + letter + "1", rank, h, false),
                 load.linear(t + letter + "2", h, rank, false)};
    if (letter != "g") both.up.bias = load.vector(t + letter + "0.weight", h);
    return both;
  }

  // Version 5 says how much of a channel is that of the token itself.
  static Mix mix_of_own(WeightLoader& load, const std::string& name, size_t h) {
    Mix mix = load.flat(name + ".weight", h);
    for (float& share : mix) share = 1 - share;
    return mix;
  }

  void load_time_5(WeightLoader& load, const std::string& t, size_t h, Layer& layer) const {
    for (const auto& [input, letter] : {std::pair{Input::key, 'k'},
                                        {Input::value, 'v'},
                                        {Input::receptance, 'r'},
                                        {Input::gate, 'g'}})
      layer.mixes[input] = mix_of_own(load, fmt::format("{}own_{}", t, letter), h);
    layer.kept = load.flat(t + "decay.weight", h);
    for (float& kept : layer.kept) kept = std::exp(-std::exp(kept));
    load_memory(load, t, h, layer);
  }

  void load_time_6(WeightLoader& load, const RankOf& rank_of, const std::string& t, size_t h,
                   Layer& layer) const {
    constexpr const char* kLetters[] = {"w", "k", "v", "r", "g"};
    const size_t mixed = rank_of(t + "w1") / 5, faded = rank_of(t + "decay_w1");
    layer.first_mix = load.flat(t + "lerp_x.weight", h);
    const bool fused = load.has(t + "lerp_fused.weight");
    const std::vector<float> all = fused ? load.flat(t + "lerp_fused.weight", 5 * h) : Mix();
    layer.mix_down = load.linear(t + "w1", 5 * mixed, h, false);
    for (size_t i = 0; i < 5; ++i) {
      layer.mixes[i] = fused ? part_of(all, i, h)
                             : load.flat(fmt::format("{}lerp_{}.weight", t, kLetters[i]), h);
      layer.mix_up[i] = load.linear(fmt::format("{}w2.{}", t, i), h, mixed, false);
    }
    layer.decay = {load.linear(t + "decay_w1", faded, h, false),
                   load.linear(t + "decay_w2", h, faded, false)};
    layer.decay.up.bias = load.flat(t + "decay.weight", h);
    load_memory(load, t, h, layer);
  }

  void load_memory(WeightLoader& load, const std::string& t, size_t h, Layer& layer) const {
    layer.key = linear(load, t + "key", key_heads_ * head_, h);
    layer.value = linear(load, t + "value", key_heads_ * head_, h);
    layer.receptance = linear(load, t + "receptance", h, h);
    layer.gate = load.linear(t + "gate", h, h, false);
    if (!qwen_ || load.has(t + "first.weight")) layer.bonus = load.flat(t + "first.weight", h);
    if (!qwen_) layer.heads_norm = load.norm(t + "ln", h, settings_.heads_epsilon);
  }

  void load_time_7(WeightLoader& load, const RankOf& rank_of, const std::string& t, size_t i,
                   size_t h, Layer& layer) const {
    constexpr Input kOrder[] = {receptance,   Input::decay, Input::key,
                                Input::value, Input::rate,  Input::gate};
    const bool gated = load.has(t + "g1.weight");
    const bool apart = load.has(t + "lerp_r.weight");
    const size_t mixes = gated ? 6 : 5;
    const std::vector<float> all = apart ? Mix() : load.flat(t + "lerp_fused.weight", mixes * h);
    for (size_t m = 0; m < mixes; ++m)
      layer.mixes[kOrder[m]] = apart ? load.flat(fmt::format("{}lerp_{}.weight", t, "rwkvag"[m]), h)
                                     : part_of(all, m, h);
    layer.decay = low_rank(load, t, "w", rank_of(t + "w1"), h);
    layer.rate = low_rank(load, t, "a", rank_of(t + "a1"), h);
    if (i > 0) layer.value_mix = low_rank(load, t, "v", rank_of(t + "v1"), h);
    if (gated) layer.low_gate = low_rank(load, t, "g", rank_of(t + "g1"), h);
    layer.removed = load.flat(t + "k_k.weight", h);
    layer.slowed = load.flat(t + "k_a.weight", h);
    layer.bonus = load.flat(t + "r_k.weight", h);
    layer.key = load.linear(t + "key", h, h, false);
    layer.value = load.linear(t + "value", h, h, false);
    layer.receptance = load.linear(t + "receptance", h, h, false);
    if (!qwen_ || load.has(t + "ln.weight"))
      layer.heads_norm = load.norm(t + "ln", h, settings_.heads_epsilon);
  }

  void load_rest(WeightLoader& load, const std::string& p, size_t h, Layer& layer) const {
    const size_t inner = settings_.inner;
    layer.output = load.linear(p + "time_mix_output", h, h, false);
    if (qwen_) {
      layer.gate_up = load.stacked({p + "ffn_gate", p + "ffn_up"}, inner, h, false);
      layer.down = load.linear(p + "ffn_down", h, inner, false);
      return;
    }
    const std::string m = p + "channel_mix_";
    auto mix = [&](char letter) {
      return version_ == 5 ? mix_of_own(load, fmt::format("{}own_{}", m, letter), h)
                           : load.flat(fmt::format("{}lerp_{}.weight", m, letter), h);
    };
    layer.channel_key_mix = mix('k');
    layer.channel_key = load.linear(m + "key", inner, h, false);
    layer.channel_value = load.linear(m + "value", h, inner, false);
    if (version_ == 7) return;
    layer.channel_gate_mix = mix('r');
    layer.channel_gate = load.linear(m + "receptance", h, h, false);
  }

  static Mix part_of(const std::vector<float>& all, size_t i, size_t h) {
    if (all.empty()) return {};  // it was missing, and finish() says so
    return {all.begin() + ptrdiff_t(i * h), all.begin() + ptrdiff_t((i + 1) * h)};
  }

  // --- computing

  // Into mixed_: normed_, and a share of the row of the token before; `more` is added to the share.
  void mix(const PrefixTree& tree, const Mix& mix, const nn::Matrix* more = nullptr) {
    mixed_.resize(normed_.rows(), normed_.columns());
    runtime_.parallel(normed_.rows(), [&](size_t i, int) {
      const uint32_t parent = tree.nodes[i].parent;
      runtime_.kernels().mix({
          .now = normed_.row(i),
          .before = parent == PrefixTree::none ? nullptr : normed_.row(parent),
          .share = mix.data(),
          .more = more ? more->row(i) : nullptr,
          .out = mixed_.row(i),
          .channels = normed_.columns(),
      });
    });
  }

  void low_rank(const LowRank& layers, nn::Activation between, nn::Matrix& out,
                nn::Activation after = nn::Activation::none) {
    nn::linear(runtime_, mixed_, layers.down, low_, between);
    nn::linear(runtime_, low_, layers.up, out, after);
  }

  // rows = exp(-by * before(rows)).
  void fade(nn::Matrix& rows, nn::Activation before, float by) {
    runtime_.parallel(rows.rows(), [&](size_t i, int) {
      float* row = rows.row(i);
      runtime_.kernels().activate(before, row, rows.columns());
      for (size_t d = 0; d < rows.columns(); ++d) row[d] *= -by;
      runtime_.kernels().activate(nn::Activation::exponential, row, rows.columns());
    });
  }

  // Also of version 5, whose shares and fading do not depend on the token.
  void mix_times_6(const PrefixTree& tree, const Layer& layer) {
    const bool sixth = version_ == 6;
    if (sixth) {
      mix(tree, layer.first_mix);
      nn::linear(runtime_, mixed_, layer.mix_down, shares_, nn::Activation::tanh);
    }
    const size_t rank = shares_.columns() / 5;
    auto read = [&](Input input) {
      if (!sixth) return mix(tree, layer.mixes[input]);
      nn::linear(runtime_, shares_.part(input * rank, rank), layer.mix_up[input], more_);
      mix(tree, layer.mixes[input], &more_);
    };
    read(receptance), nn::linear(runtime_, mixed_, layer.receptance, receptance_);
    read(Input::key), nn::linear(runtime_, mixed_, layer.key, key_);
    read(Input::value), nn::linear(runtime_, mixed_, layer.value, value_);
    read(Input::gate), nn::linear(runtime_, mixed_, layer.gate, gate_);
    if (sixth) {
      read(Input::decay), low_rank(layer.decay, nn::Activation::tanh, kept_);
      fade(kept_, nn::Activation::exponential, 1);
    }
    remember_6(tree, layer);
    if (!layer.heads_norm.weight.empty())
      normalize_parts(runtime_, context_, layer.heads_norm, head_);
    gate_rows(runtime_, qwen_ ? nn::Activation::sigmoid : nn::Activation::silu, gate_, context_);
  }

  // Into context_. Without a bonus (Qwen's) the token counts as the past does, and what fades less
  // takes in less.
  void remember_6(const PrefixTree& tree, const Layer& layer) {
    const float scale = float(1 / std::sqrt(double(head_)));
    const size_t group = heads_ / key_heads_;
    const bool bonus = !layer.bonus.empty();
    context_.resize(key_.rows(), heads_ * head_);
    own_.resize(key_.rows(), heads_);
    written_.resize(key_.rows(), heads_ * head_);
    runtime_.parallel(key_.rows(), [&](size_t i, int) {
      for (size_t head = 0; head < heads_; ++head) {
        const size_t at = head * head_;
        const float* key = key_.row(i) + head / group * head_;
        float *asked = receptance_.row(i) + at, *written = written_.row(i) + at;
        float own = 0;
        for (size_t d = 0; d < head_; ++d) {
          if (bonus) {
            own += asked[d] * layer.bonus[at + d] * key[d];
            written[d] = key[d];
          } else {
            asked[d] *= scale;
            written[d] = key[d] - key[d] * kept_.row(i)[at + d];
          }
        }
        own_.row(i)[head] = own;
      }
    });
    scan_memories(runtime_, tree, key_.rows(), heads_, head_, head_,
                  [&](uint32_t node, size_t head, size_t first) {
                    const size_t at = head * head_;
                    const float* value = value_.row(node) + head / group * head_;
                    const float* kept = layer.kept.empty() ? kept_.row(node) : layer.kept.data();
                    return nn::MemoryStep{.kept = kept + at,
                                          .key = written_.row(node) + at,
                                          .asked = receptance_.row(node) + at,
                                          .asks_first = bonus,
                                          .own = own_.row(node)[head],
                                          .value = value + first,
                                          .out = context_.row(node) + at + first};
                  });
  }

  void mix_times_7(const PrefixTree& tree, const Layer& layer, size_t l) {
    mix(tree, layer.mixes[receptance]), nn::linear(runtime_, mixed_, layer.receptance, receptance_);
    mix(tree, layer.mixes[Input::key]), nn::linear(runtime_, mixed_, layer.key, key_);
    mix(tree, layer.mixes[Input::value]), nn::linear(runtime_, mixed_, layer.value, value_);
    if (l == 0) {
      first_value_.resize(value_.rows(), value_.columns());
      std::copy_n(value_.data(), value_.rows() * value_.columns(), first_value_.data());
    } else {
      low_rank(layer.value_mix, nn::Activation::none, more_, nn::Activation::sigmoid);
      runtime_.parallel(value_.rows(), [&](size_t i, int) {
        runtime_.kernels().mix({.now = value_.row(i),
                                .before = first_value_.row(i),
                                .share = more_.row(i),
                                .more = nullptr,
                                .out = value_.row(i),
                                .channels = value_.columns()});
      });
    }
    mix(tree, layer.mixes[Input::rate]),
        low_rank(layer.rate, nn::Activation::none, rate_, nn::Activation::sigmoid);
    mix(tree, layer.mixes[Input::decay]),
        low_rank(layer.decay, nn::Activation::tanh, kept_, nn::Activation::sigmoid);
    fade(kept_, nn::Activation::none, std::exp(-0.5f));
    set_keys(layer);
    remember_7(tree);
    if (!layer.heads_norm.weight.empty())
      normalize_parts(runtime_, context_, layer.heads_norm, head_);
    add_bonus(layer);
    if (layer.mixes[Input::gate].empty()) return;
    mix(tree, layer.mixes[Input::gate]);
    low_rank(layer.low_gate, nn::Activation::sigmoid, gate_);
    gate_rows(runtime_, nn::Activation::none, gate_, context_);
  }

  // Under which keys something is taken out (removed_, of length 1), and how much of it.
  void set_keys(const Layer& layer) {
    removed_.resize(key_.rows(), key_.columns());
    runtime_.parallel(key_.rows(), [&](size_t i, int) {
      for (size_t at = 0; at < heads_ * head_; at += head_)
        runtime_.kernels().set_keys({.key = key_.row(i) + at,
                                     .rate = rate_.row(i) + at,
                                     .removed = removed_.row(i) + at,
                                     .removing = layer.removed.data() + at,
                                     .slowing = layer.slowed.data() + at,
                                     .count = head_});
    });
  }

  void remember_7(const PrefixTree& tree) {
    context_.resize(key_.rows(), heads_ * head_);
    scan_memories(runtime_, tree, key_.rows(), heads_, head_, head_,
                  [&](uint32_t node, size_t head, size_t first) {
                    const size_t at = head * head_;
                    return nn::MemoryStep{.kept = kept_.row(node) + at,
                                          .key = key_.row(node) + at,
                                          .asked = receptance_.row(node) + at,
                                          .removed = removed_.row(node) + at,
                                          .rates = rate_.row(node) + at,
                                          .value = value_.row(node) + at + first,
                                          .out = context_.row(node) + at + first};
                  });
  }

  void add_bonus(const Layer& layer) {
    runtime_.parallel(context_.rows(), [&](size_t i, int) {
      const float* value = value_.row(i);
      float* out = context_.row(i);
      for (size_t at = 0; at < heads_ * head_; at += head_) {
        const float bonus = runtime_.kernels().sum_products(
            key_.row(i) + at, receptance_.row(i) + at, layer.bonus.data() + at, head_);
        for (size_t d = at; d < at + head_; ++d) out[d] += value[d] * bonus;
      }
    });
  }

  // Into context_, as feed_forward() does.
  void mix_channels(const PrefixTree& tree, const Layer& layer, size_t l) {
    mix(tree, layer.channel_key_mix);
    nn::linear(runtime_, mixed_, layer.channel_key, inner_);
    gate_rows(runtime_, nn::Activation::relu, inner_, inner_);
    see(Site::mlp_inner, l, inner_);
    nn::linear(runtime_, inner_, layer.channel_value, context_);
    if (version_ == 7) return;
    mix(tree, layer.channel_gate_mix);
    nn::linear(runtime_, mixed_, layer.channel_gate, gate_);
    gate_rows(runtime_, nn::Activation::sigmoid, gate_, context_);
  }

  void feed_forward(const Layer& layer, size_t l) {
    nn::linear(runtime_, normed_, layer.gate_up, wide_);
    nn::gated(runtime_, wide_, nn::Activation::silu, inner_);
    see(Site::mlp_inner, l, inner_);
    nn::linear(runtime_, inner_, layer.down, context_);
  }

  int version_;
  bool qwen_;
  RwkvSettings settings_;
  std::unique_ptr<checkpoint::Checkpoint> folder_;  // null: a GGUF file
  size_t heads_ = 0, key_heads_ = 0, head_ = 0;
  nn::Norm embedding_norm_;
  std::vector<Layer> layers_;
  nn::Matrix mixed_, more_, low_, shares_, receptance_, key_, value_, first_value_, gate_, kept_,
      rate_, removed_, own_, written_;
};

Gguf gguf_of(const std::string& name) {
  Gguf gguf{.architecture = name,
            .model_type = name,
            .layers = "blk.",
            .only = name != "rwkv6" && name != "rwkv7"};
  if (name.starts_with("rwkv6")) gguf.in_layer = {{"time_mix_w2.", "time_mix_w2.{}."}};
  gguf.more = [](const checkpoint::Metadata& m) {
    return Gguf::integers(m, std::string(m.text("general.architecture").value_or("")) + ".",
                          renames("wkv.head_size=head_size rescale_every_n_layers=rescale_every"));
  };
  return gguf;
}

}  // namespace

Family rwkv7_family() {
  return {.model_types = {{"rwkv5", "RWKV 5 0.4B to 7B"},
                          {"rwkv6", "RWKV 6 1.6B to 14B"},
                          {"rwkv6qwen2", "QRWKV 6, as GGUF"},
                          {"rwkv7", "RWKV 7 0.1B to 2.9B"},
                          {"arwkv7", "ARWKV 7, as GGUF"}},
          .make = make<Decoder, Rwkv7>,
          .gguf = {gguf_of("rwkv6"), gguf_of("rwkv6qwen2"), gguf_of("rwkv7"), gguf_of("arwkv7")}};
}

}  // namespace minpair::model
