#include "method/ranks.h"

#include <utility>

namespace minpair::method {

Questions Ranks::questions(const suite::Item& item, std::vector<SentenceTokens> sentences,
                           const MethodContext& context) const {
  Questions questions = of_.questions(item, std::move(sentences), context);
  std::vector<std::vector<query::Ask>> before;
  for (query::Query& q : questions.queries) before.push_back(std::exchange(q.asks, {}));
  for (SentenceQuestions& sentence : questions.sentences)
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      Asked& asked = sentence.asked[i];
      uint32_t position = before[asked.query][asked.ask].position;
      std::vector<query::Ask>& asks = questions.queries[asked.query].asks;
      asked = {asked.query, uint32_t(asks.size()), 0};
      asks.push_back({position, query::Rank{sentence.tokens[i].id}});
    }
  return questions;
}

std::vector<judge::SentenceScore> Ranks::score(
    const Questions& questions, const std::vector<const query::Answer*>& answers) const {
  std::vector<judge::SentenceScore> scores;
  for (const SentenceQuestions& sentence : questions.sentences) {
    judge::SentenceScore score{sentence.tokens, {}};
    for (size_t i = 0; i < score.tokens.size(); ++i) {
      const Asked& asked = sentence.asked[i];
      score.tokens[i].logprob = std::get<query::Ranked>((*answers[asked.query])[asked.ask]).rank;
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace minpair::method
