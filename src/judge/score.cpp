#include "judge/score.h"

#include <algorithm>

namespace minpair::judge {
namespace {

double divisor(const SentenceScore& s, Unit unit, uint32_t tokens) {
  switch (unit) {
    case Unit::sum:
      return 1;
    case Unit::token:
      return tokens;
    case Unit::word:
      return s.words;
    case Unit::character:
      return s.characters;
    case Unit::byte:
      return s.bytes;
    default:
      return 0;
  }
}

std::optional<double> value_of(const WordScore& words, Unit unit) {
  bool features = words.kind == WordScore::Kind::features;
  bool first = unit == (features ? Unit::probability : Unit::model_weight);
  bool second = unit == (features ? Unit::logit : Unit::equal_weight);
  if (!first && !second) return std::nullopt;
  return words.views[first ? 0 : 1];
}

}  // namespace

std::optional<double> SentenceScore::value(const View& view) const {
  if (cloze && cloze->kind != WordScore::Kind::form) return value_of(*cloze, view.unit);
  if (total && !view.special) return std::nullopt;
  double sum = total ? total->logprob : 0;
  uint32_t count = total ? total->tokens : 0;
  for (const TokenScore& t : tokens)
    if (view.special || !t.special) {
      sum += t.logprob;
      ++count;
    }
  double by = divisor(*this, view.unit, count);
  if (by == 0) return std::nullopt;
  return sum / by;
}

void measure(const suite::Item& item, Scope scope, std::vector<SentenceScore>& scores) {
  for (size_t i = 0; i < scores.size(); ++i) {
    const suite::Sentence& sentence = item.sentences[std::min(i, item.sentences.size() - 1)];
    std::string_view text = sentence.text;
    if (scope == Scope::locus) text = slice(text, sentence.locus);
    scores[i].words = uint32_t(minpair::words(text).size());
    scores[i].characters = uint32_t(count_characters(text));
    scores[i].bytes = uint32_t(text.size());
  }
}

bool equal_lengths(const std::vector<SentenceScore>& sentences) {
  return std::all_of(sentences.begin(), sentences.end(), [&](const SentenceScore& s) {
    return s.token_count() == sentences.front().token_count();
  });
}

}  // namespace minpair::judge
