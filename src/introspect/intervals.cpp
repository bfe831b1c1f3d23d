#include "introspect/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "judge/policy.h"

namespace minpair::introspect {

double points_of(double margin) {
  judge::Verdict verdict;
  verdict.margin = margin;
  verdict.outcome = margin > 0   ? judge::Outcome::right
                    : margin < 0 ? judge::Outcome::wrong
                                 : judge::Outcome::tie;
  return judge::points(verdict, {});
}

stats::Interval interval_of(const stats::Estimate& mean) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(mean.standard_error > 0)) return {kNone, kNone};
  double half = stats::student_quantile(0.975, double(mean.clusters - 1)) * mean.standard_error;
  return {mean.value - half, mean.value + half};
}

report::GridColumn excluded_column() {
  return {.key = "excluded",
          .title = "excluded",
          .kind = report::GridColumn::Kind::text,
          .shown = false};
}

std::string excluded_text(const ItemGroup& group, const Reasons& more) {
  Reasons all = group.excluded;
  for (const auto& [reason, count] : more) all[reason] += count;
  return reasons_text(all);
}

void add_groups(report::Grid& grid, const report::SuiteItems& items,
                const std::vector<Reason>& excluded, By by, const RowsOf& rows_of) {
  grid.columns.push_back(excluded_column());
  std::map<std::pair<std::string, std::string>, ItemGroup> groups;
  ItemGroup all;
  for (size_t i = 0; i < excluded.size(); ++i) {
    const suite::Item& item = items.items[i];
    for (ItemGroup* group :
         {&all,
          &groups[{by == By::all ? "" : item.test, by == By::condition ? item.condition : ""}]}) {
      if (excluded[i] == Reason::none)
        group->items.push_back(i);
      else
        ++group->excluded[excluded[i]];
    }
  }
  auto add = [&](const std::string& test, const std::string& condition, const ItemGroup& group) {
    std::vector<report::GridValue> names;
    if (by != By::all) names.emplace_back(test);
    if (by == By::condition) names.emplace_back(condition);
    if (group.items.empty()) {
      std::vector<report::GridValue>& row = grid.rows.emplace_back(names);
      row.resize(grid.columns.size());
      for (size_t c = names.size(); c < row.size(); ++c)
        if (grid.columns[c].key == "items") row[c] = 0.0;
      row.back() = excluded_text(group);
      return;
    }
    for (const std::vector<report::GridValue>& values : rows_of(group)) {
      std::vector<report::GridValue>& row = grid.rows.emplace_back(names);
      row.insert(row.end(), values.begin(), values.end());
    }
  };
  for (const auto& [name, group] : groups) add(name.first, name.second, group);
  if (groups.size() > 1) add("all", "", all);
}

void explain_dashes(report::Grid& grid) {
  bool any = false;
  for (const auto& row : grid.rows)
    for (size_t c = 0; c < row.size(); ++c)
      if (const auto* low = std::get_if<double>(&row[c]);
          low && grid.columns[c].key.ends_with("_low"))
        any |= std::isnan(*low);
  const auto at = std::ranges::find_if(grid.notes, [](const std::string& note) {
    return note.find("95 % intervals") != std::string::npos;
  });
  if (any && at != grid.notes.end())
    grid.notes.insert(at + 1,
                      "–: fewer than 5 clusters, or items that are all alike, carry no interval");
}

}  // namespace minpair::introspect
