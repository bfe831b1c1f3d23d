// The convolutions of LFM2 (Liquid AI 2025), which reach a few tokens back: what they read is
// gated, and so is what they give.

#include "model/convolution.h"
#include "model/token_mixer.h"

namespace minpair::model {
namespace {

class ShortConvolution : public TokenMixer {
 public:
  ShortConvolution(const nn::Runtime& runtime, const Config& c, WeightLoader& load,
                   const std::string& name, size_t hidden)
      : runtime_(runtime), hidden_(hidden) {
    const bool bias = c.flag("conv_bias", false);
    const size_t reach = c.size("conv_L_cache", 3);
    in_ = load.linear(name + "in_proj", 3 * hidden, hidden, bias);
    convolution_ =
        Convolution(load.flat(name + "conv.weight", hidden * reach), reach,
                    bias ? load.vector(name + "conv.bias", hidden) : std::vector<float>{});
  }

  void mix(const PrefixTree& tree, const nn::Matrix& in, nn::Matrix& out) override {
    const auto gate = [&](nn::Matrix& rows, size_t first) {
      runtime_.parallel(rows.rows(), [&](size_t i, int) {
        float* row = rows.row(i);
        runtime_.kernels().gate(nn::Activation::none, wide_.row(i) + first, row, row, hidden_);
      });
    };
    nn::linear(runtime_, in, in_, wide_);
    read_.resize(in.rows(), hidden_);
    for (size_t i = 0; i < in.rows(); ++i)
      std::copy_n(wide_.row(i) + 2 * hidden_, hidden_, read_.row(i));
    gate(read_, 0);
    convolution_.run(runtime_, tree, read_, nn::Activation::none, out);
    gate(out, hidden_);
  }

  size_t width() const override { return hidden_; }

 private:
  const nn::Runtime& runtime_;
  size_t hidden_;
  nn::Linear in_;
  Convolution convolution_;
  nn::Matrix wide_, read_;
};

}  // namespace

std::unique_ptr<TokenMixer> make_short_convolution(const nn::Runtime& runtime, const Config& config,
                                                   WeightLoader& load, const std::string& name,
                                                   size_t hidden) {
  return std::make_unique<ShortConvolution>(runtime, config, load, name, hidden);
}

}  // namespace minpair::model
