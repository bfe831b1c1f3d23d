#pragma once
// Which items are not independent of each other. docs/statistics.md says why it matters.

#include <span>
#include <string>

#include "report/judged.h"
#include "stats/stats.h"

namespace minpair::report {

// What items of one cluster have in common:
//   "suite"     what the suite states as their cluster
//   "template"  the feature "template"; where there is none, test and condition
//   "lexical"   the feature "lemma"; where there is none, the words at the locus
//   "item"      nothing: each is its own
//   or the name of a feature.
// Empty: the item is its own cluster.
std::string cluster_name(const suite::Item& item, const std::string& by);
std::string clusters_text(const std::string& by);  // "clusters: items with the same words ..."

// Throws where `by` is a feature that no item has.
void check_clusters(const SuiteItems& suite, const std::string& suite_name);

// An accuracy with its interval.
struct Clustered {
  stats::Interval interval;
  uint64_t items = 0, clusters = 0;
};
// For the page, which has hundreds: bootstrapped (BCa) up to 2,000 clusters. Above that, and where
// every item is its own, Wilson's over items divided by the design effect differs no more.
Clustered page_interval(std::span<const double> values, std::span<const uint64_t> cluster);

}  // namespace minpair::report
