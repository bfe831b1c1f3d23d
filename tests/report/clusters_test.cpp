#include "report/rows.h"

#include <gtest/gtest.h>

namespace minpair::report {
namespace {

suite::Item item_of(const std::string& test, const std::string& condition, const std::string& good,
                    const std::string& bad) {
  suite::Item item;
  item.test = test;
  item.condition = condition;
  item.cluster = "stated";
  item.sentences = {{{good}, {0, good.size()}, true}, {{bad}, {0, bad.size()}, false}};
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

TEST(Clusters, MissingClustersAreReported) {
  SuiteItems stated, none, alone;
  for (uint64_t i = 0; i < 6; ++i) {
    suite::Item item = item_of("t", "sg", i % 2 ? "lacht" : "weint", i % 2 ? "lachen" : "weinen");
    stated.add(i, item);
    item.cluster.clear();
    none.add(i, item);
    for (suite::Sentence& s : item.sentences) s.locus = {};
    alone.add(i, item);
  }
  EXPECT_EQ(clusters_text(stated), "clusters: as the suite states them");
  EXPECT_EQ(none.clusters.count(), 2u);
  EXPECT_EQ(clusters_text(none),
            "clusters: the suite states none; items with the same words at the locus");
  EXPECT_EQ(alone.clusters.count(), 6u);
  EXPECT_EQ(clusters_text(alone),
            "clusters: the suite states none, items are taken as independent");
}

}  // namespace
}  // namespace minpair::report
