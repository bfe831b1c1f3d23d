#include "engine/texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "engine/query_batch.h"
#include "method/ranks.h"
#include "method/text.h"
#include "suite/cells.h"

namespace minpair::engine {
namespace {

constexpr std::string_view kMask = "[MASK]";

void check_method(const query::Model& model, const method::Method& method, size_t texts) {
  if (method.info().cloze)
    throw wrong_call(
        fmt::format("the method '{}' judges clozes and pairs of a suite, not texts", method.name()))
        .hint(fmt::format("'{}' scores texts", method::default_method(model.info()).name()));
  if (method.info().scope == judge::Scope::locus && texts < 2)
    throw wrong_call(fmt::format("the method '{}' compares texts at the words in which they differ",
                                 method.name()))
        .hint(fmt::format("give two texts or more, or use '{}'",
                          method::default_method(model.info()).name()));
}

// One item a text; a minimal set of all of them for a method that scores the locus.
std::vector<suite::Item> items_of(const std::vector<suite::Text>& texts, judge::Scope scope) {
  std::vector<suite::Item> items(scope == judge::Scope::locus ? 1 : texts.size());
  for (size_t i = 0; i < texts.size(); ++i)
    items[std::min(i, items.size() - 1)].sentences.push_back({texts[i]});
  if (scope == judge::Scope::locus) suite::align_loci(items[0].sentences);
  return items;
}

}  // namespace

void each_text(const std::vector<suite::Text>& texts,
               const std::function<void(const suite::Text& text, size_t number)>& work) {
  for (size_t i = 0; i < texts.size(); ++i) {
    try {
      work(texts[i], i);
    } catch (Error& e) {
      if (texts.size() > 1 && e.where().str().empty()) e.at(fmt::format("text {}", i + 1));
      throw;
    }
  }
}

ScoredTexts score_texts(query::Model& model, const method::Method& method,
                        const std::vector<suite::Text>& texts, const TextOptions& options) {
  check_method(model, method, texts.size());
  each_text(texts, [](const suite::Text& text, size_t) {
    method::require_utf8(text);
    for (const std::string* one : {&text.text, &text.context})
      if (suite::is_missing(*one))
        throw bad_input(fmt::format("'{}' stands for a missing value", *one))
            .hint("leave it out; if it is a word, write a full stop behind it");
  });
  std::vector<const method::Method*> methods{&method};
  const method::Ranks ranks(method);
  if (options.ranks) methods.push_back(&ranks);
  const bool words = options.words && method.name() == "lp";
  if (words) methods.push_back(&method::find_method("lp-by-words"));
  std::vector<suite::Item> items = items_of(texts, method.info().scope);
  ScoredTexts result;
  std::vector<std::vector<ItemScores>> all =
      score_items(model, methods, items, options.tick, &result.counts);
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t item = std::min(i, items.size() - 1), place = i - item;
    ScoredText& scored = result.texts.emplace_back(ScoredText{texts[i], all[item][0].excluded});
    if (!scored.has_score()) continue;
    if (place == 0) judge::measure(items[item], method.info().scope, all[item][0].sentences);
    scored.score = std::move(all[item][0].sentences[place]);
    if (options.ranks)
      for (const judge::TokenScore& t : all[item][1].sentences[place].tokens)
        scored.ranks.push_back(uint32_t(t.logprob));
    // A text that fills the model's context has no place behind it.
    ItemScores& complete = all[item].back();
    if (words && complete.excluded == judge::Reason::none)
      scored.complete = std::move(complete.sentences[place].tokens);
  }
  return result;
}

void mark_differences(std::vector<ScoredText>& texts) {
  std::vector<suite::Sentence> sentences;
  for (const ScoredText& t : texts)
    if (t.has_score()) sentences.push_back({t.text});
  suite::align_loci(sentences);
  auto sentence = sentences.begin();
  for (ScoredText& t : texts) {
    if (!t.has_score()) continue;
    method::mark_locus(t.score.tokens, *sentence++);
  }
}

std::string text_of(const query::Model& model, const ScoredText& scored,
                    const judge::ScoredWord& word) {
  return word.special ? model.tokenizer().piece(scored.score.tokens[word.first].id)
                      : std::string(slice(scored.text.text, word.span));
}

judge::Preference preference(const std::vector<ScoredText>& texts, const method::Method& method) {
  std::vector<std::optional<double>> values;
  for (const ScoredText& t : texts)
    values.push_back(t.excluded == judge::Reason::none ? t.score.value(method.view())
                                                       : std::nullopt);
  return judge::preference(values);
}

namespace {

// What is asked of the text, whose reading is noted in `result`.
query::Query gaps_question(const query::Model& model, suite::Text text, uint32_t count,
                           Predictions& result) {
  const tokenizer::Tokenizer& tokenizer = model.tokenizer();
  const tokenizer::TokenId mask = tokenizer.special().mask;
  const bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  result = {text, text.text, {}};
  if (!masked) {
    if (const size_t at = text.text.find(kMask); at != std::string::npos) {
      text.text.resize(at);
      while (text.text.ends_with(' ')) text.text.pop_back();
    }
    result.seen = text.text;
  } else if (mask >= 0) {
    const std::string piece = tokenizer.piece(mask);
    for (size_t at = 0; (at = text.text.find(kMask, at)) != std::string::npos; at += piece.size())
      text.text.replace(at, kMask.size(), piece);
  }
  const method::Encoded encoded = method::encoded(text, tokenizer, model.info(), {.end = false});
  if (encoded.ids.empty()) throw bad_input("there is no text to continue");
  query::Query query{encoded.ids, {}, {}};
  for (size_t i = 0; i < encoded.ids.size(); ++i)
    if (masked ? encoded.ids[i] == mask && !encoded.in_context(i) : i + 1 == encoded.ids.size())
      query.asks.push_back({uint32_t(i), query::Best{count}});
  if (query.asks.empty())
    throw wrong_call("the text has no mask").hint("write [MASK] where a word is to be predicted");
  return query;
}

std::vector<Prediction> best_tokens(const query::Record& record,
                                    const tokenizer::Tokenizer& tokenizer) {
  std::vector<Prediction> best;
  for (const auto& [id, logprob] : std::get<query::BestTokens>(record).tokens)
    best.push_back(
        {id,
         size_t(id) < tokenizer.vocabulary_size() ? tokenizer.piece(id) : fmt::format("#{}", id),
         logprob});
  return best;
}

}  // namespace

std::vector<Predictions> predictions(query::Model& model, const std::vector<suite::Text>& texts,
                                     uint32_t count, const Tick& tick) {
  std::vector<Predictions> all(texts.size());
  QueryBatch batch(model, tick);
  each_text(texts, [&](const suite::Text& text, size_t number) {
    batch.add(gaps_question(model, text, count, all[number]), [&, number](query::Answer&& answer) {
      for (const query::Record& record : answer)
        all[number].gaps.push_back(best_tokens(record, model.tokenizer()));
    });
  });
  batch.answer();
  return all;
}

}  // namespace minpair::engine
