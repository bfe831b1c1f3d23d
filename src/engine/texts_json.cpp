#include <nlohmann/json.hpp>

#include "base/character_index.h"
#include "base/json.h"
#include "engine/texts.h"

namespace minpair::engine {
namespace {

using json = nlohmann::ordered_json;

json tokens_of(const query::Model& model, const ScoredText& s) {
  const CharacterIndex places(s.text.text);
  json tokens = json::array();
  for (const judge::TokenScore& t : s.score.tokens)
    tokens.push_back({{"piece", model.tokenizer().piece(t.id)},
                      {"id", t.id},
                      {"begin", places.character(t.span.begin)},
                      {"end", places.character(t.span.end)},
                      {"locus", t.in_locus},
                      {"logit", t.logit},
                      {"logprob", t.logprob}});
  return tokens;
}

void add_words(json& sentence, const query::Model& model, const ScoredText& s) {
  sentence["unit"] = "bits";
  const std::vector<judge::TokenScore>& tokens = s.score.tokens;
  for (size_t i = 0; i < tokens.size(); ++i)
    sentence["tokens"][i]["surprisal"] = judge::bits(tokens[i].logprob);
  const std::vector<judge::ScoredWord> words = judge::words_of(tokens);
  const std::vector<judge::ScoredWord> complete = judge::words_of(s.complete);
  const CharacterIndex places(s.text.text);
  for (size_t w = 0; w < words.size(); ++w)
    sentence["words"].push_back({{"text", text_of(model, s, words[w])},
                                 {"begin", places.character(words[w].span.begin)},
                                 {"end", places.character(words[w].span.end)},
                                 {"surprisal", judge::bits(words[w].logprob)},
                                 {"surprisal_complete", judge::bits(complete[w].logprob)}});
}

json sentence_of(const query::Model& model, const ScoredText& s) {
  json sentence{{"text", s.text.text}};
  if (!s.text.context.empty()) sentence["context"] = s.text.context;
  if (!s.has_score()) {
    sentence["excluded"] = key_of(s.excluded);
    sentence["explanation"] = explanation_of(s.excluded);
    return sentence;
  }
  sentence["sum"] = s.score.value({judge::Unit::sum}).value();
  sentence["mean"] = s.score.value({judge::Unit::token}).value();
  sentence["tokens"] = tokens_of(model, s);
  if (!s.complete.empty()) add_words(sentence, model, s);
  return sentence;
}

}  // namespace

std::string predictions_json(const std::vector<Predictions>& all, int indent) {
  json out = json::array();
  for (const Predictions& p : all) {
    json text{{"text", p.text.text}, {"seen", p.seen}, {"gaps", json::array()}};
    for (const std::vector<Prediction>& gap : p.gaps) {
      json best = json::array();
      for (const Prediction& one : gap)
        best.push_back({{"piece", one.piece}, {"id", one.id}, {"logprob", one.logprob}});
      text["gaps"].push_back(std::move(best));
    }
    out.push_back(std::move(text));
  }
  return json_text(out, indent);
}

std::string scored_json(const query::Model& model, const method::Method& method,
                        const ScoredTexts& scored, int indent) {
  json out{{"model", model.info().name},
           {"precision", model.info().precision},
           {"method", method.name()},
           {"norm", judge::name_of(method.view())},
           {"asked", {{"queries", scored.counts.distinct}, {"tokens", scored.counts.tokens}}}};
  for (const ScoredText& s : scored.texts) out["sentences"].push_back(sentence_of(model, s));
  if (scored.texts.size() < 2) return json_text(out, indent);
  const judge::Preference best = preference(scored.texts, method);
  out["preferred"] = best.first ? json(*best.first) : json(nullptr);
  out["difference"] = best.by;
  return json_text(out, indent);
}

}  // namespace minpair::engine
