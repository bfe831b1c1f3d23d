#pragma once
// Regressions over the columns of a table, written as R and lme4 write them.
//
//   Formula formula("correct / n ~ x * kind + (1 + x | suite:item)");
//   FormulaFit fit = fit_formula(formula, columns);
//
// Numbers are taken as they are; texts as treatments, compared with the first of them in the order
// of the alphabet.

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stats/mixed.h"

namespace minpair::stats {

using Column = std::vector<std::variant<double, std::string>>;  // NaN: nothing
using Columns = std::map<std::string, Column>;

using Term = std::vector<std::string>;  // columns that are multiplied; none: the constant
std::string name_of(const Term& term);  // "x:kind"

struct Formula {
  explicit Formula(const std::string& text);

  std::string response;
  std::string trials;  // of a response that counts right answers
  std::vector<Term> fixed;
  struct Random {
    std::vector<Term> terms;
    std::string group;  // columns, with a colon between them
  };
  std::vector<Random> random;

  std::vector<std::string> columns() const;  // all that it names
  // Fixed terms that no other one contains: each can be left out.
  std::vector<Term> droppable() const;
  Formula without(const Term& term) const;
};

struct FormulaFit {
  MixedFit fit;
  size_t rows = 0;
  std::vector<double> response;
  std::vector<std::string> fixed;  // parallel to the estimates
  struct Random {
    std::string group;
    size_t groups = 0;
    std::vector<std::string> effects;  // parallel to the deviations
  };
  std::vector<Random> random;
};

// Throws where a column is missing, and where the regression does not converge.
struct FitOptions {
  bool restricted = false;  // REML; of measures only
  bool errors = false;      // of counts, too (MixedData)
};
FormulaFit fit_formula(const Formula& formula, const Columns& data, const FitOptions& options = {});

}  // namespace minpair::stats
