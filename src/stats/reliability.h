#pragma once
// How far people agree with each other, and models with people.
//
//   double alpha = krippendorff_alpha({{1, 1, 0}, {1, 1}, {0, 1, 0}});   // a list for every item
//   double ceiling = others_agree({{1, 1, 0}, {1, 1}, {0, 1, 0}});

#include <cstdint>
#include <span>
#include <vector>

#include "stats/stats.h"

namespace minpair::stats {

// Krippendorff's alpha with squared differences: for ratings the interval one, for answers 0 and 1
// the nominal one. Items may have any number of answers; those with fewer than two do not count.
// NaN where all answers are the same.
double krippendorff_alpha(const std::vector<std::vector<double>>& units);

// How well one answer follows from the others of the same item, mean over all answers: choices (0
// or 1), the share that agrees with the majority of the others, a tie worth one half.
double others_agree(const std::vector<std::vector<double>>& units);
// For ratings: Pearson's r of each with the mean of the others.
double others_predict(const std::vector<std::vector<double>>& units);

// Pearson's r; the interval is Student's over whole clusters (jackknife, on the scale of atanh).
// NaN below kFewestClusters.
Correlation clustered_pearson(std::span<const double> x, std::span<const double> y,
                              std::span<const uint64_t> cluster, double level = 0.95);
// The same over mid-ranks, which are those of all items.
Correlation clustered_spearman(std::span<const double> x, std::span<const double> y,
                               std::span<const uint64_t> cluster, double level = 0.95);

}  // namespace minpair::stats
