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
#include "stimuli/treebank/lexicon.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {

struct ExtractOptions {
  enum class Mask { controller, target, both } mask = Mask::controller;
  // As the released code: text with a space between all tokens, agreeing nouns counted as
  // distractors, copulas and auxiliaries missed.
  bool compat = false;
  bool every_type = false;  // also those that the table says the language lacks
};

// Where every agreement relation went.
struct ExtractCounts {
  uint64_t sentences = 0, relations = 0;
  uint64_t disagree = 0, featureless = 0, wrong_type = 0, duplicates = 0, no_other_form = 0;
  uint64_t items = 0, through_auxiliary = 0;
  std::map<std::string, uint64_t> by_type;  // "attributive controller"
};

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
// another value of one feature, all else equal.
class PairExtractor {
 public:
  PairExtractor(const LanguageInfo& language, const Inflections& paradigms, ExtractOptions options,
                Feature vary)
      : language_(language), paradigms_(paradigms), options_(options), vary_(vary) {}
  void add(const Tree& tree, const ItemSink& sink);
  const ExtractCounts& counts() const { return counts_; }

  // The same pairs with every other content word replaced by a random one of the same part of
  // speech and features.
  void nonce(uint64_t seed, unsigned variants) {
    random_ = Random(seed);
    variants_ = variants;
  }

 private:
  void one(const Tree& tree, const Agreement& a, bool vary_target, const ItemSink& sink);
  suite::Item pair(const Tree& tree, const Agreement& a, uint32_t varied,
                   const std::vector<std::string>& others, const std::vector<std::string>& replaced,
                   Span& other) const;

  LanguageInfo language_;
  const Inflections& paradigms_;
  ExtractOptions options_;
  Feature vary_;
  ExtractCounts counts_;
  Random random_;
  unsigned variants_ = 0;
};

// The .conllu files under the given files and folders, sorted.
std::vector<std::filesystem::path> conllu_files(const std::vector<std::filesystem::path>& paths);

}  // namespace minpair::stimuli
