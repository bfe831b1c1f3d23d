#pragma once
// Which items are not independent of each other. docs/statistics.md says why it matters.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/judged.h"
#include "stats/share.h"

namespace minpair::report {

// What items of one cluster have in common:
//   "suite"     what the suite states as their cluster; where it states none, as "lexical"
//   "template"  the feature "template"; where there is none, test and condition
//   "lexical"   the feature "lemma"; where there is none, the words at the locus
//   "item"      nothing: each is its own
//   or the name of a feature.
// Empty: the item is its own cluster.
std::string cluster_name(const suite::Item& item, const std::string& by);
std::string clusters_text(const SuiteItems& suite);  // "clusters: items with the same words ..."

// Throws where `by` is a feature that no item has.
void check_clusters(const SuiteItems& suite, const std::string& suite_name);

// Accuracies with their intervals. Many groups have clusters of the same sizes with as many right
// items (a test of one condition, lengths that do not differ, models that agree): those are judged
// once. The others are shared among threads; the numbers do not depend on that.
class Shares {
 public:
  explicit Shares(const Intervals& by) : by_(by) {}
  std::vector<stats::Estimate> of(const std::vector<stats::ClusterSums>& groups);

 private:
  Intervals by_;
  std::map<std::vector<std::pair<double, double>>, stats::Estimate> known_;
};
stats::Estimate mean_of(const stats::ClusterSums& sums, const Intervals& by);
stats::Estimate difference_of(const stats::PairedSums& sums, const Intervals& by);
// How they were made: of accuracies, and of other means.
std::string intervals_text(const Intervals& by);
std::string intervals_of_means_text(Intervals by);
// Why some have none, and what to do.
inline constexpr const char* kTooFewClusters =
    "–: fewer than 5 clusters carry no interval; --cluster lexical, template or item counts others";

}  // namespace minpair::report
