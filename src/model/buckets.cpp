#include "model/buckets.h"

#include <algorithm>
#include <cmath>

namespace minpair::model {

DistanceBias::DistanceBias(nn::Matrix table, size_t furthest, bool both_ways)
    : table_(std::move(table)) {
  const size_t buckets = both_ways ? table_.rows() / 2 : table_.rows(), exact = buckets / 2;
  if (both_ways) ahead_ = buckets;
  // In floats, as PyTorch does it: a bucket more or less is a matter of rounding.
  const float share = exact ? float(std::log(double(furthest) / double(exact))) : 0;
  for (size_t steps = 0; steps <= furthest; ++steps) {
    size_t bucket = buckets - 1;  // also where too few are left for distances to differ
    if (steps < exact)
      bucket = steps;
    else if (share > 0)
      bucket = std::min(
          exact + size_t(std::log(float(steps) / float(exact)) / share * float(buckets - exact)),
          bucket);
    bucket_.push_back(uint32_t(bucket));
  }
}

void DistanceBias::add(const nn::ScoreBlock& block) const {
  for (size_t i = 0; i < block.queries; ++i)
    for (size_t j = 0; j < block.keys; ++j) {
      const size_t query = block.query + i, key = block.key + j;
      const size_t steps = std::min(query > key ? query - key : key - query, bucket_.size() - 1);
      const size_t bucket = bucket_[steps] + (key > query ? ahead_ : 0);
      // What a causal model does not see.
      if (bucket < table_.rows())
        block.scores[i * block.stride + j] += table_.row(bucket)[block.head];
    }
}

}  // namespace minpair::model
