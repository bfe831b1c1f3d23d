#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/counts.h"
#include "base/error.h"
#include "base/outgoing.h"
#include "report/labels.h"
#include "report/published.h"
#include "report/report.h"
#include "report/rows.h"

namespace minpair::report {
namespace {

// A run under one view and policy, or a mean over the seeds of a model.
struct ColumnBuilder {
  Column column;
  const store::RunRecord* run = nullptr;
  bool equal_only = false;   // leaves out what has sentences of different lengths
  std::vector<size_t> from;  // columns of the groups: one, or one for each seed
  Tally total;               // of all of them
};

// Two columns where both lengths are asked for: which of them are shown is known once all items
// are.
std::vector<LookedAt> columns_of(const std::vector<const NamedRun*>& runs,
                                 const ReportOptions& options) {
  std::vector<LookedAt> columns;
  for (const NamedRun* named : runs)
    for (Look look : looks_at(named->run, options)) {
      const bool both = look.policy.lengths == judge::Lengths::both;
      if (both) look.policy.lengths = judge::Lengths::equal;
      columns.push_back({named, look});
      if (both) look.policy.lengths = judge::Lengths::all;
      if (both) columns.push_back({named, look});
    }
  return columns;
}

ColumnBuilder build_column(const LookedAt& looked_at, const Groups& groups, size_t c) {
  const auto& [named, look] = looked_at;
  ColumnBuilder b;
  b.run = &named->run;
  b.column.model = named->label;
  b.column.method = named->run.method;
  b.column.norm = judge::name_of(look.view);
  b.column.released = named->run.model.kind == "released";
  b.equal_only = look.policy.lengths == judge::Lengths::equal;
  b.from = {c};
  for (const Group& g : groups.all) b.total.add(g.tallies[c]);
  if (b.total.unequal > 0) b.column.lengths = b.equal_only ? "equal" : "all";
  return b;
}

// The seeds of a model are one column, in the place of the first.
std::vector<ColumnBuilder> aggregate_seeds(const std::vector<ColumnBuilder>& columns) {
  std::vector<ColumnBuilder> families;
  for (const ColumnBuilder& c : columns) {
    Column of_all = c.column;
    of_all.model = without_seed(of_all.model);
    auto at = std::find_if(families.begin(), families.end(), [&](const ColumnBuilder& f) {
      return without_seed(f.column.model) == of_all.model && f.column.method == of_all.method &&
             f.column.norm == of_all.norm && f.column.lengths == of_all.lengths;
    });
    if (at == families.end()) {
      families.push_back(c);
      continue;
    }
    at->from.push_back(c.from[0]);
    at->total.add(c.total);
    at->column.model = of_all.model;
    at->column.seeds = at->from.size();
  }
  return families;
}

// The groups that an average is over: each stratum (a test of a language, say) weighs the same.
using Strata = std::map<std::vector<std::string>, std::vector<const Group*>>;

// What cells are made of.
class Cells {
 public:
  Cells(const std::vector<std::string>& levels, const ReportOptions& options)
      : levels_(levels), options_(options), shares_(options.intervals) {}

  // Groups whose items count the same among those of one row.
  std::vector<std::string> stratum_of(const Group& group) const {
    std::vector<std::string> key;
    for (size_t i = 0; i < levels_.size(); ++i)
      if ((options_.average == Average::tests && levels_[i] == "test") ||
          (options_.average != Average::items && levels_[i] == "language"))
        key.push_back(group.keys[i]);
    return key;
  }

  Cell cell(const Strata& strata, const ColumnBuilder& column) {
    Cell cell;
    std::vector<double> means;
    for (size_t c : column.from) {
      double sum = 0, n = 0;
      Tally all;
      for (const auto& [key, groups] : strata) {
        Tally tally;
        for (const Group* g : groups) tally.add(g->tallies[c]);
        all.add(tally);
        sum += tally.accuracy();
        n += tally.pairs > 0;
      }
      cell.present |= all.items > 0;
      cell.tally.add(all);
      if (n > 0) means.push_back(options_.average == Average::items ? all.accuracy() : sum / n);
    }
    if (!means.empty()) cell.accuracy = stats::mean(means);
    if (column.from.size() > 1) cell.deviation = stats::standard_deviation(means);
    if (!options_.with_values || means.empty()) return cell;
    std::vector<stats::ClusterSums> seeds;
    for (size_t c : column.from) seeds.push_back(sums_of(strata, {c}));
    cell.sums = column.from.size() > 1 ? sums_of(strata, column.from) : seeds[0];
    const stats::Estimate e =
        seeds.size() > 1 ? mean_over_seeds(means, cell.sums) : shares_.of({cell.sums})[0];
    cell.interval = e.interval;
    cell.clusters = e.clusters;
    cell.method = e.method;
    return cell;
  }

 private:
  // Weighted so that every stratum has the same share of all items.
  stats::ClusterSums sums_of(const Strata& strata, const std::vector<size_t>& columns) const {
    Values all;
    std::vector<double> weights;
    for (const auto& [key, groups] : strata) {
      Values own;
      for (size_t c : columns)
        for (const Group* g : groups) own.add(g->points[c]);
      if (own.of.empty()) continue;
      weights.push_back(double(own.of.size()));
      all.add(own);
    }
    if (options_.average == Average::items) return all.sums();
    const double items = double(all.of.size()), strata_with = double(weights.size());
    std::vector<double> weighted, counts;
    for (double n : weights)
      for (double i = 0; i < n; ++i) {
        counts.push_back(items / (strata_with * n));
        weighted.push_back(all.of[weighted.size()] * counts.back());
      }
    return {stats::sum_by_cluster(weighted, all.cluster).sum,
            stats::sum_by_cluster(counts, all.cluster).sum};
  }

  const std::vector<std::string>& levels_;
  const ReportOptions& options_;
  Shares shares_;
};

void note_seeds(Table& table) {
  if (std::any_of(table.columns.begin(), table.columns.end(),
                  [](const Column& c) { return c.seeds > 0; }))
    table.notes.push_back(
        "means over seeds: counts are sums over the seeds; ± is the standard deviation of their "
        "accuracies; intervals are 95 %, Student's t, with the variances over seeds and clusters");
}

std::string account_line(const ColumnBuilder& v, bool by_criterion) {
  const Tally& t = v.total;
  std::string line = fmt::format("{}: {} {}: {} scored ({})", v.column.key(), count_text(t.items),
                                 by_criterion ? "items × criteria" : plural(t.items, "item"),
                                 count_text(t.pairs), counted(t.ties, "tie"));
  for (const auto& [reason, n] : t.excluded)
    line += fmt::format(", {} {}", count_text(n), text_of(reason));
  if (v.column.seeds > 0) line += fmt::format(", in {} seeds", v.column.seeds);
  if (t.items < v.run->suite.items * std::max<size_t>(v.column.seeds, 1))
    line += fmt::format("; the suite has {}", count_text(v.run->suite.items));
  return line;
}

// The sign-flipping test of two cells over the same clusters; 1 where these are not the same.
double p_of(const Cell& a, const Cell& b, uint64_t permutations) {
  if (a.sums.sum.size() != b.sums.sum.size() || a.sums.sum.empty()) return 1;
  const double of_a = a.sums.items(), of_b = b.sums.items();
  stats::ClusterSums differences = a.sums;
  for (size_t g = 0; g < differences.sum.size(); ++g)
    differences.sum[g] = a.sums.sum[g] - b.sums.sum[g] * (of_a / of_b);
  return stats::clustered_permutation(differences, permutations);
}

// The best of each row among columns of the same lengths, with all that are not below it beyond
// chance. None where that is all of them. Published numbers are of other models and methods, and
// mostly of other items: they are not compared.
void mark_best(Table& table) {
  std::map<std::string, std::vector<size_t>> rivals;
  for (size_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].published) rivals[table.columns[i].lengths].push_back(i);
  auto mark = [&](Row& row) {
    for (Cell& c : row.cells) c.best = false;
    for (const auto& [lengths, columns] : rivals) {
      std::vector<Cell*> cells;
      for (size_t i : columns)
        if (row.cells[i].present && row.cells[i].tally.pairs > 0) cells.push_back(&row.cells[i]);
      if (cells.size() < 2) continue;
      const Cell& best = **std::max_element(
          cells.begin(), cells.end(), [](auto* a, auto* b) { return a->accuracy < b->accuracy; });
      std::vector<Cell*> marked;
      for (Cell* c : cells)
        if (c == &best || c->accuracy == best.accuracy || p_of(best, *c, 2000) >= 0.05)
          marked.push_back(c);
      for (Cell* c : marked) c->best = marked.size() < cells.size();
    }
  };
  for (Row& row : table.rows) mark(row);
  mark(table.total);
}

// At most five rows of a column, none where more are as low.
void mark_low(Table& table) {
  constexpr size_t kMost = 5;
  if (table.rows.size() <= kMost) return;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].published) continue;
    std::vector<Cell*> cells;
    for (Row& row : table.rows)
      if (row.cells[c].present && row.cells[c].tally.pairs > 0) cells.push_back(&row.cells[c]);
    if (cells.size() <= kMost) continue;
    for (Cell* cell : cells)
      cell->low = size_t(std::count_if(cells.begin(), cells.end(), [&](const Cell* other) {
                    return other->accuracy <= cell->accuracy;
                  })) <= kMost;
  }
}

std::vector<std::string> policies_of(const ReportOptions& options, bool both_lengths) {
  std::vector<std::string> lines = judge::lines_of(options.policy);
  if (both_lengths)
    lines.push_back("equal: only items whose sentences have equally many tokens; all: every item");
  return lines;
}

// "minpair run -s S -m M --method lp (minpair 1.0; end: not scored; start: <s>)"
std::string made_line(const store::Facts& facts) {
  std::string line, rest;
  if (auto at = facts.find("command"); at != facts.end()) line = at->second;
  if (auto at = facts.find("version"); at != facts.end()) rest = "minpair " + at->second;
  for (const auto& [name, value] : facts)
    if (name != "command" && name != "version")
      rest += fmt::format("{}{}: {}", rest.empty() ? "" : "; ", name, value);
  return rest.empty() ? line : fmt::format("{} ({})", line, rest);
}

void add_facts(Table& table, const store::RunRecord& run, const std::string& label) {
  if (run.facts.empty()) return;
  table.runs.push_back({label, run.method, run.facts});
  std::string line = made_line(run.facts);
  if (std::find(table.made.begin(), table.made.end(), line) == table.made.end())
    table.made.push_back(std::move(line));
}

// Sums over unequally many tokens favour the shorter sentence: whoever sees one column is told.
void note_lengths(Table& table, const std::vector<ColumnBuilder>& columns) {
  for (const ColumnBuilder& c : columns)
    if (uint64_t unequal = c.total.unequal; c.column.lengths == "all" && unequal > 0) {
      table.notes.push_back(fmt::format(
          "{} {} sentences with different numbers of tokens: --lengths equal leaves {} out, "
          "both shows both",
          counted(unequal, "item"), plural(unequal, "has", "have"), plural(unequal, "it", "them")));
      return;
    }
}

Table make_table(store::Store& store, const std::vector<const NamedRun*>& runs,
                 const ReportOptions& options) {
  Table table;
  const store::SuiteRecord& suite = runs.front()->run.suite;
  table.suite = suite.name;
  table.title = suite.manifest.title.empty() ? suite.name : suite.manifest.title;
  table.designs = !suite.manifest.criteria.empty();
  const std::vector<LookedAt> looked_at = columns_of(runs, options);
  if (looked_at.empty())
    throw wrong_call("no run of '" + suite.name + "' has that normalisation")
        .hint(
            "clozes have probability and logit, or equal-weight and model-weight; sentences sum, "
            "mean, word, char and byte");
  table.by = full_by(options.by);
  ReportOptions how = options;
  const size_t lengths = options.policy.lengths == judge::Lengths::both ? 2 : 1;
  how.with_values |= looked_at.size() > lengths;  // else there is nothing to mark
  const auto grouped = [&] {
    GroupBy by{table.by, options.bins, how.with_values, options.cluster};
    for (const char* level : {"test", "language"})
      if (options.average != Average::items &&
          (level[0] == 'l' || options.average == Average::tests) &&
          std::find(by.by.begin(), by.by.end(), level) == by.by.end())
        by.by.emplace_back(level);
    return std::pair{group_rows(store, looked_at, options, by), by.by};
  };
  auto [groups, levels] = grouped();
  if (options.by_default && groups.languages.size() > 1) {
    table.by.emplace_back("language");
    std::tie(groups, levels) = grouped();
  }
  LevelOrder order(table.by, suite.manifest);
  std::map<std::vector<std::string>, Strata> rows;
  Strata all;
  Cells cells(levels, how);
  for (const Group& g : groups.all) {
    const std::vector<std::string> keys(g.keys.begin(),
                                        g.keys.begin() + ptrdiff_t(table.by.size()));
    order.see(keys, g.first_ordinal);
    const std::vector<std::string> stratum = cells.stratum_of(g);
    rows[keys][stratum].push_back(&g);
    all[stratum].push_back(&g);
  }
  std::vector<ColumnBuilder> columns;
  for (size_t c = 0; c < looked_at.size(); ++c)
    columns.push_back(build_column(looked_at[c], groups, c));
  if (how.with_values) table.clusters = groups.clusters.text();
  if (options.policy.lengths == judge::Lengths::both)
    std::erase_if(columns,
                  [](const ColumnBuilder& c) { return c.column.lengths.empty() && c.equal_only; });
  for (const NamedRun* named : runs) add_facts(table, named->run, named->label);
  bool by_criterion = std::find(table.by.begin(), table.by.end(), "criterion") != table.by.end();
  if (options.aggregate_seeds) columns = aggregate_seeds(columns);
  for (const ColumnBuilder& c : columns) {
    table.columns.push_back(c.column);
    table.account.push_back(account_line(c, by_criterion));
    table.total.cells.push_back(cells.cell(all, c));
  }
  for (const std::vector<std::string>& keys : order.sorted()) {
    Row row{keys, order.titles(keys), order.section(keys), {}};
    for (const ColumnBuilder& c : columns) row.cells.push_back(cells.cell(rows.at(keys), c));
    table.rows.push_back(std::move(row));
  }
  table.total.titles = {options.average == Average::tests       ? "Mean of tests"
                        : options.average == Average::languages ? "Mean of languages"
                        : groups.languages.size() > 1           ? "All languages"
                                                                : "All"};
  table.total.keys.assign(table.by.size(), "");
  TestsOfRows tests;
  const auto test_level = size_t(std::find(levels.begin(), levels.end(), "test") - levels.begin());
  for (const Group& g : groups.all)
    if (test_level < levels.size()) {
      tests[{g.keys.begin(), g.keys.begin() + ptrdiff_t(table.by.size())}].insert(
          g.keys[test_level]);
      tests[table.total.keys].insert(g.keys[test_level]);
    }
  add_published(table, suite.manifest, options.average == Average::tests ? tests : TestsOfRows());
  mark_best(table);
  mark_low(table);
  bool both = std::any_of(table.columns.begin(), table.columns.end(),
                          [](const Column& c) { return !c.lengths.empty(); });
  table.policies = policies_of(options, both);
  if (options.policy.lengths == judge::Lengths::all) note_lengths(table, columns);
  note_seeds(table);
  if (table.designs && !by_criterion)
    table.notes.push_back(
        "an item is right where all criteria of its test hold, which by chance is rarer than one "
        "half; "
        "--by criterion shows each");
  if (groups.languages.size() > 1 &&
      std::find(table.by.begin(), table.by.end(), "language") == table.by.end())
    table.notes.push_back(mixed_text(groups.languages) + ", --by test,language shows them apart");
  bool designs = std::any_of(columns.begin(), columns.end(), [](const ColumnBuilder& c) {
    return c.total.pairs == 0 && c.total.excluded.contains(judge::Reason::not_available);
  });
  if (designs && suite.manifest.criteria.empty())
    table.notes.push_back("designs are judged by criteria, and this suite's manifest has none");
  return table;
}

}  // namespace

std::string Column::key() const {
  std::string key = model;
  if (!method.empty()) key += " " + method;
  if (!norm.empty()) key += " " + norm;
  if (!lengths.empty()) key += " " + lengths;
  return key;
}

std::vector<std::string> findings_of(const Table& table) {
  constexpr size_t kMost = 4;
  std::vector<size_t> own;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (const Column& column = table.columns[c];
        !column.published && column.seeds == 0 && column.lengths != "equal")
      own.push_back(c);
  std::vector<std::string> findings;
  if (own.size() > kMost || table.rows.size() < 2) return findings;
  const auto name = [&](size_t c) {
    const Column& column = table.columns[c];
    const bool alone = std::count_if(own.begin(), own.end(), [&](size_t other) {
                         return table.columns[other].model == column.model;
                       }) == 1;
    return alone ? column.model : column.model + " " + column.method;
  };
  for (size_t i = 0; i < own.size(); ++i)
    for (size_t j = i + 1; j < own.size(); ++j) {
      std::vector<double> p, difference;
      for (const Row& row : table.rows) {
        const Cell &a = row.cells[own[i]], &b = row.cells[own[j]];
        if (a.tally.pairs == 0 || b.tally.pairs == 0) continue;
        p.push_back(p_of(a, b, 10000));
        difference.push_back(a.accuracy - b.accuracy);
      }
      p = stats::holm(p);
      size_t better = 0, worse = 0;
      for (size_t t = 0; t < p.size(); ++t) {
        better += p[t] < 0.05 && difference[t] > 0;
        worse += p[t] < 0.05 && difference[t] < 0;
      }
      findings.push_back(fmt::format("{} is better than {} on {} of {} tests, {} on {}",
                                     name(own[i]), name(own[j]), better, p.size(), name(own[j]),
                                     worse));
    }
  return findings;
}

void choose_columns(std::vector<Table>& tables, const std::vector<std::string>& names) {
  std::set<std::string> found;
  std::vector<std::string> known;
  for (Table& table : tables) {
    std::vector<size_t> chosen;
    for (const std::string& name : names)
      for (size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        if (column.model != name && column.model + ":" + column.method != name) continue;
        chosen.push_back(c);
        found.insert(name);
      }
    for (const Column& c : table.columns) known.push_back(c.model);
    const auto keep = [&](auto& all) {
      std::remove_reference_t<decltype(all)> kept;
      for (size_t c : chosen) kept.push_back(all[c]);
      all = std::move(kept);
    };
    keep(table.columns);
    for (Row& row : table.rows) keep(row.cells);
    keep(table.total.cells);
    mark_best(table);
    mark_low(table);
  }
  for (const std::string& name : names)
    if (!found.contains(name)) {
      std::string guess = closest(name, known);
      std::set<std::string> all(known.begin(), known.end());
      throw wrong_call(fmt::format("no column is called '{}'", name))
          .hint(guess.empty() ? fmt::format("one of: {}", join({all.begin(), all.end()}, ", "))
                              : fmt::format("did you mean '{}'?", guess));
    }
}

namespace {

// Names come from manifests, models and results files that others made.
void clean_names(Table& table) {
  const auto clean = [](std::string& text) { text = outgoing(text, Medium::name); };
  const auto clean_all = [&](std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), clean);
  };
  clean(table.suite);
  clean(table.title);
  clean(table.clusters);
  for (Column& c : table.columns) clean(c.model);
  for (Row& row : table.rows) {
    clean(row.section);
    clean_all(row.titles);
  }
  for (auto* lines : {&table.policies, &table.account, &table.notes, &table.made})
    clean_all(*lines);
}

}  // namespace

std::vector<Table> make_tables(store::Store& store, const ReportOptions& options) {
  std::vector<NamedRun> runs = selected_runs(store, options);
  std::map<int64_t, std::vector<const NamedRun*>> by_suite;
  for (const NamedRun& named : runs) by_suite[named.run.suite.id].push_back(&named);
  std::vector<Table> tables;
  std::optional<Error> missing;
  std::vector<std::string> without;
  for (const auto& [suite, own] : by_suite) try {
      tables.push_back(make_table(store, own, options));
    } catch (const Error& e) {
      // A feature that one suite has and another has not is no reason to show neither.
      if (e.kind() != Error::Kind::usage || by_suite.size() == 1) throw;
      missing = e;
      without.push_back(
          fmt::format("'{}' is left out: {}", own.front()->run.suite.name, e.message()));
    }
  if (tables.empty() && missing) throw *missing;
  if (!tables.empty())
    for (std::string& line : without) tables.back().notes.push_back(std::move(line));
  // Two versions of one suite are not the same items.
  for (size_t i = 0; i < tables.size(); ++i) {
    int version = 1;
    for (size_t j = 0; j < i; ++j) version += tables[j].suite == tables[i].suite;
    if (version > 1) tables[i].title += fmt::format(" (version {} of the items)", version);
  }
  std::for_each(tables.begin(), tables.end(), clean_names);
  return tables;
}

}  // namespace minpair::report
