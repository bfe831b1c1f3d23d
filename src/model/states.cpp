#include "model/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace minpair::model {

std::vector<States> hidden_states(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                                  std::span<const uint32_t> layers) {
  if (!model.asks().test(query::What(query::Hidden{}).index()))
    throw wrong_call(fmt::format("'{}' has no hidden states", model.info().name))
        .hint("transformers and recurrent models have them");
  query::Query query{ids, {}, {}};
  for (uint32_t position = 0; position < ids.size(); ++position)
    for (uint32_t layer : layers)
      query.asks.push_back({position, query::Hidden{uint16_t(std::min(layer, UINT32_C(65535)))}});
  check(query, model);
  query::Answer answer = std::move(model.answer({&query, 1})[0]);
  std::vector<States> all(layers.size(), {ids.size(), 0, {}});
  for (size_t i = 0; i < answer.size(); ++i) {
    const std::vector<float>& values = std::get<query::State>(answer[i]).values;
    States& states = all[i % layers.size()];
    states.width = values.size();
    states.values.insert(states.values.end(), values.begin(), values.end());
  }
  return all;
}

States hidden_states(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                     uint32_t layer) {
  return std::move(hidden_states(model, ids, std::span(&layer, 1))[0]);
}

}  // namespace minpair::model
