#pragma once
// From treebanks to suites: cloze items (Bacon & Regier 2019), natural minimal pairs, nonce
// sentences (Gulordava et al. 2018).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/hash_table.h"
#include "base/random.h"
#include "stimuli/treebank/inflections.h"
#include "stimuli/treebank/lexicon.h"
#include "stimuli/treebank/nonce.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {

// In words. Every item repeats its sentence, so that a file without empty lines would make a suite
// of the square of its size.
inline constexpr size_t longest_sentence = 1000;

struct ExtractOptions {
  enum class Mask { controller, target, both } mask = Mask::controller;
  // As the released code: text with a space between all tokens and with empty nodes, agreeing nouns
  // counted as distractors, copulas and auxiliaries missed.
  bool compat = false;
  bool every_type = false;  // also those that the table says the language lacks
};

// Where every agreement relation went.
struct ExtractCounts {
  uint64_t sentences = 0, relations = 0;
  uint64_t withheld = 0, disagree = 0, featureless = 0, wrong_type = 0, duplicates = 0;
  uint64_t items = 0, through_auxiliary = 0;
  // Of pairs alone. `either`: the wrong sentence might be right, since no other word shows the
  // value.
  uint64_t multiword = 0, participles = 0, either = 0, no_other_form = 0, nothing_to_replace = 0;
  std::string without_other_form;           // an example
  std::map<std::string, uint64_t> by_type;  // "attributive controller"
};

// Counts and tells of relations of which no item can be made: words that are withheld or disagree.
bool left_out(const Tree& tree, const Agreement& a, ExtractCounts& counts);

using ItemSink = std::function<void(const suite::Item&)>;

// What the papers look at beside the outcome: type, features of the word, distance, distractors,
// attractors, order.
void add_analysis(const Tree& tree, const Agreement& a, uint32_t word, bool compat,
                  suite::Item& item);
// The other word of the relation, where it stands in the (first) sentence.
void add_other(const std::string& text, Span other, suite::Item& item);

// Finds the cloze items of one language; call it for file after file. An item has one sentence, the
// one that was written; its locus is the masked word, its features are the masked word's, and what
// the analysis needs.
class ClozeExtractor {
 public:
  ClozeExtractor(const LanguageInfo& language, ExtractOptions options)
      : language_(language), options_(options) {}
  void add(const Tree& tree, const ItemSink& sink);
  const ExtractCounts& counts() const { return counts_; }

 private:
  void one(const Tree& tree, const Agreement& a, bool mask_target, const ItemSink& sink);
  bool first_time(const Tree& tree, uint32_t masked, AgreementType type);

  LanguageInfo language_;
  ExtractOptions options_;
  ExtractCounts counts_;
  HashTable seen_;
};

// Natural minimal pairs: the target (or controller) of an agreement against its lemma's form with
// another value of one feature, all else equal. Where the sentence with that form might be right,
// too, there is no pair.
class PairExtractor {
 public:
  PairExtractor(const LanguageInfo& language, const Inflections& paradigms, ExtractOptions options,
                Feature vary)
      : language_(language), paradigms_(paradigms), options_(options), vary_(vary) {}
  void add(const Tree& tree, const ItemSink& sink);
  const ExtractCounts& counts() const { return counts_; }

  // The same pairs with the other content words replaced by random ones that fit their places.
  void nonce(NonceWords words, uint64_t seed, unsigned variants) {
    nonce_ = std::move(words);
    random_ = Random(seed);
    variants_ = variants;
  }

 private:
  void one(const Tree& tree, const Agreement& a, bool vary_target, const ItemSink& sink);
  bool either_is_right(const Tree& tree, const Agreement& a, uint32_t varied) const;
  bool roles_are_open(const Tree& tree, const Agreement& a) const;
  bool value_is_shown(const Tree& tree, const Agreement& a, uint32_t varied) const;
  Place place_of(const Tree& tree, const Agreement& a, uint32_t varied) const;
  std::vector<std::string> wrong_forms(const Tree& tree, const Agreement& a, uint32_t varied);
  suite::Item pair(const Tree& tree, const Agreement& a, uint32_t varied,
                   const std::vector<std::string>& others, const std::vector<std::string>& replaced,
                   Span& other) const;
  void write(const Tree& tree, const Agreement& a, uint32_t varied,
             const std::vector<std::string>& others, const std::vector<std::string>& replaced,
             const ItemSink& sink);
  void write_nonce(const Tree& tree, const Agreement& a, uint32_t varied,
                   const std::vector<std::string>& others, const ItemSink& sink);

  LanguageInfo language_;
  const Inflections& paradigms_;
  ExtractOptions options_;
  Feature vary_;
  ExtractCounts counts_;
  HashTable seen_;
  NonceWords nonce_;
  Random random_;
  unsigned variants_ = 0;
};

// The .conllu files under the given files and folders, sorted.
std::vector<std::filesystem::path> conllu_files(const std::vector<std::filesystem::path>& paths);

}  // namespace minpair::stimuli
