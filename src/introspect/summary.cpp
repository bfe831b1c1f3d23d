#include "introspect/summary.h"

#include <limits>

#include "introspect/intervals.h"

namespace minpair::introspect {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Summary mean_of(const std::vector<double>& values, const std::vector<uint64_t>& clusters) {
  if (values.empty()) return {kNone, kNone, kNone, kNone};
  const stats::Estimate mean = stats::clustered_difference(stats::sum_by_cluster(values, clusters));
  const stats::Interval interval = interval_of(mean);
  if (!(mean.standard_error > 0)) return {mean.value, kNone, kNone, kNone};
  return {mean.value, interval.low, interval.high,
          stats::student_two_sided_p(mean.value / mean.standard_error, double(mean.clusters - 1))};
}

Summary share_of(const std::vector<double>& points, const std::vector<uint64_t>& clusters) {
  if (points.empty()) return {kNone, kNone, kNone, kNone};
  const stats::Estimate share = stats::clustered_share(stats::sum_by_cluster(points, clusters));
  return {share.value, share.interval.low, share.interval.high, kNone};
}

std::vector<report::GridColumn> group_columns(By by) {
  using Kind = report::GridColumn::Kind;
  std::vector<report::GridColumn> columns;
  if (by != By::all) columns.push_back({"test", "test", Kind::text});
  if (by == By::condition) columns.push_back({"condition", "condition", Kind::text});
  return columns;
}

void keep_groups(std::vector<report::GridColumn>& columns, By by) {
  const ptrdiff_t kept = by == By::all ? 0 : by == By::test ? 1 : 2;
  columns.erase(columns.begin() + kept, columns.begin() + 2);
}

Reasons counted(const std::vector<Reason>& reasons) {
  Reasons all;
  for (Reason reason : reasons)
    if (reason != Reason::none) ++all[reason];
  return all;
}

void add_reasons(std::vector<std::string>& notes, const std::vector<Reason>& reasons,
                 std::string_view about) {
  for (std::string& line : reason_lines(counted(reasons), about)) notes.push_back(std::move(line));
}

}  // namespace minpair::introspect
