#include "plan/crew.h"

#include "base/error.h"

namespace minpair {

std::vector<Answer> ask(Model& model, std::span<const Query> queries) {
  std::vector<Answer> answers = model.answer(queries);
  if (answers.size() != queries.size()) throw cannot("the model left queries unanswered");
  return answers;
}

std::vector<Answer> Alone::next() {
  std::vector<Query> batch = std::move(waiting_.front());
  waiting_.pop_front();
  return ask(model_, batch);
}

}  // namespace minpair
