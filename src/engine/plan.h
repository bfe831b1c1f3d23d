#pragma once
// Between the items and the model: every distinct query of a run is answered once, in order of
// length, in batches without padding, in memory that does not grow with the suite.
//
//   Planner planner(model, {&method::find_method("ce")});
//   planner.plan(items);                  // what must be asked
//   planner.answer();                     // the model at work; resumable with a journal
//   planner.assemble(items, [&](const Scored& s) { ... });
//
// The items are read twice and must be the same both times.

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/query_plan.h"

namespace minpair::engine {

// Calls its argument with every item, in the same order each time. The number is the item's place
// in its suite.
using EachItem = std::function<void(uint64_t ordinal, const suite::Item& item)>;
using ItemSource = std::function<void(const EachItem&)>;

// One item under one method. Exactly one of: scored, excluded, skipped.
struct Scored {
  uint64_t ordinal = 0;
  const suite::Item& item;
  size_t method = 0;  // index into the planner's methods
  bool skipped = false;
  judge::Reason excluded = judge::Reason::none;
  std::vector<judge::SentenceScore> sentences;
};

class Planner {
 public:
  // `words`: for methods that judge clozes; they live as long as the planner.
  Planner(query::Model& model, std::vector<const method::Method*> methods, PlanOptions options = {},
          const method::VocabularyWords* words = nullptr);

  // True: this item needs no work under this method (it is stored already).
  using Skip = std::function<bool(uint64_t ordinal, const suite::Item& item, size_t method)>;
  void plan(const ItemSource& items, const Skip& skip = nullptr);

  PlanCounts counts();
  Hash128 key() const { return queries_.key(); }  // as of a QueryPlan
  std::vector<bool> items_of(const Shard& shard) { return queries_.items_of(shard, items_); }
  void answer(const QueryPlan::Tick& tick = nullptr, AnswerJournal* journal = nullptr,
              Executor* executor = nullptr) {
    queries_.answer(tick, journal, executor);
  }
  double estimate_seconds() { return queries_.estimate_seconds(); }
  uint64_t answered_from_journal() const { return queries_.answered_from_journal(); }

  void assemble(const ItemSource& items, const std::function<void(Scored&)>& sink);

  const std::vector<const method::Method*>& methods() const { return methods_; }

 private:
  std::vector<const method::Method*> methods_;
  method::MethodContext context_;
  QueryPlan queries_;
  std::vector<bool> skipped_;
  uint64_t items_ = 0;
};

}  // namespace minpair::engine
