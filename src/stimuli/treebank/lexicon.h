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
// cloze suite as lexicon.tsv. By the languages' codes. Verbs may also come as a comma-separated
// list with the columns sing and plur, a lemma a line, for any language.
void write_lexicons(const std::map<std::string, Lexicon>& lexicons,
                    const std::filesystem::path& file);
using EachEntry = std::function<void(std::string_view language, const LexiconEntry& entry)>;
void read_lexicons(const std::filesystem::path& file, const EachEntry& each);

// Lemma, form and tags of every well-formed line; returns how many were not.
uint64_t each_unimorph_line(
    const std::filesystem::path& file,
    const std::function<void(std::string_view, std::string_view, std::string_view)>& found);

}  // namespace minpair::stimuli
