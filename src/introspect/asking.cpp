#include "introspect/asking.h"

#include <fmt/format.h>

#include "base/error.h"

namespace minpair::introspect {

void check_layers(const query::Model& model) {
  if (!model.asks().test(query::What(query::Hidden{}).index()))
    throw wrong_call(fmt::format("'{}' has no layers to look into", model.info().name))
        .hint("transformers and recurrent models have them");
}

void Asking::ask(size_t who, query::Query query) {
  if (!waiting_.empty() && tokens_ + query.ids.size() > model_.info().batch_tokens) finish();
  tokens_ += query.ids.size();
  whose_.push_back(who);
  waiting_.push_back(std::move(query));
}

void Asking::finish() {
  std::vector<query::Answer> answers = model_.answer(waiting_);
  for (size_t i = 0; i < answers.size(); ++i) use_(whose_[i], std::move(answers[i]));
  waiting_.clear();
  whose_.clear();
  tokens_ = 0;
}

}  // namespace minpair::introspect
