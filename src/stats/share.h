#pragma once
// A share over clusters by the beta-binomial model: rather too careful than too sure. Student's t
// (stats.h, clustered_share) is nearer to the level where accuracies are neither high nor low, and
// far too sure where a model is nearly always right but fails on whole clusters:
// docs/statistics.md has the figures of both.

#include "stats/stats.h"

namespace minpair::stats {

// Between quantiles of what the model finds probable. Two clusters at least.
Interval beta_binomial_interval(const ClusterSums& data, double level = 0.95);

// The same as an estimate. Where clusters differ much in size, each end is the outer one of the
// model's and Student's. Wilson's where every item is its own cluster.
Estimate model_share(const ClusterSums& data, double level = 0.95);

}  // namespace minpair::stats
