#include "report/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "report/clusters.h"
#include "report/judged.h"
#include "report/labels.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

struct Loaded {
  const store::RunRecord* run;
  judge::Policy policy;
  std::string name;
  const SuiteItems* suite;
  std::vector<Judged> judged;  // those that count
};

// The judged items by test, tests in the manifest's order.
std::vector<std::pair<std::string, std::vector<const Judged*>>> by_test(const Loaded& l) {
  const std::vector<std::string> by = {"test"};
  LevelOrder order(by, l.run->suite.manifest);
  std::map<std::string, std::vector<const Judged*>> groups;
  for (const Judged& j : l.judged) {
    const std::string& test = l.suite->items[j.item].test;
    groups[test].push_back(&j);
    order.see({test}, j.item);
  }
  std::vector<std::pair<std::string, std::vector<const Judged*>>> sorted;
  for (const auto& keys : order.sorted()) sorted.push_back({keys[0], groups[keys[0]]});
  return sorted;
}

stats::ClusterSums sums_of(const Loaded& l, const std::vector<const Judged*>& items) {
  std::vector<double> values;
  std::vector<uint64_t> cluster;
  for (const Judged* j : items) {
    values.push_back(j->points);
    cluster.push_back(l.suite->cluster[j->item]);
  }
  return stats::sum_by_cluster(values, cluster);
}

std::vector<GridValue> accuracy_row(const std::string& name, const stats::ClusterSums& sums,
                                    const stats::Estimate& e) {
  const double unknown = std::nan("");
  bool few = e.clusters < stats::kFewestClusters;
  double effect = few ? unknown : stats::design_effect(sums);
  // Where all items agree the variance says nothing about clusters.
  const double items = sums.items();
  double worth = effect > 0 ? items / effect : double(sums.count.size());
  worth = std::min(worth, items);
  return {name,
          items,
          double(e.clusters),
          e.value,
          e.interval.low,
          e.interval.high,
          effect,
          few ? unknown : stats::minimal_detectable_departure(worth)};
}

Grid accuracy_grid(const Loaded& l, const Intervals& by, Shares& shares) {
  Grid g{
      "accuracy",
      "Accuracy with clustered intervals: " + l.name,
      {{"test", "test", Kind::text},
       {"items", "items", Kind::count},
       {"clusters", "clusters", Kind::count},
       {"accuracy", "accuracy", Kind::share},
       {"ci_low", "from", Kind::share},
       {"ci_high", "to", Kind::share},
       {"design_effect", "design effect", Kind::number},
       {"detectable", "detectable", Kind::share}},
      {},
      false,
      {intervals_text(by) + "; detectable: the smallest distance from chance found with power 0.8",
       clusters_text(*l.suite), join(judge::lines_of(l.policy), "; ")}};
  std::vector<const Judged*> all;
  std::set<std::string> languages;
  for (const Judged& j : l.judged) languages.insert(l.suite->items[j.item].language);
  if (std::string mixed = mixed_text(languages); !mixed.empty()) g.notes.push_back(mixed);
  std::vector<std::string> names;
  std::vector<stats::ClusterSums> sums;
  for (const auto& [test, items] : by_test(l)) {
    names.push_back(test);
    sums.push_back(sums_of(l, items));
    all.insert(all.end(), items.begin(), items.end());
  }
  g.total = names.size() > 1;
  if (g.total) {
    names.push_back("All");
    sums.push_back(sums_of(l, all));
  }
  const std::vector<stats::Estimate> estimates = shares.of(sums);
  for (size_t i = 0; i < names.size(); ++i)
    g.rows.push_back(accuracy_row(names[i], sums[i], estimates[i]));
  if (std::any_of(g.rows.begin(), g.rows.end(), [](const auto& row) {
        return std::get<double>(row[2]) < stats::kFewestClusters;
      }))
    g.notes.insert(g.notes.begin() + 1, kTooFewClusters);
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

Design design_of(const Loaded& l, const std::vector<const Judged*>& items,
                 const std::vector<std::string>& conditions) {
  Design d;
  bool numbers = crossed(conditions);
  if (numbers) {
    d.names.insert(d.names.end(), {"subject plural", "distractor plural", "numbers differ"});
  } else {
    for (size_t i = 1; i < conditions.size(); ++i)
      d.names.push_back(fmt::format("{} against {}", conditions[i], conditions[0]));
  }
  for (const Judged* j : items) {
    const std::string& condition = l.suite->items[j->item].condition;
    d.outcome.push_back(j->won);
    d.cluster.push_back(l.suite->cluster[j->item]);
    d.rows.push_back(1);
    bool subject = false, distractor = false;
    if (numbers) {
      numbers_of_condition(condition, subject, distractor);
      for (bool x : {subject, distractor, subject != distractor}) d.rows.push_back(x);
    } else {
      for (size_t i = 1; i < conditions.size(); ++i) d.rows.push_back(condition == conditions[i]);
    }
  }
  return d;
}

void add_effects(Grid& g, const Loaded& l, const std::string& test,
                 const std::vector<const Judged*>& items) {
  std::vector<std::string> conditions;
  for (const Judged* j : items)
    if (const std::string& c = l.suite->items[j->item].condition;
        std::find(conditions.begin(), conditions.end(), c) == conditions.end())
      conditions.push_back(c);
  std::sort(conditions.begin(), conditions.end());
  if (conditions.size() < 2 || conditions.size() > 20) return;
  Design d = design_of(l, items, conditions);
  stats::Logistic fit = stats::logistic_regression(d.outcome, d.rows, d.names, d.cluster);
  if (!fit.converged) {
    g.notes.push_back(test + ": no estimate, the conditions cannot be told apart");
    return;
  }
  // The sandwich over a handful of clusters knows nothing.
  bool few = !fit.penalised && fit.clusters < stats::kFewestClusters;
  const double unknown = std::nan("");
  for (size_t i = 1; i < fit.coefficients.size(); ++i) {
    const stats::Coefficient& c = fit.coefficients[i];
    g.rows.push_back({test, c.name, c.estimate, few ? unknown : c.standard_error,
                      few ? unknown : c.z, few ? unknown : c.p, fit.penalised ? "Firth" : ""});
  }
}

Grid effects_grid(const Loaded& l) {
  Grid g{"conditions",
         "Effect of the condition (log-odds of being right): " + l.name,
         {{"test", "test", Kind::text},
          {"effect", "effect", Kind::text},
          {"estimate", "estimate", Kind::difference},
          {"standard_error", "s.e.", Kind::share},
          {"z", "z", Kind::number},
          {"p", "p", Kind::p},
          {"estimator", "", Kind::text}},
         {},
         false,
         {join(judge::lines_of(l.policy), "; ")}};
  for (const auto& [test, items] : by_test(l)) add_effects(g, l, test, items);
  auto any = [&](auto&& is) { return std::any_of(g.rows.begin(), g.rows.end(), is); };
  if (any([](const auto& row) { return std::get<std::string>(row[6]) == "Firth"; }))
    g.notes.push_back(
        "Firth: a condition is all right or all wrong, so the estimate is penalised; its s.e. "
        "takes "
        "items as independent");
  if (any([](const auto& row) { return std::isnan(std::get<double>(row[3])); }))
    g.notes.push_back("–: fewer than 5 clusters carry no standard error");
  return g;
}

GridValue finite(double x) { return std::isfinite(x) ? GridValue(x) : GridValue(); }

std::vector<GridValue> agreement_row(const Loaded& a, const Loaded& b) {
  std::vector<const Judged*> other(a.suite->items.size());
  for (const Judged& j : b.judged) other[j.item] = &j;
  std::vector<double> first, second, first_margin, second_margin;
  for (const Judged& j : a.judged)
    if (const Judged* o = other[j.item]) {
      first.push_back(j.won);
      second.push_back(o->won);
      first_margin.push_back(j.margin);
      second_margin.push_back(o->margin);
    }
  if (first.size() < 4) return {};
  stats::Agreement agree = stats::agreement(first, second);
  stats::Correlation rho = stats::spearman(first_margin, second_margin);
  return {a.name,
          b.name,
          double(agree.items),
          agree.share,
          finite(agree.kappa),
          finite(rho.r),
          finite(rho.interval.low),
          finite(rho.interval.high)};
}

Grid agreement_grid(const std::vector<Loaded>& runs) {
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
      if (runs[i].suite == runs[j].suite && runs[i].run->model.id == runs[j].run->model.id)
        if (auto row = agreement_row(runs[i], runs[j]); !row.empty()) g.rows.push_back(row);
  for (const Loaded& l : runs)
    if (std::string policy = join(judge::lines_of(l.policy), "; ");
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
  std::vector<NamedRun> runs = wanted_runs(store, options.wanted);
  check_selection(store, runs, options.tests, options.conditions, options.languages);
  std::map<int64_t, SuiteItems> suites;
  std::vector<Loaded> loaded;
  for (const auto& [r, label] : runs) {
    SuiteItems& suite = suites.try_emplace(r.suite.id, options.cluster).first->second;
    Look look = look_at(r, options);
    Loaded l{&r, look.policy, fmt::format("{}, {}, {}", r.suite.name, label, r.method), &suite, {}};
    for (const Judged& j : judged_items(store, r, look, suite))
      if (j.counts() && wanted(suite.items[j.item], options)) l.judged.push_back(j);
    check_clusters(suite, r.suite.name);
    loaded.push_back(std::move(l));
  }
  std::vector<Grid> grids;
  Shares shares(options.intervals);
  for (const Loaded& l : loaded) {
    grids.push_back(accuracy_grid(l, options.intervals, shares));
    if (Grid g = effects_grid(l); !g.rows.empty() || g.notes.size() > 1) grids.push_back(g);
  }
  if (Grid g = agreement_grid(loaded); !g.rows.empty()) grids.push_back(g);
  return grids;
}

}  // namespace minpair::report
