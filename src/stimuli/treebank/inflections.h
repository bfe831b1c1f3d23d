#pragma once
// What a treebank's own words say about inflection: which form a lemma has instead, and whether a
// form can have another value, too. Forms count by frequency, so that one mistake of annotation or
// typing neither makes a form nor takes one away.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {

bool elided(std::string_view form);  // l', qu'

// Where the varied word stands.
struct Place {
  FeatureIndex gender = 0;      // of the controller
  bool gender_is_open = false;  // it could have any (der/die Angestellte)
  // Nothing else in the phrase shows the case, so that a form of another case is no mistake by
  // itself ("auf dem Tisch", "auf den Tisch").
  bool case_is_open = false;
  bool after_noun = false;    // where a genitive could belong to the noun before
  bool before_vowel = false;  // by Inflections::vowel
};

class Inflections {
 public:
  void add(const Tree& tree);
  uint64_t add_unimorph(const std::filesystem::path& file);
  void finish(Feature vary);  // after the last add

  // The forms of the word's lemma that differ in the varied feature alone: for each other value the
  // usual one. A form that can also have the word's own value is not among them.
  std::vector<std::string> other_forms(const Word& word, const Place& place) const;
  // Does the word's form have only this value of the varied feature, as far as one can tell? For
  // an agreeing word `gender` is that of its controller.
  bool shows_value(const Word& word, FeatureIndex gender) const;
  // Does the word's form have its value at least as often as another?
  bool usually_so(const Word& word) const;
  // Does the word begin as those before which others are elided?
  bool vowel(std::string_view form) const;
  // Is the noun declined as adjectives are, so that it can have any gender (der/die Angestellte)?
  bool like_adjective(const Word& noun) const;
  // Is a form of the noun also an adjective's, of the noun's own value: "dem Reichen"?
  bool could_be_adjective(const Word& noun, const std::string& form) const;
  // Is the form of this case and never of the other one, in its number and gender?
  bool shows_case(const Word& word, FeatureIndex case_, FeatureIndex other) const;
  // Forms seen more than once, or listed by UniMorph, are no typing errors.
  bool known(const std::string& lower_form) const;

 private:
  struct Cell {
    std::string rest;  // the features but the varied one and the gender
    std::string form;
    FeatureIndex value = 0;
    FeatureIndex second = 0;  // of "Fem,Masc"
    Bundle bundle;
    uint32_t count = 0;  // 0: from UniMorph
    bool has(FeatureIndex v) const { return value == v || second == v; }
    bool listed() const { return count == 0; }
  };
  struct Tally {
    uint64_t mine = 0, other = 0;
    bool listed_mine = false, listed_other = false;
  };
  struct Raw {
    std::string feats, form;
    auto operator<=>(const Raw&) const = default;
  };
  using Cells = std::vector<Cell>;
  using Table = std::unordered_map<std::string, Cells>;

  Cell cell(const std::string& feats, std::string form, uint32_t count) const;
  Cell unimorph_cell(const std::string& tags, std::string form) const;
  bool same_gender(FeatureIndex a, FeatureIndex b) const;
  const Cells& cells_of(const Table& table, std::string_view a, std::string_view b) const;
  Tally tally(const Word& word, FeatureIndex gender) const;
  std::string ending_key(std::string_view form, std::string_view pos, const Bundle& bundle) const;
  void add_onsets(const Tree& tree);
  bool can_have(const std::string& form, const Word& word, const Place& place) const;
  struct Rests;
  std::string usual_form(const Word& word, const Rests& rests, const Place& place,
                         FeatureIndex value) const;
  bool close_enough(const Word& word, const std::string& form, uint32_t count) const;
  // Do other adjectives end so where this one stands ("im hohem/hohen Maße")?
  bool other_declension(const std::string& form, const Word& word) const;
  std::string declension_key(std::string_view form, const Bundle& bundle) const;
  bool paired(const Word& word) const;
  bool usual_ending(const Word& word) const;
  void count_endings();

  Feature vary_ = Feature::number;
  std::unordered_map<std::string, std::vector<Raw>> raw_;  // by "lemma TAB pos"
  std::unordered_map<std::string, std::vector<Raw>> raw_unimorph_;
  Table lemmas_;                                    // by "lemma TAB pos"
  Table forms_;                                     // by "form TAB pos"
  std::unordered_map<std::string, uint32_t> seen_;  // forms, in lower case
  std::unordered_map<std::string, std::vector<uint32_t>>
      endings_;  // "pos gender abc": forms by value
  std::unordered_map<std::string, uint32_t>
      declensions_;  // of adjectives: two letters and features
  // The last three letters: how many adjectives and how many nouns have them.
  std::unordered_map<std::string, std::pair<uint32_t, uint32_t>> tails_;
  std::unordered_map<std::string, uint32_t> after_elided_;  // words that follow l', an
  std::unordered_map<std::string, uint32_t> after_full_;    // "l' TAB word": that follow le, a
  std::set<std::string> elided_;                            // l', an
};

}  // namespace minpair::stimuli
