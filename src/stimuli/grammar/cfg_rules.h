#pragma once
// What is written in a context-free grammar file: rules, statements, and where each of them stands.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "stimuli/grammar/derivations.h"
#include "stimuli/grammar/design.h"

namespace minpair::stimuli::cfg {

struct Place {
  uint32_t line = 0, column = 0;
  uint32_t file = 0;  // into File::names
};

// number=sg, or number=?n
struct Demand {
  std::string feature;
  std::string value;  // without the question mark
  bool variable = false;
};

struct Symbol {
  enum class Kind { nonterminal, word, lemma };
  Kind kind = Kind::nonterminal;
  std::string text;
  std::string label;  // "subject" in subject:NP
  std::vector<Demand> demands;
  bool bracketed = false;  // it has [...], maybe empty
  Place place;

  const Demand* find(std::string_view feature) const;
};

struct Rule {
  Symbol left;
  std::vector<Symbol> right;
  std::vector<Wrong> wrong;  // behind stars: how the wrong sentences have the symbols of the right
  uint32_t group = 0;        // alternatives of one rule, separated by |, share it
  uint32_t entry = 0;        // its place among those with the same left side
  uint32_t alternative = 0;  // among all of the grammar: copies for the values of a|b share it

  size_t loci() const;  // symbols labelled so
  // A lemma alone on the right is an entry of the symbol on the left: it has all its features.
  bool is_entry() const { return right.size() == 1 && right[0].kind == Symbol::Kind::lemma; }
};

// A feature of a labelled part, subject.number, or of the start symbol itself.
struct Path {
  std::string label, feature;
  Place place;
  std::string text() const { return label.empty() ? feature : label + "." + feature; }
};

// % tied A B, % apart subject.lemma object.lemma: what must be the same, or must differ. A path
// without a label is a symbol, and means which of its alternatives is taken.
struct Bond {
  bool apart = false;
  std::vector<Path> paths;
  Place place;
};

struct File {
  std::vector<std::string> names;  // the file itself, then those it includes
  std::string test, language, start;
  Place start_place;
  std::vector<std::pair<std::string, Place>> lexicons;
  std::string vary;  // the feature
  Place vary_place;
  std::map<std::string, std::vector<std::string>> vary_to;  // empty: every other value
  bool skip_syncretic = false;  // loci whose wrong form is the right one are left out
  std::vector<Path> condition, cluster, feature;
  std::vector<Path> design;  // the features whose values tell the sentences of an item apart
  std::vector<StatedCriterion> criteria;
  std::vector<Bond> bonds;
  Sample sample;
  bool has_cluster = false;
  bool empty_forms = false;  // a table has some
  std::vector<Rule> rules;
  uint32_t alternatives = 0;                // of all rules
  std::map<std::string, uint32_t> entries;  // how many alternatives each left side has

  bool makes_design() const { return !design.empty(); }
  // Whether the rule's loci are part of a longer one: several that vary together, or one that can
  // be empty.
  bool joint(const Rule& rule) const;
  // What the statements ask of the start symbol and of labelled parts.
  std::vector<Path> paths() const;
  Error error(std::string message, Place place) const;
};

// Throws with line and column. Files that are included come from `folder`.
File parse(std::string_view text, const std::string& name, const std::filesystem::path& folder);

}  // namespace minpair::stimuli::cfg
