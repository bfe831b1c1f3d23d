// Mixed models over the rows of runs: `stats --formula`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "base/error.h"
#include "report/rows.h"
#include "report/views.h"
#include "stats/formula.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

stats::Column::value_type value_of(const suite::Item& item, const std::string& name) {
  for (const auto& [feature, value] : item.features)
    if (feature == name) {
      if (const auto* number = std::get_if<double>(&value)) return *number;
      return std::get<std::string>(value);
    }
  return std::string();
}

// What a row says of itself, under the names of docs/statistics.md and of its features.
stats::Column::value_type value_of(const std::string& name, const RowReader& rows,
                                   const NamedRun& named, const Judged& judged,
                                   const std::string& cluster) {
  const suite::Item& item = rows.item();
  if (name == "right") return judged.won;
  if (name == "margin") return double(judged.margin);
  if (name == "trials") return 1.0;
  if (name == "model") return named.label;
  if (name == "method") return named.run.method;
  if (name == "suite") return named.run.suite.name;
  if (name == "test") return item.test;
  if (name == "condition") return item.condition;
  if (name == "language") return item.language;
  if (name == "item") return fmt::format("{}/{}", named.run.suite.id, rows.ordinal());
  if (name == "cluster") return cluster.empty() ? std::to_string(rows.ordinal()) : cluster;
  return value_of(item, name);
}

struct Data {
  stats::Columns columns;
  uint64_t left_out = 0, without = 0;  // for policies; for a margin that is no number
};

Data data_for(const stats::Formula& formula, store::Store& store, const ReportOptions& options) {
  Data data;
  const std::vector<std::string> names = formula.columns();
  for (const std::string& name : names) data.columns[name];
  const bool of_margins = formula.response == "margin";
  for (const NamedRun& named : selected_runs(store, options)) {
    const Look look = look_at(named.run, options);
    for (RowReader rows(store, {&named}, options); rows.next();) {
      const Judged judged = rows.judged(0, look);
      if (!judged.counts() || (of_margins && !std::isfinite(judged.margin))) {
        ++(judged.counts() ? data.without : data.left_out);
        continue;
      }
      const std::string cluster = cluster_name(rows.item(), options.cluster);
      for (const std::string& name : names)
        data.columns[name].push_back(value_of(name, rows, named, judged, cluster));
    }
  }
  for (const auto& [name, column] : data.columns)
    if (std::all_of(column.begin(), column.end(), [](const auto& value) {
          const auto* text = std::get_if<std::string>(&value);
          return text && text->empty();
        }))
      throw wrong_call(fmt::format("no row has anything to say of '{}'", name))
          .hint(
              "formulas know right, margin, model, method, suite, test, condition, language, item, "
              "cluster and the items' features");
  return data;
}

Grid effects_of(const stats::FormulaFit& f, bool counts) {
  Grid g{"fixed",
         "Fixed effects",
         {{"effect", "effect", Kind::text},
          {"estimate", "estimate", Kind::difference},
          {"standard_error", "s.e.", Kind::share},
          {"z", counts ? "z" : "t", Kind::number},
          {"p", "p (Wald)", Kind::p}}};
  constexpr double kEndless = 10;  // log-odds that grow as long as one lets them
  for (size_t i = 0; i < f.fixed.size(); ++i) {
    const double estimate = f.fit.estimates[i], z = estimate / f.fit.standard_errors[i];
    const bool endless = counts && std::abs(estimate) > kEndless;
    const double unknown = std::nan("");
    g.rows.push_back({f.fixed[i], estimate, endless ? unknown : f.fit.standard_errors[i],
                      endless ? unknown : z,
                      endless ? unknown : 2 * stats::normal_cdf(-std::abs(z))});
    if (endless && g.notes.empty())
      g.notes.push_back(
          "–: a level is all right or all wrong, so its log-odds have no end; leave terms out, or "
          "look at the likelihood ratios");
  }
  return g;
}

Grid deviations_of(const stats::FormulaFit& f, bool counts) {
  Grid g{"random",
         "Random effects",
         {{"group", "group", Kind::text},
          {"groups", "groups", Kind::count},
          {"effect", "effect", Kind::text},
          {"deviation", "s.d.", Kind::share}}};
  for (size_t t = 0; t < f.random.size(); ++t)
    for (size_t i = 0; i < f.random[t].effects.size(); ++i)
      g.rows.push_back({f.random[t].group, double(f.random[t].groups), f.random[t].effects[i],
                        f.fit.deviations[t][i]});
  if (!counts) g.rows.push_back({"residual", double(f.rows), "", f.fit.residual_deviation});
  return g;
}

Grid tests_of(const stats::Formula& formula, const stats::FormulaFit& whole,
              const stats::Columns& columns) {
  Grid g{"likelihood_ratios",
         "Likelihood ratio tests: without each term that no other contains",
         {{"term", "term", Kind::text},
          {"chi_square", "chi square", Kind::number},
          {"df", "df", Kind::count},
          {"p", "p", Kind::p}}};
  for (const stats::Term& term : formula.droppable()) {
    const stats::FormulaFit less = stats::fit_formula(formula.without(term), columns);
    const double ratio = std::max(0.0, 2 * (whole.fit.log_likelihood - less.fit.log_likelihood));
    const size_t df = whole.fit.parameters - less.fit.parameters;
    g.rows.push_back({stats::name_of(term), ratio, double(df), stats::chi_square_p(ratio, df)});
  }
  return g;
}

}  // namespace

std::vector<Grid> regression_grids(store::Store& store, const ReportOptions& options,
                                   const std::string& text) {
  stats::Formula formula(text);
  if (formula.response != "right" && formula.response != "margin")
    throw wrong_call(fmt::format("'{}' is no response", formula.response))
        .hint("'right ~ ...' is a logistic model, 'margin ~ ...' a linear one");
  const bool counts = formula.response == "right";
  if (counts) formula.trials = "trials";
  const Data data = data_for(formula, store, options);
  const stats::FormulaFit f = stats::fit_formula(formula, data.columns, {.errors = true});
  std::vector<Grid> grids = {effects_of(f, counts)};
  grids[0].title = fmt::format("{} of {}", counts ? "Log-odds" : "Margins", text);
  std::vector<std::string> notes = {
      fmt::format("{}; maximum likelihood{}, log-likelihood {:.4f}, AIC {:.4f}",
                  counted(f.rows, "row"), counts && !f.random.empty() ? " (Laplace)" : "",
                  f.fit.log_likelihood, f.fit.aic()),
      "levels are compared with the first in alphabetical order; p: Wald's, normal"};
  grids[0].notes.insert(grids[0].notes.begin(), notes.begin(), notes.end());
  if (data.left_out + data.without > 0)
    grids[0].notes.push_back(
        fmt::format("left out: {} without a score that counts, {} without a "
                    "finite margin",
                    data.left_out, data.without));
  if (f.fit.singular)
    grids[0].notes.push_back(
        "a singular fit: a deviation is zero, or random effects are tied to each other; a simpler "
        "model would say the same");
  grids[0].notes.push_back(join(judge::lines_of(options.policy), "; "));
  if (!f.random.empty()) grids.push_back(deviations_of(f, counts));
  if (Grid tests = tests_of(formula, f, data.columns); !tests.rows.empty())
    grids.push_back(std::move(tests));
  return grids;
}

}  // namespace minpair::report
