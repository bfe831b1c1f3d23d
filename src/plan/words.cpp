#include "plan/words.h"

namespace minpair {

std::vector<Query> spelled_out(const VocabularyWords* words, std::vector<Query> queries) {
  for (Query& query : queries)
    for (Read& read : query.reads)
      if (read.words >= 0) {
        read.targets = words->question(read.words).targets();
        read.words = -1;
      }
  return queries;
}

void cut_down(const VocabularyWords* words, const std::vector<DistinctQuery>& queries,
              std::vector<Answer>& answers) {
  for (size_t q = 0; q < queries.size(); ++q) {
    const std::vector<Read>& reads = queries[q].query.reads;
    for (size_t r = 0; r < reads.size(); ++r) {
      if (reads[r].words < 0) continue;
      std::vector<float> kept(WordQuestion::kKept);
      words->question(reads[r].words).keep(answers[q][r].logits, kept);
      answers[q][r].logits = std::move(kept);
    }
  }
}

Answer shaped_for(const Query& query) {
  Answer answer(query.reads.size());
  for (size_t r = 0; r < answer.size(); ++r)
    answer[r].logits.resize(query.reads[r].words < 0 ? query.reads[r].targets.size()
                                                     : WordQuestion::kKept);
  return answer;
}

}  // namespace minpair
