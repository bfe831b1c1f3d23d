#include "report/clusters.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace minpair::report {
namespace {

suite::Item item_of(const std::string& test, const std::string& condition, const std::string& good,
                    const std::string& bad) {
  suite::Item item;
  item.test = test;
  item.condition = condition;
  item.cluster = "stated";
  item.sentences = {{good, {0, good.size()}, true}, {bad, {0, bad.size()}, false}};
  return item;
}

TEST(Clusters, AreWhatItemsShare) {
  suite::Item a = item_of("t", "sg", "Lacht", "lachen"), b = item_of("u", "pl", "lachen", "lacht");
  EXPECT_EQ(cluster_name(a, "suite"), "stated");
  EXPECT_EQ(cluster_name(a, "item"), "");
  EXPECT_EQ(cluster_name(a, "template"), "t/sg");
  // Which of the two forms is right, and its capital, does not matter.
  EXPECT_EQ(cluster_name(a, "lexical"), cluster_name(b, "lexical"));
  EXPECT_NE(cluster_name(a, "lexical"),
            cluster_name(item_of("t", "sg", "weint", "weinen"), "lexical"));
  a.features = {{"lemma", "lachen"}, {"template", "T1"}, {"attractors", 2.0}};
  EXPECT_EQ(cluster_name(a, "lexical"), "lachen");
  EXPECT_EQ(cluster_name(a, "template"), "T1");
  EXPECT_EQ(cluster_name(a, "attractors"), "2");
  EXPECT_EQ(cluster_name(b, "attractors"), "");
}

// The short way for many clusters is close to the long one.
TEST(Clusters, ThePagesIntervalsAreTheBootstraps) {
  Random random(5);
  std::vector<double> values;
  std::vector<uint64_t> few, many;
  for (uint64_t i = 0; i < 9000; ++i) {
    if (i % 3 > 0 && random.below(4) > 0)
      values.push_back(values.back());
    else
      values.push_back(random.below(5) > 0);
    few.push_back(i / 3 / 10);
    many.push_back(i / 3);
  }
  Clustered bootstrapped = page_interval(values, few), short_way = page_interval(values, many);
  stats::Bootstrap expected = stats::bootstrap_mean(stats::sum_by_cluster(values, few));
  EXPECT_EQ(bootstrapped.clusters, 300u);
  EXPECT_EQ(bootstrapped.interval.low, expected.bca.low);
  EXPECT_EQ(bootstrapped.interval.high, expected.bca.high);
  expected = stats::bootstrap_mean(stats::sum_by_cluster(values, many));
  EXPECT_EQ(short_way.clusters, 3000u);
  EXPECT_NEAR(short_way.interval.low, expected.bca.low, 0.001);
  EXPECT_NEAR(short_way.interval.high, expected.bca.high, 0.001);
  // Items alone would be too sure.
  Clustered alone = page_interval(values, {});
  EXPECT_EQ(alone.interval.low, stats::wilson(expected.observed * 9000, 9000).low);
  EXPECT_GT(alone.interval.low, short_way.interval.low + 0.002);
}

}  // namespace
}  // namespace minpair::report
