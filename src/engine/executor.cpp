#include "engine/executor.h"

#include "base/error.h"

namespace minpair::engine {

std::vector<query::Answer> ask(query::Model& model, std::span<const query::Query> queries) {
  std::vector<query::Answer> answers = model.answer(queries);
  if (answers.size() != queries.size()) throw cannot("the model left queries unanswered");
  return answers;
}

std::vector<query::Answer> LocalExecutor::next() {
  std::vector<query::Query> batch = std::move(waiting_.front());
  waiting_.pop_front();
  return ask(model_, batch);
}

}  // namespace minpair::engine
