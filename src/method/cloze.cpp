#include "method/cloze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

stimuli::Bundle bundle_of(const suite::Item& item) {
  stimuli::Bundle bundle;
  for (stimuli::Feature f : stimuli::all_features) {
    const suite::FeatureValue* value = suite::find_feature(item, stimuli::name_of(f));
    if (!value) continue;
    const auto* text = std::get_if<std::string>(value);
    // Persons may have been read as numbers.
    std::string name = text ? *text : fmt::format("{}", std::get<double>(*value));
    bundle.value[size_t(f)] = stimuli::value_index(f, name);
  }
  return stimuli::core_values(bundle);
}

void need_words(const MethodContext& context) {
  if (!context.words)
    throw wrong_call("clozes are judged by words with known features, and none are given")
        .hint(
            "'minpair extract' writes them as lexicon.tsv beside a suite; or name a file with "
            "--lexicon");
}

}  // namespace

judge::Reads cloze_reads() {
  judge::Reads reads{.language = true, .features = {"pos"}};
  for (stimuli::Feature f : stimuli::all_features) reads.features.emplace_back(stimuli::name_of(f));
  return reads;
}

MaskedSentence without_locus(const suite::Sentence& sentence, const MethodContext& context) {
  MaskedSentence m;
  if (sentence.locus.empty()) return {Reason::empty_locus};
  suite::Text text{sentence.text, sentence.context};
  Encoded tokens;
  if (context.model.kind == query::ModelInfo::Kind::masked) {
    const tokenizer::TokenId mask = mask_of(context);
    text.text = suite::masked_text(sentence, context.tokenizer.piece(mask));
    tokens = encoded(text, context.tokenizer, context.model);
    bool found = false;
    for (size_t i = 0; i < tokens.ids.size() && !found; ++i) {
      found = tokens.ids[i] == mask && tokens.tokens[i].span.end > sentence.locus.begin;
      m.mask = uint32_t(i);
    }
    if (!found) m.excluded = Reason::locus_inside_token;
  } else {
    // The space before the locus is a part of the pieces that may stand there.
    text.text.resize(sentence.locus.begin);
    while (text.text.ends_with(' ')) text.text.pop_back();
    tokens = encoded(text, context.tokenizer, context.model, {.end = false});
    if (tokens.ids.empty()) return {Reason::nothing_to_score};
    m.mask = uint32_t(tokens.ids.size() - 1);
  }
  m.query.ids = std::move(tokens.ids);
  if (context.model.max_tokens > 0 && m.query.ids.size() > context.model.max_tokens)
    m.excluded = Reason::too_long;
  return m;
}

MaskedSentence masked_sentence(const suite::Item& item, const MethodContext& context) {
  if (!item.cloze) return {Reason::not_a_cloze};
  need_words(context);
  MaskedSentence m = without_locus(item.sentences[0], context);
  m.pos = suite::feature_text(item, "pos");
  m.bundle = bundle_of(item);
  if (m.excluded != Reason::empty_locus && (m.pos.empty() || m.bundle.empty()))
    m.excluded = Reason::no_features;
  return m;
}

Questions WordMethod::about(MaskedSentence m, VocabularyWords::Question question,
                            const MethodContext& context) {
  if (!question || question->smaller_side() < std::max<uint32_t>(context.words->minimum(), 1))
    return excluded(Reason::too_few_words);
  m.query.asks.push_back({m.mask, query::Classes{std::move(question)}});
  Questions questions;
  questions.queries.push_back(std::move(m.query));
  return questions;
}

Questions WordMethod::questions(const suite::Item& item, std::vector<SentenceTokens>,
                                const MethodContext& context) const {
  MaskedSentence m = masked_sentence(item, context);
  if (m.excluded != Reason::none) return excluded(m.excluded);
  VocabularyWords::Question question = (context.words->*find_)(item.language, m.pos, m.bundle);
  return about(std::move(m), std::move(question), context);
}

std::vector<judge::SentenceScore> WordMethod::score(
    const Questions& questions, const std::vector<const query::Answer*>& answers) const {
  // Only ask() above makes these questions.
  const auto& classes = std::get<query::Classes>(questions.queries.at(0).asks.at(0).what);
  const auto& words = static_cast<const WordQuestion&>(*classes.reducer);
  std::vector<judge::SentenceScore> scores;
  for (judge::WordScore& side : words.score(std::get<query::ClassRecords>(answers.at(0)->at(0))))
    scores.push_back({{}, std::move(side)});
  return scores;
}

std::vector<judge::WordScore> WordQuestion::score(const query::ClassRecords& sides) const {
  std::vector<judge::WordScore> scores;
  for (size_t side = 0; side < sides.size(); ++side) {
    const query::ClassRecord& from = sides[side];
    judge::WordScore s{kind_, counts_[side], {from.figures[0], from.figures[1]}, {}};
    for (const query::ClassRecord::Word& b : from.best)
      s.best.push_back({part_->words.at(b.word).form, b.logprob});
    scores.push_back(std::move(s));
  }
  return scores;
}

WordProbabilities::WordProbabilities(const WordsOfPart& part, std::span<const float> logits)
    : part_(part), logits_(logits), sums_(part.words.size()) {
  double largest = *std::max_element(logits.begin(), logits.end());
  for (size_t w = 0; w < sums_.size(); ++w) {
    for (uint32_t i = part.begins[w]; i < part.begins[w + 1]; ++i)
      sums_[w] += std::exp(double(logits[i]) - largest);
    all_ += sums_[w];
  }
}

double WordProbabilities::mean_logit(uint32_t word) const {
  double sum = 0;
  for (uint32_t i = part_.begins[word]; i < part_.begins[word + 1]; ++i) sum += double(logits_[i]);
  return sum / double(casings(word));
}

void BestWords::see(uint32_t word, double probability) {
  if (best_.size() == kBest && probability <= best_.back().probability) return;
  auto place = std::find_if(best_.begin(), best_.end(),
                            [&](const Best& other) { return other.probability < probability; });
  best_.insert(place, {word, probability});
  if (best_.size() > kBest) best_.pop_back();
}

std::vector<query::ClassRecord::Word> BestWords::words() const {
  std::vector<query::ClassRecord::Word> words;
  for (const Best& b : best_) words.push_back({b.word, float(std::log(b.probability))});
  return words;
}

}  // namespace minpair::method
