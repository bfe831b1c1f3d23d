#pragma once
// Many queries to a model: every distinct one is answered once, in order of length or with shared
// prefixes side by side, in batches without padding, in memory that does not grow.
//
//   QueryPlan plan(model);
//   plan.add({.item = 7}, query);
//   plan.answer();                        // the model at work; resumable with a journal
//   plan.rewind();
//   query::Answer answer = plan.take({.item = 7}, query.asks);   // in the order of their places

#include <functional>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "engine/distinct.h"
#include "engine/engine.h"

namespace minpair::engine {

class AnswerJournal;

class QueryPlan {
 public:
  explicit QueryPlan(query::Model& model, PlanOptions options = {});
  ~QueryPlan();

  // The plan's name covers it as well.
  void name(std::string_view text);
  // Places are added in their order. Throws when the model cannot answer the query.
  void add(const Place& place, const query::Query& query);

  const PlanCounts& counts();
  // Names the plan: the same names and queries at the same places give the same key.
  Hash128 key() const { return key_; }
  // Which of so many items belong to the shard; the same plan is split alike everywhere.
  std::vector<bool> items_of(const Shard& shard, uint64_t items);

  // Called after every batch with the tokens answered so far.
  using Tick = std::function<void(uint64_t tokens)>;
  // `executor`: who answers; null: the model alone.
  void answer(const Tick& tick = nullptr, AnswerJournal* journal = nullptr,
              Executor* executor = nullptr);
  uint64_t answered_from_journal() const { return from_journal_; }
  // How long the model would take, measured on a few batches from all over the plan.
  double estimate_seconds(double budget_seconds = 1.0);

  void rewind();
  // The next answer; an error when it is not of this place.
  query::Answer take(const Place& place, const std::vector<query::Ask>& asks);

  const query::Reducers& reducers() const { return reducers_; }

 private:
  uint64_t batch_tokens(size_t executors, uint64_t handed_out);
  void give_back(const DistinctQuery& query, const query::Answer& answer);

  query::Model& model_;
  PlanOptions options_;
  QueryOrder order_;
  query::Reducers reducers_;  // of the questions
  std::unique_ptr<SortedRecords> questions_, answers_;
  PlanCounts counts_;
  bool counted_ = false;
  Hash128 key_;
  uint64_t from_journal_ = 0;
};

}  // namespace minpair::engine
