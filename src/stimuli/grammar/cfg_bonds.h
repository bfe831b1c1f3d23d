#pragma once
// Parts of a sentence that are chosen together (% tied) or never alike (% apart), however far from
// each other they stand.
//
// Each statement is a hidden feature that goes up from the parts it names to the rule where they
// meet, and no further: there its values must be the same, or all different.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stimuli/grammar/cfg_rules.h"
#include "stimuli/grammar/paradigm.h"

namespace minpair::stimuli::cfg {

class Bonds {
 public:
  explicit Bonds(const File& file);

  // The features of a labelled part, and the statements that take them: feature, key.
  using OfLabel = std::set<std::pair<std::string, std::string>>;
  const OfLabel& of_label(const std::string& label) const;
  // The statements that name a symbol itself.
  const std::set<std::string>& of_symbol(const std::string& symbol) const;
  bool is_key(const std::string& feature) const { return apart_.contains(feature); }
  // Adds what another part has. False: that must not be.
  bool meet(Features& known, const std::string& key, const std::string& value) const;

 private:
  std::map<std::string, OfLabel> labels_;
  std::map<std::string, std::set<std::string>> symbols_;
  std::map<std::string, bool> apart_;  // by key
};

// False when the two contradict each other. An empty value says nothing.
bool unify(Features& known, const std::string& name, const std::string& value);

}  // namespace minpair::stimuli::cfg
