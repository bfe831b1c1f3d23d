#pragma once
// Queries that are asked together: every distinct one once, however often it was added; and queries
// without end, each in its turn.
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

class BatchLimit;
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

// Answers come in the order of the queries, as soon as a batch is full; memory does not grow.
//
//   QueryStream stream(model);
//   stream.add(query, [&](query::Answer&& answer) { ... });
//   stream.finish();
class QueryStream {
 public:
  using Use = QueryBatch::Use;
  explicit QueryStream(query::Model& model);
  ~QueryStream();
  void add(query::Query query, Use use);  // throws when the model cannot answer it
  void finish();

 private:
  query::Model& model_;
  std::unique_ptr<BatchLimit> limit_;
  std::vector<query::Query> queries_;
  std::vector<Use> uses_;
};

// Which of so many items belong to the shard, as a run's do (engine.h): those that ask alike stay
// together. `queries`: what an item asks; one without ids asks nothing.
std::vector<bool> items_of(const Shard& shard, query::Model& model,
                           const std::vector<query::Query>& queries);

}  // namespace minpair::engine
