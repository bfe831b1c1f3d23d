#include "model/convolution.h"

#include <algorithm>

namespace minpair::model {

Convolution::Convolution(const std::vector<float>& weights, size_t reach, std::vector<float> bias)
    : reach_(reach), taps_(weights.size()), bias_(std::move(bias)) {
  const size_t channels = weights.size() / reach;
  for (size_t i = 0; i < weights.size(); ++i) taps_[i % reach * channels + i / reach] = weights[i];
}

// Some nodes go together, some channels at a time, so that what they share stays in the first
// cache.
void Convolution::run(const nn::Runtime& runtime, const PrefixTree& tree, const nn::View& in,
                      nn::Activation activation, nn::Matrix& out) const {
  constexpr size_t kNodes = 8, kChannels = 256;
  const size_t channels = in.columns, nodes = in.rows;
  out.resize(nodes, channels);
  runtime.parallel((nodes + kNodes - 1) / kNodes, [&](size_t unit, int) {
    const size_t begin = unit * kNodes, end = std::min(nodes, begin + kNodes);
    std::vector<std::vector<const float*>> rows(end - begin);
    for (size_t node = begin; node < end; ++node)
      for (uint32_t at = uint32_t(node);
           rows[node - begin].size() < reach_ && at != PrefixTree::none; at = tree.nodes[at].parent)
        rows[node - begin].push_back(in.row(at));
    for (size_t channel = 0; channel < channels; channel += kChannels)
      for (size_t node = begin; node < end; ++node)
        runtime.kernels().convolve({.rows = rows[node - begin].data(),
                                    .count = rows[node - begin].size(),
                                    .taps = taps_.data() + (reach_ - 1) * channels,
                                    .bias = bias_.empty() ? nullptr : bias_.data(),
                                    .activation = activation,
                                    .out = out.row(node),
                                    .channels = channels,
                                    .begin = channel,
                                    .end = std::min(channels, channel + kChannels)});
  });
}

}  // namespace minpair::model
