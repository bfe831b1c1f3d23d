#pragma once
// Counts of a run by any grouping: from the summary where that has it, else from every item.

#include "report/report.h"

namespace minpair::report {

// What became of the items of one group, under one view.
struct GroupCounts {
  std::vector<std::string> keys;  // parallel to `by`
  uint64_t first_ordinal = UINT64_MAX;
  // By view, then by reason and equal lengths.
  std::map<size_t, std::map<std::pair<judge::Reason, bool>, judge::Counts>> parts;
};

// `by` has no "condition" without its "test" here.
std::vector<GroupCounts> collect(store::Store& store, const store::RunRecord& run,
                                 const std::vector<std::string>& by, const ReportOptions& options);

// What each number is called where there are more of them than bins: bins have about as many items.
std::map<double, std::string> bins_of(const std::map<double, uint64_t>& items, size_t bins);

bool in_summary(const std::string& name);  // suite, test, condition, language

}  // namespace minpair::report
