#include "engine/words.h"

namespace minpair::engine {

std::vector<query::Query> spelled_out(const method::VocabularyWords* words,
                                      std::vector<query::Query> queries) {
  for (query::Query& query : queries)
    for (query::Read& read : query.reads)
      if (read.words >= 0) {
        read.targets = words->question(read.words).targets();
        read.words = -1;
      }
  return queries;
}

void cut_down(const method::VocabularyWords* words, const std::vector<DistinctQuery>& queries,
              std::vector<query::Answer>& answers) {
  for (size_t q = 0; q < queries.size(); ++q) {
    const std::vector<query::Read>& reads = queries[q].query.reads;
    for (size_t r = 0; r < reads.size(); ++r) {
      if (reads[r].words < 0) continue;
      std::vector<float> kept(method::WordQuestion::kKept);
      words->question(reads[r].words).keep(answers[q][r].logits, kept);
      answers[q][r].logits = std::move(kept);
    }
  }
}

query::Answer shaped_for(const query::Query& query) {
  query::Answer answer(query.reads.size());
  for (size_t r = 0; r < answer.size(); ++r)
    answer[r].logits.resize(query.reads[r].words < 0 ? query.reads[r].targets.size()
                                                     : method::WordQuestion::kKept);
  return answer;
}

}  // namespace minpair::engine
