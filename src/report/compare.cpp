#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/names.h"
#include "base/team.h"
#include "report/labels.h"
#include "report/rows.h"

namespace minpair::report {
namespace {

// What tells the two sides apart.
enum class By { model, method, suite };

struct Named {
  const store::RunRecord* run;
  std::string model, method, suite;
  std::optional<judge::View> view;  // where its side names one
  const std::string& side(By by) const {
    return by == By::model ? model : by == By::method ? method : suite;
  }
};

std::vector<Named> named(const std::vector<NamedRun>& runs, const CompareOptions& options) {
  std::vector<Named> named;
  for (const auto& [run, label] : runs) {
    named.push_back({&run, label, run.method, run.suite.name, {}});
    // Whoever gave the full name wants to see it.
    if (!all_or_among(options.models, label)) named.back().model = run.model.name;
  }
  return named;
}

std::vector<std::string> distinct(const std::vector<Named>& runs, By by) {
  std::vector<std::string> names;
  for (const Named& n : runs)
    if (std::find(names.begin(), names.end(), n.side(by)) == names.end())
      names.push_back(n.side(by));
  return names;
}

std::vector<std::string> run_names(const std::vector<Named>& runs) {
  std::vector<std::string> names;
  for (const Named& n : runs)
    if (std::string name = n.model + ":" + n.method;
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return names;
}

Error no_two_sides(const std::vector<Named>& runs) {
  const std::vector<std::string> names = run_names(runs);
  if (names.size() == 1)
    return wrong_call(fmt::format("there is only one such run, {}", names[0]))
        .hint("'minpair run' with another model or method adds a second one to the file");
  return wrong_call("it is not clear which two to compare")
      .hint(fmt::format("name two runs: {}", join(names, ", ")));
}

By sides_by(const std::vector<Named>& runs, const CompareOptions& options) {
  std::vector<std::pair<By, size_t>> asked = {{By::model, options.models.size()},
                                              {By::method, options.methods.size()},
                                              {By::suite, options.suites.size()}};
  std::vector<By> two;
  for (const auto& [by, n] : asked)
    if (n == 2) two.push_back(by);
  if (two.empty())
    for (By by : {By::model, By::method, By::suite})
      if (distinct(runs, by).size() == 2) two.push_back(by);
  for (const auto& [by, n] : asked)
    if (n > 2) two.clear();
  // Two models with two methods: a method for each of them.
  if (two.size() == 2 && options.models.size() == 2 && options.methods.size() == 2)
    return By::model;
  // Two runs of the same suites that differ in both.
  if (two == std::vector{By::model, By::method} && run_names(runs).size() == 2) return By::model;
  if (two.size() != 1) throw no_two_sides(runs);
  return two.front();
}

// An item judged by both.
struct Both {
  const suite::Item *item, *other;
  uint64_t cluster;
  const Judged *first, *second;
};

// The rows of a side.
struct SideItems {
  std::vector<Judged> judged;
  const SuiteItems* suite = nullptr;
};

Selection selection_of(const CompareOptions& options) {
  Selection selection;
  selection.tests = options.tests;
  selection.languages = options.languages;
  selection.where = options.where;
  return selection;
}

// Every side is read once, however many it is compared with.
class Sides {
 public:
  Sides(store::Store& store, const CompareOptions& options)
      : store_(store), options_(options), selection_(selection_of(options)) {}

  const SideItems& of(const Named& named) {
    const Look look = look_at(*named.run, named.view ? named.view : options_.view, options_.policy);
    auto [at, fresh] = sides_.try_emplace({named.run->id, index_of(look.view)});
    if (fresh) load(at->second, {*named.run, named.model}, look);
    return at->second;
  }

 private:
  void load(SideItems& side, const NamedRun& run, const Look& look) {
    SuiteItems& suite = suites_.try_emplace(run.run.suite.id, options_.cluster).first->second;
    for (RowReader rows(store_, {&run}, selection_); rows.next();) {
      Judged judged = rows.judged(0, look);
      judged.item = suite.add(rows.ordinal(), rows.item());
      side.judged.push_back(judged);
    }
    suite.clusters.check(run.run.suite.name);
    side.suite = &suite;
  }

  store::Store& store_;
  const CompareOptions& options_;
  Selection selection_;
  std::map<int64_t, SuiteItems> suites_;
  std::map<std::pair<int64_t, size_t>, SideItems> sides_;
};

// Items of one suite are the same items; those of two preparations have the same name, or the same
// place; those of two versions of one suite have the same sentences.
std::string match_key(const SideItems& side, const Judged& j, const CompareOptions& options) {
  const suite::Item& item = side.suite->items[j.item];
  bool two_suites = options.suites.size() == 2;
  // Another test at the same place is another item.
  if (two_suites && options.match == "place")
    return fmt::format("{}\n{}", side.suite->ordinals[j.item], item.test);
  std::string text = two_suites ? item.id : "";
  if (text.empty())
    for (const suite::Sentence& sentence : item.sentences) text += sentence.text + "\n";
  return text;
}

// What the second side says of each row of the first; null: nothing.
std::vector<const Judged*> partners(const SideItems& a, const SideItems& b,
                                    const CompareOptions& options) {
  const bool same = a.suite == b.suite;
  std::map<std::string, const Judged*> by_key;
  std::vector<const Judged*> by_item(same ? a.suite->items.size() : 0), found;
  for (const Judged& j : b.judged) (same ? by_item[j.item] : by_key[match_key(b, j, options)]) = &j;
  for (const Judged& j : a.judged) {
    if (same) {
      found.push_back(by_item[j.item]);
      continue;
    }
    auto at = by_key.find(match_key(a, j, options));
    found.push_back(at == by_key.end() ? nullptr : at->second);
  }
  return found;
}

std::vector<Both> both_judge(const SideItems& a, const SideItems& b, const CompareOptions& options,
                             std::map<judge::Reason, uint64_t>& left_out) {
  std::vector<Both> both;
  size_t met = 0;
  const std::vector<const Judged*> others = partners(a, b, options);
  for (size_t i = 0; i < a.judged.size(); ++i) {
    const Judged &j = a.judged[i], *other = others[i];
    met += other != nullptr;
    judge::Reason reason = j.left_out;
    if (j.counts()) reason = other ? other->left_out : judge::Reason::only_first;
    if (reason != judge::Reason::none) {
      ++left_out[reason];
      continue;
    }
    both.push_back({&a.suite->items[j.item], &b.suite->items[other->item], a.suite->cluster[j.item],
                    &j, other});
  }
  if (b.judged.size() > met) left_out[judge::Reason::only_second] += b.judged.size() - met;
  return both;
}

ComparedTest compared(const std::string& test, const std::vector<const Both*>& items,
                      const CompareOptions& options) {
  ComparedTest c;
  c.test = test;
  c.items = items.size();
  std::vector<double> first, second, first_won, second_won;
  std::vector<uint64_t> cluster;
  for (const Both* b : items) {
    first.push_back(b->first->points);
    second.push_back(b->second->points);
    first_won.push_back(b->first->won);
    second_won.push_back(b->second->won);
    cluster.push_back(b->cluster);
  }
  c.first = stats::mean(first);
  c.second = stats::mean(second);
  const stats::PairedSums sums = stats::sum_pairs_by_cluster(first, second, cluster);
  c.clusters = sums.count.size();
  c.difference = difference_of(sums, options.intervals);
  c.pairs = stats::count_pairs(first_won, second_won);
  c.mcnemar = stats::mcnemar_exact(c.pairs.only_first, c.pairs.only_second);
  c.differing = sums.differing();
  c.detectable = stats::detectable_difference(sums);
  return c;
}

void correct(std::vector<ComparedTest>& tests) {
  std::vector<double> p;
  for (const ComparedTest& t : tests) p.push_back(t.difference.p);
  std::vector<double> holm = stats::holm(p), bh = stats::benjamini_hochberg(p);
  for (size_t i = 0; i < tests.size(); ++i) {
    tests[i].holm = holm[i];
    tests[i].benjamini_hochberg = bh[i];
  }
}

std::vector<suite::Sentence> other_sentences(const Both& b) {
  return b.other->sentences == b.item->sentences ? std::vector<suite::Sentence>()
                                                 : b.other->sentences;
}

std::vector<Flip> flips_of(const std::vector<Both>& both) {
  std::vector<Flip> flips;
  for (const Both& b : both)
    if (std::abs(b.first->won - b.second->won) == 1)
      flips.push_back(
          {*b.item, other_sentences(b), b.first->won == 1, b.first->margin, b.second->margin});
  std::stable_sort(flips.begin(), flips.end(), [](const Flip& a, const Flip& b) {
    return std::abs(a.first_margin - a.second_margin) > std::abs(b.first_margin - b.second_margin);
  });
  return flips;
}

Comparison compare_pair(const SideItems& a, const SideItems& b, const suite::Manifest& manifest,
                        const CompareOptions& options) {
  Comparison c;
  std::vector<Both> both = both_judge(a, b, options, c.left_out);
  if (both.empty())
    throw bad_input("no item is judged by both")
        .hint(
            options.suites.size() == 2
                ? "items of two suites are paired by their names; --match place pairs them in order"
                : "compare runs over the same suite");
  const std::vector<std::string> by = {"test"};
  LevelOrder order(by, manifest);
  std::map<std::string, std::vector<const Both*>> by_test;
  std::vector<const Both*> all;
  std::set<std::string> languages;
  for (size_t i = 0; i < both.size(); ++i) {
    languages.insert(both[i].item->language);
    by_test[both[i].item->test].push_back(&both[i]);
    all.push_back(&both[i]);
    order.see({both[i].item->test}, i);
  }
  const std::vector<std::vector<std::string>> tests = order.sorted();
  c.tests.resize(tests.size());
  share(tests.size() + 1, std::thread::hardware_concurrency(), [&](size_t i) {
    if (i == tests.size()) c.total = compared("", all, options);
    if (i < tests.size()) c.tests[i] = compared(tests[i][0], by_test.at(tests[i][0]), options);
  });
  correct(c.tests);
  c.clusters = clusters_text(*a.suite);
  c.intervals = intervals_text(options.intervals);
  c.policies = judge::lines_of(options.policy);
  c.mixed = mixed_text(languages);
  for (const suite::TestInfo& t : manifest.tests)
    if (!t.title.empty()) c.titles[t.name] = t.title;
  c.flips = flips_of(both);
  return c;
}

bool otherwise_alike(const Named& a, const Named& b, By by) {
  return (by == By::model || a.run->model.id == b.run->model.id) &&
         (by == By::method || a.method == b.method) && (by == By::suite || a.suite == b.suite);
}

// Runs over another version of the suite's items stand in where there is none over the same.
bool stands_in(const Named& a, const Named& b, const std::vector<Named>& runs, By by) {
  if (by == By::suite || a.run->suite.id == b.run->suite.id) return false;
  return std::any_of(runs.begin(), runs.end(), [&](const Named& other) {
    bool of_b = other.side(by) == b.side(by) && other.run->suite.id == a.run->suite.id;
    bool of_a = other.side(by) == a.side(by) && other.run->suite.id == b.run->suite.id;
    return (of_b && otherwise_alike(a, other, by)) || (of_a && otherwise_alike(other, b, by));
  });
}

std::string title_of(const Named& n, By by) {
  std::vector<std::string> parts;
  if (by != By::suite) parts.push_back(n.suite);
  if (by != By::model) parts.push_back(n.model);
  if (by != By::method) parts.push_back(n.method);
  return join(parts, ", ");
}

// The two runs of a comparison, and what it is called.
struct Pairing {
  Named a, b;
  std::string title, first, second;
};

// Two models that share no method, as masked and causal ones never do: where each has one run over
// a suite, nothing else can be meant.
std::vector<Pairing> only_runs(const std::vector<Named>& runs,
                               const std::vector<std::string>& models) {
  std::map<int64_t, std::vector<const Named*>> by_suite[2];
  for (const Named& n : runs)
    for (size_t side : {0, 1})
      if (n.model == models[side]) by_suite[side][n.run->suite.id].push_back(&n);
  std::vector<Pairing> pairings;
  for (const auto& [suite, first] : by_suite[0]) {
    const std::vector<const Named*>& second = by_suite[1][suite];
    if (first.size() != 1 || second.size() != 1) continue;
    const Named &a = *first[0], &b = *second[0];
    pairings.push_back({a, b, a.suite, a.model + ":" + a.method, b.model + ":" + b.method});
  }
  return pairings;
}

std::vector<Pairing> pairings_by(const std::vector<Named>& chosen, CompareOptions& options) {
  By by = sides_by(chosen, options);
  std::vector<std::string> names = by == By::model    ? options.models
                                   : by == By::method ? options.methods
                                                      : options.suites;
  if (names.size() != 2) names = distinct(chosen, by);
  if (by == By::suite) options.suites = names;
  std::vector<Pairing> pairings;
  for (const Named& a : chosen)
    for (const Named& b : chosen)
      if (a.side(by) == names[0] && b.side(by) == names[1] && otherwise_alike(a, b, by) &&
          !stands_in(a, b, chosen, by))
        pairings.push_back({a, b, title_of(a, by), names[0], names[1]});
  if (pairings.empty() && by == By::model) pairings = only_runs(chosen, names);
  if (!pairings.empty()) return pairings;
  throw wrong_call(fmt::format("'{}' and '{}' have no suite and {} in common", names[0], names[1],
                               by == By::model ? "method" : "model"))
      .hint(fmt::format("name the two runs themselves: {}", join(run_names(chosen), " ")));
}

// The runs that "MODEL:METHOD:NORM" names. Names of models may have colons, too.
std::vector<Named> runs_of_side(const std::vector<Named>& runs, const std::string& side) {
  std::vector<Named> found;
  for (const Named& n : runs)
    for (const std::string& model : std::set<std::string>{n.model, n.run->model.name}) {
      if (side != model && !side.starts_with(model + ":")) continue;
      std::vector<std::string_view> rest;
      if (side.size() > model.size())
        rest = split(std::string_view(side).substr(model.size() + 1), ':');
      if (rest.size() > 2 || (!rest.empty() && rest[0] != n.method)) continue;
      found.push_back(n);
      if (rest.size() == 2) found.back().view = judge::find_view(std::string(rest[1]));
    }
  if (found.empty())
    throw unknown_name(fmt::format("the results have no run '{}'", side), side, run_names(runs));
  for (const Named& n : found)
    if (n.method != found.front().method)
      throw wrong_call(fmt::format("'{}' was scored by several methods", side))
          .hint(fmt::format("say which: {}", join(run_names(found), ", ")));
  return found;
}

std::vector<Pairing> pairings_of(const std::vector<Named>& runs, const CompareOptions& options) {
  if (options.sides.size() < 2)
    throw wrong_call("one run alone cannot be compared")
        .hint(fmt::format("the results have {}", join(run_names(runs), ", ")));
  std::vector<Pairing> pairings;
  for (size_t i = 0; i < options.sides.size(); ++i)
    for (size_t j = i + 1; j < options.sides.size(); ++j) {
      std::vector<Named> first = runs_of_side(runs, options.sides[i]),
                         second = runs_of_side(runs, options.sides[j]);
      // Another version of the items stands in where the two share none.
      auto same = [](const Named& a, const Named& b) { return a.run->suite.id == b.run->suite.id; };
      bool share = std::any_of(first.begin(), first.end(), [&](const Named& a) {
        return std::any_of(second.begin(), second.end(),
                           [&](const Named& b) { return same(a, b); });
      });
      for (const Named& a : first)
        for (const Named& b : second)
          if (share ? same(a, b) : a.suite == b.suite)
            pairings.push_back({a, b, a.suite, options.sides[i], options.sides[j]});
    }
  if (pairings.empty())
    throw wrong_call(fmt::format("{} share no suite", join(options.sides, " and ")))
        .hint("run them over the same suite first");
  return pairings;
}

}  // namespace

std::vector<Comparison> compare_runs(store::Store& store, const CompareOptions& options) {
  Selection selection = selection_of(options);
  selection.wanted = {{}, options.suites, options.models, options.methods};
  std::vector<NamedRun> runs = selected_runs(store, selection);
  std::vector<Named> chosen = named(runs, options);
  CompareOptions asked = options;
  std::vector<Pairing> pairings =
      options.sides.empty() ? pairings_by(chosen, asked) : pairings_of(chosen, options);
  Sides sides(store, options);
  std::vector<Comparison> all;
  for (const auto& [a, b, title, first, second] : pairings) {
    all.push_back(compare_pair(sides.of(a), sides.of(b), a.run->suite.manifest, asked));
    all.back().title = title;
    all.back().first = first;
    all.back().second = second;
  }
  return all;
}

}  // namespace minpair::report
