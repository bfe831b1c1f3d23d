#pragma once
// What the distance of two tokens adds to their score, learned for each head and bucket of
// distances (Raffel et al. 2020): T5 and MPNet.

#include <cstdint>
#include <vector>

#include "nn/nn.h"

namespace minpair::model {

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
