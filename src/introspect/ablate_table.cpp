#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "introspect/component.h"
#include "introspect/intervals.h"
#include "introspect/summary.h"
#include "report/rows.h"

namespace minpair::introspect {
namespace {

using Kind = report::GridColumn::Kind;

// What is lost without one component, over some items.
struct Loss {
  size_t component = 0;
  Summary before, after, difference, effect;
};

Loss loss_of(const AblateReadings& read, const std::vector<size_t>& items, size_t component) {
  std::vector<double> before, after, difference, effect;
  std::vector<uint64_t> clusters;
  for (size_t i : items) {
    const AblateReadings::Item& item = read.readings[i];
    before.push_back(points_of(item.margin));
    after.push_back(points_of(item.without[component]));
    difference.push_back(after.back() - before.back());
    effect.push_back(item.margin - item.without[component]);
    clusters.push_back(read.items.cluster[i]);
  }
  return {component, share_of(before, clusters), share_of(after, clusters),
          mean_of(difference, clusters), mean_of(effect, clusters)};
}

// By accuracy, then by the margin.
std::vector<size_t> strongest(const AblateReadings& read, const std::vector<size_t>& items,
                              size_t top) {
  std::vector<Loss> all;
  for (size_t c = 0; c < std::max<size_t>(1, read.components.size()); ++c)
    all.push_back(loss_of(read, items, c));
  std::ranges::stable_sort(all, std::greater(), [](const Loss& loss) {
    return std::pair(std::abs(loss.difference.value), std::abs(loss.effect.value));
  });
  std::vector<size_t> components;
  for (size_t i = 0; i < std::min(top, all.size()); ++i) components.push_back(all[i].component);
  return components;
}

std::vector<std::string> notes_of(const AblateReadings& read) {
  std::string what(name_of(read.options.site));
  if (!read.options.together.empty()) {
    what.clear();
    for (const Component& c : read.options.together)
      what += fmt::format("{}{} {}:{}", what.empty() ? "" : ", ", name_of(read.options.site),
                          c.layer, c.index);
    what += ", all at once";
  }
  std::vector<std::string> notes{
      fmt::format("{} by {} at every token: {}", "replaced",
                  read.options.how == How::mean ? "the mean over all tokens" : "zero", what),
      "effect: log odds moved from the good token to the bad one",
      "95 % intervals over clusters; " + report::clusters_text(read.items)};
  add_reasons(notes, reasons_of(read.readings));
  return notes;
}

}  // namespace

report::Grid ablate_table(const AblateReadings& read, By by, size_t top) {
  const bool alone = read.options.together.empty();
  report::Grid grid{
      .key = "ablate",
      .title = fmt::format("{} × {}: accuracy without parts of the model", read.suite, read.model)};
  grid.columns = group_columns(by);
  if (alone) grid.columns.push_back({"layer", "layer", Kind::count});
  if (alone && !is_whole(read.options.site))
    grid.columns.push_back({"index", std::string(name_of(read.options.site)), Kind::count});
  for (report::GridColumn column : {report::GridColumn{"items", "items", Kind::count},
                                    {"before", "before", Kind::share},
                                    {"accuracy", "without", Kind::share},
                                    {"accuracy_low", "from", Kind::share},
                                    {"accuracy_high", "to", Kind::share},
                                    {"difference", "difference", Kind::difference},
                                    {"difference_low", "from", Kind::difference},
                                    {"difference_high", "to", Kind::difference},
                                    {"effect", "effect", Kind::difference}})
    grid.columns.push_back(std::move(column));
  const std::vector<size_t> asked = asked_of(read.readings);
  const std::vector<size_t> components = strongest(read, asked, top);
  add_groups(grid, read.items, reasons_of(read.readings), by, [&](const ItemGroup& group) {
    std::vector<std::vector<report::GridValue>> rows;
    for (size_t c : components) {
      const Loss loss = loss_of(read, group.items, c);
      std::vector<report::GridValue>& row = rows.emplace_back();
      if (alone) row.emplace_back(double(read.components[c].layer));
      if (alone && !is_whole(read.options.site)) row.emplace_back(double(read.components[c].index));
      for (double x : {double(group.items.size()), loss.before.value, loss.after.value,
                       loss.after.low, loss.after.high, loss.difference.value, loss.difference.low,
                       loss.difference.high, loss.effect.value})
        row.emplace_back(x);
      row.emplace_back(excluded_text(group));
    }
    return rows;
  });
  grid.notes = notes_of(read);
  explain_dashes(grid);
  return grid;
}

}  // namespace minpair::introspect
