#pragma once
// Intervals of a share and of a difference of two shares by profile likelihood over clusters.
//
// The items of a cluster are right together or wrong together more often than by chance. So the
// number of right items of a cluster is beta-binomial: every cluster has a share of its own. Of two
// models on the same items, the numbers of items that only the first, only the second, and both or
// neither get right are Dirichlet-multinomial in the same way. The interval holds all values whose
// likelihood, at the correlation that fits them best, is less than 1.92 units of log-likelihood
// below that of the observed value. docs/statistics.md says how well this covers.

#include "stats/stats.h"

namespace minpair::stats {

// No interval below kFewestClusters. Wilson's where every item is its own cluster.
Estimate likelihood_share(const ClusterSums& data, double level = 0.95);

// Two models on the same items: how many only the first gets right, and only the second, by
// cluster. A tie is half of either.
struct PairedSums {
  std::vector<double> first, second, count;
  ClusterSums differences() const;
  uint64_t differing() const;  // clusters in which the two differ
};
PairedSums sum_pairs_by_cluster(std::span<const double> first, std::span<const double> second,
                                std::span<const uint64_t> cluster);

// First minus second. `p` is of the sign-flipping test of no difference, and zero is in the
// interval if and only if that test does not reject it.
struct Difference : Estimate {
  double p = 1;
};
Difference likelihood_difference(const PairedSums& data, double level = 0.95,
                                 uint64_t permutations = 10000, uint64_t seed = 1);

// Fewer than six differing clusters cannot reach p < 0.05 whatever their signs are, and six or
// seven say too little about how much clusters vary.
inline constexpr uint64_t kFewestDiffering = 8;

// The smallest difference that the sign-flipping test finds with this power, in suites of these
// clusters whose shares and correlation are those of the data. NaN below kFewestDiffering.
double detectable_difference(const PairedSums& data, double alpha = 0.05, double power = 0.8);

// How often the sign-flipping test finds a difference in clusters of these sizes, of whose items
// the share `differing` is judged differently, in suites drawn at random.
struct PairedModel {
  std::vector<double> sizes;
  double differing = 0.1, correlation = 0.1;  // and how alike two items of a cluster are in that
  double same_side = 0.1;  // how alike two differing items of a cluster are in who is right
};
double power_of_sign_flips(const PairedModel& model, double difference, double alpha = 0.05,
                           uint64_t seed = 1);
double detectable_difference(const PairedModel& model, double alpha = 0.05, double power = 0.8);

}  // namespace minpair::stats
