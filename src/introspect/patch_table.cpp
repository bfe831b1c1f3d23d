#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/counts.h"
#include "introspect/component.h"
#include "introspect/intervals.h"
#include "introspect/summary.h"
#include "report/rows.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Kind = report::GridColumn::Kind;

// One line: what a change of one component at one role does to some items.
struct Effect {
  std::string at;
  Reasons missing;  // why some of them lack the role
  Component component;
  double items = 0;
  Summary effect, outcome;
  Summary total;  // effect of the whole counterpart on the same items
  double ratio = kNone;
};

// The counterpart asks for the other form: interchange counts the items that now prefer it.
bool interchanges(const PatchOptions& options) {
  return options.swap == Swap::subject && has_total(options.how);
}

// `changed`: the margin of an item after the change.
template <class Changed>
Effect effect_of(const PatchReadings& read, const std::vector<size_t>& items, Changed changed) {
  std::vector<double> effects, totals, points;
  std::vector<uint64_t> clusters;
  double ratio = 0;
  for (size_t i : items) {
    const PatchItem& item = read.readings[i];
    const double after = changed(item);
    if (std::isnan(after)) continue;
    effects.push_back(item.margin - after);
    points.push_back(points_of(interchanges(read.options) ? -after : after));
    clusters.push_back(read.items.cluster[i]);
    totals.push_back(item.margin - item.there);
    ratio += std::exp(item.margin - after);
  }
  const auto n = double(effects.size());
  return {"",
          {},
          {},
          n,
          mean_of(effects, clusters),
          share_of(points, clusters),
          mean_of(totals, clusters),
          n > 0 ? ratio / n - 1 : kNone};
}

std::vector<Effect> effects_of(const PatchReadings& read, const std::vector<size_t>& items) {
  std::vector<Effect> all;
  const size_t components = read.components.size();
  for (size_t r = 0; r < read.options.roles.size(); ++r)
    for (size_t c = 0; c < components; ++c) {
      Effect& effect = all.emplace_back(effect_of(
          read, items, [&](const PatchItem& item) { return item.changed[r * components + c]; }));
      effect.at = read.options.roles[r];
      for (size_t i : items)
        if (const Reason why = read.readings[i].missing[r]; why != Reason::none)
          ++effect.missing[why];
      effect.component = read.components[c];
    }
  return all;
}

// Those that move the margin most, whichever way.
void keep_strongest(std::vector<Effect>& effects, size_t top) {
  std::erase_if(effects, [](const Effect& effect) { return effect.items == 0; });
  std::ranges::stable_sort(effects, std::greater(),
                           [](const Effect& effect) { return std::abs(effect.effect.value); });
  if (effects.size() > top) effects.resize(top);
}

// Many components are looked at: p is adjusted for all of them (Benjamini and Hochberg).
void adjust(std::vector<Effect>& effects) {
  std::vector<double> p;
  for (const Effect& effect : effects)
    if (!std::isnan(effect.effect.p)) p.push_back(effect.effect.p);
  p = stats::benjamini_hochberg(p);
  auto next = p.begin();
  for (Effect& effect : effects)
    if (!std::isnan(effect.effect.p)) effect.effect.p = *next++;
}

// Where it is not known that the whole counterpart does anything, there is nothing to be a share
// of.
double share_of_total(const Effect& e) {
  return e.total.p <= 0.05 ? e.effect.value / e.total.value : kNone;
}

std::vector<report::GridValue> row_of(const Effect& e, const PatchOptions& options, bool total) {
  std::vector<report::GridValue> row{e.at};
  auto number = [&](double x, bool shown = true) {
    if (shown)
      row.emplace_back(x);
    else
      row.emplace_back();
  };
  number(e.component.layer, !total);
  if (!is_whole(options.site)) number(e.component.index, !total);
  number(e.items);
  for (double x : {e.effect.value, e.effect.low, e.effect.high}) number(x);
  if (has_total(options.how)) number(share_of_total(e));
  number(e.ratio);
  for (double x : {e.outcome.value, e.outcome.low, e.outcome.high}) number(x);
  if (!is_whole(options.site)) number(e.effect.p, !total);
  return row;
}

void add_columns(report::Grid& grid, const PatchOptions& o) {
  auto add = [&](const char* key, const char* title, Kind kind) {
    grid.columns.push_back({key, title, kind});
  };
  add("at", "at", Kind::text);
  add("layer", "layer", Kind::count);
  if (!is_whole(o.site)) add("index", name_of(o.site).data(), Kind::count);
  add("items", "items", Kind::count);
  add("effect", "effect", Kind::difference);
  add("effect_low", "from", Kind::difference);
  add("effect_high", "to", Kind::difference);
  if (has_total(o.how)) add("of_total", "of total", Kind::share);
  add("odds_ratio", "odds ratio", Kind::number);
  const char* outcome = interchanges(o) ? "interchange" : "accuracy";
  add(outcome, outcome, Kind::share);
  add("outcome_low", "from", Kind::share);
  add("outcome_high", "to", Kind::share);
  if (!is_whole(o.site)) add("p", "p", Kind::p);
}

std::vector<std::string> notes_of(const PatchReadings& read) {
  const PatchOptions& o = read.options;
  std::vector<std::string> notes;
  const char* source = o.how == How::zero     ? "zero"
                       : o.how == How::mean   ? "the mean over all items"
                       : o.how == How::direct ? "what the item itself has there"
                       : o.swap == Swap::subject
                           ? "what the item with the other subject has there"
                           : "what the item with the other attractor has there";
  if (o.how == How::direct)
    notes.push_back(
        "direct: the model reads the counterpart; the change takes back one part of it");
  notes.push_back(fmt::format("changed: {}; put there: {}", name_of(o.site), source));
  notes.push_back(
      "effect: log odds moved from the good token to the bad one; odds ratio: the mean of the odds "
      "after over those before, minus 1");
  if (has_total(o.how)) notes.push_back("total: the whole counterpart instead");
  if (interchanges(o)) notes.push_back("interchange: items that now prefer the counterpart's form");
  notes.push_back("95 % intervals over clusters; " + report::clusters_text(read.items));
  if (!is_whole(o.site))
    notes.push_back(fmt::format("the strongest of {}; p for all of them (Benjamini and Hochberg)",
                                count_text(read.components.size() * o.roles.size())));
  add_reasons(notes, reasons_of(read.readings));
  std::map<std::string, uint64_t> left_out;
  for (const PatchItem& item : read.readings)
    for (size_t r = 0; r < item.missing.size(); ++r)
      if (item.missing[r] != Reason::none)
        ++left_out[o.roles[r] + ": " + text_of(item.missing[r], o.roles[r])];
  for (const auto& [why, count] : left_out)
    notes.push_back(fmt::format("left out at {}: {}", why, count_text(count)));
  return notes;
}

}  // namespace

report::Grid patch_table(const PatchReadings& read, By by, size_t top) {
  report::Grid grid{.key = "patch",
                    .title = fmt::format("{} × {}: what a change inside does to the answer",
                                         read.suite, read.model)};
  grid.columns = group_columns(by);
  add_columns(grid, read.options);
  add_groups(grid, read.items, reasons_of(read.readings), by, [&](const ItemGroup& group) {
    std::vector<std::vector<report::GridValue>> rows;
    auto add = [&](const Effect& effect, bool total) {
      rows.push_back(row_of(effect, read.options, total));
      rows.back().emplace_back(excluded_text(group, effect.missing));
    };
    if (has_total(read.options.how)) {
      Effect total = effect_of(read, group.items, [](const PatchItem& item) { return item.there; });
      total.at = "total";
      add(total, true);
    }
    std::vector<Effect> effects = effects_of(read, group.items);
    if (!is_whole(read.options.site)) adjust(effects), keep_strongest(effects, top);
    for (const Effect& effect : effects) add(effect, false);
    return rows;
  });
  grid.notes = notes_of(read);
  explain_dashes(grid);
  return grid;
}

}  // namespace minpair::introspect
