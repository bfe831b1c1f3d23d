// The intervals of a table's cells over clusters, as `--stats` has them.

#include "report/table_intervals.h"

#include <algorithm>

#include "report/collect.h"

namespace minpair::report {
namespace {

std::string key_of(const suite::Item& item, const store::RunRecord& run, const std::string& name) {
  if (name == "suite") return run.suite.name;
  return name == "test" ? item.test : name == "condition" ? item.condition : item.language;
}

struct Values {
  std::vector<double> points;
  std::vector<uint64_t> cluster;
  void add(double value, uint64_t of) {
    points.push_back(value);
    cluster.push_back(of);
  }
  stats::ClusterSums sums() const { return stats::sum_by_cluster(points, cluster); }
};

}  // namespace

bool ClusteredCells::can(const std::vector<std::string>& by, const ReportOptions& options) {
  return !options.aggregate_seeds && std::all_of(by.begin(), by.end(), in_summary);
}

void ClusteredCells::put(store::Store& store, const store::RunRecord& run, const Look& look,
                         const std::vector<std::string>& by,
                         std::map<std::vector<std::string>, Cell>& cells, Cell& total) {
  const std::vector<Judged> judged = judged_items(store, run, look, suite_);
  check_clusters(suite_, run.suite.name);
  std::map<std::vector<std::string>, Values> groups;
  Values all;
  for (const Judged& j : judged) {
    const suite::Item& item = suite_.items[j.item];
    if (!j.counts() || !wanted(item, options_)) continue;
    std::vector<std::string> keys;
    for (const std::string& name : by) keys.push_back(key_of(item, run, name));
    groups[keys].add(j.points, suite_.cluster[j.item]);
    all.add(j.points, suite_.cluster[j.item]);
  }
  std::vector<stats::ClusterSums> sums{all.sums()};
  std::vector<Cell*> to{&total};
  for (const auto& [keys, values] : groups)
    if (auto cell = cells.find(keys); cell != cells.end()) {
      sums.push_back(values.sums());
      to.push_back(&cell->second);
    }
  const std::vector<stats::Estimate> estimates = shares_.of(sums);
  for (size_t i = 0; i < to.size(); ++i) to[i]->interval = estimates[i].interval;
}

}  // namespace minpair::report
