#pragma once
// Who answers the planner's batches: the model of this process, or several processes that have the
// same one (src/crew/).

#include <cstddef>
#include <deque>
#include <vector>

#include "model/model.h"

namespace minpair {

class Crew {
 public:
  virtual ~Crew() = default;
  virtual size_t size() const = 0;  // how many answer at the same time
  virtual void submit(std::vector<Query> batch) = 0;
  virtual bool full() const = 0;  // enough is under way to keep everybody busy
  // The answers to the oldest batch that was submitted and not yet taken.
  virtual std::vector<Answer> next() = 0;
};

// The model's answers, one for each query.
std::vector<Answer> ask(Model& model, std::span<const Query> queries);

class Alone : public Crew {
 public:
  explicit Alone(Model& model) : model_(model) {}
  size_t size() const override { return 1; }
  void submit(std::vector<Query> batch) override { waiting_.push_back(std::move(batch)); }
  bool full() const override { return !waiting_.empty(); }
  std::vector<Answer> next() override;

 private:
  Model& model_;
  std::deque<std::vector<Query>> waiting_;
};

}  // namespace minpair
