#pragma once
// Counts of a run by any grouping: from the summary where that has it, else from every item.

#include "report/report.h"

namespace minpair::report {

// What became of the items of one group, under one normalisation.
struct GroupCounts {
  std::vector<std::string> keys;  // parallel to `by`
  uint64_t first_ordinal = UINT64_MAX;
  struct Part {
    uint64_t items = 0, correct = 0, ties = 0, unavailable = 0;
    double pairs_right = 0, pairs_tied = 0;
  };
  // By norm, then by reason ("" = scored) and equal lengths.
  std::map<size_t, std::map<std::pair<std::string, bool>, Part>> parts;
};

// `by` has no "condition" without its "test" here.
std::vector<GroupCounts> collect(store::Store& store, const store::RunRecord& run,
                                 const std::vector<std::string>& by, const ReportOptions& options);

bool in_summary(const std::string& name);  // test, condition, language

}  // namespace minpair::report
