#pragma once
// What a model would put in a gap.

#include <string>
#include <vector>

#include "model/model.h"

namespace minpair::model {

struct Prediction {
  tokenizer::TokenId id = 0;
  std::string piece;
  double logprob = 0;
};

// The `count` best pieces at every mask of the text (written as the tokenizer's mask token, or as
// [MASK]); for a causal or recurrent model, the best continuations of the text. Best first, equals
// by id.
std::vector<std::vector<Prediction>> predict(query::Model& model, std::string text, size_t count);

}  // namespace minpair::model
