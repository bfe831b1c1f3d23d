#pragma once
// What a model has inside for every token of a text.
//
//   States states = hidden_states(model, ids, 2);      // what the second layer gives

#include <span>
#include <string>
#include <vector>

#include "query/query.h"

namespace minpair::model {

struct States {
  size_t tokens = 0, width = 0;
  std::vector<float> values;  // tokens × width
};

// Layer 0 is the embeddings. Throws when the model has no such layer, or cannot be looked into.
States hidden_states(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                     uint32_t layer);
std::vector<States> hidden_states(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                                  std::span<const uint32_t> layers);
}  // namespace minpair::model
