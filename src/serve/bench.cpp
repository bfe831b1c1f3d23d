#include "serve/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "engine/engine.h"
#include "introspect/typed.h"
#include "model/predict.h"

namespace minpair::serve {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view kMask = "[MASK]";

void add_surprisal(json& sentence, const TypedSentence& s) {
  sentence["unit"] = "bits";
  for (size_t i = 0; i < s.score.tokens.size(); ++i)
    sentence["tokens"][i]["surprisal"] = bits(s.score.tokens[i].logprob);
  for (const TypedWord& w : s.words)
    sentence["words"].push_back({{"text", w.text},
                                 {"begin", character_of_byte(s.text, w.span.begin)},
                                 {"end", character_of_byte(s.text, w.span.end)},
                                 {"surprisal", w.surprisal},
                                 {"surprisal_complete", w.complete}});
}

json json_of(const query::Model& model, const method::Method& method,
             const std::vector<TypedSentence>& sentences) {
  json out{{"model", model.info().name},
           {"precision", model.info().precision},
           {"method", method.name()}};
  out["norm"] = judge::name_of(method.view());
  for (const TypedSentence& s : sentences) {
    json tokens = json::array();
    for (const judge::TokenScore& t : s.score.tokens)
      tokens.push_back({{"piece", model.tokenizer().piece(t.id)},
                        {"id", t.id},
                        {"begin", character_of_byte(s.text, t.span.begin)},
                        {"end", character_of_byte(s.text, t.span.end)},
                        {"locus", t.in_locus},
                        {"logit", t.logit},
                        {"logprob", t.logprob}});
    out["sentences"].push_back(
        {{"text", s.text}, {"sum", s.sum()}, {"mean", s.mean()}, {"tokens", tokens}});
    if (!s.words.empty()) add_surprisal(out["sentences"].back(), s);
  }
  if (sentences.size() < 2) return out;
  judge::Preference best = preference(sentences, method);
  out["preferred"] = best.by == 0 ? json(nullptr) : json(best.first);
  out["difference"] = best.by;
  return out;
}

json predictions(query::Model& model, const std::string& text, size_t top) {
  bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  std::string seen = text;
  if (!masked) seen = trim(std::string_view(text).substr(0, text.find(kMask)));
  json gaps = json::array();
  for (const std::vector<model::Prediction>& gap : model::predict(model, seen, top)) {
    json best = json::array();
    for (const model::Prediction& p : gap)
      best.push_back({{"piece", p.piece}, {"logprob", p.logprob}});
    gaps.push_back(best);
  }
  return {{"text", text}, {"seen", seen}, {"gaps", gaps}};
}

// The words of a sentence, from its tokens as pieces and as parts of complete words.
std::vector<TypedWord> words_of(const tokenizer::Tokenizer& tokenizer,
                                const TypedSentence& sentence,
                                const std::vector<judge::TokenScore>& complete) {
  std::vector<TypedWord> words;
  for (size_t i = 0; i < sentence.score.tokens.size(); ++i) {
    const judge::TokenScore& t = sentence.score.tokens[i];
    if (words.empty() || t.begins_word || t.special) words.push_back({t.span});
    TypedWord& word = words.back();
    word.span.end = std::max(word.span.end, t.span.end);
    word.text = t.special ? tokenizer.piece(t.id) : std::string(slice(sentence.text, word.span));
    word.in_locus |= t.in_locus;
    word.surprisal += bits(t.logprob);
    word.complete += bits(complete[i].logprob);
  }
  return words;
}

}  // namespace

double bits(double logprob) { return -logprob / std::log(2.0); }

std::vector<TypedSentence> score_typed(query::Model& model, const method::Method& method,
                                       const std::vector<std::string>& texts,
                                       const std::string& context) {
  suite::Item item;
  item.id = "1";
  for (const std::string& text : texts)
    item.sentences.push_back({text, {}, false, {}, context, {}});
  suite::align_loci(item.sentences);
  std::vector<const method::Method*> methods{&method};
  if (method.name() == "lp") methods.push_back(&method::find_method("lp-by-words"));
  auto scored = [&] { return std::move(engine::score_items(model, methods, {&item, 1})[0]); };
  std::vector<engine::ItemScores> all = scored();
  // Whoever types sentences sees which of their tokens are unknown; nothing is counted.
  if (all[0].excluded == judge::Reason::unknown_locus &&
      method.info().scope == judge::Scope::sentence) {
    for (suite::Sentence& sentence : item.sentences) sentence.locus = {};
    all = scored();
  }
  engine::ItemScores& scores = all[0];
  if (scores.excluded != judge::Reason::none)
    throw bad_input(
        fmt::format("'{}' cannot score this: {}", method.name(), key_of(scores.excluded)))
        .hint("try another --method; 'minpair list methods' shows them");
  judge::measure(item, method.info().scope, scores.sentences);
  std::vector<TypedSentence> sentences;
  for (size_t i = 0; i < texts.size(); ++i) {
    TypedSentence s{texts[i], std::move(scores.sentences[i])};
    // A sentence that fills the context has no place behind it.
    if (all.size() > 1 && all[1].excluded == judge::Reason::none)
      s.words = words_of(model.tokenizer(), s, all[1].sentences[i].tokens);
    sentences.push_back(std::move(s));
  }
  return sentences;
}

judge::Preference preference(const std::vector<TypedSentence>& sentences,
                             const method::Method& method) {
  std::vector<judge::SentenceScore> scores;
  for (const TypedSentence& s : sentences) scores.push_back(s.score);
  return judge::preference(scores, method.view());
}

std::string typed_json(const query::Model& model, const method::Method& method,
                       const std::vector<TypedSentence>& sentences, int indent) {
  return json_text(json_of(model, method, sentences), indent);
}

std::string bench_json(query::Model& model, const std::string& method,
                       const std::vector<std::string>& texts, size_t top) {
  std::vector<std::string> whole;
  json out{{"model", model.info().name}};
  try {
    json gaps = json::array();
    for (const std::string& text : texts)
      if (text.find(kMask) == text.npos)
        whole.push_back(text);
      else
        gaps.push_back(predictions(model, text, top));
    const method::Method& chosen = method::find_method(method, model.info());
    if (!whole.empty()) out = json_of(model, chosen, score_typed(model, chosen, whole));
    if (!gaps.empty()) out["predictions"] = gaps;
  } catch (const Error& e) {
    out["error"] = e.message();
  }
  return json_text(out);
}

std::string looked_into_json(query::Model& model, const std::vector<std::string>& texts) {
  try {
    return introspect::inside_json(model, {texts[0], texts[1], texts.size() > 2 ? texts[2] : ""});
  } catch (const Error& e) {
    return json_text(json{{"model", model.info().name}, {"error", e.message()}});
  }
}

}  // namespace minpair::serve
