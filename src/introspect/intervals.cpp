#include "introspect/intervals.h"

#include <limits>
#include <map>

#include "judge/policy.h"

namespace minpair::introspect {

std::vector<tidy::Field> fields_with(std::vector<tidy::Field> more) {
  using tidy::Type;
  std::vector<tidy::Field> fields{{"suite", Type::text},   {"model", Type::text},
                                  {"test", Type::text},    {"condition", Type::text},
                                  {"item", Type::text},    {"cluster", Type::integer},
                                  {"excluded", Type::text}};
  for (tidy::Field& field : more) fields.push_back(std::move(field));
  return fields;
}

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

void add_groups(report::Grid& grid, const report::SuiteItems& items,
                const std::vector<size_t>& counted, By by, const RowsOf& rows_of) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> groups;
  for (size_t i : counted) {
    if (by == By::all) break;
    const suite::Item& item = items.items[i];
    groups[{item.test, by == By::test ? "" : item.condition}].push_back(i);
  }
  auto add = [&](const std::string& test, const std::string& condition,
                 const std::vector<size_t>& group) {
    for (std::vector<report::GridValue>& values : rows_of(group)) {
      std::vector<report::GridValue> row;
      if (by != By::all) row.push_back(test);
      if (by == By::condition) row.push_back(condition);
      for (report::GridValue& value : values) row.push_back(std::move(value));
      grid.rows.push_back(std::move(row));
    }
  };
  for (const auto& [name, group] : groups) add(name.first, name.second, group);
  if (groups.size() != 1 && !counted.empty()) add("all", "", counted);
}

}  // namespace minpair::introspect
