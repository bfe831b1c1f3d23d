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
#include "method/method.h"

namespace minpair::engine {

class AnswerJournal;
class Crew;
class SortedRecords;
struct Shard;

// Calls its argument with every item, in the same order each time. The number is the item's place
// in its suite.
using EachItem = std::function<void(uint64_t ordinal, const suite::Item& item)>;
using ItemSource = std::function<void(const EachItem&)>;

struct PlanOptions {
  size_t memory = size_t{32} << 20;                // for each of the two sorted lists
  std::filesystem::path scratch = ".";             // for what does not fit
  uint32_t batch_tokens = 2048;                    // how much the model gets at once
  Crew* crew = nullptr;                            // who answers; null: the model alone
  const method::VocabularyWords* words = nullptr;  // for methods that judge clozes
};

struct PlanCounts {
  uint64_t items = 0;
  uint64_t asked = 0;     // queries before removing duplicates
  uint64_t distinct = 0;  // forward passes
  uint64_t tokens = 0;    // of the distinct ones, each shared prefix once
  uint64_t alone = 0;     // of all, as if each were asked on its own
};

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
  Planner(query::Model& model, std::vector<const method::Method*> methods,
          PlanOptions options = {});
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
  void answer(const Tick& tick = nullptr, AnswerJournal* journal = nullptr);
  // How long the model would take, measured on a few batches from all over the plan.
  double estimate_seconds(double budget_seconds = 1.0);

  void assemble(const ItemSource& items, const std::function<void(Scored&)>& sink);

  const std::vector<const method::Method*>& methods() const { return methods_; }
  uint64_t answered_from_journal() const { return from_journal_; }

 private:
  void plan_item(uint64_t ordinal, const suite::Item& item, size_t method);
  uint64_t batch_tokens(size_t crew, uint64_t handed_out);
  void give_back(const struct DistinctQuery& query, const query::Answer& answer);

  query::Model& model_;
  std::vector<const method::Method*> methods_;
  PlanOptions options_;
  method::MethodContext context_;
  std::unique_ptr<SortedRecords> questions_, answers_;
  std::vector<bool> skipped_;
  PlanCounts counts_;
  bool counted_ = false;
  Hash128 key_;
  uint64_t from_journal_ = 0;
};

// For a few items in memory: scores[item][method].
struct ItemScores {
  judge::Reason excluded = judge::Reason::none;
  std::vector<judge::SentenceScore> sentences;
};
std::vector<std::vector<ItemScores>> score_items(query::Model& model,
                                                 const std::vector<const method::Method*>& methods,
                                                 std::span<const suite::Item> items);

}  // namespace minpair::engine
