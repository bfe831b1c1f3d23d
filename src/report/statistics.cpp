#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "report/labels.h"
#include "report/rows.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

// One run and its items in groups.
struct GroupedRun {
  LookedAt of;
  size_t column = 0;  // of its tallies in the groups
  const Groups* groups;
  std::vector<const Group*> sorted;
  std::string name() const {
    const store::RunRecord& r = of.named->run;
    return fmt::format("{}, {}, {}", r.suite.name, of.named->label, r.method);
  }
};

std::vector<const Group*> sorted_groups(const Groups& groups, const std::vector<std::string>& by,
                                        const suite::Manifest& manifest) {
  LevelOrder order(by, manifest);
  std::map<std::vector<std::string>, const Group*> at;
  for (const Group& g : groups.all) {
    order.see(g.keys, g.first_ordinal);
    at[g.keys] = &g;
  }
  std::vector<const Group*> sorted;
  for (const auto& keys : order.sorted()) sorted.push_back(at.at(keys));
  return sorted;
}

std::vector<GridValue> accuracy_row(std::vector<GridValue> row, const stats::ClusterSums& sums,
                                    const stats::Estimate& e) {
  const bool few = e.clusters < stats::kFewestClusters;
  for (double x : {sums.items(), double(e.clusters), e.value, e.interval.low, e.interval.high})
    row.emplace_back(x);
  row.emplace_back(std::string(name_of(e.method)));
  row.emplace_back(few ? std::nan("") : stats::design_effect(sums));
  row.emplace_back(stats::smallest_p(e.clusters));
  return row;
}

std::vector<GridColumn> levels_of(const std::vector<std::string>& by) {
  std::vector<GridColumn> columns;
  for (const std::string& name : by) columns.push_back({name, name, Kind::text});
  return columns;
}

Grid accuracy_grid(const GroupedRun& run, const std::vector<std::string>& by,
                   const Intervals& intervals, Shares& shares) {
  Grid g{"accuracy",
         "Accuracy with clustered intervals: " + run.name(),
         levels_of(by),
         {},
         false,
         {intervals_text(intervals) +
              "; least p: no test that flips the signs of so many clusters gives a smaller one",
          run.groups->clusters.text(), join(judge::lines_of(run.of.look.policy), "; ")}};
  g.columns.insert(g.columns.end(), {{"items", "items", Kind::count},
                                     {"clusters", "clusters", Kind::count},
                                     {"accuracy", "accuracy", Kind::share},
                                     {"ci_low", "from", Kind::share},
                                     {"ci_high", "to", Kind::share},
                                     {"ci_method", "interval", Kind::text, true, false},
                                     {"design_effect", "design effect", Kind::number},
                                     {"smallest_p", "least p", Kind::p}});
  if (std::string mixed = mixed_text(run.groups->languages);
      !mixed.empty() && std::find(by.begin(), by.end(), "language") == by.end())
    g.notes.push_back(mixed);
  std::vector<std::vector<GridValue>> names;
  std::vector<stats::ClusterSums> sums;
  Values all;
  for (const Group* group : run.sorted) {
    const Values& points = group->points[run.column];
    if (points.of.empty()) continue;
    names.emplace_back(group->keys.begin(), group->keys.end());
    sums.push_back(points.sums());
    all.add(points);
  }
  g.total = names.size() > 1;
  if (g.total) {
    names.emplace_back(by.size(), "");
    names.back()[0] = "All";
    sums.push_back(all.sums());
  }
  const std::vector<stats::Estimate> estimates = shares.of(sums);
  bool few = false;
  for (size_t i = 0; i < names.size(); ++i) {
    g.rows.push_back(accuracy_row(names[i], sums[i], estimates[i]));
    few |= estimates[i].clusters < stats::kFewestClusters;
  }
  if (few) g.notes.insert(g.notes.begin() + 1, kTooFewClusters);
  return g;
}

// The columns of the regression, and one row per item.
struct Design {
  std::vector<std::string> names = {"(intercept)"};
  std::vector<double> rows, outcome;
  std::vector<uint64_t> cluster;
};

bool crossed(const std::vector<std::string>& conditions) {
  bool a, b;
  return conditions.size() == 4 &&
         std::all_of(conditions.begin(), conditions.end(),
                     [&](const std::string& c) { return numbers_of_condition(c, a, b); });
}

// Groups that differ only in the level whose effect is looked at.
using Family = std::vector<const Group*>;

Design design_of(const GroupedRun& run, const Family& family,
                 const std::vector<std::string>& values, size_t level) {
  Design d;
  bool numbers = crossed(values);
  if (numbers) {
    d.names.insert(d.names.end(), {"subject plural", "distractor plural", "numbers differ"});
  } else {
    for (size_t i = 1; i < values.size(); ++i)
      d.names.push_back(fmt::format("{} against {}", values[i], values[0]));
  }
  for (const Group* group : family) {
    const std::string& value = group->keys[level];
    std::vector<double> row = {1};
    bool subject = false, distractor = false;
    if (numbers) {
      numbers_of_condition(value, subject, distractor);
      for (bool x : {subject, distractor, subject != distractor}) row.push_back(x);
    } else {
      for (size_t i = 1; i < values.size(); ++i) row.push_back(value == values[i]);
    }
    const std::vector<double>& won = group->won[run.column];
    const std::vector<uint64_t>& cluster = group->points[run.column].cluster;
    d.outcome.insert(d.outcome.end(), won.begin(), won.end());
    d.cluster.insert(d.cluster.end(), cluster.begin(), cluster.end());
    for (size_t i = 0; i < won.size(); ++i) d.rows.insert(d.rows.end(), row.begin(), row.end());
  }
  return d;
}

std::vector<GridValue> without_level(const std::vector<std::string>& keys, size_t level) {
  std::vector<GridValue> names(keys.begin(), keys.end());
  names.erase(names.begin() + ptrdiff_t(level));
  return names;
}

void add_effects(Grid& g, const GroupedRun& run, const Family& all, size_t level,
                 const std::string& what) {
  Family family;
  std::vector<std::string> values;
  for (const Group* group : all)
    if (!group->won[run.column].empty()) {
      family.push_back(group);
      values.push_back(group->keys[level]);
    }
  if (values.size() < 2 || values.size() > 20) return;
  Design d = design_of(run, family, values, level);
  stats::Logistic fit = stats::logistic_regression(d.outcome, d.rows, d.names, d.cluster);
  std::vector<GridValue> names = without_level(family[0]->keys, level);
  if (!fit.converged) {
    std::string of;
    for (const GridValue& name : names) of += std::get<std::string>(name) + ": ";
    g.notes.push_back(fmt::format("{}no estimate, the {}s cannot be told apart", of, what));
    return;
  }
  // The sandwich over a handful of clusters knows nothing, and the penalised fit nothing of
  // clusters.
  const bool none = fit.penalised || fit.clusters < stats::kFewestClusters;
  const double unknown = std::nan("");
  for (size_t i = 1; i < fit.coefficients.size(); ++i) {
    const stats::Coefficient& c = fit.coefficients[i];
    std::vector<GridValue>& row = g.rows.emplace_back(names);
    row.emplace_back(c.name);
    row.emplace_back(c.estimate);
    for (double x : {c.standard_error, c.z, c.p}) row.emplace_back(none ? unknown : x);
    row.emplace_back(fit.penalised ? "Firth" : "");
  }
}

// Of the last level, within groups by the others.
Grid effects_grid(const GroupedRun& run, std::vector<std::string> by) {
  const size_t level = by.size() - 1;
  const std::string of = by[level];
  by.pop_back();
  Grid g{of == "condition" ? "conditions" : "effects",
         fmt::format("Effect of the {} (log-odds of being right): {}", of, run.name()),
         levels_of(by),
         {},
         false,
         {join(judge::lines_of(run.of.look.policy), "; ")}};
  g.columns.insert(g.columns.end(), {{"effect", "effect", Kind::text},
                                     {"estimate", "estimate", Kind::difference},
                                     {"standard_error", "s.e.", Kind::share},
                                     {"z", "z", Kind::number},
                                     {"p", "p", Kind::p},
                                     {"estimator", "", Kind::text}});
  const size_t estimator = g.columns.size() - 1;
  std::vector<std::pair<std::vector<GridValue>, Family>> families;
  for (const Group* group : run.sorted) {
    std::vector<GridValue> names = without_level(group->keys, level);
    auto at = std::find_if(families.begin(), families.end(),
                           [&](const auto& f) { return f.first == names; });
    if (at == families.end()) at = families.insert(at, {std::move(names), {}});
    at->second.push_back(group);
  }
  for (const auto& [names, family] : families) add_effects(g, run, family, level, of);
  auto any = [&](auto&& is) { return std::any_of(g.rows.begin(), g.rows.end(), is); };
  if (any([&](const auto& row) { return std::get<std::string>(row[estimator]) == "Firth"; }))
    g.notes.push_back(fmt::format(
        "Firth: a {} is all right or all wrong, so the estimate is penalised; it has no "
        "s.e. over clusters",
        of));
  if (any([&](const auto& row) {
        return std::get<std::string>(row[estimator]).empty() &&
               std::isnan(std::get<double>(row[estimator - 3]));
      }))
    g.notes.push_back("–: fewer than 5 clusters carry no standard error");
  return g;
}

GridValue finite(double x) { return std::isfinite(x) ? GridValue(x) : GridValue(); }

// What two runs say of the same items.
struct Paired {
  std::vector<double> first, second, first_margin, second_margin;
};

Paired paired_rows(store::Store& store, const LookedAt& a, const LookedAt& b,
                   const Selection& selection) {
  Paired p;
  for (RowReader rows(store, {a.named, b.named}, selection); rows.next();) {
    if (!rows.has(0) || !rows.has(1)) continue;
    const Judged one = rows.judged(0, a.look), other = rows.judged(1, b.look);
    if (!one.counts() || !other.counts()) continue;
    p.first.push_back(one.won);
    p.second.push_back(other.won);
    p.first_margin.push_back(one.margin);
    p.second_margin.push_back(other.margin);
  }
  return p;
}

std::vector<GridValue> agreement_row(const GroupedRun& a, const GroupedRun& b, const Paired& p) {
  if (p.first.size() < 4) return {};
  stats::Agreement agree = stats::agreement(p.first, p.second);
  stats::Correlation rho = stats::spearman(p.first_margin, p.second_margin);
  return {a.name(),
          b.name(),
          double(agree.items),
          agree.share,
          finite(agree.kappa),
          finite(rho.r),
          finite(rho.interval.low),
          finite(rho.interval.high)};
}

Grid agreement_grid(store::Store& store, const std::vector<GroupedRun>& runs,
                    const Selection& selection) {
  Grid g{"agreement",
         "Agreement between methods",
         {{"first", "first", Kind::text},
          {"second", "second", Kind::text},
          {"items", "items", Kind::count},
          {"alike", "alike", Kind::share},
          {"kappa", "kappa", Kind::share},
          {"spearman", "rho", Kind::share},
          {"ci_low", "from", Kind::share},
          {"ci_high", "to", Kind::share}},
         {},
         false,
         {"kappa: Cohen's; rho: Spearman's, of the margins"}};
  for (size_t i = 0; i < runs.size(); ++i)
    for (size_t j = i + 1; j < runs.size(); ++j)
      if (const store::RunRecord& a = runs[i].of.named->run, &b = runs[j].of.named->run;
          a.suite.id == b.suite.id && a.model.id == b.model.id)
        if (auto row = agreement_row(runs[i], runs[j],
                                     paired_rows(store, runs[i].of, runs[j].of, selection));
            !row.empty())
          g.rows.push_back(row);
  for (const GroupedRun& run : runs)
    if (std::string policy = join(judge::lines_of(run.of.look.policy), "; ");
        std::find(g.notes.begin(), g.notes.end(), policy) == g.notes.end())
      g.notes.push_back(policy);
  return g;
}

}  // namespace

bool numbers_of_condition(const std::string& condition, bool& subject_plural,
                          bool& distractor_plural) {
  std::string c = condition;
  c.erase(std::remove(c.begin(), c.end(), '_'), c.end());
  if (c.size() != 4) return false;
  auto number = [&](const std::string& text, bool& plural) {
    plural = text == "pl";
    return plural || text == "sg";
  };
  return number(c.substr(0, 2), subject_plural) && number(c.substr(2), distractor_plural);
}

std::vector<Grid> statistics_grids(store::Store& store, const ReportOptions& options) {
  const std::vector<NamedRun> named = selected_runs(store, options);
  const std::vector<std::string> by = full_by(options.by);
  // Tests have conditions, whose effect is of interest even where rows are tests.
  const std::vector<std::string> of_effects =
      by == std::vector<std::string>{"test"} ? full_by({"condition"}) : by;
  std::map<int64_t, std::vector<LookedAt>> by_suite;
  for (const NamedRun& n : named) by_suite[n.run.suite.id].push_back({&n, look_at(n.run, options)});
  std::vector<Groups> groups;  // two of every suite
  groups.reserve(2 * by_suite.size());
  std::map<const NamedRun*, std::pair<GroupedRun, GroupedRun>> grouped;
  for (const auto& [suite, columns] : by_suite) {
    const suite::Manifest& manifest = columns[0].named->run.suite.manifest;
    const auto grouped_by = [&](const std::vector<std::string>& levels) {
      groups.push_back(
          group_rows(store, columns, options, {levels, options.bins, true, options.cluster}));
      return sorted_groups(groups.back(), levels, manifest);
    };
    const auto rows = grouped_by(by);
    const auto fine = of_effects == by ? rows : grouped_by(of_effects);
    for (size_t c = 0; c < columns.size(); ++c)
      grouped[columns[c].named] = {
          {columns[c], c, &groups[groups.size() - (of_effects == by ? 1 : 2)], rows},
          {columns[c], c, &groups.back(), fine}};
  }
  std::vector<Grid> grids;
  std::vector<GroupedRun> runs;
  Shares shares(options.intervals);
  for (const NamedRun& n : named) {
    const auto& [rows, fine] = grouped.at(&n);
    grids.push_back(accuracy_grid(rows, by, options.intervals, shares));
    if (Grid g = effects_grid(fine, of_effects); !g.rows.empty() || g.notes.size() > 1)
      grids.push_back(g);
    runs.push_back(rows);
  }
  if (Grid g = agreement_grid(store, runs, options); !g.rows.empty()) grids.push_back(g);
  return grids;
}

}  // namespace minpair::report
