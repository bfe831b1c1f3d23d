#pragma once
// Paradigms: the inflected forms of each lemma, from a table of lemma, form and features in
// UniMorph's notation, one form a line:
//
//   Autor   Autoren   N;NOM;PL;MASC
//   lachen  lacht     V;IND;PRS;3;SG
//
// A feature that a line does not name is open: it agrees with every value. "NOM/ACC" stands for two
// lines. What UniMorph has no tag for is written as name=value.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::stimuli {

// Values by feature name, all in lower case: {"case": "nom", "number": "pl"}.
using Features = std::map<std::string, std::string, std::less<>>;

struct Cell {
  std::string form;
  Features features;
};

class Paradigms {
 public:
  // Adds the table. Empty lines and lines that start with # are left out.
  void read(std::string_view table, const std::string& name);
  void read_file(const std::filesystem::path& file);
  // The cells of the lemma in the order of the table; nullptr when there is none.
  const std::vector<Cell>* find(const std::string& lemma) const;
  std::vector<std::string> lemmas() const;
  bool has_empty() const { return has_empty_; }  // a form that is no word at all, written ''

 private:
  bool has_empty_ = false;
  std::map<std::string, std::vector<Cell>> cells_;
};

// The name of the feature that a UniMorph tag is a value of ("SG" is a number), or "".
std::string feature_of_tag(std::string_view tag);
// The full name of a feature: "num" is number.
std::string full_feature_name(std::string_view name);
// Features that a lemma has rather than inflects for: gender, animacy, part of speech, and those
// that UniMorph does not know.
bool is_inherent(std::string_view feature);
// "nom;pl", for messages.
std::string features_text(const Features& features);

}  // namespace minpair::stimuli
