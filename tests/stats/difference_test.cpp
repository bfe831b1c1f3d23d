#include <gtest/gtest.h>

#include <cmath>

#include "stats/share.h"
#include "stats/simulated.h"

namespace minpair::stats {
namespace {

using Numbers = std::vector<double>;

void expect_same(const Interval& a, const Interval& b) {
  EXPECT_DOUBLE_EQ(a.low, b.low);
  EXPECT_DOUBLE_EQ(a.high, b.high);
}

// With R's own random numbers and optimiser, 20,000 suites a p-value: difference_golden.R. Ours has
// 4,000, so the ends are known within some hundredths of the interval's length.
TEST(Difference, CalibratedIntervalsAreAsInR) {
  struct Case {
    PairedSums data;
    double level;
    Interval expected, ours;
  };
  const Case cases[] = {
      {{{0, 12, 1, 0, 9, 0}, {0, 0, 0, 1, 0, 0}, Numbers(6, 20)},
       0.95,
       {-0.1979, 0.4679},
       {-0.191001799077, 0.479583211373}},
      {{Numbers(8, 0), Numbers(8, 0), Numbers(8, 12)},
       0.95,
       {-0.2933, 0.2933},
       {-0.290566853119, 0.290566853119}},
      {{{3, 2, 7, 2.5, 2, 4}, {1, 0, 2, 0.5, 3, 4}, {9, 2, 20, 3, 8, 11}},
       0.95,
       {-0.0660, 0.4228},
       {-0.0701112054654, 0.433329973828}},
      {{{5, 6, 4, 7, 5, 3, 8, 5, 4, 6}, {2, 3, 2, 1, 4, 2, 3, 2, 1, 2}, Numbers(10, 20)},
       0.9,
       {0.1082, 0.2011},
       {0.107890147645, 0.203032706989}},
      {{{30, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3},
        {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
        {39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31}},
       0.95,
       {-0.2010, 0.4532},
       {-0.198283344226, 0.448342093564}}};
  for (const Case& c : cases) {
    const Interval got = calibrated_difference(c.data, c.level).interval;
    const double length = c.expected.high - c.expected.low;
    EXPECT_NEAR(got.low, c.expected.low, 0.04 * length);
    EXPECT_NEAR(got.high, c.expected.high, 0.04 * length);
    // What is drawn is the same everywhere.
    EXPECT_NEAR(got.low, c.ours.low, 1e-9);
    EXPECT_NEAR(got.high, c.ours.high, 1e-9);
  }
}

TEST(Difference, TurnedRoundItIsTheSame) {
  const PairedSums data{{0, 12, 1, 0, 9, 0}, {0, 0, 0, 1, 0, 0}, Numbers(6, 20)},
      turned{data.second, data.first, data.count};
  const Interval one = calibrated_difference(data).interval,
                 other = calibrated_difference(turned).interval;
  expect_same(one, {-other.high, -other.low});
  // Nor does the order of the clusters matter.
  const PairedSums backwards{{0, 9, 0, 1, 12, 0}, {0, 0, 1, 0, 0, 0}, Numbers(6, 20)};
  expect_same(one, calibrated_difference(backwards).interval);
}

TEST(Difference, ContainsWhatIsNotRejected) {
  const PairedSums data{{0, 12, 1, 0, 9, 0, 0}, {0, 0, 0, 1, 0, 2, 0}, Numbers(7, 20)};
  const Interval i = calibrated_difference(data).interval;
  const double bit = 0.03 * (i.high - i.low);
  EXPECT_LE(difference_p_value(data, i.low - bit), 0.05);
  EXPECT_GT(difference_p_value(data, i.low + bit), 0.05);
  EXPECT_GT(difference_p_value(data, i.high - bit), 0.05);
  EXPECT_LE(difference_p_value(data, i.high + bit), 0.05);
}

// Two that never differ on eight clusters may differ on a ninth; Student's t has nothing to say.
TEST(Difference, NoDifferenceIsNotCertainty) {
  const PairedSums same{Numbers(8, 0), Numbers(8, 0), Numbers(8, 12)};
  EXPECT_TRUE(std::isnan(clustered_difference(same.differences()).interval.low));
  const Interval i = calibrated_difference(same).interval;
  EXPECT_DOUBLE_EQ(i.low, -i.high);
  EXPECT_GT(i.high, 0.05);
  EXPECT_LT(i.high, 0.5);
  // The more clusters, the surer.
  const PairedSums more{Numbers(80, 0), Numbers(80, 0), Numbers(80, 12)};
  EXPECT_LT(calibrated_difference(more).interval.high, 0.3 * i.high);
  // One that is always right, against one that is always wrong.
  const Interval all =
      calibrated_difference({Numbers(8, 12), Numbers(8, 0), Numbers(8, 12)}).interval;
  EXPECT_EQ(all.high, 1);
  EXPECT_GT(all.low, 0.3);
  EXPECT_LT(all.low, 0.95);
  expect_same(calibrated_difference({Numbers(8, 0), Numbers(8, 12), Numbers(8, 12)}).interval,
              {-1, -all.low});
}

// Nearly always right, and wrong on one cluster in which the other is right: Student's interval
// ends close to the observed difference, though a suite may easily miss such a cluster.
TEST(Difference, RareClustersAreReckonedWith) {
  PairedSums data{Numbers(20, 0), Numbers(20, 0), Numbers(20, 20)};
  data.first[3] = 8;
  data.second[7] = 1;
  const Interval student = clustered_difference(data.differences()).interval,
                 calibrated = calibrated_difference(data).interval;
  EXPECT_GT(calibrated.high, 1.5 * student.high);
}

TEST(Difference, FrequentDifferencesGetStudentsT) {
  PairedSums data;
  for (int i = 0; i < 60; ++i) {
    data.first.push_back(3 + i % 5);
    data.second.push_back(2 + i % 3);
    data.count.push_back(20);
  }
  expect_same(calibrated_difference(data).interval,
              clustered_difference(data.differences()).interval);
  const Interval i = calibrated_difference(data).interval;
  EXPECT_NEAR(difference_p_value(data, i.low), 0.05, 1e-9);
  // Items with shares of their own vary less than what is right or wrong.
  const PairedSums shares{{0.2, 1.4, 0.3, 0.7, 1.1}, Numbers(5, 0), Numbers(5, 10)};
  expect_same(calibrated_difference(shares).interval,
              clustered_difference(shares.differences()).interval);
  // Below five clusters there is none.
  EXPECT_TRUE(
      std::isnan(calibrated_difference({{1, 2, 3, 4}, {0, 0, 0, 1}, Numbers(4, 10)}).interval.low));
}

// No more is drawn than is needed to tell a p-value from the limit: four standard errors.
TEST(SimulatedPValue, EndsWhereItIsClear) {
  auto drawn = [](double observed) {
    int rounds = 0;
    simulated_p_value(observed, 0.5, 4000, [&] { return double(rounds++ * 617 % 1000); });
    return rounds;
  };
  EXPECT_EQ(drawn(149.5), 250);   // 0.3
  EXPECT_EQ(drawn(199.5), 500);   // 0.4: 400 are needed
  EXPECT_EQ(drawn(249.5), 4000);  // 0.5
}

// Clusters so large that the direction of their items is drawn in two steps.
TEST(Difference, LargeClusters) {
  const PairedSums small{{30, 12, 25, 18, 9, 22}, {10, 11, 8, 12, 9, 10}, Numbers(6, 60)},
      large{{1500, 600, 1250, 900, 450, 1100}, {500, 550, 400, 600, 450, 500}, Numbers(6, 3000)};
  const Interval of_small = calibrated_difference(small).interval,
                 of_large = calibrated_difference(large).interval;
  // Clusters are the unit: fifty times as many items in each say hardly more.
  EXPECT_NEAR(of_large.low, of_small.low, 0.05);
  EXPECT_NEAR(of_large.high, of_small.high, 0.05);
  // What is drawn is the same everywhere.
  EXPECT_NEAR(of_large.low, 0.013614685161, 1e-9);
  EXPECT_NEAR(of_large.high, 0.303109700592, 1e-9);
}

TEST(Difference, TiesCountHalf) {
  const Numbers first{1, 0.5, 0, 1, 1}, second{0, 1, 0, 1, 0.5};
  const std::vector<uint64_t> cluster{7, 7, 9, 9, 9};
  const PairedSums sums = sum_pairs_by_cluster(first, second, cluster);
  EXPECT_EQ(sums.first, (Numbers{1, 0.5}));
  EXPECT_EQ(sums.second, (Numbers{0.5, 0}));
  EXPECT_EQ(sums.count, (Numbers{2, 3}));
  EXPECT_EQ(sums.differences().sum, (Numbers{0.5, 0.5}));
}

}  // namespace
}  // namespace minpair::stats
