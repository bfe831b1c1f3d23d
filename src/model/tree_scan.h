#pragma once
// Recurrences along the paths of a prefix tree, for layers that keep a state instead of attending.

#include <algorithm>
#include <vector>

#include "model/prefix_tree.h"
#include "nn/nn.h"

namespace minpair::model {

// Every channel has a state of its own, which begins as `first` and walks along the chains of the
// tree; where a chain branches off, it goes on with the state that was there. `step(node, channel,
// state)` takes it one node further. Only the first `nodes` are walked: those of changed inputs come
// last, each from its layer on.
template <class Step>
void scan(const nn::Runtime& runtime, const PrefixTree& tree, size_t nodes, size_t channels,
          const std::vector<float>& first, const Step& step) {
  constexpr size_t kChannelsAUnit = 16;
  const size_t size = first.size();
  std::vector<uint32_t> place(tree.nodes.size(), PrefixTree::none);
  uint32_t branches = 0;
  for (const PrefixTree::Chain& chain : tree.chains)
    if (chain.parent != PrefixTree::none && place[chain.parent] == PrefixTree::none)
      place[chain.parent] = branches++;
  runtime.parallel((channels + kChannelsAUnit - 1) / kChannelsAUnit, [&](size_t unit, int) {
    std::vector<float> state(size), kept(branches * size);
    const size_t end = std::min(channels, (unit + 1) * kChannelsAUnit);
    for (size_t c = unit * kChannelsAUnit; c < end; ++c)
      for (const PrefixTree::Chain& chain : tree.chains) {
        if (chain.first >= nodes) break;
        if (chain.parent == PrefixTree::none)
          state = first;
        else
          std::copy_n(kept.begin() + place[chain.parent] * size, size, state.begin());
        for (uint32_t node = chain.first; node < chain.first + chain.count; ++node) {
          step(node, c, state);
          if (place[node] != PrefixTree::none)
            std::copy(state.begin(), state.end(), kept.begin() + place[node] * size);
        }
      }
  });
}

}  // namespace minpair::model
