#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "base/bytes.h"
#include "base/error.h"
#include "base/names.h"

namespace minpair::report {
namespace {

constexpr std::string_view kDistanceInPieces = "distance_pieces";
constexpr std::string_view kCriterion = "criterion";
constexpr std::string_view kSuite = "suite";

// Groups by their keys, in the order in which they come.
class GroupTable {
 public:
  GroupTable(size_t columns, bool values) : columns_(columns), values_(values) {}

  Group& at(const std::vector<std::string>& keys, uint64_t ordinal) {
    joined_.clear();
    for (const std::string& key : keys) {
      append_number(joined_, key.size());
      joined_ += key;
    }
    auto [place, fresh] = places_.try_emplace(joined_, all_.size());
    if (fresh) {
      Group& g = all_.emplace_back();
      g.keys = keys;
      g.tallies.resize(columns_);
      if (values_) g.points.resize(columns_), g.won.resize(columns_);
    }
    Group& g = all_[place->second];
    g.first_ordinal = std::min(g.first_ordinal, ordinal);
    return g;
  }
  std::vector<Group> take() { return std::move(all_); }

 private:
  size_t columns_;
  bool values_;
  std::string joined_;
  std::unordered_map<std::string, size_t> places_;
  std::vector<Group> all_;
};

const std::string& field(const store::SummaryRow& row, const store::RunRecord& run,
                         const std::string& name) {
  if (name == kSuite) return run.suite.name;
  return name == "test" ? row.test : name == "condition" ? row.condition : row.language;
}

Groups from_summary(store::Store& store, const std::vector<LookedAt>& columns,
                    const Selection& selection, const GroupBy& by) {
  GroupTable table(columns.size(), false);
  Groups groups;
  std::vector<store::SummaryRow> rows;
  std::vector<std::string> keys(by.by.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto& [named, look] = columns[c];
    if (c == 0 || columns[c - 1].named != named) rows = store.summary(named->run.id);
    for (const store::SummaryRow& row : rows) {
      if (!(row.view == look.view) || !all_or_among(selection.tests, row.test) ||
          !all_or_among(selection.conditions, row.condition) ||
          !all_or_among(selection.languages, row.language))
        continue;
      groups.languages.insert(row.language);
      for (size_t i = 0; i < keys.size(); ++i) keys[i] = field(row, named->run, by.by[i]);
      table.at(keys, row.first_ordinal).tallies[c].add(row, look.policy);
    }
  }
  groups.all = table.take();
  return groups;
}

std::string value_of(const suite::Item& item, const std::string& name) {
  if (name == "test") return item.test;
  if (name == "condition") return item.condition;
  if (name == "language") return item.language;
  return suite::feature_text(item, name);
}

// Which levels any item has.
class KnownLevels {
 public:
  explicit KnownLevels(const std::vector<std::string>& by) : by_(by), found_(by.size()) {
    for (size_t i = 0; i < by.size(); ++i) found_[i] = in_summary(by[i]) || by[i] == kCriterion;
  }
  void see(const suite::Item& item, const std::vector<std::string>& keys) {
    if (std::find(found_.begin(), found_.end(), false) == found_.end()) return;
    for (size_t i = 0; i < keys.size(); ++i)
      if (!keys[i].empty()) found_[i] = true;
    if (features_.size() < 100)
      for (const auto& [name, value] : item.features) features_.insert(name);
  }
  void check(const std::string& suite) const {
    for (size_t i = 0; i < by_.size(); ++i)
      if (!found_[i])
        throw wrong_call(fmt::format("no item of '{}' has the feature '{}'", suite, by_[i]))
            .hint(features_.empty()
                      ? "its items have no features"
                      : fmt::format("there are suite, test, condition, language, criterion, {}",
                                    join({features_.begin(), features_.end()}, ", ")));
  }

 private:
  const std::vector<std::string>& by_;
  std::vector<bool> found_;
  std::set<std::string> features_;
};

class Grouping {
 public:
  Grouping(const std::vector<LookedAt>& columns, const GroupBy& by)
      : columns_(columns),
        by_(by),
        table_(columns.size(), by.values),
        known_(by.by),
        keys_(by.by.size()),
        criterion_(place_of(kCriterion)),
        pieces_(place_of(kDistanceInPieces)) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c == 0 || columns[c - 1].named != columns[c].named) runs_.push_back(columns[c].named);
      run_of_.push_back(runs_.size() - 1);
    }
    groups_.clusters = Clusters(by.cluster);
  }

  Groups group(store::Store& store, const Selection& selection) {
    const store::SuiteRecord& suite = runs_.front()->run.suite;
    RowReader rows(store, runs_, selection);
    while (rows.next()) {
      for (size_t i = 0; i < keys_.size(); ++i)
        keys_[i] = by_.by[i] == kSuite ? suite.name : value_of(rows.item(), by_.by[i]);
      groups_.languages.insert(rows.item().language);
      if (by_.values) cluster_ = groups_.clusters.of(rows.item());
      add(rows);
    }
    groups_.all = table_.take();
    if (!groups_.all.empty()) known_.check(suite.name);
    if (by_.values) groups_.clusters.check(suite.name);
    return std::move(groups_);
  }

 private:
  size_t place_of(std::string_view name) const {
    return size_t(std::find(by_.by.begin(), by_.by.end(), name) - by_.by.begin());
  }

  // Of one item, what every column says.
  void add(const RowReader& rows) {
    std::vector<const judge::Criterion*> criteria = {nullptr};
    if (criterion_ < keys_.size())
      if (auto own = rows.criteria(); !own.empty()) criteria = std::move(own);
    for (size_t c = 0; c < columns_.size(); ++c) {
      const size_t run = run_of_[c];
      if (!rows.has(run)) continue;
      if (pieces_ < keys_.size()) {
        std::optional<uint32_t> pieces = rows.pieces(run);
        keys_[pieces_] = pieces ? std::to_string(*pieces) : "";
      }
      known_.see(rows.item(), keys_);
      for (const judge::Criterion* criterion : criteria) {
        if (criterion) keys_[criterion_] = criterion->name();
        Group& group = table_.at(keys_, rows.ordinal());
        Judged judged = rows.judged(run, columns_[c].look, criterion);
        group.tallies[c].add(judged);
        if (!by_.values || !judged.counts()) continue;
        group.points[c].add(judged.points, cluster_);
        group.won[c].push_back(judged.won);
      }
    }
  }

  const std::vector<LookedAt>& columns_;
  const GroupBy& by_;
  std::vector<const NamedRun*> runs_;
  std::vector<size_t> run_of_;  // of each column
  GroupTable table_;
  KnownLevels known_;
  std::vector<std::string> keys_;  // of the present row
  size_t criterion_, pieces_;      // levels; beyond the last: none
  uint64_t cluster_ = 0;
  Groups groups_;
};

bool is_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

// Where the level has more numbers than bins: edges so that each bin has about as many items.
std::vector<double> bin_edges(const std::map<double, uint64_t>& items, size_t bins) {
  uint64_t all = 0, below = 0;
  for (const auto& [value, n] : items) all += n;
  std::vector<double> edges;
  for (const auto& [value, n] : items) {
    if (below * bins >= all * (edges.size())) edges.push_back(value);
    below += n;
  }
  return edges;
}

std::string bin_name(double value, const std::vector<double>& edges,
                     const std::map<double, uint64_t>& items) {
  size_t bin = size_t(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()) - 1;
  auto next = bin + 1 < edges.size() ? items.lower_bound(edges[bin + 1]) : items.end();
  double last = std::prev(next)->first;
  return edges[bin] == last ? fmt::format("{}", last) : fmt::format("{}–{}", edges[bin], last);
}

void add_group(Group& to, Group&& from) {
  for (size_t c = 0; c < to.tallies.size(); ++c) to.tallies[c].add(from.tallies[c]);
  for (size_t c = 0; c < to.points.size(); ++c) {
    to.points[c].add(from.points[c]);
    to.won[c].insert(to.won[c].end(), from.won[c].begin(), from.won[c].end());
  }
}

void bin_level(std::vector<Group>& groups, size_t level, const GroupBy& by) {
  std::map<double, uint64_t> items;
  for (const Group& g : groups) {
    double value;
    if (!is_number(g.keys[level], value)) {
      if (g.keys[level].empty()) continue;  // items without the feature stay on their own
      return;
    }
    uint64_t most = 0;
    for (const Tally& tally : g.tallies) most = std::max(most, tally.items);
    items[value] += most;
  }
  const size_t bins = std::max<size_t>(by.bins, 1);
  if (items.size() <= bins) return;
  std::map<double, std::string> names = bins_of(items, bins);
  GroupTable binned(groups.front().tallies.size(), by.values);
  for (Group& g : groups) {
    double value;
    if (is_number(g.keys[level], value)) g.keys[level] = names.at(value);
    add_group(binned.at(g.keys, g.first_ordinal), std::move(g));
  }
  groups = binned.take();
}

bool verifying() {
  const char* value = std::getenv("MINPAIR_VERIFY");
  return value && std::string_view(value) != "0" && *value;
}

// Sums of shares depend on the order of the items, in their last bits.
bool same(const Tally& a, const Tally& b) {
  return a.items == b.items && a.pairs == b.pairs && a.correct == b.correct && a.ties == b.ties &&
         a.unequal == b.unequal && a.excluded == b.excluded &&
         std::fabs(a.points - b.points) <= 1e-9 * (1 + std::fabs(a.points));
}

std::string text_of(const Tally& t) {
  return fmt::format("{} items, {} pairs, {} correct, {} ties, {:.6g} points", t.items, t.pairs,
                     t.correct, t.ties, t.points);
}

void verify(const Groups& summary, const Groups& rows, const std::vector<LookedAt>& columns) {
  std::map<std::vector<std::string>, std::pair<const Group*, const Group*>> both;
  for (const Group& g : summary.all) both[g.keys].first = &g;
  for (const Group& g : rows.all) both[g.keys].second = &g;
  for (const auto& [keys, pair] : both)
    for (size_t c = 0; c < columns.size(); ++c) {
      const Tally a = pair.first ? pair.first->tallies[c] : Tally();
      const Tally b = pair.second ? pair.second->tallies[c] : Tally();
      if (same(a, b)) continue;
      const store::RunRecord& run = columns[c].named->run;
      throw bad_input(fmt::format("{} × {}, {}, {}, group '{}': the stored summary has {}; the "
                                  "rows have {}",
                                  run.suite.name, columns[c].named->label, run.method,
                                  judge::name_of(columns[c].look.view), join(keys, ", "),
                                  text_of(a), text_of(b)))
          .hint("MINPAIR_VERIFY compares the two; 'minpair check' looks for damage in the file");
    }
}

}  // namespace

Groups group_rows(store::Store& store, const std::vector<LookedAt>& columns,
                  const Selection& selection, const GroupBy& by) {
  if (columns.empty()) return Groups();
  const bool stored =
      selection.where.empty() && std::all_of(by.by.begin(), by.by.end(), in_summary);
  if (stored && !by.values && !verifying()) return from_summary(store, columns, selection, by);
  Groups groups = Grouping(columns, by).group(store, selection);
  if (stored && verifying()) verify(from_summary(store, columns, selection, by), groups, columns);
  for (size_t level = 0; level < by.by.size(); ++level)
    if (!in_summary(by.by[level]) && by.by[level] != kCriterion) bin_level(groups.all, level, by);
  return groups;
}

Look look_at(const store::RunRecord& run, const ReportOptions& options) {
  std::optional<judge::View> asked;
  if (!options.views.empty()) asked = options.views.front();
  return look_at(run, asked, options.policy);
}

std::vector<Look> looks_at(const store::RunRecord& run, const ReportOptions& options) {
  Look look = look_at(run, options);
  if (options.views.empty() && !options.all_views) return {look};
  std::vector<Look> looks;
  for (const judge::View& view : judge::family_of(run.view)) {
    bool asked = options.all_views ? view.special || run.special
                                   : std::find(options.views.begin(), options.views.end(), view) !=
                                         options.views.end();
    if (asked) looks.push_back({view, look.policy});
  }
  return looks;
}

std::map<double, std::string> bins_of(const std::map<double, uint64_t>& items, size_t bins) {
  std::vector<double> edges;
  if (items.size() > bins) edges = bin_edges(items, bins);
  std::map<double, std::string> names;
  for (const auto& [value, n] : items)
    names[value] = edges.empty() ? fmt::format("{}", value) : bin_name(value, edges, items);
  return names;
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

bool in_summary(const std::string& name) {
  return name == "test" || name == "condition" || name == "language" || name == kSuite;
}

}  // namespace minpair::report
