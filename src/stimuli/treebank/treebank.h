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
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "suite/item.h"

namespace minpair::stimuli {

// --- Features ---

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
// Keeps the values that the paper considers (singular, plural; three genders; nominative,
// accusative, ergative, absolutive; three persons) and drops the others.
Bundle core_values(const Bundle& bundle);
// Whether no value of one bundle clashes with the other's; a value that either lacks never does.
bool agree(const Bundle& a, const Bundle& b);

// --- CoNLL-U ---

struct Word {
  std::string_view form, lemma, upos, feats, deprel;
  uint32_t head = 0;  // 1-based; 0: the root, or unknown
  uint32_t token =
      0;  // index into Tree::tokens: several words share one where a multiword token covers them
  Bundle bundle;
  bool proper = false;  // part of a name, though its part of speech is another (MISC: Proper=True)
};

// "_" for a word that is withheld, or a part of a token that is no word by itself: "_הם".
inline bool marked(std::string_view form) { return form.find('_') != form.npos; }

// What stands in the text: a word, or a multiword token. An empty node covers no word; it is not in
// the text, but the paper's program writes it there.
struct SurfaceToken {
  std::string_view form;
  uint32_t first = 0, last = 0;  // the words it covers, 1-based
  bool space_after = true;
  bool empty_node() const { return first == 0; }
  bool withheld() const { return form == "_"; }
};

struct Tree {
  std::string id;
  std::vector<Word> words;  // word i is words[i-1]
  std::vector<SurfaceToken> tokens;
  uint64_t line = 0;  // of its first token

  const Word& word(uint32_t i) const { return words[i - 1]; }
  const SurfaceToken& token_of(uint32_t i) const { return tokens[word(i).token]; }
  // Some treebanks are published without their words ("_"): this sentence is mostly gone.
  bool withheld() const;
  // The text, and the span of each token in it. `spaced`: as the paper's program has it, one space
  // between all tokens, empty nodes among them.
  std::string text(std::vector<Span>& spans, bool spaced = false) const;

  std::string buffer;  // what the views point into
};

// Reads trees one at a time. Enhanced dependencies are skipped. What real
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
  struct Row {
    size_t begin, end;  // in the buffer
    uint64_t line;
  };
  void add_row(Tree& tree, const Row& row);
  void add_multiword(Tree& tree, const std::string_view* columns, bool space_after, uint64_t line);
  void sloppy(const std::string& what);
  Error bad(const std::string& what, uint64_t line) const;

  LineReader lines_;
  std::vector<Row> rows_;
  uint64_t sloppy_ = 0;
  std::string first_sloppy_;
};

// --- Agreement ---

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

// In the order of the words, with those found through auxiliaries last.
void find_agreement(const Tree& tree, const std::function<void(const Agreement&)>& found);

// Which types of agreement a language has: suites/treebank/agreement-types.tsv.
struct LanguageInfo {
  std::string name;      // as treebank folders spell it: "Norwegian-Nynorsk" or "German"
  std::string code;      // BCP 47: "de"
  std::string iso639_3;  // "deu"
  bool in_paper = false;
  std::vector<AgreementType> types;
  std::vector<AgreementType> compat_types = {};  // the released code has these, the language not
  std::set<std::string> either_number = {};      // lemmas with which both numbers are right

  bool has(AgreementType type, bool compat) const;
};
std::vector<LanguageInfo> read_agreement_types(const std::filesystem::path& tsv);
// "eine Reihe von ... ist/sind": suites/treebank/either-number.tsv, beside the table of types.
void read_either_number(const std::filesystem::path& tsv, std::vector<LanguageInfo>& languages);
// The language of ".../UD_German-GSD/x.conllu" or "de_gsd-ud-dev.conllu", or nullptr.
const LanguageInfo* language_of(const std::filesystem::path& treebank,
                                const std::vector<LanguageInfo>& languages);

}  // namespace minpair::stimuli
