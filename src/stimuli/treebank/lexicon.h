#pragma once
// Feature data: which words there are, and which bundles of features each can have. From treebanks
// and UniMorph.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {

struct LexiconEntry {
  std::string form;  // case-folded
  std::string lemma;
  std::string pos;  // UPOS: NOUN, PRON, VERB, AUX, ADJ, DET
  Bundle bundle;
  auto operator<=>(const LexiconEntry&) const = default;
};

// Entries without any of the four features are left out; equal entries are kept once.
class Lexicon {
 public:
  void add(const Tree& tree);
  // lemma TAB form TAB tags. Returns how many lines were passed over as malformed.
  uint64_t add_unimorph(const std::filesystem::path& file);
  void add(LexiconEntry entry);

  const std::set<LexiconEntry>& entries() const { return entries_; }

 private:
  std::set<LexiconEntry> entries_;
  std::unordered_set<Hash128>
      seen_;  // words of trees as they are written: most come again and again
};

// language, form, lemma, pos, number, gender, case, person: what `minpair extract` leaves beside a
// cloze suite as lexicon.tsv. By the languages' codes.
void write_lexicons(const std::map<std::string, Lexicon>& lexicons,
                    const std::filesystem::path& file);
using EachEntry = std::function<void(std::string_view language, const LexiconEntry& entry)>;
void read_lexicons(const std::filesystem::path& file, const EachEntry& each);

// Whole paradigms with every feature, as the sources write them: to find the form that differs in
// one feature alone.
class Inflections {
 public:
  void add(const Tree& tree);
  uint64_t add_unimorph(const std::filesystem::path& file);

  // Forms of the word's lemma whose features are the same but for another value of `feature`. A
  // form that also has the word's own features (syncretism) is not among them. Sorted.
  std::vector<std::string> other_forms(const Word& word, Feature feature) const;

  // Forms seen with exactly this part of speech and these features; for nonce sentences. Sorted.
  const std::vector<std::string>* words_like(const Word& word) const;
  void finish();  // sorts, after the last add

 private:
  struct Cell {
    std::string feats;
    std::string form;
    auto operator<=>(const Cell&) const = default;
  };
  std::unordered_map<std::string, std::vector<Cell>> treebank_, unimorph_;  // by "lemma TAB pos"
  std::unordered_map<std::string, std::vector<std::string>> alike_;         // by "pos TAB feats"
};

}  // namespace minpair::stimuli
