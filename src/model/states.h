#pragma once
// What a model has inside for every token of a text.
//
//   query::Query question = states_question(model, ids, {{2}});   // what the second layer gives
//   query::Answer answer = model.answer({&question, 1})[0];
//   std::vector<States> states = states_of(answer, 1);

#include <span>
#include <string>
#include <vector>

#include "query/query.h"

namespace minpair::model {

struct States {
  size_t tokens = 0, width = 0;
  std::vector<float> values;  // tokens × width
};

// Layer 0 is the embeddings. Throws when the model cannot be looked into.
query::Query states_question(const query::Model& model, std::vector<tokenizer::TokenId> ids,
                             const std::vector<uint32_t>& layers);
std::vector<States> states_of(const query::Answer& answer, size_t layers);

}  // namespace minpair::model
