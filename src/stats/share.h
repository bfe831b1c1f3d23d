#pragma once
// A share over clusters with an interval that is calibrated: Student's t has the right coverage
// where accuracies are neither high nor low, and is far too sure where a model is nearly always
// right but fails on whole clusters. So how t is distributed is not taken from Student's table but
// simulated, for every accuracy that might be the true one. docs/statistics.md has the figures.

#include "stats/stats.h"

namespace minpair::stats {

// All accuracies that the simulation does not reject. No interval below kFewestClusters; Wilson's
// where every item is its own cluster; Student's where very many clusters have both right and wrong
// items, and where items have other values than right, wrong and a tie. Seeded: the same data give
// the same digits.
Estimate calibrated_share(const ClusterSums& data, double level = 0.95);

// How probable a share at least as far from `accuracy` is if that is the true one.
double share_p_value(const ClusterSums& data, double accuracy);

}  // namespace minpair::stats
