#include "model/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace minpair::model {

query::Query states_question(const query::Model& model, std::vector<tokenizer::TokenId> ids,
                             const std::vector<uint32_t>& layers) {
  if (!model.asks().test(query::What(query::Hidden{}).index()))
    throw wrong_call(fmt::format("'{}' has no hidden states", model.info().name))
        .hint("transformers and recurrent models have them");
  query::Query query{std::move(ids), {}, {}};
  for (uint32_t position = 0; position < query.ids.size(); ++position)
    for (uint32_t layer : layers)
      query.asks.push_back({position, query::Hidden{uint16_t(std::min(layer, UINT32_C(65535)))}});
  return query;
}

std::vector<States> states_of(const query::Answer& answer, size_t layers) {
  std::vector<States> all(layers, {answer.size() / layers, 0, {}});
  for (size_t i = 0; i < answer.size(); ++i) {
    const std::vector<float>& values = std::get<query::State>(answer[i]).values;
    States& states = all[i % layers];
    states.width = values.size();
    states.values.insert(states.values.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace minpair::model
