#include "model/buckets.h"

#include <algorithm>
#include <cmath>

namespace minpair::model {

DistanceBias::DistanceBias(nn::Matrix table, size_t furthest, bool both_ways)
    : table_(std::move(table)) {
  const size_t buckets = both_ways ? table_.rows() / 2 : table_.rows(), exact = buckets / 2;
  if (both_ways) ahead_ = buckets;
  // In floats, as PyTorch does it: a bucket more or less is a matter of rounding.
  const float share = float(std::log(double(furthest) / double(exact)));
  for (size_t steps = 0; steps <= furthest; ++steps) {
    float part = steps < exact ? 0 : std::log(float(steps) / float(exact)) / share;
    size_t large = exact + size_t(part * float(buckets - exact));
    bucket_.push_back(uint32_t(steps < exact ? steps : std::min(large, buckets - 1)));
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
