#pragma once
// Texts that a user typed or a program hands over, and what a model says about them: for `score`,
// the bench of `serve`, and the C interface.
//
//   ScoredTexts scored = score_texts(model, method, {{"Er ging.", "Peter war da."}, {"Ihn."}});
//   for (const ScoredText& t : scored.texts) use(t.score.value(method.view()));
//
//   std::vector<Predictions> gaps = predictions(model, {{"Er [MASK].", "Peter war da."}}, 10);

#include <string>
#include <vector>

#include "engine/engine.h"
#include "judge/words.h"

namespace minpair::engine {

struct ScoredText {
  suite::Text text;
  judge::Reason excluded = judge::Reason::none;  // why there is no score
  judge::SentenceScore score;
  std::vector<uint32_t> ranks;  // parallel to the tokens, if they were asked for
  // Of the method `lp`, if words were asked for: the tokens as parts of complete words
  // (`lp-by-words`).
  std::vector<judge::TokenScore> complete;

  bool has_score() const { return excluded == judge::Reason::none; }
};

struct ScoredTexts {
  std::vector<ScoredText> texts;
  PlanCounts counts;  // what the model was asked
};

struct TextOptions {
  bool ranks = false;  // of each token among all that could stand there
  bool words = false;
  Tick tick;
};

// Every text on its own; by a method that scores only the words in which texts differ, all of them
// as one minimal set. Throws when the method cannot score texts, or a text is not UTF-8.
ScoredTexts score_texts(query::Model& model, const method::Method& method,
                        const std::vector<suite::Text>& texts, const TextOptions& options = {});

// Marks the tokens in which the texts differ.
void mark_differences(std::vector<ScoredText>& texts);

// The text that wins by the method's own view, among those that have a score.
judge::Preference preference(const std::vector<ScoredText>& texts, const method::Method& method);

// As the text has it; a special token as the vocabulary writes it.
std::string text_of(const query::Model& model, const ScoredText& scored,
                    const judge::ScoredWord& word);

// All of it as JSON: indented, unless `indent` is negative.
std::string scored_json(const query::Model& model, const method::Method& method,
                        const ScoredTexts& scored, int indent);

struct Prediction {
  tokenizer::TokenId id = 0;
  std::string piece;
  double logprob = 0;
};

struct Predictions {
  suite::Text text;
  std::string seen;                           // what the model read of it
  std::vector<std::vector<Prediction>> gaps;  // best first, equals by id
};

// The `count` best tokens at every mask of each text: [MASK], or as the tokenizer writes it. A
// model that reads from left to right continues what stands before the first [MASK], or the whole
// text.
std::vector<Predictions> predictions(query::Model& model, const std::vector<suite::Text>& texts,
                                     uint32_t count, const Tick& tick = {});
std::string predictions_json(const std::vector<Predictions>& all, int indent);

// Calls `work` with each text and its number, and says in an error which text it was.
void each_text(const std::vector<suite::Text>& texts,
               const std::function<void(const suite::Text& text, size_t number)>& work);

}  // namespace minpair::engine
