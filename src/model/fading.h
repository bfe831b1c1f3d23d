#pragma once
// Heads that remember in a matrix which fades as one: the states of Mamba 2, the memories of xLSTM.
//
// At a node the matrix becomes kept * matrix + taken * (key ⊗ input), and answers query · matrix. A
// few nodes at a time go without the matrices between them (Dao & Gu 2024, section 6): an answer is
// that of the last matrix, faded, and of the inputs since, each weighted by query · key. Where the
// few begin depends on the depth in the tree alone, so an answer depends only on the path to it.

#include "model/prefix_tree.h"
#include "nn/nn.h"

namespace minpair::model {

struct FadingHeads {
  size_t heads, states, channels;  // a matrix has a row of channels for each state
  size_t heads_a_key = 1;          // heads next to each other that share keys and queries
  nn::View keys, queries;          // of each node: [heads / heads_a_key × states]
  nn::View inputs;                 // [heads × channels]
  nn::View kept, taken;            // [heads]
};

// Scans, one after the other, with memory that is kept for the next.
class FadingScan {
 public:
  // Into `out`, as many rows as `inputs`: [heads × channels].
  void run(const nn::Runtime& runtime, const PrefixTree& tree, const FadingHeads& in,
           nn::Matrix& out);

 private:
  nn::Matrix columns_, near_;
};

}  // namespace minpair::model
