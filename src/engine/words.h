#pragma once
// Questions about many words: named by a number while they wait, spelled out for the model, and cut
// down to the few numbers that are kept as soon as they are answered.

#include "engine/distinct.h"
#include "method/words.h"

namespace minpair::engine {

// `words` may be null when no read names words.
std::vector<query::Query> spelled_out(const method::VocabularyWords* words,
                                      std::vector<query::Query> queries);
void cut_down(const method::VocabularyWords* words, const std::vector<DistinctQuery>& queries,
              std::vector<query::Answer>& answers);

// An answer of zeros in the shape of one that was cut down.
query::Answer shaped_for(const query::Query& query);

}  // namespace minpair::engine
