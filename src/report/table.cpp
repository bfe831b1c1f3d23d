#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/counts.h"
#include "base/error.h"
#include "report/collect.h"
#include "report/judged.h"
#include "report/labels.h"
#include "report/published.h"
#include "report/report.h"
#include "report/table_intervals.h"

namespace minpair::report {
namespace {

// One group under one view.
Tally tally_of(const GroupCounts& group, size_t view, const judge::Policy& policy) {
  Tally t;
  auto at = group.parts.find(view);
  if (at == group.parts.end()) return t;
  for (const auto& [key, part] : at->second) {
    const auto& [stored, equal] = key;
    t.items += part.items;
    judge::Reason why = judge::left_out(stored, equal, policy);
    if (why != judge::Reason::none) {
      t.excluded[why] += part.items;
      continue;
    }
    t.pairs += part.items - part.undefined;
    if (part.undefined > 0) t.excluded[judge::Reason::not_available] += part.undefined;
    t.correct += part.right;
    t.ties += part.ties;
    t.points += judge::points(part, policy);
  }
  return t;
}

void add_to(Tally& sum, const Tally& t) {
  sum.items += t.items;
  sum.pairs += t.pairs;
  sum.correct += t.correct;
  sum.ties += t.ties;
  sum.points += t.points;
  for (const auto& [reason, n] : t.excluded) sum.excluded[reason] += n;
}

Cell cell_of(const Tally& t) {
  Cell c;
  c.present = t.items > 0;
  c.tally = t;
  c.accuracy = t.accuracy();
  c.interval = stats::wilson(t.points, double(t.pairs));
  return c;
}

// A run under one view and policy.
struct ColumnInTheMaking {
  Column column;
  const store::RunRecord* run = nullptr;
  Look look;
  std::map<std::vector<std::string>, Cell> cells;
  Cell total;
  uint64_t unequal = 0;  // items whose sentences have unequally many tokens
};

ColumnInTheMaking make_column(const NamedRun& named, const std::vector<GroupCounts>& groups,
                              const judge::View& view, judge::Policy policy,
                              judge::Lengths lengths) {
  ColumnInTheMaking c;
  c.run = &named.run;
  c.column.model = named.label;
  c.column.method = named.run.method;
  c.column.norm = judge::name_of(view);
  c.column.released = named.run.model.kind == "released";
  policy.lengths = lengths;
  c.look = {view, policy};
  Tally sum;
  for (const GroupCounts& g : groups) {
    Tally t = tally_of(g, index_of(view), policy);
    c.cells[g.keys] = cell_of(t);
    add_to(sum, t);
  }
  c.total = cell_of(sum);
  return c;
}

// A run's columns: one per view, two where equal lengths make a difference.
void add_columns(std::vector<ColumnInTheMaking>& columns, const NamedRun& named,
                 const std::vector<GroupCounts>& groups, const ReportOptions& options) {
  for (const auto& [view, policy] : looks_at(named.run, options)) {
    ColumnInTheMaking equal = make_column(named, groups, view, policy, judge::Lengths::equal);
    ColumnInTheMaking all = make_column(named, groups, view, policy, judge::Lengths::all);
    bool differ = equal.total.tally.excluded.contains(judge::Reason::unequal_lengths);
    if (differ) {
      equal.column.lengths = "equal";
      all.column.lengths = "all";
      all.unequal = equal.total.tally.excluded.at(judge::Reason::unequal_lengths);
    }
    if (policy.lengths == judge::Lengths::equal ||
        (differ && policy.lengths == judge::Lengths::both))
      columns.push_back(std::move(equal));
    if (policy.lengths != judge::Lengths::equal) columns.push_back(std::move(all));
  }
}

Cell mean_cell(const std::vector<const Cell*>& cells) {
  Cell mean;
  double n = 0, sum = 0, squares = 0;
  for (const Cell* c : cells)
    if (c->present) {
      n += 1;
      sum += c->accuracy;
      mean.tally = c->tally;
    }
  if (n == 0) return mean;
  mean.present = true;
  mean.accuracy = sum / n;
  for (const Cell* c : cells)
    if (c->present) squares += (c->accuracy - mean.accuracy) * (c->accuracy - mean.accuracy);
  mean.deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  mean.interval = stats::wilson(mean.accuracy * double(mean.tally.pairs), double(mean.tally.pairs));
  return mean;
}

std::vector<ColumnInTheMaking> aggregate_seeds(const std::vector<ColumnInTheMaking>& views) {
  std::vector<ColumnInTheMaking> means;
  std::map<std::string, std::vector<const ColumnInTheMaking*>> families;
  for (const ColumnInTheMaking& v : views) {
    Column c = v.column;
    c.model = without_seed(c.model);
    families[c.key()].push_back(&v);
  }
  std::set<std::string> done;
  for (const ColumnInTheMaking& v : views) {
    Column c = v.column;
    c.model = without_seed(c.model);
    const std::vector<const ColumnInTheMaking*>& family = families[c.key()];
    if (!done.insert(c.key()).second) continue;
    ColumnInTheMaking mean = v;
    if (family.size() > 1) {
      mean.column = c;
      mean.column.seeds = family.size();
      std::set<std::vector<std::string>> keys;
      for (const ColumnInTheMaking* f : family)
        for (const auto& [k, cell] : f->cells) keys.insert(k);
      for (const auto& k : keys) {
        std::vector<const Cell*> cells;
        for (const ColumnInTheMaking* f : family)
          if (auto at = f->cells.find(k); at != f->cells.end()) cells.push_back(&at->second);
        mean.cells[k] = mean_cell(cells);
      }
      std::vector<const Cell*> totals;
      for (const ColumnInTheMaking* f : family) totals.push_back(&f->total);
      mean.total = mean_cell(totals);
    }
    means.push_back(std::move(mean));
  }
  return means;
}

std::string account_line(const ColumnInTheMaking& v, bool by_criterion) {
  const Tally& t = v.total.tally;
  std::string line = fmt::format("{}: {} {}: {} scored ({})", v.column.key(), count_text(t.items),
                                 by_criterion ? "items × criteria" : plural(t.items, "item"),
                                 count_text(t.pairs), counted(t.ties, "tie"));
  for (const auto& [reason, n] : t.excluded)
    line += fmt::format(", {} {}", count_text(n), text_of(reason));
  if (t.items < v.run->suite.items)
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

std::vector<std::string> full_by(const std::vector<std::string>& by) {
  std::vector<std::string> full;
  bool has_test = std::find(by.begin(), by.end(), "test") != by.end();
  for (const std::string& name : by) {
    if ((name == "condition" || name == "criterion") && !has_test) {
      full.push_back("test");
      has_test = true;
    }
    full.push_back(name);
  }
  return full;
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
void note_lengths(Table& table, const std::vector<ColumnInTheMaking>& views) {
  for (const ColumnInTheMaking& v : views)
    if (v.column.lengths == "all" && v.unequal > 0) {
      table.notes.push_back(fmt::format(
          "{} {} sentences with different numbers of tokens: --lengths equal leaves {} out, "
          "both shows both",
          counted(v.unequal, "item"), plural(v.unequal, "has", "have"),
          plural(v.unequal, "it", "them")));
      return;
    }
}

Table make_table(store::Store& store, const std::vector<const NamedRun*>& runs,
                 const ReportOptions& options) {
  Table table;
  const store::SuiteRecord& suite = runs.front()->run.suite;
  table.suite = suite.name;
  table.title = suite.manifest.title.empty() ? suite.name : suite.manifest.title;
  std::set<std::string> languages = languages_of(store, runs.front()->run, options.languages);
  std::vector<std::string> by = options.by;
  if (options.by_default && languages.size() > 1) by.emplace_back("language");
  table.by = full_by(by);
  std::vector<ColumnInTheMaking> views;
  LevelOrder order(table.by, suite.manifest);
  for (const NamedRun* named : runs) {
    std::vector<GroupCounts> groups = collect(store, named->run, table.by, options);
    for (const GroupCounts& g : groups) order.see(g.keys, g.first_ordinal);
    add_columns(views, *named, groups, options);
    add_facts(table, named->run, named->label);
  }
  if (views.empty())
    throw wrong_call("no run of '" + suite.name + "' has that normalisation")
        .hint(
            "clozes have probability and logit, or equal-weight and model-weight; sentences sum, "
            "mean, word, char and byte");
  bool by_criterion = std::find(table.by.begin(), table.by.end(), "criterion") != table.by.end();
  if (options.clustered && ClusteredCells::can(table.by, options)) {
    ClusteredCells clustered(options);
    for (ColumnInTheMaking& v : views)
      clustered.put(store, *v.run, v.look, table.by, v.cells, v.total);
    table.clusters = clustered.clusters();
  }
  if (options.aggregate_seeds) views = aggregate_seeds(views);
  for (const ColumnInTheMaking& v : views) {
    table.columns.push_back(v.column);
    table.account.push_back(account_line(v, by_criterion));
    table.total.cells.push_back(v.total);
  }
  for (const std::vector<std::string>& keys : order.sorted()) {
    Row row{keys, order.titles(keys), order.section(keys), {}};
    for (const ColumnInTheMaking& v : views) {
      auto at = v.cells.find(keys);
      row.cells.push_back(at == v.cells.end() ? Cell{} : at->second);
    }
    table.rows.push_back(std::move(row));
  }
  table.total.titles = {languages.size() > 1 ? "All languages" : "All"};
  table.total.keys.assign(table.by.size(), "");
  add_published(table, suite.manifest);
  mark_best(table);
  mark_low(table);
  bool both = std::any_of(table.columns.begin(), table.columns.end(),
                          [](const Column& c) { return !c.lengths.empty(); });
  table.policies = policies_of(options, both);
  if (options.policy.lengths == judge::Lengths::all) note_lengths(table, views);
  if (languages.size() > 1 &&
      std::find(table.by.begin(), table.by.end(), "language") == table.by.end())
    table.notes.push_back(mixed_text(languages) + ", --by test,language shows them apart");
  bool designs = std::any_of(views.begin(), views.end(), [](const ColumnInTheMaking& v) {
    return v.total.tally.pairs == 0 &&
           v.total.tally.excluded.contains(judge::Reason::not_available);
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

std::vector<Table> make_tables(store::Store& store, const ReportOptions& options) {
  std::vector<NamedRun> runs = wanted_runs(store, options.wanted);
  check_selection(store, runs, options.tests, options.conditions, options.languages);
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
  return tables;
}

}  // namespace minpair::report
