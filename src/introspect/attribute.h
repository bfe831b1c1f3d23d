#pragma once
// Which words made the difference, and which parts of the model. docs/introspection.md says what
// each figure is.
//
//   WordReadings read = read_erasure(model, suite, {.sample = 100});
//   report::Grid table = word_table(read, By::test);

#include <string>
#include <vector>

#include "introspect/introspect.h"

namespace minpair::introspect {

// How it is found out what a word does.
enum class Words : uint8_t {
  erased,  // the margin of the item minus the margin without it
  alti     // what it says to the output by way of attention (ALTI-Logit; model/direct.h)
};

struct WordEffect {
  Span span;  // bytes of the right sentence
  std::string word;
  bool evidence = false;  // of the region that should decide
  double effect = 0;
};

struct WordItem {
  std::string excluded;  // why it cannot be asked, or empty
  double margin = 0;     // of the whole: logit of the good token minus that of the bad one
  std::vector<WordEffect> words;
  double rank = 0;  // of the evidence
};

struct WordReadings {
  std::string suite, model, evidence;
  bool masked = true;  // erased words are masked; else left out
  report::SuiteItems items = report::SuiteItems();
  std::vector<WordItem> readings = {};  // parallel to the items
  Words how = Words::erased;
};

// Asks again without each word before the locus (of a masked model: around it) in turn. A word is
// masked; models without masks read on without it. `evidence` is a region.
WordReadings read_erasure(query::Model& model, const engine::SuiteSource& suite,
                          const engine::Selection& selection,
                          const std::string& evidence = "subject", const engine::Tick& tick = {});

// What each word before the locus says to the output. Throws when the model's logits are no sum of
// what its layers add.
WordReadings read_alti(query::Model& model, const engine::SuiteSource& suite,
                       const engine::Selection& selection, const std::string& evidence = "subject",
                       const engine::Tick& tick = {});

// The place of the best word of the evidence among the others, from 1, equals in the middle; NaN:
// there is none.
double rank_of_evidence(const std::vector<WordEffect>& words);

// If the words stood in random order: how often the best of the evidence would be the first, its
// mean rank, and the mean of one by its rank.
struct Chance {
  double first = 0, rank = 0, reciprocal = 0;
};
Chance chance_of(const std::vector<WordEffect>& words);

// How often the evidence comes first, against chance.
report::Grid word_table(const WordReadings& read, By by);
// A row for every word; one without a word for every item that was excluded.
tidy::Frame word_rows(const WordReadings& read);

// What each part of a model says directly to the output layer (model/direct.h): the margin as a
// sum.
struct DirectItem {
  std::string excluded;         // why it cannot be asked, or empty
  std::vector<double> effects;  // of the parts, in their order; their sum is the margin
};

struct Direct {
  std::string suite, model;
  // "embeddings", "attention 1", "mlp 1", ..., "biases"
  std::vector<std::string> parts;
  report::SuiteItems items = report::SuiteItems();
  std::vector<DirectItem> readings;  // parallel to the items
};

std::vector<std::string> direct_parts(uint32_t layers);

// Throws when the model's logits are no such sum.
Direct read_direct(query::Model& model, const engine::SuiteSource& suite,
                   const engine::Selection& selection, const engine::Tick& tick = {});

// The mean effect of every part, and its interval.
report::Grid direct_table(const Direct& read, By by);
// A row for every part; one without a part for every item that was excluded.
tidy::Frame direct_rows(const Direct& read);

}  // namespace minpair::introspect
