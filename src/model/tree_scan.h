#pragma once
// Recurrences along the paths of a prefix tree, for layers that keep a state instead of attending.

#include <algorithm>
#include <array>
#include <vector>

#include "model/prefix_tree.h"
#include "nn/nn.h"

namespace minpair::model {

// How many of `all` panels of channels, with so many states each, go through a scan together: 64 kB
// of states, and every thread has some.
inline size_t panels_together(const nn::Runtime& runtime, size_t states, size_t all) {
  const size_t threads = size_t(runtime.threads());
  return std::clamp<size_t>(1024 / states, 1, (all + threads - 1) / threads);
}

// Every channel has a state of its own, which begins as `first` and walks along the chains of the
// tree; where a chain branches off, it goes on with the state that was there. `step(node, nodes,
// channel, state)` takes it some nodes further, which follow each other: `most` of them, or fewer.
// Only the first `nodes` are walked: those of changed inputs come last, each from its layer on.
template <class Number, class Step>
void scan_runs(const nn::Runtime& runtime, const PrefixTree& tree, size_t nodes, size_t channels,
               const std::vector<Number>& first, uint32_t most, size_t channels_a_unit,
               const Step& step) {
  const size_t size = first.size();
  std::vector<uint32_t> place(tree.nodes.size(), PrefixTree::none);
  uint32_t branches = 0;
  for (const PrefixTree::Chain& chain : tree.chains)
    if (chain.parent != PrefixTree::none && place[chain.parent] == PrefixTree::none)
      place[chain.parent] = branches++;
  runtime.parallel((channels + channels_a_unit - 1) / channels_a_unit, [&](size_t unit, int) {
    std::vector<Number> state(size), kept(branches * size);
    const size_t end = std::min(channels, (unit + 1) * channels_a_unit);
    for (size_t c = unit * channels_a_unit; c < end; ++c)
      for (const PrefixTree::Chain& chain : tree.chains) {
        if (chain.first >= nodes) break;
        if (chain.parent == PrefixTree::none)
          state = first;
        else
          std::copy_n(kept.begin() + place[chain.parent] * size, size, state.begin());
        for (uint32_t node = chain.first, last = node + chain.count; node < last;) {
          uint32_t run = 1;  // up to where the state is kept for others
          while (run < most && node + run < last && place[node + run - 1] == PrefixTree::none)
            ++run;
          step(node, run, c, state);
          node += run;
          if (uint32_t to = place[node - 1]; to != PrefixTree::none)
            std::copy(state.begin(), state.end(), kept.begin() + to * size);
        }
      }
  });
}

// The same, node by node.
template <class Number, class Step>
void scan(const nn::Runtime& runtime, const PrefixTree& tree, size_t nodes, size_t channels,
          const std::vector<Number>& first, const Step& step, size_t channels_a_unit = 16) {
  scan_runs(runtime, tree, nodes, channels, first, 1, channels_a_unit,
            [&](uint32_t node, uint32_t, size_t channel, std::vector<Number>& state) {
              step(node, channel, state);
            });
}

// out = activation(gates) * out, row by row. With its own rows as gates, and relu: their squares.
inline void gate_rows(const nn::Runtime& runtime, nn::Activation activation, nn::Matrix& gates,
                      nn::Matrix& out) {
  runtime.parallel(out.rows(), [&](size_t i, int) {
    runtime.kernels().gate(activation, gates.row(i), out.row(i), out.row(i), out.columns());
  });
}

// Where the state of a head is a matrix, keys × values, its columns do not depend on each other:
// some of them go together.
constexpr size_t kLanes = nn::kPanel;
struct alignas(64) Lanes : std::array<float, kLanes> {};

// Memories of values under keys (nn::MemoryStep): `step(node, head, first)` says what happens
// to a head's values from `first` on, but for the memory itself. Many columns go together, a few
// nodes of each at a time, as in panels_together().
template <class Step>
void scan_memories(const nn::Runtime& runtime, const PrefixTree& tree, size_t nodes, size_t heads,
                   size_t keys, size_t values, const Step& step) {
  constexpr uint32_t kRun = 8;
  const size_t parts = (values + kLanes - 1) / kLanes, all = heads * parts;
  const size_t together = panels_together(runtime, keys, all);
  scan_runs(runtime, tree, nodes, (all + together - 1) / together,
            std::vector<Lanes>(keys * together), kRun, 1,
            [&](uint32_t node, uint32_t count, size_t unit, std::vector<Lanes>& memory) {
              const size_t begin = unit * together, end = std::min(all, begin + together);
              nn::MemoryStep steps[kRun];
              for (size_t part = begin; part < end; ++part) {
                const size_t first = part % parts * kLanes;
                for (uint32_t i = 0; i < count; ++i) {
                  steps[i] = step(node + i, part / parts, first);
                  steps[i].memory = memory[(part - begin) * keys].data();
                  steps[i].keys = keys;
                  steps[i].channels = std::min(kLanes, values - first);
                }
                runtime.kernels().remember(steps, count);
              }
            });
}

}  // namespace minpair::model
