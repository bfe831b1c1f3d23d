#include "model/fading.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/tree_scan.h"
#include "nn/kernels.h"

namespace minpair::model {
namespace {

constexpr size_t kRun = nn::kFadingRun;

// Nodes that follow each other, up to where all matrices are computed again.
struct Stretch {
  uint32_t first = 0, nodes = 0;
  uint32_t before = 0;                // nodes since the last matrices, before the first
  std::array<uint32_t, kRun> path{};  // those, and its own
  uint32_t from = PrefixTree::none;   // it branches off: whose matrices it begins with
  uint32_t place = PrefixTree::none;  // where matrices are kept for those that branch off later
  bool fresh = false;                 // no matrices yet: nothing was remembered
  bool goes_on = false;               // something comes after it that needs the next matrices
  uint32_t columns = 0;               // if so: where its keys are kept

  size_t past() const { return before + nodes; }
};

std::vector<Stretch> stretches_of(const PrefixTree& tree, size_t nodes, uint32_t& places) {
  std::vector<Stretch> all;
  std::vector<uint32_t> place(tree.nodes.size(), PrefixTree::none);
  for (const PrefixTree::Chain& chain : tree.chains) {
    if (chain.first >= nodes) break;
    const uint32_t last = chain.first + chain.count;
    for (uint32_t node = chain.first; node < last;) {
      Stretch s{.first = node};
      const uint32_t depth = tree.nodes[node].depth;
      s.before = depth % kRun;
      s.fresh = depth < kRun;
      s.nodes = std::min(uint32_t(kRun) - s.before, last - node);
      uint32_t at = tree.nodes[node].parent;
      for (size_t i = s.before; i-- > 0; at = tree.nodes[at].parent) s.path[i] = at;
      for (uint32_t i = 0; i < s.nodes; ++i) s.path[s.before + i] = node + i;
      if (node == chain.first && !s.fresh) {
        s.from = at;
        if (place[at] == PrefixTree::none) place[at] = places++;
      }
      node += s.nodes;
      s.goes_on = node < last;
      all.push_back(s);
    }
  }
  for (Stretch& s : all) {
    if (s.from != PrefixTree::none) s.from = place[s.from];
    if (s.past() < kRun) continue;
    s.place = place[s.path.back()];
    s.goes_on |= s.place != PrefixTree::none;
  }
  return all;
}

// What the answers of a stretch are made of, for one head.
struct Shares {
  std::array<float, kRun> left;            // of the matrix, at each of its nodes
  std::array<float, kRun * kRun> weights;  // of each input, at each of its nodes
  std::array<float, kRun> taken;           // of each input, at the end

  Shares(const nn::Kernels& kernels, const Stretch& s, const FadingHeads& in, size_t head,
         const nn::View& near) {
    std::array<float, kRun> each_keeps, each_takes;
    for (size_t i = 0; i < s.past(); ++i) {
      each_keeps[i] = in.kept.row(s.path[i])[head];
      each_takes[i] = in.taken.row(s.path[i])[head];
    }
    kernels.fade({.before = s.before,
                  .steps = s.nodes,
                  .kept = each_keeps.data(),
                  .taken = each_takes.data(),
                  .dots = near.row(s.first),
                  .stride = near.stride,
                  .left = left.data(),
                  .weights = weights.data(),
                  .ends = taken.data()});
  }
};

class Scan {
 public:
  Scan(const nn::Runtime& runtime, const PrefixTree& tree, const FadingHeads& in,
       nn::Matrix& columns, nn::Matrix& near, nn::Matrix& out)
      : runtime_(runtime),
        in_(in),
        columns_(columns),
        near_(near),
        out_(out),
        groups_(in.heads / in.heads_a_key),
        panels_((in.channels + nn::kPanel - 1) / nn::kPanel),
        stretches_(stretches_of(tree, in.inputs.rows, places_)) {
    for (Stretch& s : stretches_)
      if (s.goes_on) s.columns = kept_columns_++;
  }

  void run() {
    out_.resize(in_.inputs.rows, in_.heads * in_.channels);
    meet();
    const size_t all = in_.heads * panels_, together = panels_together(runtime_, in_.states, all);
    runtime_.parallel((all + together - 1) / together, [&](size_t unit, int worker) {
      walk(unit * together, std::min(all, (unit + 1) * together), worker);
    });
  }

 private:
  // Every query with the keys of its stretch. These are kept, as columns, where matrices take them
  // up.
  void meet() {
    const nn::Kernels& kernels = runtime_.kernels();
    const size_t size = in_.states * kRun;
    columns_.resize(kept_columns_, groups_ * size);
    near_.resize(in_.inputs.rows, groups_ * kRun);
    runtime_.parallel(stretches_.size(), [&](size_t i, int worker) {
      const Stretch& s = stretches_[i];
      float *keys = runtime_.scratch(worker, 2 * size), *turned = keys + size;
      for (size_t group = 0; group < groups_; ++group) {
        for (size_t k = 0; k < s.past(); ++k)
          std::copy_n(in_.keys.row(s.path[k]) + group * in_.states, in_.states,
                      keys + k * in_.states);
        float* columns = s.goes_on ? columns_.row(s.columns) + group * size : turned;
        for (size_t k = 0; k < s.past(); k += nn::kPanel)
          kernels.pack_panel(keys + k * in_.states, in_.states, std::min(nn::kPanel, s.past() - k),
                             in_.states, columns + k * in_.states);
        kernels.multiply({.a = in_.queries.row(s.first) + group * in_.states,
                          .a_stride = in_.queries.stride,
                          .b = columns,
                          .b_stride = nn::kPanel,
                          .panel_stride = in_.states * nn::kPanel,
                          .c = near_.row(s.first) + group * kRun,
                          .c_stride = near_.columns(),
                          .rows = s.nodes,
                          .columns = s.past(),
                          .depth = in_.states});
      }
    });
  }

  // Some panels of channels, counted over all heads, through the whole tree.
  void walk(size_t begin, size_t end, int worker) const {
    const size_t size = (end - begin) * in_.states * nn::kPanel;
    float *matrices = runtime_.scratch(worker, (1 + places_) * size), *kept = matrices + size;
    for (size_t i = 0; i < stretches_.size(); ++i) {
      const Stretch& s = stretches_[i];
      if (s.from != PrefixTree::none) std::copy_n(kept + s.from * size, size, matrices);
      for (size_t panel = begin, next = 0; panel < end; panel = next) {
        next = std::min(end, (panel / panels_ + 1) * panels_);
        advance(i, panel, next, matrices + (panel - begin) * in_.states * nn::kPanel);
      }
      if (s.place != PrefixTree::none) std::copy_n(matrices, size, kept + s.place * size);
    }
  }

  // Panels of one head.
  void advance(size_t stretch, size_t begin, size_t end, float* matrix) const {
    const nn::Kernels& kernels = runtime_.kernels();
    const Stretch& s = stretches_[stretch];
    const size_t head = begin / panels_, group = head / in_.heads_a_key;
    const size_t first = begin % panels_ * nn::kPanel;
    const size_t channels = std::min(in_.channels - first, (end - begin) * nn::kPanel);
    const size_t size = in_.states * nn::kPanel;
    const Shares shares(kernels, s, in_, head, near_.part(group * kRun, kRun));
    const float* inputs[kRun];
    for (size_t i = 0; i < s.past(); ++i)
      inputs[i] = in_.inputs.row(s.path[i]) + head * in_.channels + first;
    float* out = out_.row(s.first) + head * in_.channels + first;
    if (!s.fresh)
      kernels.multiply({.a = in_.queries.row(s.first) + group * in_.states,
                        .a_stride = in_.queries.stride,
                        .b = matrix,
                        .b_stride = nn::kPanel,
                        .panel_stride = size,
                        .c = out,
                        .c_stride = out_.columns(),
                        .rows = s.nodes,
                        .columns = channels,
                        .depth = in_.states});
    kernels.blend({.inputs = inputs,
                   .before = s.before,
                   .steps = s.nodes,
                   .left = s.fresh ? nullptr : shares.left.data(),
                   .weights = shares.weights.data(),
                   .out = out,
                   .stride = out_.columns(),
                   .channels = channels});
    if (!s.goes_on) return;
    if (s.fresh) std::fill_n(matrix, (end - begin) * size, 0.0f);
    for (size_t at = 0; at < channels; at += nn::kPanel, matrix += size) {
      kernels.take_up({.states = matrix,
                       .count = in_.states,
                       .left = shares.left[s.nodes - 1],
                       .keys = columns_.row(s.columns) + group * in_.states * kRun,
                       .inputs = inputs,
                       .taken = shares.taken.data(),
                       .channels = std::min(nn::kPanel, channels - at)});
      for (const float*& input : inputs) input += nn::kPanel;
    }
  }

  const nn::Runtime& runtime_;
  const FadingHeads& in_;
  nn::Matrix &columns_, &near_, &out_;
  size_t groups_, panels_;
  uint32_t places_ = 0, kept_columns_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace

void FadingScan::run(const nn::Runtime& runtime, const PrefixTree& tree, const FadingHeads& in,
                     nn::Matrix& out) {
  Scan(runtime, tree, in, columns_, near_, out).run();
}

}  // namespace minpair::model
