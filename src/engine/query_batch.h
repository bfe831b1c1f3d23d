#pragma once
// Queries that are asked together: every distinct one once, however often it was added.
//
//   QueryBatch batch(model, tick);
//   batch.add(query, [&](query::Answer&&) { ... });
//   batch.answer();                       // then calls what was added, in that order

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace minpair::engine {

class QueryPlan;

class QueryBatch {
 public:
  using Use = std::function<void(query::Answer&& answer)>;
  explicit QueryBatch(query::Model& model, Tick tick = {});
  ~QueryBatch();
  void add(const query::Query& query, Use use);
  void answer();

 private:
  std::unique_ptr<QueryPlan> plan_;
  Tick tick_;
  std::string asks_;  // of every query, as bytes
  std::vector<Use> uses_;
};

// Which of so many items belong to the shard, as a run's do (engine.h): those that ask alike stay
// together. `queries`: what an item asks; one without ids asks nothing.
std::vector<bool> items_of(const Shard& shard, query::Model& model,
                           const std::vector<query::Query>& queries);

}  // namespace minpair::engine
