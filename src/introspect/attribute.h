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
  // The margin of the item minus the margin without it:
  masked,      // a mask stands for each of its pieces
  left_out,    // what stands before the locus is read as if it were not there
  around_gap,  // the same on both sides of a gap, in an encoder with a decoder
  // What it says to the output by way of attention (ALTI-Logit; model/direct.h).
  alti
};

struct WordEffect {
  Span span;  // bytes of the right sentence
  std::string word;
  bool evidence = false;  // of the region that should decide
  double effect = 0;
};

struct WordItem {
  Reason excluded = Reason::none;  // why it cannot be asked
  double margin = 0;  // of the whole: logit of the good token minus that of the bad one
  std::vector<WordEffect> words;
  double rank = 0;  // of the evidence
};

struct WordReadings {
  std::string suite, model, evidence;
  report::SuiteItems items = report::SuiteItems();
  std::vector<WordItem> readings = {};  // parallel to the items
  Words how = Words::masked;
};

// How words of this model are erased.
Words erasure_of(const query::Model& model);

// Asks again without each word before the locus (of a masked model: around it) in turn. `evidence`
// is a region.
WordReadings read_erasure(query::Model& model, const engine::SuiteSource& suite,
                          const engine::Selection& selection,
                          const std::string& evidence = "subject", const engine::Tick& tick = {});

// What each word before the locus says to the output. Throws when the model's logits are no sum of
// what its layers add, or it has no attention.
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

// What each part of a model says directly to the output layer (model/direct.h): the margin as a
// sum.
struct DirectItem {
  Reason excluded = Reason::none;  // why it cannot be asked
  std::vector<double> effects;     // of the parts, in their order; their sum is the margin
};

struct Direct {
  std::string suite, model;
  // "embeddings", "attention 1", "mlp 1", ..., "biases"
  std::vector<std::string> parts;
  report::SuiteItems items = report::SuiteItems();
  std::vector<DirectItem> readings;  // parallel to the items
};

// `both`: a layer adds twice, by attention and by its feed-forward layer; else once (Mamba).
std::vector<std::string> direct_parts(uint32_t layers, bool both);
std::vector<std::string> direct_parts(const query::Model& model);

// Throws when the model's logits are no such sum.
Direct read_direct(query::Model& model, const engine::SuiteSource& suite,
                   const engine::Selection& selection, const engine::Tick& tick = {});

// The mean effect of every part, and its interval.
report::Grid direct_table(const Direct& read, By by);

}  // namespace minpair::introspect
