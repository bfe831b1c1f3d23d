#include "engine/query_plan.h"

#include <chrono>
#include <deque>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/batch_limit.h"
#include "engine/cost.h"
#include "engine/executor.h"
#include "engine/journal.h"
#include "engine/split.h"

namespace minpair::engine {
namespace {

PlanOptions with_batch_of(const query::Model& model, PlanOptions options) {
  if (options.batch_tokens == 0) options.batch_tokens = model.info().batch_tokens;
  return options;
}

std::string answer_key(const Place& place) {
  std::string key;
  append_key(key, place.item, 8);
  append_key(key, place.method, 2);
  append_key(key, place.query, 4);
  return key;
}

QueryOrder order_for(query::ModelInfo::Kind kind) {
  return kind == query::ModelInfo::Kind::masked ? QueryOrder::length : QueryOrder::prefix;
}

// Queries waiting for the model.
struct Waiting {
  std::vector<DistinctQuery> distinct;
  std::vector<query::Query> queries;
  uint64_t tokens = 0;

  void add(DistinctQuery&& d, uint64_t cost) {
    tokens += cost;
    queries.push_back(d.query);
    distinct.push_back(std::move(d));
  }
};

}  // namespace

QueryPlan::QueryPlan(query::Model& model, PlanOptions options)
    : model_(model),
      options_(with_batch_of(model, std::move(options))),
      order_(order_for(model.info().kind)),
      questions_(std::make_unique<SortedRecords>(options_.scratch, options_.memory)),
      answers_(std::make_unique<SortedRecords>(options_.scratch, options_.memory)) {
  const query::ModelInfo& info = model.info();
  name(info.fingerprint + '\n' + info.precision + '\n' + model.tokenizer().fingerprint());
}

QueryPlan::~QueryPlan() = default;

void QueryPlan::name(std::string_view text) {
  std::string bytes(reinterpret_cast<const char*>(&key_), sizeof key_);
  key_ = hash128(bytes.append(text));
}

void QueryPlan::add(const Place& place, const query::Query& query) {
  check(query, model_);
  reducers_.add(query);
  add_question(*questions_, place, query, order_);
  const Hash128 id = query::identity(query);
  const uint64_t fields[] = {key_.high,   key_.low, place.item, place.method,
                             place.query, id.high,  id.low};
  key_ = hash128({reinterpret_cast<const char*>(fields), sizeof fields});
  ++counts_.asked;
}

const PlanCounts& QueryPlan::counts() {
  if (counted_) return counts_;
  DistinctQueries all(*questions_, reducers_);
  Cost cost(order_);
  for (DistinctQuery d; all.next(d);) {
    ++counts_.distinct;
    counts_.tokens += cost.of(d.query);
    counts_.alone += d.query.ids.size() * d.requests.size();
  }
  counted_ = true;
  return counts_;
}

std::vector<bool> QueryPlan::items_of(const Shard& shard, uint64_t items) {
  return engine::items_of(shard, *questions_, reducers_, items, order_);
}

void QueryPlan::give_back(const DistinctQuery& distinct, const query::Answer& answer) {
  std::string value;
  distinct.requests.each(reducers_, [&](const Request& request) {
    value.clear();
    query::append_answer(value, answer_for(request, distinct.query, answer));
    answers_->add(answer_key(request.place), value);
  });
}

void QueryPlan::answer(const Tick& tick, AnswerJournal* journal, Executor* with) {
  LocalExecutor alone(model_);
  Executor& executor = with ? *with : alone;
  if (executor.size() > 1) counts();  // before the walk begins: it is a walk of its own
  DistinctQueries all(*questions_, reducers_);
  Waiting batch;
  std::deque<Waiting> asked;
  uint64_t tokens = 0, handed_out = 0;
  auto take = [&] {
    std::vector<query::Answer> answers = executor.next();
    check_unchanged(model_.files);  // before they are kept: weights are mapped
    if (journal) journal->append(answers);
    for (size_t i = 0; i < answers.size(); ++i) give_back(asked.front().distinct[i], answers[i]);
    tokens += asked.front().tokens;
    asked.pop_front();
    if (tick) tick(tokens);
  };
  auto submit = [&] {
    if (batch.queries.empty()) return;
    handed_out += batch.tokens;
    executor.submit(std::move(batch.queries));
    asked.push_back(std::move(batch));
    batch = {};
    while (executor.full()) take();
  };
  bool stored = journal != nullptr;
  Cost cost(order_);
  BatchLimit limit(model_.info());
  for (DistinctQuery d; all.next(d);) {
    uint64_t own = cost.of(d.query);
    query::Answer known;
    if (stored && (stored = journal->next(d.query.asks, known))) {
      tokens += own;
      handed_out += own;
      ++from_journal_;
      give_back(d, known);
      continue;
    }
    if (tick && batch.queries.empty() && tokens > 0) tick(tokens);
    limit.set_tokens(batch_tokens(executor.size(), handed_out));
    if (!limit.fits(d.query, own)) submit();
    batch.add(std::move(d), own);
    d = {};
  }
  submit();
  while (!asked.empty()) take();
}

// Towards the end smaller batches, so that all of several are done at the same time.
uint64_t QueryPlan::batch_tokens(size_t executors, uint64_t handed_out) {
  if (executors == 1) return options_.batch_tokens;
  uint64_t left = counts_.tokens - std::min(handed_out, counts_.tokens);
  return std::clamp<uint64_t>(left / (4 * executors), std::min(options_.batch_tokens, 128u),
                              options_.batch_tokens);
}

double QueryPlan::estimate_seconds(double budget_seconds) {
  using Clock = std::chrono::steady_clock;
  const PlanCounts& all_counts = counts();
  if (all_counts.distinct == 0) return 0;
  // Every n-th query, a few batches' worth, so that all lengths are there.
  const uint64_t most = uint64_t{options_.batch_tokens} * 4;
  uint64_t step = std::max<uint64_t>(1, all_counts.tokens / most);
  std::vector<query::Query> sample;
  uint64_t sampled = 0, number = 0;
  DistinctQueries all(*questions_, reducers_);
  for (DistinctQuery d; all.next(d); ++number)
    if (number % step == step / 2 && sampled < most) {
      sampled += d.query.ids.size();
      sample.push_back(std::move(d.query));
      d = {};
    }
  if (sample.empty()) return 0;
  ask(model_, {&sample.front(), 1});  // the first pass prepares kernels
  auto start = Clock::now();
  double seconds = 0;
  uint64_t tokens = 0;
  BatchLimit limit(model_.info());
  limit.set_tokens(options_.batch_tokens);
  for (size_t begin = 0, end = 0; begin < sample.size() && seconds < budget_seconds; begin = end) {
    do tokens += sample[end++].ids.size();
    while (end < sample.size() && limit.fits(sample[end], sample[end].ids.size()));
    ask(model_, {sample.data() + begin, end - begin});
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return seconds * double(all_counts.tokens) / double(tokens);
}

void QueryPlan::rewind() { answers_->rewind(); }

query::Answer QueryPlan::take(const Place& place, const std::vector<query::Ask>& asks) {
  std::string_view key, value;
  if (!answers_->next(key, value) || key != answer_key(place))
    throw bad_input("the suite changed while it was being scored").hint("run the command again");
  return query::take_answer(value, asks);
}

}  // namespace minpair::engine
