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

// Numbers of a group of items, with what says which of them are independent.
struct Numbers {
  Values values;
  uint64_t missing = 0;  // items that have no such number
  double points = 0;
  uint64_t judged = 0, ties = 0;
};

// In the order of their first item.
template <class Key>
class NumbersBy {
 public:
  Numbers& at(const Key& key) {
    auto [place, fresh] = places_.try_emplace(key, groups_.size());
    if (fresh) groups_.push_back({key, {}});
    return groups_[place->second].second;
  }
  const std::vector<std::pair<Key, Numbers>>& all() const { return groups_; }

 private:
  std::map<Key, size_t> places_;
  std::vector<std::pair<Key, Numbers>> groups_;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Mean, from, to.
void add_mean(std::vector<GridValue>& row, const Numbers& n, const Intervals& by) {
  if (n.values.of.empty()) {
    row.resize(row.size() + 3);
    return;
  }
  stats::Estimate e = mean_of(n.values.sums(), by);
  for (double x : {e.value, e.interval.low, e.interval.high}) row.emplace_back(x);
}

std::string title(const char* what, const NamedRun& named, const judge::View& view) {
  return fmt::format("{}: {}, {}, {}, {}", what, named.run.suite.name, named.label,
                     named.run.method, judge::name_of(view));
}

using TestAndCriterion = std::pair<std::string, std::string>;

void see_margin(Numbers& n, const judge::Verdict& v, uint64_t cluster,
                const judge::Policy& policy) {
  if (v.outcome == judge::Outcome::undefined) {
    ++n.missing;
    return;
  }
  ++n.judged;
  n.ties += v.outcome == judge::Outcome::tie;
  n.points += judge::points(v, policy);
  if (std::isfinite(v.margin)) n.values.add(v.margin, cluster);
}

}  // namespace

Grid margin_grid(store::Store& store, const NamedRun& named, const ReportOptions& options) {
  Look look = look_at(named.run, options);
  Clusters clusters(options.cluster);
  NumbersBy<TestAndCriterion> groups;
  std::set<std::string> languages;
  for (RowReader rows(store, {&named}, options); rows.next();) {
    const uint64_t cluster = clusters.of(rows.item());
    if (!rows.scored(0)) continue;
    languages.insert(rows.item().language);
    auto own = rows.criteria();
    if (own.empty()) own.push_back(nullptr);
    for (const judge::Criterion* c : own)
      see_margin(groups.at({rows.item().test, c ? c->name() : ""}), rows.verdict(0, look.view, c),
                 cluster, look.policy);
  }
  clusters.check(named.run.suite.name);
  Grid g{"margins",
         title("Margins", named, look.view),
         {{"test", "test", Kind::text},
          {"criterion", "criterion", Kind::text},
          {"items", "items", Kind::count},
          {"ties", "ties", Kind::count},
          {"undefined", "undefined", Kind::count},
          {"accuracy", "accuracy", Kind::share},
          {"margin", "mean margin", Kind::difference},
          {"ci_low", "from", Kind::difference},
          {"ci_high", "to", Kind::difference},
          {"median", "median", Kind::difference}},
         {},
         false,
         {"margins: of criteria in bits of surprisal, of minimal sets in nats of log-probability; "
          "positive is right",
          intervals_of_means_text(options.intervals) + "; " + clusters.text(),
          join(judge::lines_of(look.policy), "; ")}};
  if (std::string mixed = mixed_text(languages); !mixed.empty()) g.notes.push_back(mixed);
  for (const auto& [key, n] : groups.all()) {
    double accuracy = n.judged ? n.points / double(n.judged) : std::nan("");
    std::vector<GridValue> row = {key.first,      key.second,        double(n.judged),
                                  double(n.ties), double(n.missing), accuracy};
    add_mean(row, n, options.intervals);
    row.emplace_back(median(n.values.of));
    g.rows.push_back(std::move(row));
  }
  return g;
}

namespace {

struct Place {
  std::string test, sentence;
  size_t number;  // of the region, from 1
  std::string region;
  auto operator<=>(const Place&) const = default;
};

}  // namespace

Grid region_grid(store::Store& store, const NamedRun& named, const ReportOptions& options) {
  Look look = look_at(named.run, options);
  Clusters clusters(options.cluster);
  NumbersBy<Place> groups;
  for (RowReader rows(store, {&named}, options); rows.next();) {
    const uint64_t cluster = clusters.of(rows.item());
    const std::vector<suite::Sentence>& sentences = rows.item().sentences;
    if (!rows.scored(0) || rows.scores(0).size() != sentences.size()) continue;
    for (size_t s = 0; s < sentences.size(); ++s)
      for (size_t r = 0; r < sentences[s].regions.size(); ++r) {
        Numbers& n =
            groups.at({rows.item().test, sentences[s].name, r + 1, sentences[s].regions[r].name});
        if (auto bits =
                judge::region_surprisal(sentences[s], rows.scores(0)[s], std::to_string(r + 1),
                                        suite::Metric::sum, look.view))
          n.values.add(*bits, cluster);
        else
          ++n.missing;
      }
  }
  clusters.check(named.run.suite.name);
  Grid g{"regions",
         title("Surprisal of regions", named, look.view),
         {{"test", "test", Kind::text},
          {"sentence", "sentence", Kind::text},
          {"number", "", Kind::count},
          {"region", "region", Kind::text},
          {"items", "items", Kind::count},
          {"surprisal", "mean", Kind::number},
          {"ci_low", "from", Kind::number},
          {"ci_high", "to", Kind::number}},
         {},
         false,
         {"in bits; " + intervals_of_means_text(options.intervals) + "; " + clusters.text()}};
  for (const auto& [place, n] : groups.all()) {
    std::vector<GridValue> row = {place.test, place.sentence, double(place.number), place.region,
                                  double(n.values.of.size())};
    add_mean(row, n, options.intervals);
    g.rows.push_back(std::move(row));
  }
  return g;
}

std::vector<Grid> margin_grids(store::Store& store, const ReportOptions& options) {
  std::vector<Grid> grids;
  for (const NamedRun& named : selected_runs(store, options))
    grids.push_back(margin_grid(store, named, options));
  return grids;
}

std::vector<Grid> region_grids(store::Store& store, const ReportOptions& options) {
  std::vector<Grid> grids;
  for (const NamedRun& named : selected_runs(store, options))
    if (Grid g = region_grid(store, named, options); !g.rows.empty()) grids.push_back(std::move(g));
  if (grids.empty())
    throw wrong_call("no scored item of these results has regions")
        .hint("regions are parts of the sentences of a design; docs/suite-format.md explains them");
  return grids;
}

}  // namespace minpair::report
