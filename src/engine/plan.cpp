#include "engine/plan.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/cost.h"
#include "engine/crew.h"
#include "engine/distinct.h"
#include "engine/journal.h"
#include "engine/split.h"
#include "method/words.h"

namespace minpair::engine {
namespace {

method::MethodContext context_of(const query::Model& model, const method::VocabularyWords* words) {
  return {model.tokenizer(), model.info(), words};
}

PlanOptions with_batch_of(const query::Model& model, PlanOptions options) {
  if (options.batch_tokens == 0) options.batch_tokens = model.info().batch_tokens;
  return options;
}

std::string answer_key(uint64_t item, size_t method, size_t query) {
  std::string key;
  append_key(key, item, 8);
  append_key(key, method, 2);
  append_key(key, query, 4);
  return key;
}

QueryOrder order_for(query::ModelInfo::Kind kind) {
  return kind == query::ModelInfo::Kind::masked ? QueryOrder::length : QueryOrder::prefix;
}

// Floats that a batch's answers are made from, where whole vocabularies are asked about.
constexpr uint64_t kMostFloats = uint64_t{16} << 20;

uint64_t floats_of(const query::Query& query, const query::ModelInfo& info) {
  uint64_t floats = 0;
  for (const query::Ask& ask : query.asks) floats += width(ask.what, info);
  return floats;
}

// Queries waiting for the model.
struct Waiting {
  std::vector<DistinctQuery> distinct;
  std::vector<query::Query> queries;
  uint64_t tokens = 0, floats = 0;

  void add(DistinctQuery&& d, uint64_t cost, uint64_t wide) {
    tokens += cost;
    floats += wide;
    queries.push_back(d.query);
    distinct.push_back(std::move(d));
  }
};

}  // namespace

Planner::Planner(query::Model& model, std::vector<const method::Method*> methods,
                 PlanOptions options, const method::VocabularyWords* words)
    : model_(model),
      methods_(std::move(methods)),
      options_(with_batch_of(model, std::move(options))),
      context_(context_of(model, words)),
      questions_(std::make_unique<SortedRecords>(options_.scratch, options_.memory)),
      answers_(std::make_unique<SortedRecords>(options_.scratch, options_.memory)) {}

Planner::~Planner() = default;

void Planner::plan_item(uint64_t number, const suite::Item& item, size_t method) {
  method::Questions asked = methods_[method]->ask(item, context_);
  for (size_t q = 0; q < asked.queries.size(); ++q) {
    check(asked.queries[q], model_);
    reducers_.add(asked.queries[q]);
    add_question(*questions_, number, method, q, asked.queries[q], order_for(context_.model.kind));
    const Hash128 query = query::identity(asked.queries[q]);
    const uint64_t fields[] = {key_.high, key_.low, number, method, q, query.high, query.low};
    key_ = hash128({reinterpret_cast<const char*>(fields), sizeof fields});
  }
}

void Planner::plan(const ItemSource& items, const Skip& skip) {
  const query::ModelInfo& info = model_.info();
  std::string names =
      info.fingerprint + '\n' + info.precision + '\n' + model_.tokenizer().fingerprint() + '\n';
  for (const method::Method* m : methods_)
    names += m->name() + '/' + std::to_string(m->info().version) + '\n';
  if (context_.words) names += context_.words->fingerprint() + '\n';
  key_ = hash128(names);
  items([&](uint64_t ordinal, const suite::Item& item) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      skipped_.push_back(skip && skip(ordinal, item, m));
      if (!skipped_.back()) plan_item(counts_.items, item, m);
    }
    ++counts_.items;
  });
  counts_.asked = questions_->count();
}

const PlanCounts& Planner::counts() {
  if (counted_) return counts_;
  DistinctQueries all(*questions_, reducers_);
  Cost cost(order_for(context_.model.kind));
  for (DistinctQuery d; all.next(d);) {
    ++counts_.distinct;
    counts_.tokens += cost.of(d.query.ids);
    counts_.alone += d.query.ids.size() * d.askers.size();
  }
  counted_ = true;
  return counts_;
}

std::vector<bool> Planner::items_of(const Shard& shard) {
  return engine::items_of(shard, *questions_, reducers_, counts_.items,
                          order_for(context_.model.kind));
}

void Planner::give_back(const DistinctQuery& distinct, const query::Answer& answer) {
  std::string value;
  distinct.askers.each(reducers_, [&](const Asker& asker) {
    value.clear();
    query::append_answer(value, answer_for(asker, distinct.query, answer));
    answers_->add(answer_key(asker.item, asker.method, asker.query), value);
  });
}

void Planner::answer(const Tick& tick, AnswerJournal* journal, Crew* with) {
  Alone alone(model_);
  Crew& crew = with ? *with : alone;
  if (crew.size() > 1) counts();  // before the walk begins: it is a walk of its own
  DistinctQueries all(*questions_, reducers_);
  Waiting batch;
  std::deque<Waiting> asked;
  uint64_t tokens = 0, handed_out = 0;
  auto take = [&] {
    std::vector<query::Answer> answers = crew.next();
    if (journal) journal->append(answers);
    for (size_t i = 0; i < answers.size(); ++i) give_back(asked.front().distinct[i], answers[i]);
    tokens += asked.front().tokens;
    asked.pop_front();
    if (tick) tick(tokens);
  };
  auto submit = [&] {
    if (batch.queries.empty()) return;
    handed_out += batch.tokens;
    crew.submit(std::move(batch.queries));
    asked.push_back(std::move(batch));
    batch = {};
    while (crew.full()) take();
  };
  bool stored = journal != nullptr;
  Cost cost(order_for(context_.model.kind));
  for (DistinctQuery d; all.next(d);) {
    uint64_t own = cost.of(d.query.ids);
    query::Answer known;
    if (stored && (stored = journal->next(d.query.asks, known))) {
      tokens += own;
      handed_out += own;
      ++from_journal_;
      give_back(d, known);
      continue;
    }
    if (tick && batch.queries.empty() && tokens > 0) tick(tokens);
    uint64_t floats = floats_of(d.query, model_.info());
    if (batch.tokens + own > batch_tokens(crew.size(), handed_out) ||
        batch.floats + floats > kMostFloats)
      submit();
    batch.add(std::move(d), own, floats);
    d = {};
  }
  submit();
  while (!asked.empty()) take();
}

// Towards the end smaller batches, so that all of a crew are done at the same time.
uint64_t Planner::batch_tokens(size_t crew, uint64_t handed_out) {
  if (crew == 1) return options_.batch_tokens;
  uint64_t left = counts_.tokens - std::min(handed_out, counts_.tokens);
  return std::clamp<uint64_t>(left / (4 * crew), std::min(options_.batch_tokens, 128u),
                              options_.batch_tokens);
}

double Planner::estimate_seconds(double budget_seconds) {
  using Clock = std::chrono::steady_clock;
  const PlanCounts& all_counts = counts();
  if (all_counts.distinct == 0) return 0;
  // Every n-th query, a batch's worth, so that all lengths are there.
  uint64_t step = std::max<uint64_t>(1, all_counts.tokens / (uint64_t{options_.batch_tokens} * 4));
  std::vector<query::Query> sample;
  uint64_t sampled = 0;
  DistinctQueries all(*questions_, reducers_);
  uint64_t number = 0;
  for (DistinctQuery d; all.next(d); ++number)
    if (number % step == step / 2 && sampled < uint64_t{options_.batch_tokens} * 4) {
      sampled += d.query.ids.size();
      sample.push_back(std::move(d.query));
      d = {};
    }
  if (sample.empty()) return 0;
  ask(model_, {&sample.front(), 1});  // the first pass prepares kernels
  uint64_t tokens = 0;
  auto start = Clock::now();
  double seconds = 0;
  for (std::span<const query::Query> rest = sample; !rest.empty() && seconds < budget_seconds;) {
    std::span<const query::Query> some = rest.first(batch_size(rest, options_.batch_tokens));
    rest = rest.subspan(some.size());
    for (const query::Query& q : some) tokens += q.ids.size();
    ask(model_, some);
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return seconds * double(all_counts.tokens) / double(tokens);
}

void Planner::assemble(const ItemSource& items, const std::function<void(Scored&)>& sink) {
  answers_->rewind();
  uint64_t number = 0;
  auto changed = [] {
    return bad_input("the suite changed while it was being scored").hint("run the command again");
  };
  items([&](uint64_t ordinal, const suite::Item& item) {
    if (number >= counts_.items) throw changed();
    for (size_t m = 0; m < methods_.size(); ++m) {
      Scored scored{ordinal, item, m, skipped_[number * methods_.size() + m]};
      if (!scored.skipped) {
        method::Questions asked = methods_[m]->ask(item, context_);
        scored.excluded = asked.excluded;
        std::vector<query::Answer> answers;
        for (size_t q = 0; q < asked.queries.size(); ++q) {
          std::string_view key, value;
          if (!answers_->next(key, value) || key != answer_key(number, m, q)) throw changed();
          answers.push_back(query::take_answer(value, asked.queries[q].asks));
        }
        std::vector<const query::Answer*> pointers;
        for (const query::Answer& a : answers) pointers.push_back(&a);
        if (asked.excluded == judge::Reason::none)
          scored.sentences = methods_[m]->score(asked, pointers);
      }
      sink(scored);
    }
    ++number;
  });
  if (number != counts_.items) throw changed();
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
