#pragma once
// Attribute-varying grammars (AVG), as in CLAMS. Templates of words and preterminals; a preterminal
// is a name with attributes and has a list of forms; a vary statement says which preterminals also
// take the forms of their other attributes, position by position, as the wrong ones.
//
//   vary: V[]
//   S[] je V[1,s]
//   V[1,s] pense | parle
//   V[2,p] pensez | parlez
//
// `read_avg` in grammar.h makes derivations of it. This header is what lies between.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stimuli/grammar/design.h"

namespace minpair::stimuli {

// V[3,s]. Attributes are a set; they are kept sorted, so that equal sets compare equal.
struct AvgSymbol {
  std::string name;
  std::vector<std::string> attributes;
  bool has(const std::vector<std::string>& wanted) const;
  std::string str() const;
  bool operator==(const AvgSymbol&) const = default;
};

// The forms of one preterminal with one set of attributes.
struct AvgCell {
  AvgSymbol symbol;
  std::vector<std::string> forms;
  Where where;
};

// A word or a preterminal in a template.
struct AvgToken {
  bool is_word = true;
  std::string word;
  AvgSymbol symbol;
  Where where;
};

struct AvgTemplate {
  std::string condition;  // S[sg,pl] has the condition sg_pl
  std::string cluster;    // S[cluster=N_1]: items with the same form of N_1 belong together
  std::vector<std::pair<std::string, std::string>> features;  // S[animacy=inanimate]
  std::vector<AvgToken> tokens;
  Where where;
};

// One alternative of the vary statement. More than one symbol (joined by +): they vary together,
// to the same attributes. Two joined by <>: they change places.
struct AvgVary {
  std::vector<AvgSymbol> symbols;
  Where where;
  bool exchange = false;
};

// "language: de", "subject: N_1"
struct AvgSetting {
  std::string key, value;
  Where where;
};

struct AvgGrammar {
  std::vector<AvgVary> vary;
  std::vector<AvgTemplate> templates;
  std::vector<AvgCell> cells;  // in the order of their definition
  std::vector<AvgSetting> settings;
  std::vector<StatedCriterion> criteria;

  const AvgCell* find(const AvgSymbol& symbol) const;
  bool defines(std::string_view name) const;
  // The last value that was given, or "", and where.
  std::string setting(std::string_view key) const;
  Where place_of(std::string_view key) const;
  // The names on each line with this key: "tied: N V".
  std::vector<std::vector<std::string_view>> lists(std::string_view key) const;
  // What each word of a list is called in whichever form: as in the first list of that name, where
  // lists of one name have the forms of the same words. Those that 'distinct:' names have words of
  // their own.
  std::vector<std::string> names_of_forms(const AvgCell& cell) const;
};

// Adds the statements of a file to the grammar. Throws with line and column.
void parse_avg(std::string_view text, const std::string& file, AvgGrammar& grammar);

// A file after the common.avg beside it.
AvgGrammar parse_avg_files(std::string_view text, std::string_view common, const std::string& name);

// Throws when statements name what is not there, a condition contradicts its subject, or a slash
// stands where a bar is meant.
void check_avg(const AvgGrammar& grammar);

// The cells whose forms stand in for `token` as wrong ones; empty when nothing varies it.
std::vector<const AvgCell*> wrong_cells(const AvgGrammar& grammar, const AvgToken& token);

}  // namespace minpair::stimuli
