#include "engine/plan.h"

#include "base/error.h"
#include "method/words.h"

namespace minpair::engine {
namespace {

method::MethodContext context_of(const query::Model& model, const method::VocabularyWords* words) {
  return {model.tokenizer(), model.info(), words};
}

}  // namespace

Planner::Planner(query::Model& model, std::vector<const method::Method*> methods,
                 PlanOptions options, const method::VocabularyWords* words)
    : methods_(std::move(methods)),
      context_(context_of(model, words)),
      queries_(model, std::move(options)) {
  for (const method::Method* m : methods_)
    queries_.name(m->name() + '/' + std::to_string(m->info().version));
  if (words) queries_.name(words->fingerprint());
}

void Planner::plan(const ItemSource& items, const Skip& skip) {
  items([&](uint64_t ordinal, const suite::Item& item) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      skipped_.push_back(skip && skip(ordinal, item, m));
      if (skipped_.back()) continue;
      const method::Questions asked = methods_[m]->ask(item, context_);
      for (size_t q = 0; q < asked.queries.size(); ++q)
        queries_.add({items_, uint32_t(m), uint32_t(q)}, asked.queries[q]);
    }
    ++items_;
  });
}

PlanCounts Planner::counts() {
  PlanCounts counts = queries_.counts();
  counts.items = items_;
  return counts;
}

void Planner::assemble(const ItemSource& items, const std::function<void(Scored&)>& sink) {
  queries_.rewind();
  uint64_t number = 0;
  auto changed = [] {
    return bad_input("the suite changed while it was being scored").hint("run the command again");
  };
  items([&](uint64_t ordinal, const suite::Item& item) {
    if (number >= items_) throw changed();
    for (size_t m = 0; m < methods_.size(); ++m) {
      Scored scored{ordinal, item, m, skipped_[number * methods_.size() + m]};
      if (!scored.skipped) {
        method::Questions asked = methods_[m]->ask(item, context_);
        scored.excluded = asked.excluded;
        std::vector<query::Answer> answers;
        for (size_t q = 0; q < asked.queries.size(); ++q)
          answers.push_back(
              queries_.take({number, uint32_t(m), uint32_t(q)}, asked.queries[q].asks));
        std::vector<const query::Answer*> pointers;
        for (const query::Answer& a : answers) pointers.push_back(&a);
        if (asked.excluded == judge::Reason::none)
          scored.sentences = methods_[m]->score(asked, pointers);
      }
      sink(scored);
    }
    ++number;
  });
  if (number != items_) throw changed();
}

std::vector<std::vector<ItemScores>> score_items(query::Model& model,
                                                 const std::vector<const method::Method*>& methods,
                                                 std::span<const suite::Item> items,
                                                 const Tick& tick, PlanCounts* counts) {
  Planner planner(model, methods, {.scratch = std::filesystem::temp_directory_path()});
  ItemSource source = [&](const EachItem& each) {
    for (size_t i = 0; i < items.size(); ++i) each(i, items[i]);
  };
  planner.plan(source);
  if (counts) *counts = planner.counts();
  const uint64_t total = tick ? planner.counts().tokens : 0;
  planner.answer([&](uint64_t tokens) {
    if (tick) tick(tokens, total);
  });
  std::vector<std::vector<ItemScores>> all(items.size());
  planner.assemble(source, [&](Scored& s) {
    all[s.ordinal].push_back({s.excluded, std::move(s.sentences)});
  });
  return all;
}

}  // namespace minpair::engine
