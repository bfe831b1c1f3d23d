#include "report/views.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "report/rows.h"
#include "stats/reliability.h"
#include "store/judgments.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

// The answers on one pair or one sentence.
using Answers = std::vector<double>;

struct Judgments {
  std::set<std::string> people;
  std::map<std::pair<std::string, std::string>, Answers> choices;  // good, bad
  std::map<std::string, Answers> ratings;
};

std::vector<Answers> units(const auto& answers) {
  std::vector<Answers> all;
  for (const auto& [what, own] : answers) all.push_back(own);
  return all;
}

// What the majority of an item's people is worth, as of a model: right, wrong or a tie.
double worth(double preference) {
  using judge::Outcome;
  const Outcome outcome = preference > 0    ? Outcome::right
                          : preference == 0 ? Outcome::tie
                                            : Outcome::wrong;
  return judge::points(judge::Verdict{outcome}, {});
}

GridValue known(double x) { return std::isfinite(x) ? GridValue(x) : GridValue(); }

Grid people_grid(const std::map<std::string, Judgments>& sources) {
  Grid g{"people",
         "People",
         {{"source", "source", Kind::text},
          {"asked", "asked for", Kind::text},
          {"people", "people", Kind::count},
          {"items", "items", Kind::count},
          {"answers", "answers", Kind::count},
          {"mean", "mean", Kind::number},
          {"majority", "majority right", Kind::share},
          {"alpha", "alpha", Kind::share},
          {"ceiling", "ceiling", Kind::share}},
         {},
         false,
         {"mean: of the ratings, or the share of answers for the good sentence; majority: a tie is "
          "worth one half; alpha: Krippendorff's; ceiling: how well one answer follows from the "
          "others on the same item (choices: the share that agrees with the others' majority; "
          "ratings: Pearson's r with their mean)"}};
  for (const auto& [source, judgments] : sources)
    for (bool choices : {true, false}) {
      std::vector<Answers> all = choices ? units(judgments.choices) : units(judgments.ratings);
      if (all.empty()) continue;
      double answers = 0, sum = 0, right = 0;
      for (const Answers& a : all) {
        answers += double(a.size());
        sum += stats::mean(a) * double(a.size());
        right += worth(2 * stats::mean(a) - 1);
      }
      // Where only numbers of answers were released, nobody knows whose they are.
      const bool unknown = judgments.people.contains("");
      g.rows.push_back({source, choices ? "a choice" : "a rating",
                        unknown ? GridValue() : GridValue(double(judgments.people.size())),
                        double(all.size()), answers, sum / answers,
                        choices ? GridValue(right / double(all.size())) : GridValue(),
                        known(stats::krippendorff_alpha(all)),
                        known(choices ? stats::others_agree(all) : stats::others_predict(all))});
    }
  return g;
}

std::string key_of(const suite::Sentence& s) {
  return s.context + std::string(suite::joint(s.context, s.text)) + s.text;
}

// What people say of an item: for the good sentence, and by how much more than for the bad ones.
struct Opinion {
  double good = 0;        // the share of choices, or the mean rating
  double preference = 0;  // NaN where only good sentences were rated
  bool chosen = false;    // a choice, not ratings
};

std::optional<Opinion> opinion(const suite::Item& item,
                               const std::map<std::string, Judgments>& sources) {
  const suite::Sentence *good = nullptr, *bad = nullptr;
  for (const suite::Sentence& s : item.sentences) (s.grammatical ? good : bad) = &s;
  if (!good) return std::nullopt;
  std::optional<Opinion> found;
  for (const auto& [source, judgments] : sources) {
    if (bad)
      if (auto at = judgments.choices.find({key_of(*good), key_of(*bad)});
          at != judgments.choices.end()) {
        double share = stats::mean(at->second);
        return Opinion{share, 2 * share - 1, true};
      }
    auto rated = judgments.ratings.find(key_of(*good));
    if (rated == judgments.ratings.end()) continue;
    found = Opinion{stats::mean(rated->second), std::nan(""), false};
    // Above the best of the bad ones: the good sentence should beat them all.
    for (const suite::Sentence& s : item.sentences)
      if (auto other = judgments.ratings.find(key_of(s));
          !s.grammatical && other != judgments.ratings.end())
        found->preference = std::fmin(found->preference, found->good - stats::mean(other->second));
  }
  return found;
}

struct Matched {
  std::vector<double> points, majority, agree, margins, opinions;
  std::vector<uint64_t> cluster;
};

// Does a model choose as people do? A tie of either is half of it.
double agreement(judge::Outcome model, double preference) {
  if (model == judge::Outcome::tie || preference == 0) return worth(0);
  return (model == judge::Outcome::right) == (preference > 0);
}

Matched matched_items(store::Store& store, const NamedRun& named, const ReportOptions& options,
                      const std::map<std::string, Judgments>& sources,
                      std::optional<double> accepted) {
  Clusters clusters(options.cluster);
  Matched m;
  const Look look = look_at(named.run, options);
  for (RowReader rows(store, {&named}, options); rows.next();) {
    const uint64_t cluster = clusters.of(rows.item());
    const Judged j = rows.judged(0, look);
    std::optional<Opinion> people = opinion(rows.item(), sources);
    if (!j.counts() || !people || (accepted && !(people->good > *accepted))) continue;
    m.points.push_back(j.points);
    m.cluster.push_back(cluster);
    if (!std::isnan(people->preference)) {
      m.majority.push_back(worth(people->preference));
      m.agree.push_back(agreement(j.outcome, people->preference));
    }
    m.margins.push_back(j.margin);
    m.opinions.push_back(std::isnan(people->preference) ? people->good : people->preference);
  }
  clusters.check(named.run.suite.name);
  return m;
}

Grid models_grid(store::Store& store, const ReportOptions& options,
                 const std::map<std::string, Judgments>& sources, std::optional<double> accepted) {
  Grid g{"models_and_people",
         "Models and people",
         {{"suite", "suite", Kind::text},
          {"model", "model", Kind::text},
          {"method", "method", Kind::text},
          {"items", "items", Kind::count},
          {"accuracy", "accuracy", Kind::share},
          {"people", "people", Kind::share},
          {"agree", "agree", Kind::share},
          {"pearson", "r", Kind::share},
          {"r_low", "from", Kind::share},
          {"r_high", "to", Kind::share},
          {"spearman", "rho", Kind::share},
          {"rho_low", "from", Kind::share},
          {"rho_high", "to", Kind::share}},
         {},
         false,
         {"items that people judged; people: the majority (of ratings: the higher mean) is for the "
          "good sentence; agree: with that majority; r and rho: Pearson's and Spearman's, of the "
          "margin with people's preference for the good sentence (with its rating, where the bad "
          "ones have none), 95 % over clusters"}};
  if (accepted)
    g.notes.push_back(fmt::format(
        "only items whose good sentence people accept: share of choices or mean rating above {}",
        *accepted));
  for (const NamedRun& named : selected_runs(store, options)) {
    if (named.run.model.kind == "people") continue;
    Matched m = matched_items(store, named, options, sources, accepted);
    std::vector<GridValue> row = {named.run.suite.name, named.label, named.run.method,
                                  double(m.points.size())};
    if (!m.points.empty()) {
      row.push_back(stats::mean(m.points));
      for (const auto* share : {&m.majority, &m.agree})
        row.push_back(share->empty() ? GridValue() : GridValue(stats::mean(*share)));
      for (const stats::Correlation& c :
           {stats::clustered_pearson(m.margins, m.opinions, m.cluster),
            stats::clustered_spearman(m.margins, m.opinions, m.cluster)})
        for (double x : {c.r, c.interval.low, c.interval.high}) row.push_back(known(x));
    }
    row.resize(g.columns.size());
    g.rows.push_back(std::move(row));
  }
  return g;
}

}  // namespace

std::vector<Grid> people_grids(store::Store& store, const ReportOptions& options,
                               std::optional<double> accepted) {
  std::map<std::string, Judgments> sources;
  for (const store::Judgment& j : store::read_judgments(store.path())) {
    Judgments& own = sources[j.source];
    own.people.insert(j.person);
    if (j.other.empty())
      own.ratings[j.sentence].push_back(j.value);
    else
      own.choices[{j.sentence, j.other}].push_back(j.value);
  }
  if (sources.empty())
    throw bad_input("these results have no human judgments")
        .at(store.path().string())
        .hint("'minpair convert --from qfrblimp FOLDER " + store.path().string() +
              "' brings some; 'minpair papers' lists whose there are");
  std::vector<Grid> grids = {people_grid(sources)};
  if (Grid models = models_grid(store, options, sources, accepted); !models.rows.empty())
    grids.push_back(std::move(models));
  return grids;
}

}  // namespace minpair::report
