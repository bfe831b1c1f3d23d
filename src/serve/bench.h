#pragma once
// The bench: what a loaded model says about typed sentences, as JSON for the page.

#include <string>
#include <vector>

#include "query/query.h"

namespace minpair::serve {

// Scores of the sentences, and what the model would put at each [MASK] of those that have one.
std::string bench_json(query::Model& model, const std::string& method,
                       const std::vector<std::string>& texts, size_t top);

// A pair (right, wrong), looked into; the third text is the right one with another subject or
// attractor.
std::string looked_into_json(query::Model& model, const std::vector<std::string>& texts);

}  // namespace minpair::serve
