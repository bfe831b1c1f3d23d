#pragma once
// Who answers the planner's batches: the model of this process, or several processes that have the
// same one (src/crew/).

#include <cstddef>
#include <deque>
#include <vector>

#include "model/model.h"

namespace minpair::engine {

class Crew {
 public:
  virtual ~Crew() = default;
  virtual size_t size() const = 0;  // how many answer at the same time
  virtual void submit(std::vector<query::Query> batch) = 0;
  virtual bool full() const = 0;  // enough is under way to keep everybody busy
  // The answers to the oldest batch that was submitted and not yet taken.
  virtual std::vector<query::Answer> next() = 0;
};

// The model's answers, one for each query.
std::vector<query::Answer> ask(query::Model& model, std::span<const query::Query> queries);

class Alone : public Crew {
 public:
  explicit Alone(query::Model& model) : model_(model) {}
  size_t size() const override { return 1; }
  void submit(std::vector<query::Query> batch) override { waiting_.push_back(std::move(batch)); }
  bool full() const override { return !waiting_.empty(); }
  std::vector<query::Answer> next() override;

 private:
  query::Model& model_;
  std::deque<std::vector<query::Query>> waiting_;
};

}  // namespace minpair::engine
