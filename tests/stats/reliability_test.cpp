// Expected numbers: R, from the definitions (outer differences; cor, atanh, qt over left-out
// clusters).
#include "stats/reliability.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minpair::stats {
namespace {

TEST(Reliability, KrippendorffsAlpha) {
  EXPECT_NEAR(krippendorff_alpha({{1, 1, 1, 0}, {1, 1}, {0, 0, 1}, {1}, {0, 0, 0, 0, 1}}),
              0.204081632653, 1e-12);
  EXPECT_NEAR(krippendorff_alpha({{1, 2, 3, 3}, {7, 6}, {4, 4, 5}, {2}, {1, 7, 1}}), 0.301321138211,
              1e-12);
  EXPECT_DOUBLE_EQ(krippendorff_alpha({{0, 0}, {1, 1}}), 1);
  EXPECT_TRUE(std::isnan(krippendorff_alpha({{1, 1}, {1, 1, 1}})));
  EXPECT_TRUE(std::isnan(krippendorff_alpha({{1}, {0}})));
}

TEST(Reliability, HowTheOthersAnswered) {
  // 1 1 0: the others of a 1 are split, those of the 0 are against it. 1 1: agreed. 0: nobody else.
  EXPECT_DOUBLE_EQ(others_agree({{1, 1, 0}, {1, 1}, {0}}), (0.5 + 0.5 + 0 + 1 + 1) / 5);
  EXPECT_NEAR(others_predict({{1, 2, 3, 3}, {7, 6}, {4, 4, 5}, {2}, {1, 7, 1}}), 0.302777753714,
              1e-12);
  // One half is no yes: the other's no agrees with it, and the other has half a yes beside it.
  EXPECT_DOUBLE_EQ(others_agree({{0.5, 0}}), (1 + 0.5) / 2);
  EXPECT_TRUE(std::isnan(others_agree({{1}})));
}

TEST(Reliability, CorrelationOverClusters) {
  const std::vector<double> x = {0.3, 1.2, -0.5, 2.2, 0.9, 1.7, -1.1, 0.2, 0.6, 1.5, 2.9, -0.2};
  const std::vector<double> y = {0.1, 0.8, 0.2, 0.9, 0.4, 1.0, -0.3, 0.5, 0.1, 0.7, 0.6, 0.3};
  const std::vector<uint64_t> g = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6};
  Correlation r = clustered_pearson(x, y, g);
  EXPECT_NEAR(r.r, 0.7924479769, 1e-9);
  EXPECT_NEAR(r.interval.low, 0.1617040602, 1e-8);
  EXPECT_NEAR(r.interval.high, 0.9635167452, 1e-8);
  EXPECT_NEAR(r.p, 0.02911566156, 1e-8);
  Correlation rho = clustered_spearman(x, y, g);
  EXPECT_NEAR(rho.r, 0.7880922769, 1e-9);
  // Few clusters carry no interval, and large numbers cost no digits.
  EXPECT_TRUE(std::isnan(clustered_pearson(x, y, std::vector<uint64_t>(12, 1)).interval.low));
  std::vector<double> far = x;
  for (double& v : far) v += 1e9;
  EXPECT_NEAR(clustered_pearson(far, y, g).r, 0.7924479769, 1e-6);
}

}  // namespace
}  // namespace minpair::stats
