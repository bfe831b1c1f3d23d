#pragma once
// The model of this process, as an executor.

#include <deque>
#include <vector>

#include "engine/engine.h"

namespace minpair::engine {

// The model's answers, one for each query.
std::vector<query::Answer> ask(query::Model& model, std::span<const query::Query> queries);

class LocalExecutor : public Executor {
 public:
  explicit LocalExecutor(query::Model& model) : model_(model) {}
  size_t size() const override { return 1; }
  void submit(std::vector<query::Query> batch) override { waiting_.push_back(std::move(batch)); }
  bool full() const override { return !waiting_.empty(); }
  std::vector<query::Answer> next() override;

 private:
  query::Model& model_;
  std::deque<std::vector<query::Query>> waiting_;
};

}  // namespace minpair::engine
