#pragma once
// Means and shares of items, with intervals that take whole clusters as the unit.

#include <string>
#include <vector>

#include "introspect/introspect.h"

namespace minpair::introspect {

struct Summary {
  double value, low, high;
  double p;  // of the hypothesis that the mean is zero
};
// No interval where clusters are too few or all agree.
Summary mean_of(const std::vector<double>& values, const std::vector<uint64_t>& clusters);
Summary share_of(const std::vector<double>& points, const std::vector<uint64_t>& clusters);

// The first columns of a table of groups (intervals.h).
std::vector<report::GridColumn> group_columns(By by);
// Of columns that begin with the test and the condition.
void keep_groups(std::vector<report::GridColumn>& columns, By by);

// Which of them were asked, and what kept the others out.
template <class Readings>
std::vector<size_t> asked_of(const Readings& readings) {
  std::vector<size_t> asked;
  for (size_t i = 0; i < readings.size(); ++i)
    if (readings[i].excluded == Reason::none) asked.push_back(i);
  return asked;
}
template <class Readings>
std::vector<Reason> reasons_of(const Readings& readings) {
  std::vector<Reason> reasons;
  for (const auto& reading : readings) reasons.push_back(reading.excluded);
  return reasons;
}
Reasons counted(const std::vector<Reason>& reasons);
// "excluded: 3 too long for the model"
void add_reasons(std::vector<std::string>& notes, const std::vector<Reason>& reasons,
                 std::string_view about = "");

}  // namespace minpair::introspect
