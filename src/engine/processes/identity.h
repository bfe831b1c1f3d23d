#pragma once
// Whether two processes compute the same: the weights, the tokenizer, the precision, and the bits
// of an answer, which tell apart machines whose instructions round differently.

#include <string>

#include "model/model.h"

namespace minpair::engine {

std::string identity_of(query::Model& model);
// What differs, for people; empty: nothing.
std::string difference(const std::string& ours, const std::string& theirs);

}  // namespace minpair::engine
