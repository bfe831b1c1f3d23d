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

// What the distance of two tokens adds to their score, learned for each head and bucket of
// distances (Raffel et al. 2020): T5 and MPNet.

class DistanceBias {
 public:
  DistanceBias() = default;
  // `table`: [buckets × heads]. Distances from `furthest` on share the last bucket. Without
  // `both_ways`, no key stands after its query.
  DistanceBias(nn::Matrix table, size_t furthest, bool both_ways);

  void add(const nn::ScoreBlock& block) const;

 private:
  nn::Matrix table_;
  std::vector<uint32_t> bucket_;  // of so many steps back
  size_t ahead_ = 0;              // what is added to the bucket of steps ahead
};

}  // namespace minpair::model
