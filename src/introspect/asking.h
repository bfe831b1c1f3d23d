#pragma once
// Many questions to a model, answered in batches as large as it likes.
//
//   Asking asking(model, [&](size_t who, query::Answer&& answer) { ... });
//   for (...) asking.ask(item, query);
//   asking.finish();

#include <functional>
#include <utility>
#include <vector>

#include "query/query.h"

namespace minpair::introspect {

// Throws when the model has no layers: an n-gram model.
void check_layers(const query::Model& model);

class Asking {
 public:
  using Use = std::function<void(size_t who, query::Answer&& answer)>;
  Asking(query::Model& model, Use use) : model_(model), use_(std::move(use)) {}

  void ask(size_t who, query::Query query);
  void finish();  // answers what is still waiting

 private:
  query::Model& model_;
  Use use_;
  std::vector<query::Query> waiting_;
  std::vector<size_t> whose_;
  uint64_t tokens_ = 0;
};

}  // namespace minpair::introspect
