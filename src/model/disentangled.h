#pragma once
// Disentangled attention (He et al. 2021): to the product of two contents are added those of a
// content and a distance (c2p), and of a distance and a content (p2c).

#include <cstdint>
#include <vector>

#include "nn/nn.h"

namespace minpair::model {

// What queries or keys are multiplied with: one row for each distance, of each head, in the panels
// that kernels read.
class Distances {
 public:
  Distances() = default;
  Distances(const nn::Runtime& runtime, const nn::Matrix& embeddings, const nn::Linear& layer,
            size_t width);
  bool empty() const { return packed_.empty(); }
  // out = in · the rows [first, first + count), both multiples of a panel.
  void multiply(const nn::Kernels& kernels, const nn::View& in, size_t head, size_t first,
                size_t count, float* out) const;

 private:
  size_t panels_ = 0, width_ = 0;
  std::vector<float> packed_;
};

// Which row a distance has.
class DistanceRows {
 public:
  DistanceRows() = default;
  // `middle`: the row of no distance, of `rows`. With `buckets`, far distances share rows, the more
  // the farther they are, up to `furthest`; 0: each has its own.
  DistanceRows(size_t tokens, int64_t middle, int64_t rows, int64_t buckets, int64_t furthest);
  // Adds to the scores of a block, where `keys` and `queries` are not empty.
  void add(const nn::Kernels& kernels, float scale, const Distances& keys, const Distances& queries,
           const nn::ScoreBlock& block) const;

 private:
  struct Square {
    size_t query, queries, key, keys;  // within a block
  };
  void add(const nn::Kernels& kernels, float scale, const Distances& keys, const Distances& queries,
           const nn::ScoreBlock& block, const Square& square) const;

  std::vector<uint32_t> row_;  // from the most negative distance on
  size_t zero_ = 0;
};

}  // namespace minpair::model
