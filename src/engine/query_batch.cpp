#include "engine/query_batch.h"

#include "engine/batch_limit.h"
#include "engine/query_plan.h"

namespace minpair::engine {

QueryBatch::QueryBatch(query::Model& model, Tick tick)
    : plan_(std::make_unique<QueryPlan>(
          model, PlanOptions{.scratch = std::filesystem::temp_directory_path()})),
      tick_(std::move(tick)) {}

QueryBatch::~QueryBatch() = default;

void QueryBatch::add(const query::Query& query, Use use) {
  plan_->add({.item = uses_.size()}, query);
  query::append_asks(asks_, query.asks);
  uses_.push_back(std::move(use));
}

void QueryBatch::answer() {
  const uint64_t total = tick_ ? plan_->counts().tokens : 0;
  plan_->answer([&](uint64_t tokens) {
    if (tick_) tick_(tokens, total);
  });
  plan_->rewind();
  std::vector<query::Ask> asks;
  std::string_view rest = asks_;
  for (uint64_t i = 0; i < uses_.size(); ++i) {
    query::take_asks(rest, asks, plan_->reducers());
    uses_[i](plan_->take({.item = i}, asks));
  }
}

QueryStream::QueryStream(query::Model& model)
    : model_(model), limit_(std::make_unique<BatchLimit>(model.info())) {}

QueryStream::~QueryStream() = default;

void QueryStream::add(query::Query query, Use use) {
  check(query, model_);
  if (!limit_->fits(query, query.ids.size())) finish();
  queries_.push_back(std::move(query));
  uses_.push_back(std::move(use));
}

void QueryStream::finish() {
  std::vector<query::Answer> answers = model_.answer(queries_);
  queries_.clear();
  for (size_t i = 0; i < answers.size(); ++i) uses_[i](std::move(answers[i]));
  uses_.clear();
}

std::vector<bool> items_of(const Shard& shard, query::Model& model,
                           const std::vector<query::Query>& queries) {
  QueryPlan plan(model, {.scratch = std::filesystem::temp_directory_path()});
  for (uint64_t i = 0; i < queries.size(); ++i)
    if (!queries[i].ids.empty()) plan.add({.item = i}, queries[i]);
  return plan.items_of(shard, queries.size());
}

}  // namespace minpair::engine
