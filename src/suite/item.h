#pragma once
// The one thing everything else is about: a minimal set.
//
// An item is two or more sentences that differ only at the locus, one or more of them grammatical.
// (A cloze has one sentence, and its locus is a blank, judged over whole classes of words.)
// A suite is a list of items beside a small manifest.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"

namespace minpair::suite {

struct Sentence {
  std::string text;  // UTF-8
  Span locus;        // bytes of `text`; empty where the other sentence has a word and this has none
  bool grammatical = false;
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
  std::vector<Sentence> sentences;
  std::vector<std::pair<std::string, FeatureValue>> features;  // distance, attractors, lemma, ...

  bool operator==(const Item&) const = default;
};

// Exactly one grammatical and one ungrammatical sentence.
bool is_pair(const Item& item);

// The value of a feature, or nullptr.
const FeatureValue* find_feature(const Item& item, std::string_view name);
std::string feature_text(const Item& item, std::string_view name);  // "" when there is none

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
