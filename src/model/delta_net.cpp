// The gated delta rule (Yang et al. 2025) of Qwen 3.5: each head remembers values under keys in a
// matrix that fades as a whole, and what it has under a key is replaced, to a degree, by the new
// value.

#include <cmath>

#include "base/error.h"
#include "model/architecture.h"
#include "model/convolution.h"
#include "model/token_mixer.h"
#include "model/tree_scan.h"

namespace minpair::model {
namespace {

class DeltaNet : public TokenMixer {
 public:
  DeltaNet(const nn::Runtime& runtime, const Config& c, WeightLoader& load, const std::string& name,
           size_t hidden)
      : runtime_(runtime),
        key_heads_(c.size("linear_num_key_heads", 16)),
        heads_(c.size("linear_num_value_heads", 32)),
        keys_(c.size("linear_key_head_dim", 128)),
        values_(c.size("linear_value_head_dim", 128)),
        in_turn_(c.flag("heads_in_turn", false)) {
    if (heads_ % key_heads_)
      throw bad_input(
          "the heads do not fit: linear_num_value_heads must be a multiple of "
          "linear_num_key_heads")
          .at(c.file().string());
    const size_t all_keys = key_heads_ * keys_, reach = c.size("linear_conv_kernel_dim", 4);
    const size_t mixed = 2 * all_keys + width();
    in_ = load.linear(name + "in_proj_qkv", mixed, hidden, false);
    gate_ = load.linear(name + "in_proj_z", width(), hidden, false);
    steps_ = load.stacked({name + "in_proj_b", name + "in_proj_a"}, heads_, hidden, false);
    convolution_ = Convolution(load.flat(name + "conv1d.weight", mixed * reach), reach);
    if (load.has(name + "A")) {  // as GGUF stores it
      decay_ = load.vector(name + "A", heads_);
    } else {
      decay_ = load.vector(name + "A_log", heads_);
      for (float& a : decay_) a = -std::exp(a);
    }
    bias_ = load.vector(name + "dt_bias", heads_);
    norm_ = {.weight = {},
             .bias = {},
             .epsilon = float(c.real("rms_norm_eps", 1e-6)),
             .centered = false};
    const std::vector<float> weight = load.vector(name + "norm.weight", values_);
    for (size_t h = 0; h < heads_; ++h)
      norm_.weight.insert(norm_.weight.end(), weight.begin(), weight.end());
    // Keys and queries get length 1; the scores are divided by the root of the width.
    const double root = std::sqrt(double(keys_));
    for (size_t i = 0; i < 2 * all_keys; ++i)
      unit_.weight.push_back(float(i < all_keys ? 1 / double(keys_) : 1 / root));
    unit_.epsilon = float(1e-6 / double(keys_));
    unit_.centered = false;
  }

  size_t width() const override { return heads_ * values_; }

  void mix(const PrefixTree& tree, const nn::Matrix& in, nn::Matrix& out) override {
    nn::linear(runtime_, in, in_, wide_);
    nn::linear(runtime_, in, gate_, gates_);
    nn::linear(runtime_, in, steps_, lengths_);
    convolution_.run(runtime_, tree, wide_, nn::Activation::silu, mixed_);
    prepare();
    out.resize(in.rows(), width());
    const size_t all_keys = key_heads_ * keys_, all = heads_ * keys_;
    scan_memories(runtime_, tree, in.rows(), heads_, keys_, values_,
                  [&](uint32_t node, size_t head, size_t first) {
                    const float *mixed = mixed_.row(node),
                                *keys = keys_of_.row(node) + head * keys_;
                    const size_t value = head * values_ + first;
                    return nn::MemoryStep{.kept = keys,
                                          .key = keys + all,
                                          .asked = mixed + key_of(head),
                                          .removed = keys + 2 * all,
                                          .rates = keys + all,
                                          .value = mixed + 2 * all_keys + value,
                                          .out = out.row(node) + value};
                  });
    normalize_parts(runtime_, out, norm_, values_);
    gate_rows(runtime_, nn::Activation::silu, gates_, out);
  }

 private:
  // Where a head's key begins: heads with the same one stand together, or, in GGUF files, take
  // turns.
  size_t key_of(size_t head) const {
    return keys_ * (in_turn_ ? head % key_heads_ : head / (heads_ / key_heads_));
  }

  // Of each head what of its memory is left, the key at the rate of writing, and the faded key that
  // is taken away at this rate.
  void prepare() {
    const size_t all_keys = key_heads_ * keys_, all = heads_ * keys_;
    keys_of_.resize(mixed_.rows(), 3 * all);
    runtime_.parallel(mixed_.rows(), [&](size_t i, int) {
      const nn::Kernels& kernels = runtime_.kernels();
      float *mixed = mixed_.row(i), *rates = lengths_.row(i), *left = rates + heads_;
      for (size_t at = 0; at < 2 * all_keys; at += keys_)
        kernels.norm({mixed + at, mixed + at, keys_, unit_.weight.data() + at, nullptr,
                      unit_.epsilon, false});
      kernels.activate(nn::Activation::sigmoid, rates, heads_);
      for (size_t h = 0; h < heads_; ++h) left[h] += bias_[h];
      kernels.activate(nn::Activation::softplus, left, heads_);
      for (size_t h = 0; h < heads_; ++h) left[h] *= decay_[h];
      kernels.activate(nn::Activation::exponential, left, heads_);
      for (size_t h = 0; h < heads_; ++h) {
        const float* key = mixed + all_keys + key_of(h);
        float* kept = keys_of_.row(i) + h * keys_;
        for (size_t k = 0; k < keys_; ++k) {
          kept[k] = left[h];
          kept[all + k] = rates[h] * key[k];
          kept[2 * all + k] = left[h] * key[k];
        }
      }
    });
  }

  const nn::Runtime& runtime_;
  size_t key_heads_, heads_, keys_, values_;
  bool in_turn_;
  nn::Linear in_, gate_, steps_;
  Convolution convolution_;
  std::vector<float> decay_, bias_;
  nn::Norm norm_, unit_;
  nn::Matrix wide_, gates_, lengths_, mixed_, keys_of_;
};

}  // namespace

std::unique_ptr<TokenMixer> make_delta_net(const nn::Runtime& runtime, const Config& config,
                                           WeightLoader& load, const std::string& name,
                                           size_t hidden) {
  return std::make_unique<DeltaNet>(runtime, config, load, name, hidden);
}

}  // namespace minpair::model
