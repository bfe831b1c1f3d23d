#include "report/designs.h"

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

// Numbers of a group of items, with what says which of them are independent.
struct Numbers {
  std::vector<double> values;
  std::vector<uint64_t> cluster;
  uint64_t missing = 0;  // items that have no such number
  double points = 0;
  uint64_t judged = 0, ties = 0;

  void add(double value, uint64_t of) {
    values.push_back(value);
    cluster.push_back(of);
  }
};

// In the order of their first item.
template <class Key>
class Groups {
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
  if (n.values.empty()) {
    row.resize(row.size() + 3);
    return;
  }
  stats::Estimate e = mean_of(stats::sum_by_cluster(n.values, n.cluster), by);
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
  if (std::isfinite(v.margin)) n.add(v.margin, cluster);
}

}  // namespace

Grid margin_grid(store::Store& store, const NamedRun& named, const ReportOptions& options) {
  Look look = look_at(named.run, options);
  const judge::Judge judge(named.run.suite.manifest);
  SuiteItems suite(options.cluster);
  Groups<TestAndCriterion> groups;
  std::set<std::string> languages;
  judged_items(store, named.run, look, suite,
               [&](uint32_t i, const std::vector<judge::SentenceScore>& scores) {
                 const suite::Item& item = suite.items[i];
                 if (!wanted(item, options)) return;
                 languages.insert(item.language);
                 auto own = judge.criteria_of(item);
                 if (own.empty())
                   see_margin(groups.at({item.test, ""}), judge.verdict(item, scores, look.view),
                              suite.cluster[i], look.policy);
                 for (const judge::Criterion* c : own)
                   see_margin(groups.at({item.test, c->name()}), c->judge(item, scores, look.view),
                              suite.cluster[i], look.policy);
               });
  check_clusters(suite, named.run.suite.name);
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
          intervals_of_means_text(options.intervals) + "; " + clusters_text(suite),
          join(judge::lines_of(look.policy), "; ")}};
  if (std::string mixed = mixed_text(languages); !mixed.empty()) g.notes.push_back(mixed);
  for (const auto& [key, n] : groups.all()) {
    double accuracy = n.judged ? n.points / double(n.judged) : std::nan("");
    std::vector<GridValue> row = {key.first,      key.second,        double(n.judged),
                                  double(n.ties), double(n.missing), accuracy};
    add_mean(row, n, options.intervals);
    row.emplace_back(median(n.values));
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
  SuiteItems suite(options.cluster);
  Groups<Place> groups;
  judged_items(
      store, named.run, look, suite,
      [&](uint32_t i, const std::vector<judge::SentenceScore>& scores) {
        const suite::Item& item = suite.items[i];
        if (!wanted(item, options) || scores.size() != item.sentences.size()) return;
        for (size_t s = 0; s < scores.size(); ++s)
          for (size_t r = 0; r < item.sentences[s].regions.size(); ++r) {
            const suite::Sentence& sentence = item.sentences[s];
            Numbers& n = groups.at({item.test, sentence.name, r + 1, sentence.regions[r].name});
            if (auto bits = judge::region_surprisal(sentence, scores[s], std::to_string(r + 1),
                                                    suite::Metric::sum, look.view))
              n.add(*bits, suite.cluster[i]);
            else
              ++n.missing;
          }
      });
  check_clusters(suite, named.run.suite.name);
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
         {"in bits; " + intervals_of_means_text(options.intervals) + "; " + clusters_text(suite)}};
  for (const auto& [place, n] : groups.all()) {
    std::vector<GridValue> row = {place.test, place.sentence, double(place.number), place.region,
                                  double(n.values.size())};
    add_mean(row, n, options.intervals);
    g.rows.push_back(std::move(row));
  }
  return g;
}

std::vector<Grid> margin_grids(store::Store& store, const ReportOptions& options) {
  std::vector<NamedRun> runs = wanted_runs(store, options.wanted);
  check_selection(store, runs, options.tests, options.conditions, options.languages);
  std::vector<Grid> grids;
  for (const NamedRun& named : runs) grids.push_back(margin_grid(store, named, options));
  return grids;
}

std::vector<Grid> region_grids(store::Store& store, const ReportOptions& options) {
  std::vector<NamedRun> runs = wanted_runs(store, options.wanted);
  check_selection(store, runs, options.tests, options.conditions, options.languages);
  std::vector<Grid> grids;
  for (const NamedRun& named : runs)
    if (Grid g = region_grid(store, named, options); !g.rows.empty()) grids.push_back(std::move(g));
  if (grids.empty())
    throw wrong_call("no scored item of these results has regions")
        .hint("regions are parts of the sentences of a design; docs/suite-format.md explains them");
  return grids;
}

}  // namespace minpair::report
