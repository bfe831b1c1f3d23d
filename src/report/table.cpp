#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/progress.h"
#include "report/collect.h"
#include "report/labels.h"
#include "report/published.h"
#include "report/report.h"

namespace minpair::report {
namespace {

bool among(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

bool wanted_run(const ReportOptions& options, const store::RunRecord& run) {
  return options.runs.empty() ||
         std::find(options.runs.begin(), options.runs.end(), run.id) != options.runs.end();
}

bool is_oov(const std::string& reason) {
  return reason == "locus_not_single_token" || reason == "unknown_locus";
}

double tie_worth(Ties ties, const store::RunRecord& run) {
  std::string how = run.suite.manifest.ties.empty() ? run.ties : run.suite.manifest.ties;
  if (ties == Ties::half || (ties == Ties::paper && how == "half")) return 0.5;
  return ties == Ties::right || (ties == Ties::paper && how == "right") ? 1 : 0;
}

// One group under one view.
Tally tally_of(const GroupCounts& group, size_t norm, bool only_equal, double tie,
               const ReportOptions& options) {
  Tally t;
  auto at = group.parts.find(norm);
  if (at == group.parts.end()) return t;
  for (const auto& [key, part] : at->second) {
    const auto& [reason, equal] = key;
    t.items += part.items;
    if (!reason.empty() && options.oov_wrong && is_oov(reason)) {
      t.pairs += part.items;
    } else if (!reason.empty()) {
      t.excluded[reason] += part.items;
    } else if (only_equal && !equal) {
      t.excluded["unequal_lengths"] += part.items;
    } else {
      t.pairs += part.items - part.unavailable;
      if (part.unavailable > 0) t.excluded["not_available"] += part.unavailable;
      t.correct += part.correct;
      t.ties += part.ties;
      t.points += options.pairwise || judge::graded(judge::norm_at(norm))
                      ? part.pairs_right + tie * part.pairs_tied
                      : double(part.correct) + tie * double(part.ties);
    }
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

// A run under one view: a column in the making.
struct View {
  Column column;
  const store::RunRecord* run = nullptr;
  std::map<std::vector<std::string>, Cell> cells;
  Cell total;
};

// What was asked for and the run has: clozes have other views than sentences.
std::vector<judge::Norm> norms_of(const store::RunRecord& run, const ReportOptions& options) {
  if (options.norms.empty() && !options.all_norms) return {judge::find_norm(run.norm)};
  std::vector<judge::Norm> norms;
  for (const judge::Norm& norm : judge::family_of(judge::find_norm(run.norm))) {
    bool asked = options.all_norms ? norm.special || run.special
                                   : std::find(options.norms.begin(), options.norms.end(), norm) !=
                                         options.norms.end();
    if (asked) norms.push_back(norm);
  }
  return norms;
}

View make_view(const store::RunRecord& run, const std::vector<GroupCounts>& groups,
               const judge::Norm& norm, bool only_equal, const ReportOptions& options) {
  View v;
  v.run = &run;
  v.column.method = run.method;
  v.column.norm = judge::norm_name(norm);
  v.column.released = run.model.kind == "released";
  double tie = tie_worth(options.ties, run);
  Tally sum;
  for (const GroupCounts& g : groups) {
    Tally t = tally_of(g, judge::index_of(norm), only_equal, tie, options);
    v.cells[g.keys] = cell_of(t);
    add_to(sum, t);
  }
  v.total = cell_of(sum);
  return v;
}

// A run's views: one per normalisation, two where equal lengths make a difference.
void add_views(std::vector<View>& views, const store::RunRecord& run, const std::string& label,
               const std::vector<GroupCounts>& groups, const ReportOptions& options) {
  for (const judge::Norm& norm : norms_of(run, options)) {
    View equal = make_view(run, groups, norm, true, options);
    View all = make_view(run, groups, norm, false, options);
    equal.column.model = all.column.model = label;
    bool differ = equal.total.tally.excluded.count("unequal_lengths") > 0;
    if (differ) {
      equal.column.lengths = "equal";
      all.column.lengths = "all";
    }
    if (options.lengths == Lengths::equal || (differ && options.lengths == Lengths::both))
      views.push_back(std::move(equal));
    if (options.lengths != Lengths::equal) views.push_back(std::move(all));
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

std::vector<View> aggregate_seeds(std::vector<View> views) {
  std::vector<View> means;
  std::map<std::string, std::vector<const View*>> families;
  for (const View& v : views) {
    Column c = v.column;
    c.model = without_seed(c.model);
    families[c.key()].push_back(&v);
  }
  std::set<std::string> done;
  for (const View& v : views) {
    Column c = v.column;
    c.model = without_seed(c.model);
    const std::vector<const View*>& family = families[c.key()];
    if (!done.insert(c.key()).second) continue;
    View mean = v;
    if (family.size() > 1) {
      mean.column = c;
      mean.column.seeds = family.size();
      std::set<std::vector<std::string>> keys;
      for (const View* f : family)
        for (const auto& [k, cell] : f->cells) keys.insert(k);
      for (const auto& k : keys) {
        std::vector<const Cell*> cells;
        for (const View* f : family)
          if (auto at = f->cells.find(k); at != f->cells.end()) cells.push_back(&at->second);
        mean.cells[k] = mean_cell(cells);
      }
      std::vector<const Cell*> totals;
      for (const View* f : family) totals.push_back(&f->total);
      mean.total = mean_cell(totals);
    }
    means.push_back(std::move(mean));
  }
  return means;
}

std::string account_line(const View& v) {
  const Tally& t = v.total.tally;
  std::string line = fmt::format("{}: {} items: {} scored ({} ties)", v.column.key(),
                                 count_text(t.items), count_text(t.pairs), count_text(t.ties));
  for (const auto& [reason, n] : t.excluded)
    line += fmt::format(", {} {}", count_text(n), reason_text(reason));
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
  for (const std::string& name : by) {
    bool has_test = std::find(by.begin(), by.end(), "test") != by.end();
    if (name == "condition" && !has_test) full.push_back("test");
    full.push_back(name);
  }
  return full;
}

std::vector<std::string> policies_of(const ReportOptions& options, bool both_lengths) {
  std::vector<std::string> lines;
  switch (options.ties) {
    case Ties::half:
      lines.push_back("a tie counts one half");
      break;
    case Ties::right:
      lines.push_back("a tie counts as right");
      break;
    case Ties::wrong:
      lines.push_back("a tie counts as wrong");
      break;
    case Ties::paper:
      lines.push_back("ties count as in the method's paper");
      break;
  }
  if (options.oov_wrong) lines.push_back("what the vocabulary lacks counts as wrong");
  if (options.pairwise) lines.push_back("share of pairs of a good and a bad sentence");
  if (both_lengths)
    lines.push_back("equal: only items whose sentences have as many tokens; all: every item");
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

Table make_table(store::Store& store, const std::vector<const store::RunRecord*>& runs,
                 const std::map<int64_t, std::string>& labels, const ReportOptions& options) {
  Table table;
  const store::SuiteRecord& suite = runs.front()->suite;
  table.suite = suite.name;
  table.title = suite.manifest.title.empty() ? suite.name : suite.manifest.title;
  table.by = full_by(options.by);
  std::vector<View> views;
  LevelOrder order(table.by, suite.manifest);
  for (const store::RunRecord* run : runs) {
    std::vector<GroupCounts> groups = collect(store, *run, table.by, options);
    for (const GroupCounts& g : groups) order.see(g.keys, g.first_ordinal);
    add_views(views, *run, labels.at(run->model.id), groups, options);
    add_facts(table, *run, labels.at(run->model.id));
  }
  if (views.empty())
    throw wrong_call("no run of '" + suite.name + "' has that normalisation")
        .hint(
            "clozes have probability and logit, or equal-weight and model-weight; sentences sum, "
            "mean, word, char and byte");
  if (options.aggregate_seeds) views = aggregate_seeds(std::move(views));
  for (const View& v : views) {
    table.columns.push_back(v.column);
    table.account.push_back(account_line(v));
    table.total.cells.push_back(v.total);
  }
  for (const std::vector<std::string>& keys : order.sorted()) {
    Row row{keys, order.titles(keys), order.section(keys), {}};
    for (const View& v : views) {
      auto at = v.cells.find(keys);
      row.cells.push_back(at == v.cells.end() ? Cell{} : at->second);
    }
    table.rows.push_back(std::move(row));
  }
  table.total.titles = {"All"};
  table.total.keys.assign(table.by.size(), "");
  add_published(table, suite.manifest);
  mark_best(table);
  mark_low(table);
  bool both = std::any_of(table.columns.begin(), table.columns.end(),
                          [](const Column& c) { return !c.lengths.empty(); });
  table.policies = policies_of(options, both);
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

std::vector<Table> make_tables(store::Store& store, const ReportOptions& options) {
  std::vector<store::RunRecord> all = store.runs();
  std::map<int64_t, std::string> labels = model_labels(all);
  std::map<int64_t, std::vector<const store::RunRecord*>> by_suite;
  for (const store::RunRecord& run : all)
    if (wanted_run(options, run) && among(options.suites, run.suite.name) &&
        among(options.methods, run.method) &&
        (among(options.models, labels[run.model.id]) || among(options.models, run.model.name)))
      by_suite[run.suite.id].push_back(&run);
  if (by_suite.empty()) {
    std::string what = all.empty() ? "the results have no runs"
                                   : "the results have no such suite, model and method";
    throw(all.empty() ? bad_input(what) : wrong_call(what)).at(store.path().string());
  }
  std::vector<Table> tables;
  for (const auto& [suite, runs] : by_suite)
    tables.push_back(make_table(store, runs, labels, options));
  // Two versions of one suite are not the same items.
  for (size_t i = 0; i < tables.size(); ++i) {
    int version = 1;
    for (size_t j = 0; j < i; ++j) version += tables[j].suite == tables[i].suite;
    if (version > 1) tables[i].title += fmt::format(" (version {} of the items)", version);
  }
  return tables;
}

}  // namespace minpair::report
