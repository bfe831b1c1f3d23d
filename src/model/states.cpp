#include "model/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/architecture.h"

namespace minpair::model {

States hidden_states(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                     uint32_t layer) {
  auto* watchable = dynamic_cast<Watchable*>(&model);
  if (!watchable) throw wrong_call(fmt::format("'{}' has no hidden states", model.info().name));
  if (layer > model.info().layers)
    throw wrong_call(fmt::format("the model has {} layers, not {}", model.info().layers, layer))
        .hint("0 is the embeddings");
  States states{ids.size(), 0, {}};
  watchable->watch(ids, [&](const Value& value) {
    bool wanted = layer == 0 ? value.site == Site::embeddings
                             : (value.site == Site::residual || value.site == Site::hidden) &&
                                   value.layer + 1 == layer;
    if (!wanted) return;
    states.width = value.rows.columns();
    states.values.resize(states.tokens * states.width);
    // A recurrent network shows its tokens one by one.
    for (size_t i = 0; i < value.tokens.size(); ++i)
      std::copy_n(value.rows.row(i), states.width,
                  states.values.begin() + std::ptrdiff_t(value.tokens[i] * states.width));
  });
  return states;
}

}  // namespace minpair::model
