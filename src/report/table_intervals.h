#pragma once
// The intervals of a table's cells over clusters, as `--stats` has them: for tables that go to
// print.

#include "report/clusters.h"

namespace minpair::report {

class ClusteredCells {
 public:
  explicit ClusteredCells(const ReportOptions& options)
      : options_(options), suite_(options.cluster), shares_(options.intervals) {}

  // Rows by features that are binned, by criteria, and means over seeds have Wilson's.
  static bool can(const std::vector<std::string>& by, const ReportOptions& options);

  // NaN where there are fewer than five clusters.
  void put(store::Store& store, const store::RunRecord& run, const Look& look,
           const std::vector<std::string>& by, std::map<std::vector<std::string>, Cell>& cells,
           Cell& total);
  std::string clusters() const { return clusters_text(suite_); }

 private:
  const ReportOptions& options_;
  SuiteItems suite_;
  Shares shares_;
};

}  // namespace minpair::report
