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
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "engine/engine.h"
#include "query/bytes.h"

namespace minpair::engine {

class AnswerJournal;
class SortedRecords;

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
  ~Planner();

  // True: this item needs no work under this method (it is stored already).
  using Skip = std::function<bool(uint64_t ordinal, const suite::Item& item, size_t method)>;
  void plan(const ItemSource& items, const Skip& skip = nullptr);

  const PlanCounts& counts();
  // Names the plan: the same items, methods and tokenizer give the same key.
  Hash128 key() const { return key_; }

  // Which items of the plan belong to the shard; the same plan is split alike everywhere.
  std::vector<bool> items_of(const Shard& shard);

  // Called after every batch with the tokens answered so far.
  using Tick = std::function<void(uint64_t tokens)>;
  // `crew`: who answers; null: the model alone.
  void answer(const Tick& tick = nullptr, AnswerJournal* journal = nullptr, Crew* crew = nullptr);
  // How long the model would take, measured on a few batches from all over the plan.
  double estimate_seconds(double budget_seconds = 1.0);

  void assemble(const ItemSource& items, const std::function<void(Scored&)>& sink);

  const std::vector<const method::Method*>& methods() const { return methods_; }
  uint64_t answered_from_journal() const { return from_journal_; }

 private:
  void plan_item(uint64_t number, const suite::Item& item, size_t method);
  uint64_t batch_tokens(size_t crew, uint64_t handed_out);
  void give_back(const struct DistinctQuery& query, const query::Answer& answer);

  query::Model& model_;
  std::vector<const method::Method*> methods_;
  PlanOptions options_;
  method::MethodContext context_;
  query::Reducers reducers_;  // of the questions
  std::unique_ptr<SortedRecords> questions_, answers_;
  std::vector<bool> skipped_;
  PlanCounts counts_;
  bool counted_ = false;
  Hash128 key_;
  uint64_t from_journal_ = 0;
};

}  // namespace minpair::engine
