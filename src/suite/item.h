#pragma once
// The one thing everything else is about: a minimal set, or any other design.
//
// A minimal set is two or more sentences that differ only at the locus, at least one of them
// grammatical. (A cloze has one sentence; its locus is a blank in which whole classes of words
// compete.) In a design, sentences have names and regions, and criteria say which scores should be
// higher (suite/formula.h): nothing in it needs to be ungrammatical.
// A suite is a list of items with a small manifest.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"

namespace minpair::suite {

// A part of a sentence that a criterion can name, or number from 1.
struct Region {
  std::string name;  // "verb"
  Span span;         // bytes of the sentence; empty where this one has no words for it
  bool operator==(const Region&) const = default;
};

// What is scored, wherever it comes from: a suite, the command line, a program.
struct Text {
  std::string text;             // UTF-8
  std::string context;          // read before the text and never scored
  std::vector<Region> regions;  // in the order of the text
  bool operator==(const Text&) const = default;
};

struct Sentence : Text {
  Span locus;  // bytes of `text`; empty where the other sentence has a word and this has none
  bool grammatical = false;
  std::string name;  // "ambiguous"; may be empty in a minimal set
  bool operator==(const Sentence&) const = default;
};

using FeatureValue = std::variant<std::string, double>;

struct Item {
  std::string id;         // unique in its suite
  std::string test;       // "across_object_relative"
  std::string condition;  // "sg_pl"; may be empty
  std::string language;   // BCP 47: "de"
  std::string cluster;    // items of one cluster share a template or lexical items: not independent
  bool cloze = false;     // a blank to be filled, not sentences to be compared
  bool design = false;    // no sentence is called grammatical: criteria judge it
  std::vector<Sentence> sentences;
  std::vector<std::pair<std::string, FeatureValue>> features;  // distance, attractors, lemma, ...

  bool operator==(const Item&) const = default;
};

// Exactly one grammatical and one ungrammatical sentence.
bool is_pair(const Item& item);

// The value of a feature, or nullptr.
const FeatureValue* find_feature(const Item& item, std::string_view name);
std::string feature_text(const Item& item, std::string_view name);  // "" when there is none

// The sentence of that name, or nullptr.
const Sentence* find_sentence(const Item& item, std::string_view name);
// A region by its name or its number from 1, or nullptr.
const Region* find_region(const Sentence& sentence, std::string_view name_or_number);
// The sentence whose regions have these words, joined by spaces; by nothing in scripts that are
// written without.
void set_regions(Sentence& sentence,
                 const std::vector<std::pair<std::string, std::string>>& names_and_words);

// What a model reads between a context and the text after it: a space, unless the context ends in
// one or the script has none.
std::string_view joint(std::string_view context, std::string_view text);

// The text with the locus cut out and `mask` put there: the same for all sentences of a minimal
// set.
std::string masked_text(const Sentence& sentence, std::string_view mask);

// Is something left that differs when the loci are cut out? Where a locus is empty, because a word
// is missing there, the space beside it does not count.
bool differs_outside_locus(const Item& item);

// Sets the loci of the sentences to the smallest run of whole words (and punctuation marks, and
// single letters in scripts without spaces) in which they differ. Found by aligning, never by
// searching for a word. Identical sentences get empty loci.
void align_loci(std::vector<Sentence>& sentences);

}  // namespace minpair::suite
