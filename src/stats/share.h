#pragma once
// A share over clusters, and a difference of two shares, with intervals that are calibrated:
// Student's t has the right coverage where accuracies are neither high nor low, and is far too sure
// where a model is nearly always right but fails on whole clusters. So how t is distributed is not
// taken from Student's table but simulated, for every value that might be the true one.
// docs/statistics.md has the figures. Seeded: the same data give the same digits.

#include "stats/stats.h"

namespace minpair::stats {

// All accuracies that the simulation does not reject. No interval below kFewestClusters; Wilson's
// where every item is its own cluster; Student's where very many clusters have both right and wrong
// items, and where items have other values than right, wrong and a tie.
Estimate calibrated_share(const ClusterSums& data, double level = 0.95);

// How probable a share at least as far from `accuracy` is if that is the true one.
double share_p_value(const ClusterSums& data, double accuracy);

// Two models on the same items: how many only the first gets right, and only the second, by
// cluster. A tie is half of either.
struct PairedSums {
  std::vector<double> first, second, count;
  ClusterSums differences() const;
};
PairedSums sum_pairs_by_cluster(std::span<const double> first, std::span<const double> second,
                                std::span<const uint64_t> cluster);

// All differences (first minus second) that the simulation does not reject. Student's where the two
// differ in very many clusters, and where items have shares of their own.
Estimate calibrated_difference(const PairedSums& data, double level = 0.95);
// By the same test.
double difference_p_value(const PairedSums& data, double difference);

}  // namespace minpair::stats
