#pragma once
// Treebanks: sentences with their trees, the words and their features, and who agrees with whom.
//
//   ConlluReader in("de_gsd-ud-test.conllu");
//   for (Tree tree; in.next(tree);)
//     find_agreement(tree, [&](const Agreement& a) { ... });

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "suite/item.h"

namespace minpair::stimuli {

// --- Features
// -------------------------------------------------------------------------------------------------------

// The four features of agreement (Bacon & Regier 2019).
enum class Feature : uint8_t { number, gender, case_, person };
inline constexpr std::array<Feature, 4> all_features{Feature::number, Feature::gender,
                                                     Feature::case_, Feature::person};
std::string_view name_of(Feature feature);  // "number", ...

// A value of one feature: an index into the values that Universal Dependencies knows; 0 is none.
using FeatureIndex = uint8_t;
struct Bundle {
  std::array<FeatureIndex, 4> value{};
  FeatureIndex operator[](Feature f) const { return value[size_t(f)]; }
  bool empty() const { return value == std::array<FeatureIndex, 4>{}; }
  auto operator<=>(const Bundle&) const = default;
};
std::string_view value_name(Feature feature, FeatureIndex value);  // "Sing"; "" for none
FeatureIndex value_index(Feature feature, std::string_view name);  // 0 when unknown
// "Number=Sing|Gender=Fem" to a bundle. A list of values ("Fem,Masc") counts as its first. Layers
// (Gender[psor]) are others.
Bundle parse_ud_features(std::string_view feats);
// "N;NOM;SG" to a part of speech of Universal Dependencies ("NOUN") and a bundle; "" for a part
// that agreement ignores.
std::string_view parse_unimorph_features(std::string_view tags, Bundle& bundle);
// Keeps the values that the paper looks at (singular, plural; three genders; nominative,
// accusative, ergative, absolutive; three persons) and forgets the others.
Bundle core_values(const Bundle& bundle);
// Do two bundles clash? Values that either lacks never do.
bool agree(const Bundle& a, const Bundle& b);

// --- CoNLL-U
// ------------------------------------------------------------------------------------------------------------

struct Word {
  std::string_view form, lemma, upos, feats, deprel;
  uint32_t head = 0;  // 1-based; 0: the root, or unknown
  uint32_t token =
      0;  // index into Tree::tokens: several words share one where a multiword token covers them
  Bundle bundle;
};

// What stands in the text: a word, or a multiword token.
struct SurfaceToken {
  std::string_view form;
  uint32_t first = 0, last = 0;  // the words it covers, 1-based
  bool space_after = true;
};

struct Tree {
  std::string id;
  std::vector<Word> words;  // word i is words[i-1]
  std::vector<SurfaceToken> tokens;
  uint64_t line = 0;  // of its first token

  const Word& word(uint32_t i) const { return words[i - 1]; }
  // The text, and the span of each token in it. `spaced`: one space between all tokens.
  std::string text(std::vector<Span>& spans, bool spaced = false) const;

  std::string buffer;  // what the views point into
};

// Reads trees one at a time. Empty nodes and enhanced dependencies are passed over. What real
// treebanks get wrong without harm (a missing last newline, a head out of range, fewer columns at
// the end) is counted, not refused.
class ConlluReader {
 public:
  explicit ConlluReader(const std::filesystem::path& path);
  bool next(Tree& tree);  // `tree` is overwritten; its memory is reused
  uint64_t sloppy_lines() const { return sloppy_; }
  const std::string& first_sloppy() const { return first_sloppy_; }

 private:
  void finish(Tree& tree);
  void add_line(Tree& tree, size_t begin, size_t end);
  void sloppy(const std::string& what);

  LineReader lines_;
  std::vector<std::pair<size_t, size_t>> rows_;
  uint64_t sloppy_ = 0;
  std::string first_sloppy_;
};

// --- Agreement
// ---------------------------------------------------------------------------------------------------------

enum class AgreementType : uint8_t { determiner, attributive, predicative, verb };
std::string_view name_of(AgreementType type);
std::optional<AgreementType> agreement_type(std::string_view name);

struct Agreement {
  AgreementType type;
  uint32_t target, controller;  // words, 1-based
  // Found through a copula or an auxiliary. The paper's released code looks for a subject below the
  // copula itself, where Universal Dependencies never puts it, and so misses these.
  bool through_auxiliary = false;
};

// In the order of the words; those found through auxiliaries last.
void find_agreement(const Tree& tree, const std::function<void(const Agreement&)>& found);

// Which types of agreement a language has: suites/treebank/agreement-types.tsv.
struct LanguageInfo {
  std::string name;      // as treebank folders spell it: "Norwegian-Nynorsk" or "German"
  std::string code;      // BCP 47: "de"
  std::string iso639_3;  // "deu"
  bool in_paper = false;
  std::vector<AgreementType> types;
};
std::vector<LanguageInfo> read_agreement_types(const std::filesystem::path& tsv);
// The language of ".../UD_German-GSD/x.conllu", or nullptr.
const LanguageInfo* language_of(const std::filesystem::path& treebank,
                                const std::vector<LanguageInfo>& languages);

}  // namespace minpair::stimuli
