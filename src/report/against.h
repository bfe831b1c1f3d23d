#pragma once
// Does a property of languages go with how well models do in them? CLAMS, section 6.3, asks it of
// morphological complexity.
//
//   render_grids(against_grids(store, options, read_language_numbers("complexity")), "table");

#include <filesystem>
#include <map>

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

struct LanguageNumbers {
  std::string name;
  std::map<std::string, double> of;  // by language
};

// Lines of a language, a tab and a number; '#' begins a comment. `name` is a file, or a table that
// ships with minpair ("complexity").
LanguageNumbers read_language_numbers(const std::string& name);

// Per suite: the accuracy in every language (the mean over those tests that all its languages have,
// as in the paper), and Spearman's correlation with the numbers.
std::vector<Grid> against_grids(store::Store& store, const ReportOptions& options,
                                const LanguageNumbers& numbers);

}  // namespace minpair::report
