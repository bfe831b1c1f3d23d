#pragma once
// The statistics of minimal pairs. Seeded, and the same digits on every run and any number of
// threads.
//
// A result is a number per item: 1 right, 0 wrong, 1/2 a tie. Items made from one template or with
// the same words are not independent, so intervals and tests take the cluster of every item and
// treat whole clusters as the unit.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::stats {

// --- Distributions
// -----------------------------------------------------------------------------------------------

double normal_cdf(double z);
double normal_quantile(double p);                      // 0 < p < 1
double incomplete_beta(double a, double b, double x);  // regularised I_x(a, b)
double beta_quantile(double p, double a, double b);
double student_two_sided_p(double t, double degrees_of_freedom);
double student_quantile(double p, double degrees_of_freedom);  // 0 < p < 1
double binomial_cdf(uint64_t k, uint64_t n, double p);
// Of a likelihood ratio this large or larger, by chance: the upper tail of chi square.
double chi_square_p(double x, uint64_t degrees_of_freedom);
// The chance that two picks of these sizes from a set share exactly so many of its elements.
double hypergeometric_density(uint64_t shared, uint64_t first, uint64_t second, uint64_t set);

// --- Intervals of a proportion
// ------------------------------------------------------------------------------------

struct Interval {
  double low = 0, high = 1;
};

// Wilson's score interval. `correct` may be fractional (ties are worth one half). n = 0 gives [0,
// 1].
Interval wilson(double correct, double n, double level = 0.95);
Interval score_interval(double share, double n, double z);  // the same with any quantile
// Clopper and Pearson's exact interval; a fractional count is widened to the whole numbers around
// it.
Interval exact_interval(double correct, double n, double level = 0.95);

// --- Clusters
// -------------------------------------------------------------------------------------------

// Values summed by cluster: all the bootstrap of a mean ever needs.
struct ClusterSums {
  std::vector<double> sum;
  std::vector<double> count;
  double total() const;
  double items() const;
  double mean() const;  // of all items; 0 when there are none
};

// `cluster` holds any ids; equal ids are one cluster. Empty `cluster`: every item is its own.
ClusterSums sum_by_cluster(std::span<const double> values, std::span<const uint64_t> cluster);

// The mean without each cluster.
std::vector<double> leave_one_out(const ClusterSums& data);

// Fewer clusters carry no interval: whatever is done with them, it misses the truth far too often.
inline constexpr uint64_t kFewestClusters = 5;

// How an interval was made.
enum class Method { none, likelihood, wilson, student, bootstrap };
std::string_view name_of(Method method);  // "profile likelihood"; "" for none

struct Estimate {
  double value = 0;
  Interval interval;          // NaN below kFewestClusters, unless items are independent
  double standard_error = 0;  // the jackknife's, over clusters; NaN below kFewestClusters
  uint64_t clusters = 0;
  Method method = Method::none;
};
// A share, with Student's t on the logit scale (R's survey: svyciprop's "xlogit"). Wilson's where
// every item is its own cluster; and over clusters where all items agree.
Estimate clustered_share(const ClusterSums& data, double level = 0.95);
// A mean, with Student's t. No interval where all clusters agree.
Estimate clustered_mean(const ClusterSums& data, double level = 0.95);
// The same of a difference of shares, which is never beyond 1.
Estimate clustered_difference(const ClusterSums& data, double level = 0.95);
struct Bootstrap {
  double observed = 0;
  Interval percentile;  // NaN below kFewestClusters
  Interval bca;         // bias-corrected and accelerated; equals `percentile` where it is undefined
  double standard_error = 0;
  uint64_t replicates = 0, clusters = 0;
};

struct BootstrapOptions {
  uint64_t replicates = 10000;
  uint64_t seed = 1;
  double level = 0.95;
  int threads = 0;  // 0: all; the result does not depend on it
};

// The mean over items, whole clusters resampled with replacement.
Bootstrap bootstrap_mean(const ClusterSums& data, const BootstrapOptions& options = {});

// The pieces, for other statistics. `replicates` need not be sorted; `jackknife` is the statistic
// without each cluster.
Interval percentile_interval(std::vector<double> replicates, double level);
Interval bca_interval(std::vector<double> replicates, double observed,
                      std::span<const double> jackknife, double level);

// --- Two models (or methods) on the same items
// -------------------------------------------------------------------

struct PairedCounts {
  uint64_t both_right = 0, only_first = 0, only_second = 0, both_wrong = 0;
  uint64_t with_ties = 0;  // items on which either has a tie; not part of the four counts above
};
PairedCounts count_pairs(std::span<const double> first, std::span<const double> second);

// McNemar's exact test: two-sided, on the discordant items.
double mcnemar_exact(uint64_t only_first, uint64_t only_second);

// Two-sided sign-flipping test of mean difference zero: every cluster's differences change sign
// together. All 2^k sign vectors when there are at most 2^16, else `permutations` random ones (the
// observed one counted in).
double clustered_permutation(const ClusterSums& differences, uint64_t permutations = 10000,
                             uint64_t seed = 1);

// The p-values, adjusted for looking at all of them. Same order as given.
std::vector<double> holm(std::span<const double> p);
std::vector<double> benjamini_hochberg(std::span<const double> p);

// The smallest p that this test can give, with so many clusters: 2 / 2^clusters.
double smallest_p(uint64_t clusters);

// How many times more items one needs because of clustering: variance of the clustered mean over
// the plain one.
double design_effect(const ClusterSums& data);

// --- What makes items hard
// ------------------------------------------------------------------------------------------

struct Coefficient {
  std::string name;
  double estimate = 0, standard_error = 0, z = 0, p = 1;
};

struct Logistic {
  std::vector<Coefficient> coefficients;
  uint64_t items = 0, clusters = 0, iterations = 0;
  bool converged = false;
  bool penalised = false;  // a condition is all right or all wrong (separation): see below
};

// P(right) = logistic(x·b) by Newton's method; standard errors are the sandwich over clusters with
// the factor G/(G-1) (R: sandwich::vcovCL's default for a glm). `rows` is items × names,
// row-major; add a column of ones for the intercept. Outcomes may be 0, 1/2 or 1. Under separation
// there is no finite maximum: then Firth's penalised estimate, whose standard errors do not know
// clusters. Not converged: the columns are dependent.
Logistic logistic_regression(std::span<const double> outcome, std::span<const double> rows,
                             const std::vector<std::string>& names,
                             std::span<const uint64_t> cluster);

// --- Correlation and agreement
// -------------------------------------------------------------------------------------

struct Correlation {
  double r = 0;
  Interval interval{-1, 1};
  double p = 1;
  uint64_t n = 0;
};
// Pearson's r, Fisher's interval, the t test.
Correlation pearson(std::span<const double> x, std::span<const double> y, double level = 0.95);
// Spearman's rho over mid-ranks, Fisher's interval with Bonett and Wright's variance; p by all
// orders of up to eight items, else by the t approximation.
Correlation spearman(std::span<const double> x, std::span<const double> y, double level = 0.95);
std::vector<double> mid_ranks(std::span<const double> x);

struct Agreement {
  uint64_t items = 0;
  double share = 0;  // judged alike
  double kappa = 0;  // Cohen's; NaN when both always say the same
};
Agreement agreement(std::span<const double> first, std::span<const double> second);

double mean(std::span<const double> x);
double standard_deviation(std::span<const double> x);  // n-1; 0 for fewer than two

}  // namespace minpair::stats
