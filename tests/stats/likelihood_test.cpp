#include "stats/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minpair::stats {
namespace {

using Numbers = std::vector<double>;

// likelihood_golden.R has the likelihood, the optimiser and the root finder of R.
TEST(Likelihood, IntervalsOfSharesAreAsInR) {
  struct Case {
    Numbers right, items;
    double level;
    Interval expected;
  };
  const Numbers unequal{39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31};
  const Case cases[] = {
      {{20, 20, 18, 20, 5, 20}, Numbers(6, 20), 0.95, {0.480762, 0.984403}},
      {{3, 2, 7, 2.5, 2, 4}, {4, 2, 10, 3, 5, 4}, 0.95, {0.544269, 0.886916}},
      {Numbers(8, 12), Numbers(8, 12), 0.95, {0.786559, 1}},
      {{10, 12, 9, 11, 10, 8, 13, 10, 9, 12}, Numbers(10, 20), 0.9, {0.461908, 0.577732}},
      {{400, 310, 380, 395, 200}, {400, 400, 390, 400, 410}, 0.95, {0.503578, 0.959218}},
      {{39, 1, 20, 17, 30, 5, 12, 8, 3, 25, 30, 31}, unequal, 0.95, {0.706418, 0.996599}},
      {{19, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20},
       Numbers(12, 20),
       0.95,
       {0.931912, 0.999764}},
      {{20, 18, 20, 19, 17, 20, 20, 18, 19, 20, 0, 20},
       Numbers(12, 20),
       0.95,
       {0.626396, 0.972497}}};
  for (const Case& c : cases) {
    const Estimate got = likelihood_share({c.right, c.items}, c.level);
    EXPECT_NEAR(got.interval.low, c.expected.low, 3e-6);
    EXPECT_NEAR(got.interval.high, c.expected.high, 3e-6);
    EXPECT_EQ(got.method, Method::likelihood);
    // The order of clusters does not matter.
    const Numbers right(c.right.rbegin(), c.right.rend()), items(c.items.rbegin(), c.items.rend());
    EXPECT_NEAR(likelihood_share({right, items}, c.level).interval.low, got.interval.low, 1e-9);
  }
}

TEST(Likelihood, SharesKnowTheirLimits) {
  EXPECT_EQ(likelihood_share({Numbers(8, 0), Numbers(8, 12)}).interval.low, 0);
  // Without a mistake, only whole clusters could tell: the correlation that fits best is 1.
  const double least = std::exp(-1.920729410347062 / 8);
  EXPECT_NEAR(likelihood_share({Numbers(8, 12), Numbers(8, 12)}).interval.low, least, 1e-4);
  EXPECT_NEAR(likelihood_share({Numbers(8, 60), Numbers(8, 60)}).interval.low, least, 1e-4);
  // Right and wrong are alike.
  const Interval up = likelihood_share({{12, 12, 9, 12, 3, 11}, Numbers(6, 12)}).interval,
                 down = likelihood_share({{0, 0, 3, 0, 9, 1}, Numbers(6, 12)}).interval;
  EXPECT_NEAR(up.low, 1 - down.high, 1e-6);
  EXPECT_NEAR(up.high, 1 - down.low, 1e-6);
  // One mistake says that mistakes are not of whole clusters; the interval is shorter for it.
  Numbers one(12, 20);
  one[3] = 19;
  EXPECT_GT(likelihood_share({one, Numbers(12, 20)}).interval.low, 0.9);
  // Items with shares of their own vary less than what is right or wrong.
  const ClusterSums shares{{3.2, 4.1, 2.9, 3.7, 4.4, 3.3}, Numbers(6, 5)};
  EXPECT_EQ(likelihood_share(shares).method, Method::student);
  EXPECT_EQ(likelihood_share(shares).interval.low, clustered_share(shares).interval.low);
  // Below five clusters there is none; where each item is its own, Wilson's.
  const Estimate few = likelihood_share({{1, 2, 3, 4}, {10, 10, 10, 10}});
  EXPECT_TRUE(std::isnan(few.interval.low));
  EXPECT_EQ(few.method, Method::none);
  const Estimate alone = likelihood_share(sum_by_cluster(Numbers{1, 0, 1}, {}));
  EXPECT_EQ(alone.interval.high, wilson(2, 3).high);
  EXPECT_EQ(alone.method, Method::wilson);
}

// A printed accuracy is always inside, also where hard clusters are the small ones.
TEST(Likelihood, IsAboutTheAccuracyOverItems) {
  const ClusterSums data{{0, 1, 0, 60, 58, 1, 59, 0, 60, 60}, {3, 4, 3, 60, 60, 4, 60, 3, 60, 60}};
  const Interval i = likelihood_share(data).interval;
  EXPECT_LT(i.low, data.mean());
  EXPECT_GT(i.high, data.mean());
}

TEST(Likelihood, IntervalsOfDifferencesAreAsInR) {
  struct Case {
    PairedSums data;
    double level;
    Interval expected;
    double p;
  };
  const Case cases[] = {
      {{{12, 1, 9, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, Numbers(6, 20)},
       0.95,
       {-0.079854, 0.501165},
       0.375},
      {{Numbers(8, 0), Numbers(8, 0), Numbers(8, 12)}, 0.95, {-0.213441, 0.213441}, 1},
      {{{3, 2, 7, 2.5, 2, 4}, {1, 0, 2, 0.5, 3, 4}, {9, 2, 20, 3, 8, 11}},
       0.95,
       {-0.024257, 0.404484},
       0.125},
      {{{5, 6, 4, 7, 5, 3, 8, 5, 4, 6}, {2, 3, 2, 1, 4, 2, 3, 2, 1, 2}, Numbers(10, 20)},
       0.9,
       {0.085762, 0.223884},
       0.001953},
      {{{30, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3},
        {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
        {39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31}},
       0.95,
       {-0.243029, 0.661732},
       0.1875},
      {{Numbers(8, 12), Numbers(8, 0), Numbers(8, 12)}, 0.95, {0.573121, 1}, 0.007812}};
  for (const Case& c : cases) {
    const Difference got = likelihood_difference(c.data, c.level);
    EXPECT_NEAR(got.interval.low, c.expected.low, 5e-6);
    EXPECT_NEAR(got.interval.high, c.expected.high, 5e-6);
    EXPECT_NEAR(got.p, c.p, 1e-6);
    const Difference turned =
        likelihood_difference({c.data.second, c.data.first, c.data.count}, c.level);
    EXPECT_NEAR(turned.interval.low, -got.interval.high, 1e-7);
    EXPECT_EQ(turned.p, got.p);
  }
}

// Suites drawn at random from few and many clusters: no interval contradicts its test.
TEST(Likelihood, ZeroIsInsideIfAndOnlyIfItsTestDoesNotReject) {
  uint64_t state = 1;
  const auto below = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double((state >> 33) % n);
  };
  int rejected = 0;
  for (int suite = 0; suite < 40; ++suite) {
    PairedSums data;
    for (int g = 0; g < 5 + suite % 9; ++g) {
      data.count.push_back(8);
      data.first.push_back(below(3 + size_t(suite) % 4));
      data.second.push_back(below(3));
    }
    const Difference d = likelihood_difference(data);
    rejected += d.p <= 0.05;
    if (d.p <= 0.05)
      EXPECT_TRUE(d.interval.low >= 0 || d.interval.high <= 0) << suite;
    else
      EXPECT_TRUE(d.interval.low <= 0 && d.interval.high >= 0) << suite;
    EXPECT_LE(d.interval.low, d.value);
    EXPECT_GE(d.interval.high, d.value);
  }
  EXPECT_GT(rejected, 2);
  EXPECT_LT(rejected, 38);
}

// Two that never differ on eight clusters may differ on a ninth; Student's t has nothing to say.
TEST(Likelihood, NoDifferenceIsNotCertainty) {
  const PairedSums same{Numbers(8, 0), Numbers(8, 0), Numbers(8, 12)};
  EXPECT_TRUE(std::isnan(clustered_difference(same.differences()).interval.low));
  const Interval i = likelihood_difference(same).interval;
  EXPECT_NEAR(i.low, -i.high, 1e-9);
  const PairedSums more{Numbers(80, 0), Numbers(80, 0), Numbers(80, 12)};
  EXPECT_LT(likelihood_difference(more).interval.high, 0.3 * i.high);
  const PairedSums few{{1, 2, 3, 4}, {0, 0, 0, 1}, Numbers(4, 10)};
  EXPECT_TRUE(std::isnan(likelihood_difference(few).interval.low));
}

TEST(Likelihood, WhereTheTwoDifferOftenItIsNearlyStudents) {
  PairedSums data;
  for (int i = 0; i < 60; ++i) {
    data.first.push_back(3 + i % 7);
    data.second.push_back(2 + i % 3);
    data.count.push_back(20);
  }
  const Interval i = likelihood_difference(data).interval,
                 student = clustered_difference(data.differences()).interval;
  const double length = student.high - student.low;
  EXPECT_NEAR(i.low, student.low, 0.25 * length);
  EXPECT_NEAR(i.high, student.high, 0.25 * length);
  EXPECT_EQ(data.differing(), 60u);
}

TEST(Likelihood, TiesCountHalf) {
  const Numbers first{1, 0.5, 0, 1, 1}, second{0, 1, 0, 1, 0.5};
  const PairedSums sums = sum_pairs_by_cluster(first, second, std::vector<uint64_t>{4, 4, 9, 9, 9});
  EXPECT_EQ(sums.first, (Numbers{1, 0.5}));
  EXPECT_EQ(sums.second, (Numbers{0.5, 0}));
  EXPECT_EQ(sums.count, (Numbers{2, 3}));
}

// What is called detectable is found four times in five, in suites of other random numbers.
TEST(Detectable, HasThePowerThatItClaims) {
  const PairedModel models[] = {{Numbers(12, 20), 0.1, 0.2, 0.1},
                                {Numbers(8, 40), 0.3, 0.05, 0.3},
                                {Numbers(40, 10), 0.05, 0.1, 0.1}};
  for (const PairedModel& model : models) {
    const double difference = detectable_difference(model);
    EXPECT_GT(difference, 0.01);
    EXPECT_LT(difference, 0.8);
    const double power = power_of_sign_flips(model, difference, 0.05, 77);
    EXPECT_GT(power, 0.75) << difference;
    EXPECT_LT(power, 0.85) << difference;
  }
}

TEST(Detectable, NeedsEightClustersThatDiffer) {
  // With five, no signs give p below 1/16.
  EXPECT_TRUE(std::isnan(detectable_difference(PairedModel{Numbers(5, 50), 0.2, 0.1, 0.1})));
  const PairedSums few{{3, 2, 1, 2, 4, 1, 2, 0}, Numbers(8, 0), Numbers(8, 20)};
  EXPECT_TRUE(std::isnan(detectable_difference(few)));
  EXPECT_EQ(smallest_p(5), 0.0625);
  EXPECT_EQ(smallest_p(6), 0.03125);
  PairedSums enough = few;
  enough.first[7] = 1;
  EXPECT_FALSE(std::isnan(detectable_difference(enough)));
}

}  // namespace
}  // namespace minpair::stats
