#pragma once
// How many tokens the model computes for queries in order: all, or what the one before does not
// share. One that changes something inside the model shares nothing.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/distinct.h"

namespace minpair::engine {

class Cost {
 public:
  explicit Cost(QueryOrder order) : order_(order) {}
  uint64_t of(const query::Query& query) {
    const std::vector<tokenizer::TokenId>& ids = query.ids;
    size_t shared = 0;
    if (order_ == QueryOrder::prefix && query.changes.empty()) {
      auto end = std::mismatch(ids.begin(), ids.end(), before_.begin(), before_.end()).first;
      shared = size_t(end - ids.begin());
      before_ = ids;
    }
    return ids.size() - shared;
  }

 private:
  QueryOrder order_;
  std::vector<tokenizer::TokenId> before_;
};

}  // namespace minpair::engine
