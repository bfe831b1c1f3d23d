#pragma once
// Questions about many words: named by a number while they wait, spelled out for the model, and cut
// down to the few numbers that are kept as soon as they are answered.

#include "method/words.h"
#include "plan/distinct.h"

namespace minpair {

// `words` may be null when no read names words.
std::vector<Query> spelled_out(const VocabularyWords* words, std::vector<Query> queries);
void cut_down(const VocabularyWords* words, const std::vector<DistinctQuery>& queries,
              std::vector<Answer>& answers);

// An answer of zeros in the shape of one that was cut down.
Answer shaped_for(const Query& query);

}  // namespace minpair
