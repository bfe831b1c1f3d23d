#pragma once
// Where a batch ends: the one rule for everything that asks a model.
//
//   BatchLimit limit(model.info());
//   if (!limit.fits(query, tokens)) { send(batch); batch.clear(); }

#include <algorithm>

#include "query/query.h"

namespace minpair::engine {

class BatchLimit {
 public:
  explicit BatchLimit(const query::ModelInfo& info) : info_(info), tokens_(info.batch_tokens) {}
  void set_tokens(uint64_t tokens) { tokens_ = tokens; }

  // False: the query, which costs so many tokens, begins a new batch.
  bool fits(const query::Query& query, uint64_t tokens) {
    uint64_t floats = 0;
    for (const query::Ask& ask : query.asks) floats += width(ask.what, info_);
    const bool fit =
        empty_ || (used_tokens_ + tokens <= tokens_ && used_floats_ + floats <= kMostFloats);
    used_tokens_ = tokens + (fit ? used_tokens_ : 0);
    used_floats_ = floats + (fit ? used_floats_ : 0);
    empty_ = false;
    return fit;
  }

 private:
  // That a batch's answers are made from, where whole vocabularies are asked about.
  static constexpr uint64_t kMostFloats = uint64_t{16} << 20;

  const query::ModelInfo& info_;
  uint64_t tokens_, used_tokens_ = 0, used_floats_ = 0;
  bool empty_ = true;
};

}  // namespace minpair::engine
