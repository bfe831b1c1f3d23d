#pragma once
// From a grammar to a suite. Two notations, one meaning: all derivations of minimal sets.
//
//   my.cfg   context-free rules in NLTK's notation, with features, agreement and a locus on top
//   my.avg   attribute-varying grammars as in CLAMS (a common.avg beside it is read first)
//   folder   every grammar in it, in the order of its manifest.json, else of the names
//
// docs/grammars.md describes both for people.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/grammar/derivations.h"
#include "suite/suite.h"

namespace minpair::stimuli {

struct GrammarOptions {
  std::optional<unsigned> depth;  // of the derivation tree; needed when the rules are recursive
  // Unset: as the notation does it (a .cfg as a person writes, an .avg as CLAMS printed it).
  std::optional<bool> capitalize, attach, period, eos;
  std::filesystem::path vocabulary;     // one word a line: leave out what has other words
  std::vector<std::string> tests;       // empty: all
  std::vector<std::string> conditions;  // empty: all
  std::string language;                 // when the grammar does not say
  bool whole = false;                   // all items, also where a grammar asks for a sample
  bool roles = false;                   // with the regions "subject" and "attractor"
};

// One for each test. `path` is a file, a folder, or the name of a shipped suite.
std::vector<Derivations> load_derivations(const std::filesystem::path& path,
                                          const GrammarOptions& options = {});

// The manifest.json of a folder of grammars or of a shipped suite; empty when there is none.
std::filesystem::path manifest_of_grammars(const std::filesystem::path& path);

// The criteria that the grammars there state for the designs they make.
std::vector<suite::Criterion> criteria_of_grammars(const std::filesystem::path& path);

// By its name; a common.avg is a part of others.
bool is_grammar(const std::filesystem::path& file);

// One notation each. `name` is what errors say; `folder` is where files named in it are looked up.
Derivations read_cfg(std::string_view text, const std::string& name,
                     const std::filesystem::path& folder, const GrammarOptions& options = {});
Derivations read_avg(std::string_view text, std::string_view common, const std::string& name,
                     const GrammarOptions& options = {});

}  // namespace minpair::stimuli
