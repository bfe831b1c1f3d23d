#pragma once
// What a layer gives for every token, one after the other.

#include "model/states.h"

namespace minpair::introspect {

inline std::vector<float> states_at(query::Model& model, std::vector<tokenizer::TokenId> ids,
                                    uint32_t layer) {
  const query::Query question = model::states_question(model, std::move(ids), {layer});
  return model::states_of(model.answer({&question, 1})[0], 1)[0].values;
}

}  // namespace minpair::introspect
