// Regressions over the rows of a table.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "papers/database.h"
#include "stats/formula.h"
#include "stats/stats.h"

namespace minpair::papers {
namespace {

stats::Columns columns_of(const Result& data) {
  stats::Columns columns;
  for (size_t c = 0; c < data.columns.size(); ++c) {
    stats::Column& column = columns[data.columns[c]];
    for (const auto& row : data.rows)
      if (const auto* text = std::get_if<std::string>(&row[c]))
        column.emplace_back(*text);
      else
        column.emplace_back(number_of(row[c]));
  }
  return columns;
}

double explained(const stats::FormulaFit& f) {
  const double n = double(f.rows), deviation = stats::standard_deviation(f.response);
  return 1 - f.fit.residual_deviation * f.fit.residual_deviation * n /
                 (deviation * deviation * (n - 1));
}

nlohmann::ordered_json json_of(const stats::Formula& formula, const stats::FormulaFit& f) {
  nlohmann::ordered_json all;
  for (size_t i = 0; i < f.fixed.size(); ++i) {
    all["estimate." + f.fixed[i]] = f.fit.estimates[i];
    if (!f.fit.standard_errors.empty()) all["se." + f.fixed[i]] = f.fit.standard_errors[i];
  }
  for (size_t t = 0; t < f.random.size(); ++t)
    for (size_t i = 0; i < f.random[t].effects.size(); ++i)
      all[fmt::format("sd.{}.{}", f.random[t].group, f.random[t].effects[i])] =
          f.fit.deviations[t][i];
  const bool counts = !formula.trials.empty();
  if (!counts) all["sd.residual"] = f.fit.residual_deviation;
  all["log_likelihood"] = f.fit.log_likelihood;
  all["parameters"] = f.fit.parameters;
  all["AIC"] = f.fit.aic();
  all["rows"] = f.rows;
  if (f.random.empty() && !counts) all["R2"] = explained(f);
  return all;
}

}  // namespace

std::string fit_as_json(Database& database, const std::string& model, const std::string& table,
                        bool restricted) {
  std::string quoted = table;
  for (size_t at = 0; (at = quoted.find('"', at)) != quoted.npos; at += 2) quoted.insert(at, "\"");
  const Result data = database.query({fmt::format("select * from \"{}\"", quoted), 0});
  const stats::Formula formula(model);
  return json_text(
      json_of(formula, stats::fit_formula(formula, columns_of(data), {.restricted = restricted})));
}

}  // namespace minpair::papers
