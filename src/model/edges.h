#pragma once
// Where a sentence starts and ends for a model that reads from left to right.

#include "model/config.h"
#include "model/model.h"

namespace minpair::model {

struct Edge {
  tokenizer::TokenId id = -1;  // -1: nothing
  query::EdgeFrom from = query::EdgeFrom::nobody;
};

// The beginning of text of a transformer. What is wrong in its configuration goes to the notes.
Edge start_of_text(const Config& config, const tokenizer::Tokenizer& tokenizer,
                   query::ModelInfo& info);

// Settles the start and the end: what the user asked for, else the model's own. Both become part of
// the fingerprint, so that scores with different edges never meet.
void set_edges(query::ModelInfo& info, const tokenizer::Tokenizer& tokenizer,
               const LoadOptions& options, Edge start, Edge end);

}  // namespace minpair::model
