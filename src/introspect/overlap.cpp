#include "introspect/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "introspect/component.h"
#include "introspect/sweep_codec.h"
#include "stats/picks.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

using Kind = report::GridColumn::Kind;
using Means = std::vector<double>;  // of each component

// Whose effects they are, and at which place.
struct Group {
  std::string at, model, suite, language, test, condition;
  auto operator<=>(const Group&) const = default;
};

// The effects of one group: over all of its items, and over the two halves of them.
struct Effects {
  Group group;
  size_t items = 0;
  Means all, halves[2];  // a half is empty when there is only one cluster
};

// What can be compared: the same parts, changed in the same way.
struct Family {
  std::string what, site, how;
  std::vector<Component> components;
  std::vector<Effects> groups;
  bool same(const Family& o) const {
    return what == o.what && site == o.site && how == o.how && components == o.components;
  }
};

Means mean_effects(const std::vector<size_t>& items, size_t components,
                   const std::function<double(size_t item, size_t component)>& effect) {
  Means means(components);
  for (size_t i : items)
    for (size_t c = 0; c < components; ++c) means[c] += effect(i, c) / double(items.size());
  return means;
}

// Clusters go to the halves in turn, in the order of the suite.
std::vector<size_t> half_of(const std::vector<size_t>& items, const report::SuiteItems& suite,
                            size_t which) {
  std::map<uint64_t, size_t> seen;
  std::vector<size_t> half;
  for (size_t i : items)
    if (seen.try_emplace(suite.cluster[i], seen.size()).first->second % 2 == which)
      half.push_back(i);
  return half;
}

template <class Readings>
void add_groups(Family& family, const Readings& read, const std::string& at, By by,
                const std::function<bool(size_t item)>& has,
                const std::function<double(size_t item, size_t component)>& effect) {
  std::map<Group, std::vector<size_t>> groups;
  for (size_t i = 0; i < read.readings.size(); ++i) {
    if (read.readings[i].excluded != Reason::none || !has(i)) continue;
    const suite::Item& item = read.items.items[i];
    groups[{at, read.model, read.suite, item.language, by == By::all ? "" : item.test,
            by == By::condition ? item.condition : ""}]
        .push_back(i);
  }
  for (const auto& [group, items] : groups) {
    Effects& one = family.groups.emplace_back();
    one.group = group, one.items = items.size();
    one.all = mean_effects(items, family.components.size(), effect);
    for (size_t h : {0u, 1u})
      if (const auto half = half_of(items, read.items, h); !half.empty())
        one.halves[h] = mean_effects(half, family.components.size(), effect);
  }
}

// Nothing to compare in readings of other kinds.
template <class Readings>
Family family_of(const Readings&, By) {
  return {};
}
Family family_of(const PatchReadings& read, By by) {
  if (is_whole(read.options.site)) return {};
  const char* swap = read.options.swap == Swap::subject ? "subject" : "attractor";
  Family family{"patch",
                std::string(name_of(read.options.site)),
                fmt::format("{}, the other {}", name_of(read.options.how), swap),
                read.components,
                {}};
  const size_t n = read.components.size();
  for (size_t r = 0; r < read.options.roles.size(); ++r)
    add_groups(
        family, read, read.options.roles[r], by,
        [&](size_t i) { return !std::isnan(read.readings[i].changed[r * n]); },
        [&](size_t i, size_t c) {
          return read.readings[i].margin - read.readings[i].changed[r * n + c];
        });
  return family;
}
Family family_of(const AblateReadings& read, By by) {
  if (read.components.empty()) return {};
  Family family{"ablate",
                std::string(name_of(read.options.site)),
                std::string(name_of(read.options.how)),
                read.components,
                {}};
  add_groups(
      family, read, "", by, [](size_t) { return true; },
      [&](size_t i, size_t c) { return read.readings[i].margin - read.readings[i].without[c]; });
  return family;
}

std::vector<Family> families_of(store::Store& store, const EffectView& view) {
  std::vector<Family> families;
  const By by = view.by == "all" ? By::all : view.by == "condition" ? By::condition : By::test;
  for (const store::SweepRecord& sweep : wanted_sweeps(store, view)) {
    Family found = std::visit([&](const auto& read) { return family_of(read, by); },
                              load_sweep(store, sweep, wanted_by(view)));
    if (found.groups.empty()) continue;
    const auto known =
        std::ranges::find_if(families, [&](const Family& f) { return f.same(found); });
    if (known == families.end())
      families.push_back(std::move(found));
    else
      std::ranges::move(found.groups, std::back_inserter(known->groups));
  }
  return families;
}

// The strongest of each layer, as numbers of components.
std::vector<std::vector<size_t>> strongest(const Means& means,
                                           const std::vector<Component>& components, double share) {
  std::map<uint16_t, std::vector<size_t>> layers;
  for (size_t c = 0; c < components.size(); ++c) layers[components[c].layer].push_back(c);
  std::vector<std::vector<size_t>> top;
  for (auto& [layer, all] : layers) {
    const auto count = size_t(std::ceil(share * double(all.size()) - 1e-9));
    std::ranges::stable_sort(all, std::greater(), [&](size_t c) { return means[c]; });
    all.resize(std::min(count, all.size()));
    std::ranges::sort(all);
    top.push_back(all);
  }
  return top;
}

struct Shared {
  const Effects *first, *second;
  uint64_t top = 0, shared = 0;
  double expected = 0, p = 1;
};

Shared compare(const Effects& first, const Effects& second, const Family& family, double share) {
  const bool itself = &first == &second;
  const auto a = strongest(itself ? first.halves[0] : first.all, family.components, share);
  const auto b = strongest(itself ? first.halves[1] : second.all, family.components, share);
  const uint64_t each = family.components.size() / a.size();  // in every layer
  Shared found{&first, &second};
  std::vector<stats::Picks> picks;
  for (size_t l = 0; l < a.size(); ++l) {
    std::vector<size_t> both;
    std::ranges::set_intersection(a[l], b[l], std::back_inserter(both));
    found.top += a[l].size(), found.shared += both.size();
    found.expected += double(a[l].size()) * double(b[l].size()) / double(each);
    picks.push_back({each, a[l].size(), b[l].size()});
  }
  found.p = stats::shared_by_chance(picks, found.shared);
  return found;
}

// A group by what it does not share with all others.
class Names {
 public:
  explicit Names(const std::vector<Effects>& all) {
    for (const Effects& e : all) {
      models_.insert(e.group.model), suites_.insert(e.group.suite);
      languages_.insert(e.group.language);
    }
  }
  std::string of(const Group& g) const {
    std::vector<std::string> words;
    if (models_.size() > 1) words.push_back(g.model);
    if (suites_.size() > 1) words.push_back(g.suite);
    if (languages_.size() > 1 && suites_.size() == 1) words.push_back(g.language);
    for (const std::string& word : {g.test, g.condition})
      if (!word.empty()) words.push_back(word);
    return words.empty() ? "all" : join(words, " ");
  }
  bool several_models() const { return models_.size() > 1; }

 private:
  std::set<std::string> models_, suites_, languages_;
};

report::Grid table_of(const Family& family, double share) {
  const Names names(family.groups);
  report::Grid grid{.key = "overlap",
                    .title = fmt::format("{} ({}: {}): do the same ones serve others?", family.site,
                                         family.what, family.how),
                    .columns = {{"at", "at", Kind::text},
                                {"first", "strongest in", Kind::text},
                                {"second", "and in", Kind::text},
                                {"parts", "parts", Kind::count},
                                {"top", "strongest", Kind::count},
                                {"shared", "shared", Kind::count},
                                {"overlap", "overlap", Kind::share},
                                {"expected", "by chance", Kind::share},
                                {"p", "p", Kind::p}}};
  std::vector<Shared> all;
  std::vector<double> p;
  for (const Effects& first : family.groups)
    for (const Effects& second : family.groups) {
      if (&second < &first || first.group.at != second.group.at) continue;
      if (&first == &second && first.halves[1].empty()) continue;
      all.push_back(compare(first, second, family, share));
      p.push_back(all.back().p);
    }
  p = stats::benjamini_hochberg(p);
  for (size_t i = 0; i < all.size(); ++i) {
    const Shared& s = all[i];
    const bool itself = s.first == s.second;
    grid.rows.push_back({s.first->group.at, names.of(s.first->group),
                         itself ? "itself, halves" : names.of(s.second->group),
                         double(family.components.size()), double(s.top), double(s.shared),
                         double(s.shared) / double(s.top), s.expected / double(s.top), p[i]});
  }
  if (family.what == "ablate") {
    grid.columns.erase(grid.columns.begin());
    for (auto& row : grid.rows) row.erase(row.begin());
  }
  grid.notes = {
      fmt::format("strongest: of every layer the {:g} % with the highest mean effect", 100 * share),
      "by chance: if those of the one had nothing to do with those of the other, layer by layer; "
      "p: of as many or more, for all rows of the table (Benjamini and Hochberg)",
      "itself, halves: every other cluster of its items against the rest: what is found again, "
      "with half as many items"};
  if (names.several_models())
    grid.notes.emplace_back(
        "numbers of parts mean the same in two models only where one was trained on from the "
        "other");
  return grid;
}

}  // namespace

std::vector<report::Grid> overlap_tables_if_any(store::Store& store, const EffectView& view,
                                                double share) {
  std::vector<report::Grid> tables;
  for (const Family& family : families_of(store, view)) tables.push_back(table_of(family, share));
  return tables;
}

std::vector<report::Grid> overlap_tables(store::Store& store, const EffectView& view,
                                         double share) {
  std::vector<report::Grid> tables = overlap_tables_if_any(store, view, share);
  if (tables.empty())
    throw bad_input("no heads, neurons or units were changed one by one in these results")
        .at(store.path().string())
        .hint("'minpair introspect patch --site neuron -o " + store.path().string() +
              "' adds them");
  return tables;
}

}  // namespace minpair::introspect
