#pragma once
// What can be said against a grammar before it is expanded.

#include <map>
#include <set>
#include <string>

#include "stimuli/grammar/cfg_rules.h"
#include "stimuli/grammar/paradigm.h"

namespace minpair::stimuli::cfg {

// By nonterminal: its rules.
using RulesOf = std::map<std::string, std::vector<const Rule*>>;
RulesOf rules_of(const File& file);

// The features of each labelled part that the statements ask for.
using Needed = std::map<std::string, std::set<std::string>>;
Needed needed_of_labels(const File& file);

// Throws when a symbol is undefined, cannot be reached or never ends; when the language is infinite
// and `finite_depth` is false; when a lemma is not in the tables; when a feature is asked of a rule
// that does not give it; when the statements and the labels do not fit together.
void check(const File& file, const RulesOf& rules, const Paradigms& paradigms, bool finite_depth);

// What expanding met.
struct Used {
  std::set<uint32_t> alternatives;
  std::map<const Symbol*, std::set<std::string>> locus_values;  // where a variable leaves them open
};

// Throws when an alternative is in no sentence, of an included file one of a symbol that others of
// its alternatives are for; or when a locus that may have any value has one only. Of several
// alternatives, the one furthest below is most likely the cause. `skipped`: syncretic forms.
void check_used(const File& file, const Paradigms& paradigms, const Used& used,
                const std::set<std::string>& skipped);

}  // namespace minpair::stimuli::cfg
