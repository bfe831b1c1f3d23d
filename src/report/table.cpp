#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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
  bool equal_only = false;  // leaves out what has sentences of different lengths
  std::map<std::vector<std::string>, Cell> cells;
  Cell total;
};

Cell cell_of(const Tally& t) {
  Cell c;
  c.present = t.items > 0;
  c.tally = t;
  c.accuracy = t.accuracy();
  c.interval = stats::wilson(t.points, double(t.pairs));
  return c;
}

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
  Tally sum;
  for (const Group& g : groups.all) {
    if (g.tallies[c].items > 0) b.cells[g.keys] = cell_of(g.tallies[c]);
    sum.add(g.tallies[c]);
  }
  b.total = cell_of(sum);
  if (sum.unequal > 0) b.column.lengths = b.equal_only ? "equal" : "all";
  return b;
}

// Intervals over clusters, as `--stats` has them: for tables that go to print.
void set_clustered(std::vector<ColumnBuilder>& columns, const Groups& groups,
                   const ReportOptions& options) {
  std::vector<stats::ClusterSums> sums;
  std::vector<Cell*> cells;
  for (size_t c = 0; c < columns.size(); ++c) {
    Values all;
    for (const Group& g : groups.all) {
      all.add(g.points[c]);
      if (g.points[c].of.empty()) continue;
      sums.push_back(g.points[c].sums());
      cells.push_back(&columns[c].cells.at(g.keys));
    }
    sums.push_back(all.sums());
    cells.push_back(&columns[c].total);
  }
  const std::vector<stats::Estimate> estimates = Shares(options.intervals).of(sums);
  for (size_t i = 0; i < cells.size(); ++i) cells[i]->interval = estimates[i].interval;
}

// Counts are sums over the seeds, and the interval is one over seeds, of which each is one number.
Cell mean_cell(const std::vector<const Cell*>& cells) {
  Cell mean;
  std::vector<double> accuracies;
  for (const Cell* c : cells) {
    mean.present |= c->present;
    mean.tally.add(c->tally);
    if (c->tally.pairs > 0) accuracies.push_back(c->accuracy);
  }
  mean.interval = {std::nan(""), std::nan("")};
  if (accuracies.empty()) return mean;
  mean.accuracy = stats::mean(accuracies);
  const double n = double(accuracies.size());
  if (n < 2) return mean;
  double squares = 0;
  for (double a : accuracies) squares += (a - mean.accuracy) * (a - mean.accuracy);
  mean.deviation = std::sqrt(squares / (n - 1));
  const double half = stats::student_quantile(0.975, n - 1) * mean.deviation / std::sqrt(n);
  mean.interval = {std::max(0.0, mean.accuracy - half), std::min(1.0, mean.accuracy + half)};
  return mean;
}

ColumnBuilder mean_column(const Column& column, const std::vector<const ColumnBuilder*>& family) {
  ColumnBuilder mean = *family.back();
  mean.column = column;
  mean.column.seeds = family.size();
  std::map<std::vector<std::string>, std::vector<const Cell*>> cells;
  std::vector<const Cell*> totals;
  for (const ColumnBuilder* f : family) {
    for (const auto& [keys, cell] : f->cells) cells[keys].push_back(&cell);
    totals.push_back(&f->total);
  }
  mean.cells.clear();
  for (const auto& [keys, own] : cells) mean.cells[keys] = mean_cell(own);
  mean.total = mean_cell(totals);
  return mean;
}

// In the place of the first seed.
std::vector<ColumnBuilder> aggregate_seeds(const std::vector<ColumnBuilder>& columns) {
  std::vector<std::pair<Column, std::vector<const ColumnBuilder*>>> families;
  for (const ColumnBuilder& c : columns) {
    Column of_all = c.column;
    of_all.model = without_seed(of_all.model);
    auto at = std::find_if(families.begin(), families.end(),
                           [&](const auto& f) { return f.first.key() == of_all.key(); });
    if (at == families.end()) at = families.insert(at, {of_all, {}});
    at->second.push_back(&c);
  }
  std::vector<ColumnBuilder> means;
  for (const auto& [column, family] : families)
    means.push_back(family.size() > 1 ? mean_column(column, family) : *family.front());
  return means;
}

void note_seeds(Table& table) {
  if (std::any_of(table.columns.begin(), table.columns.end(),
                  [](const Column& c) { return c.seeds > 0; }))
    table.notes.push_back(
        "means over seeds: counts are sums over the seeds; ± is the standard deviation of their "
        "accuracies, intervals are 95 %, Student's t over the seeds");
}

std::string account_line(const ColumnBuilder& v, bool by_criterion) {
  const Tally& t = v.total.tally;
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

// Columns that may be compared: of equal lengths, of all, published.
std::string rivals_of(const Column& column) {
  return column.published ? "published" : column.lengths;
}

void mark_best(Table& table) {
  auto mark = [&](Row& row) {
    std::map<std::string, double> best, worst;
    for (size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].present) {
        std::string who = rivals_of(table.columns[i]);
        double& b = best.try_emplace(who, -1).first->second;
        b = std::max(b, row.cells[i].accuracy);
        double& w = worst.try_emplace(who, 2).first->second;
        w = std::min(w, row.cells[i].accuracy);
      }
    for (size_t i = 0; i < row.cells.size(); ++i) {
      std::string who = rivals_of(table.columns[i]);
      row.cells[i].best =
          row.cells[i].present && worst[who] < best[who] && row.cells[i].accuracy == best[who];
    }
  };
  for (Row& row : table.rows) mark(row);
  mark(table.total);
}

void mark_low(Table& table) {
  if (table.rows.size() <= 5) return;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<std::pair<double, size_t>> order;
    for (size_t r = 0; r < table.rows.size(); ++r)
      if (table.rows[r].cells[c].present && table.rows[r].cells[c].tally.pairs > 0)
        order.push_back({table.rows[r].cells[c].accuracy, r});
    if (order.size() <= 5) continue;
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < 5; ++i) table.rows[order[i].second].cells[c].low = true;
  }
}

// Rows by features that are binned, by criteria, and means over seeds have other intervals.
bool can_be_clustered(const ReportOptions& options) {
  return !options.aggregate_seeds && std::all_of(options.by.begin(), options.by.end(), in_summary);
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
    if (uint64_t unequal = c.total.tally.unequal; c.column.lengths == "all" && unequal > 0) {
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
  const std::vector<LookedAt> looked_at = columns_of(runs, options);
  if (looked_at.empty())
    throw wrong_call("no run of '" + suite.name + "' has that normalisation")
        .hint(
            "clozes have probability and logit, or equal-weight and model-weight; sentences sum, "
            "mean, word, char and byte");
  GroupBy by{full_by(options.by), options.bins, options.clustered && can_be_clustered(options),
             options.cluster};
  Groups groups = group_rows(store, looked_at, options, by);
  if (options.by_default && groups.languages.size() > 1) {
    by.by.emplace_back("language");
    groups = group_rows(store, looked_at, options, by);
  }
  table.by = by.by;
  LevelOrder order(table.by, suite.manifest);
  for (const Group& g : groups.all) order.see(g.keys, g.first_ordinal);
  std::vector<ColumnBuilder> columns;
  for (size_t c = 0; c < looked_at.size(); ++c)
    columns.push_back(build_column(looked_at[c], groups, c));
  if (by.values) {
    set_clustered(columns, groups, options);
    table.clusters = groups.clusters.text();
  }
  if (options.policy.lengths == judge::Lengths::both)
    std::erase_if(columns,
                  [](const ColumnBuilder& c) { return c.column.lengths.empty() && c.equal_only; });
  for (const NamedRun* named : runs) add_facts(table, named->run, named->label);
  bool by_criterion = std::find(table.by.begin(), table.by.end(), "criterion") != table.by.end();
  if (options.aggregate_seeds) columns = aggregate_seeds(columns);
  for (const ColumnBuilder& c : columns) {
    table.columns.push_back(c.column);
    table.account.push_back(account_line(c, by_criterion));
    table.total.cells.push_back(c.total);
  }
  for (const std::vector<std::string>& keys : order.sorted()) {
    Row row{keys, order.titles(keys), order.section(keys), {}};
    for (const ColumnBuilder& c : columns) {
      auto at = c.cells.find(keys);
      row.cells.push_back(at == c.cells.end() ? Cell{} : at->second);
    }
    table.rows.push_back(std::move(row));
  }
  table.total.titles = {groups.languages.size() > 1 ? "All languages" : "All"};
  table.total.keys.assign(table.by.size(), "");
  add_published(table, suite.manifest);
  mark_best(table);
  mark_low(table);
  bool both = std::any_of(table.columns.begin(), table.columns.end(),
                          [](const Column& c) { return !c.lengths.empty(); });
  table.policies = policies_of(options, both);
  if (options.policy.lengths == judge::Lengths::all) note_lengths(table, columns);
  note_seeds(table);
  if (groups.languages.size() > 1 &&
      std::find(table.by.begin(), table.by.end(), "language") == table.by.end())
    table.notes.push_back(mixed_text(groups.languages) + ", --by test,language shows them apart");
  bool designs = std::any_of(columns.begin(), columns.end(), [](const ColumnBuilder& c) {
    return c.total.tally.pairs == 0 &&
           c.total.tally.excluded.contains(judge::Reason::not_available);
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
