// Every number against R: tests/golden/stats/stats.json is made by tools/golden/stats.R.
#include "stats/stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "support.h"

namespace minpair::stats {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<double>;

// Calls `check` for every golden case of that name, and fails when there is none.
template <class Check>
void each(const std::string& what, Check check) {
  static const Json all =
      Json::parse(read_file(testing::source_dir() / "tests/golden/stats/stats.json"));
  int seen = 0;
  for (const Json& c : all)
    if (c["what"] == what) {
      SCOPED_TRACE(c.dump().substr(0, 200));
      check(c);
      ++seen;
    }
  EXPECT_GT(seen, 0) << what;
}

void expect_close(double actual, double expected, double relative = 1e-10) {
  EXPECT_NEAR(actual, expected, relative * std::max(1e-300, std::abs(expected)) + 1e-14);
}

void expect_interval(Interval actual, const Json& expected, double relative = 1e-9) {
  expect_close(actual.low, expected[0], relative);
  expect_close(actual.high, expected[1], relative);
}

std::vector<uint64_t> ids(const Json& j) { return j.get<std::vector<uint64_t>>(); }

}  // namespace

TEST(AgainstR, Proportions) {
  each("proportion", [](const Json& c) {
    expect_interval(wilson(c["k"], c["n"], c["level"]), c["wilson"]);
    expect_interval(exact_interval(c["k"], c["n"], c["level"]), c["exact"]);
  });
}

TEST(AgainstR, Distributions) {
  each("quantile", [](const Json& c) { expect_close(normal_quantile(c["p"]), c["z"], 1e-12); });
  each("beta", [](const Json& c) {
    expect_close(incomplete_beta(c["a"], c["b"], c["x"]), c["value"], 1e-11);
  });
}

TEST(AgainstR, McNemar) {
  each("mcnemar", [](const Json& c) { expect_close(mcnemar_exact(c["b"], c["c"]), c["p"]); });
}

TEST(AgainstR, Corrections) {
  each("adjust", [](const Json& c) {
    Numbers p = c["p"], h = holm(p), b = benjamini_hochberg(p);
    for (size_t i = 0; i < p.size(); ++i) {
      expect_close(h[i], c["holm"][i]);
      expect_close(b[i], c["bh"][i]);
    }
  });
}

TEST(AgainstR, Correlations) {
  auto check = [](const Json& c, const Correlation& got) {
    expect_close(got.r, c["r"]);
    expect_interval(got.interval, c["interval"]);
    expect_close(got.p, c["p"], 1e-8);
  };
  each("pearson",
       [&](const Json& c) { check(c, pearson(c["x"].get<Numbers>(), c["y"].get<Numbers>())); });
  each("spearman",
       [&](const Json& c) { check(c, spearman(c["x"].get<Numbers>(), c["y"].get<Numbers>())); });
}

TEST(AgainstR, LogisticRegressionWithClusteredErrors) {
  each("logistic", [](const Json& c) {
    Logistic fit =
        logistic_regression(c["outcome"].get<Numbers>(), c["rows"].get<Numbers>(),
                            {"(intercept)", "subject", "distractor", "match"}, ids(c["cluster"]));
    ASSERT_TRUE(fit.converged);
    EXPECT_EQ(fit.clusters, 24u);
    for (size_t j = 0; j < 4; ++j) {
      expect_close(fit.coefficients[j].estimate, c["estimate"][j], 1e-8);
      expect_close(fit.coefficients[j].standard_error, c["standard_error"][j], 1e-6);
      expect_close(fit.coefficients[j].p, c["p"][j], 1e-5);
    }
  });
}

TEST(AgainstR, BootstrapIntervals) {
  each("bootstrap", [](const Json& c) {
    Numbers replicates = c["replicates"], jackknife = c["jackknife"];
    expect_interval(percentile_interval(replicates, 0.95), c["percentile"]);
    // R counts a replicate that equals the observed value as above it, we half of those.
    double observed = std::nextafter(double(c["observed"]), -1.0);
    expect_interval(bca_interval(replicates, observed, jackknife, 0.95), c["bca"]);
  });
  each("bootstrap_error", [](const Json& c) {
    ClusterSums data{c["sums"], c["counts"]};
    // Two Monte-Carlo estimates of one number: 200,000 replicates each.
    expect_close(bootstrap_mean(data, {200000, 3}).standard_error, c["standard_error"], 0.01);
  });
}

TEST(AgainstR, Permutation) {
  each("permutation", [](const Json& c) {
    Numbers d = c["d"];
    expect_close(clustered_permutation(sum_by_cluster(d, {})), c["p"]);
  });
}

TEST(AgainstR, Kappa) {
  each("kappa", [](const Json& c) {
    Agreement a = agreement(c["a"].get<Numbers>(), c["b"].get<Numbers>());
    expect_close(a.share, c["share"]);
    expect_close(a.kappa, c["kappa"]);
  });
}

// Published p-values must come out again: which signs a seed draws is pinned.
TEST(Permutation, ASeedDrawsTheSameSigns) {
  ClusterSums d;
  for (int i = 0; i < 70; ++i) d.sum.push_back(i % 3 == 0 ? -2 : 1 + i % 2);
  d.count.assign(70, 4);
  EXPECT_EQ(clustered_permutation(d, 999, 7), 0.17);
  EXPECT_EQ(clustered_permutation(d, 999, 8), 0.173);
  // All draws, and what was seen, are as far out as no difference at all.
  for (int i = 0; i < 70; ++i) d.sum[size_t(i)] = i % 2 == 0 ? 1 : -1;
  EXPECT_EQ(clustered_permutation(d, 999), 1);
}

TEST(Distributions, ABetaNeedsTwoShapes) {
  for (auto [a, b] : {std::pair{0.0, 1.0}, {1.0, 0.0}})
    for (double x : {0.0, 0.5, 1.0}) EXPECT_TRUE(std::isnan(incomplete_beta(a, b, x)));
}

TEST(Permutation, SmallestPossible) {
  ClusterSums d{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(clustered_permutation(d), 2.0 / 64);
  EXPECT_EQ(mcnemar_exact(0, 0), 1);
  EXPECT_EQ(binomial_cdf(3, 3, 0.5), 1);
}

// Where a distribution ends there are no exceptions.
TEST(Distributions, EndAtInfinityAndInNaN) {
  EXPECT_EQ(normal_quantile(0), -HUGE_VAL);
  EXPECT_EQ(normal_quantile(1), HUGE_VAL);
  EXPECT_TRUE(std::isnan(normal_quantile(1.5)));
  EXPECT_TRUE(std::isnan(normal_quantile(std::nan(""))));
  EXPECT_EQ(normal_cdf(-HUGE_VAL), 0);
  EXPECT_EQ(student_two_sided_p(HUGE_VAL, 3), 0);
  EXPECT_TRUE(std::isnan(student_quantile(0.975, 0)));
  EXPECT_EQ(chi_square_p(HUGE_VAL, 2), 0);
  EXPECT_EQ(beta_quantile(0, 2, 3), 0);
  EXPECT_EQ(beta_quantile(1, 2, 3), 1);
  EXPECT_EQ(hypergeometric_density(4, 3, 3, 10), 0);
}

TEST(Distributions, NoDegreesOfFreedomNoP) {
  EXPECT_TRUE(std::isnan(student_two_sided_p(std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(student_two_sided_p(1, 0)));
}

TEST(Clustered, DesignEffects) {
  expect_close(design_effect({{1, 2, 3, 4, 5}, {10, 10, 10, 10, 10}}), 0.005 / 0.0042);
  expect_close(design_effect({{1, 3}, {4, 4}}), 2);
}

TEST(Clustered, DifferencesStayBetweenMinusOneAndOne) {
  EXPECT_EQ(clustered_difference({{-1, -1, -1, -1, 0}, {1, 1, 1, 1, 1}}).interval.low, -1);
  EXPECT_EQ(clustered_difference({{1, 1, 1, 1, 0}, {1, 1, 1, 1, 1}}).interval.high, 1);
  // Surprisals are no shares.
  Estimate bits = clustered_mean({{10, 20, 30, 40, 50}, {1, 1, 1, 1, 1}});
  expect_close(bits.interval.low, 30 - 2.7764451051977987 * std::sqrt(250.0 / 5));
  expect_close(bits.interval.high, 30 + 2.7764451051977987 * std::sqrt(250.0 / 5));
}

TEST(Agreement, TiesAreACategory) {
  // 6 of 8 alike; by chance (4 · 3 + 2 · 2 + 2 · 3) / 64.
  Agreement a = agreement(Numbers{1, 1, 1, 0.5, 0, 0.5, 1, 0}, Numbers{1, 0.5, 1, 0.5, 0, 0, 1, 0});
  expect_close(a.share, 0.75);
  expect_close(a.kappa, 13.0 / 21);
}

TEST(Correlation, RanksOfEqualsAreTheirMean) {
  EXPECT_EQ(mid_ranks(Numbers{3, 1, 3, 7}), (Numbers{2.5, 1, 2.5, 4}));
  EXPECT_EQ(pearson(Numbers{1, 2, 3, 4}, Numbers{2, 4, 6, 8}).p, 0);
  EXPECT_EQ(pearson(Numbers{1, 2, 3, 4}, Numbers{8, 6, 4, 2}).r, -1);
}

TEST(Correlation, OfThreeMayBeAnything) {
  const Correlation three = pearson(Numbers{1, 2, 4}, Numbers{2, 4, 8});
  EXPECT_EQ(three.interval.low, -1);
  EXPECT_EQ(three.interval.high, 1);
  EXPECT_EQ(three.p, 0);
  EXPECT_EQ(pearson(Numbers{1, 2}, Numbers{1, 3}).p, 1);
}

TEST(Bootstrap, SameOnAnyNumberOfThreads) {
  Numbers values;
  std::vector<uint64_t> cluster;
  for (uint64_t i = 0; i < 3000; ++i) {
    values.push_back(i * i % 7 < 2 ? 1 : 0);
    cluster.push_back(i / 11);
  }
  ClusterSums data = sum_by_cluster(values, cluster);
  EXPECT_EQ(data.sum.size(), 273u);
  // Enough of them that threads are started.
  Bootstrap one = bootstrap_mean(data, {20000, 9, 0.95, 1}),
            four = bootstrap_mean(data, {20000, 9, 0.95, 4});
  EXPECT_EQ(one.bca.low, four.bca.low);
  EXPECT_EQ(one.percentile.high, four.percentile.high);
  EXPECT_NE(bootstrap_mean(data, {20000, 10}).standard_error, one.standard_error);
}

// Of many independent items: the normal interval around the mean.
TEST(Bootstrap, IntervalsAreAroundTheMean) {
  Numbers values;
  for (size_t i = 0; i < 2000; ++i) values.push_back(i % 10 < 7 ? 1 : 0);
  const Bootstrap b = bootstrap_mean(sum_by_cluster(values, {}));
  const double error = std::sqrt(0.7 * 0.3 / 2000);
  EXPECT_NEAR(b.standard_error, error, 0.05 * error);
  for (const Interval& interval : {b.percentile, b.bca}) {
    EXPECT_NEAR(interval.low, 0.7 - 1.96 * error, 0.15 * error);
    EXPECT_NEAR(interval.high, 0.7 + 1.96 * error, 0.15 * error);
  }
}

// Published intervals must come out again: which clusters a seed draws is pinned.
TEST(Bootstrap, ASeedDrawsTheSameClusters) {
  const Bootstrap b =
      bootstrap_mean({{3, 1, 4, 1, 5, 9, 2}, {10, 10, 12, 9, 10, 11, 10}}, {999, 7});
  EXPECT_NEAR(b.standard_error, 0.0940485586736, 1e-11);
  EXPECT_NEAR(b.percentile.low, 0.185714285714, 1e-11);
  EXPECT_NEAR(b.percentile.high, 0.565789473684, 1e-11);
  EXPECT_NEAR(b.bca.low, 0.205570128347, 1e-11);
  EXPECT_NEAR(b.bca.high, 0.581081081081, 1e-11);
}

TEST(Bootstrap, ClusteringWidensTheInterval) {
  Numbers values(1000);
  std::vector<uint64_t> cluster(1000);
  for (size_t i = 0; i < values.size(); ++i) {
    cluster[i] = i / 50;
    values[i] = cluster[i] % 3 == 0;  // whole clusters are right or wrong
  }
  Bootstrap apart = bootstrap_mean(sum_by_cluster(values, {})),
            together = bootstrap_mean(sum_by_cluster(values, cluster));
  EXPECT_GT(together.standard_error, 5 * apart.standard_error);
  EXPECT_NEAR(design_effect(sum_by_cluster(values, cluster)), 50, 5);
}

TEST(Paired, TiesAreKeptApart) {
  PairedCounts c = count_pairs(Numbers{1, 1, 0, 0.5, 0}, Numbers{1, 0, 1, 1, 0});
  EXPECT_EQ(c.both_right, 1u);
  EXPECT_EQ(c.only_first, 1u);
  EXPECT_EQ(c.only_second, 1u);
  EXPECT_EQ(c.both_wrong, 1u);
  EXPECT_EQ(c.with_ties, 1u);
}

// In a saturated design Firth's penalty adds one half to every cell: 3.5 right and 0.5 wrong.
TEST(Logistic, SeparationGetsFirthsPenalty) {
  Numbers outcome{1, 1, 1, 0, 0, 0}, rows{1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0};
  Logistic fit = logistic_regression(outcome, rows, {"(intercept)", "x"}, {});
  ASSERT_TRUE(fit.converged);
  EXPECT_TRUE(fit.penalised);
  expect_close(fit.coefficients[0].estimate, -std::log(7), 1e-8);
  expect_close(fit.coefficients[1].estimate, 2 * std::log(7), 1e-8);
  double cell = 3 * 0.125 * 0.875;  // the information of one of the two conditions
  expect_close(fit.coefficients[1].standard_error, std::sqrt(2 / cell), 1e-8);
  outcome[5] = 1;
  EXPECT_TRUE(logistic_regression(outcome, rows, {"(intercept)", "x"}, {}).penalised);
  outcome[0] = 0;
  EXPECT_FALSE(logistic_regression(outcome, rows, {"(intercept)", "x"}, {}).penalised);
}

TEST(Logistic, LengthsMustAgree) {
  const std::vector<double> outcome{1, 0, 1, 0, 1}, rows(10, 1), short_rows(9, 1);
  const std::vector<std::string> names{"(intercept)", "x"};
  const std::vector<uint64_t> cluster{1, 1, 2, 2};
  EXPECT_THROW(logistic_regression(outcome, short_rows, names, {}), Error);
  EXPECT_THROW(logistic_regression(outcome, rows, names, cluster), Error);
}

// One half is added to every cell, however many items it has.
TEST(Logistic, FirthsPenaltyOfUnequalCells) {
  Numbers outcome{1, 1, 1, 1, 0, 0, 0}, rows{1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0};
  Logistic fit = logistic_regression(outcome, rows, {"(intercept)", "x"}, {});
  EXPECT_TRUE(fit.penalised);
  expect_close(fit.coefficients[0].estimate, std::log(1.5 / 3.5), 1e-8);
  expect_close(fit.coefficients[1].estimate, std::log(7) - std::log(1.5 / 3.5), 1e-8);
}

// One cell of four is all right: three coefficients run away together.
TEST(Logistic, SeparationInSeveralCoefficientsGetsFirthsPenalty) {
  const size_t right[] = {415, 237, 446, 480}, all = 480;
  std::vector<double> outcome, rows;
  for (size_t cell = 0; cell < 4; ++cell)
    for (size_t i = 0; i < all; ++i) {
      outcome.push_back(i < right[cell]);
      const double a = cell >= 2, b = cell % 2;
      rows.insert(rows.end(), {1, a, b, a * b});
    }
  const Logistic fit = logistic_regression(outcome, rows, {"(intercept)", "a", "b", "a:b"}, {});
  EXPECT_TRUE(fit.penalised);
  auto logit = [&](size_t cell) {
    return std::log((double(right[cell]) + 0.5) / (double(all - right[cell]) + 0.5));
  };
  expect_close(fit.coefficients[1].estimate, logit(2) - logit(0), 1e-8);
  expect_close(fit.coefficients[3].estimate, logit(3) - logit(2) - logit(1) + logit(0), 1e-8);
  EXPECT_LT(fit.coefficients[3].standard_error, 2);
}

TEST(Logistic, DependentColumnsHaveNoEstimate) {
  Numbers outcome{1, 0, 1, 0, 1, 1}, rows(12, 1.0);
  EXPECT_FALSE(logistic_regression(outcome, rows, {"(intercept)", "again"}, {}).converged);
}

TEST(Clustered, StudentsQuantiles) {
  expect_close(student_quantile(0.975, 1), 12.706204736432095);  // R: qt
  expect_close(student_quantile(0.975, 4), 2.7764451051977987);
  expect_close(student_quantile(0.8, 9), 0.88340386, 1e-8);
  expect_close(student_quantile(0.8, 4), 0.94096458, 1e-8);
  EXPECT_DOUBLE_EQ(student_quantile(0.025, 4), -student_quantile(0.975, 4));
  EXPECT_EQ(student_quantile(0.5, 3), 0);
}

// Clusters of one size: the jackknife is the t test of their means.
TEST(Clustered, EqualClustersAreATTest) {
  ClusterSums data{{1, 2, 3, 4, 5}, {10, 10, 10, 10, 10}};
  Estimate e = clustered_difference(data);
  double se = std::sqrt(0.025) / std::sqrt(5);
  expect_close(e.value, 0.3);
  expect_close(e.standard_error, se);
  expect_close(e.interval.low, 0.3 - 2.7764451051977987 * se);
  expect_close(e.interval.high, 0.3 + 2.7764451051977987 * se);
  Estimate share = clustered_share(data);
  double half = 2.7764451051977987 * se / 0.21;
  expect_close(share.interval.low, 1 / (1 + std::exp(-(std::log(0.3 / 0.7) - half))));
  expect_close(share.interval.high, 1 / (1 + std::exp(-(std::log(0.3 / 0.7) + half))));
}

TEST(Clustered, FewClustersCarryNoInterval) {
  ClusterSums four{{1, 2, 3, 4}, {10, 10, 10, 10}};
  for (double end : {clustered_share(four).interval.low, clustered_difference(four).interval.high,
                     bootstrap_mean(four).bca.low, bootstrap_mean(four).percentile.high})
    EXPECT_TRUE(std::isnan(end));
  EXPECT_EQ(clustered_share(four).clusters, 4u);
  expect_close(clustered_share(four).value, 0.25);
}

TEST(Clustered, ClustersAreTheUnitWhenAllAgree) {
  ClusterSums right{{10, 10, 10, 10, 10, 10}, {10, 10, 10, 10, 10, 10}};
  Interval over_clusters = clustered_share(right).interval;
  EXPECT_EQ(over_clusters.high, 1);
  EXPECT_EQ(design_effect(right), 1);
  double t = student_quantile(0.975, 5);
  expect_close(over_clusters.low, 6 / (6 + t * t));
  // A difference that no cluster shows has no error to speak of.
  EXPECT_TRUE(std::isnan(clustered_difference(right).interval.low));
  // Every item its own: Wilson's, however few.
  EXPECT_EQ(clustered_share(sum_by_cluster(Numbers{1, 0, 1}, {})).interval.high, wilson(2, 3).high);
  Numbers alone{1, 1, 1, 0, 1, 0};
  expect_close(clustered_share(sum_by_cluster(alone, {})).interval.low, wilson(4, 6).low);
}

// Half of the replicates that equal the observed value lie below it: with symmetric replicates and
// no skew nothing is moved.
TEST(Bootstrap, EqualReplicatesAreHalfBelow) {
  Numbers replicates;
  for (int i = 0; i < 250; ++i) replicates.insert(replicates.end(), {0.0, 0.5, 0.5, 1.0});
  Interval bca = bca_interval(replicates, 0.5, Numbers{0.4, 0.5, 0.6}, 0.95);
  EXPECT_EQ(bca.low, 0);
  EXPECT_EQ(bca.high, 1);
}

}  // namespace minpair::stats
