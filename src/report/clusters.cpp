#include "report/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace minpair::report {
namespace {

bool is_feature(const std::string& by) {
  return by != "suite" && by != "template" && by != "lexical" && by != "item";
}

std::string words_at_locus(const suite::Item& item) {
  std::set<std::string> words;
  for (const suite::Sentence& s : item.sentences) words.insert(lower(slice(s.text, s.locus)));
  return join({words.begin(), words.end()}, " ");
}

}  // namespace

std::string cluster_name(const suite::Item& item, const std::string& by) {
  if (by == "suite") return item.cluster;
  if (by == "item") return "";
  std::string stated = suite::feature_text(item, by == "lexical" ? "lemma" : by);
  if (!stated.empty() || is_feature(by)) return stated;
  return by == "lexical" ? words_at_locus(item) : item.test + "/" + item.condition;
}

std::string clusters_text(const std::string& by) {
  if (by == "suite") return "clusters: as the suite states them";
  if (by == "template") return "clusters: items of one template";
  if (by == "lexical") return "clusters: items with the same words at the locus";
  if (by == "item") return "clusters: none, items taken as independent";
  return fmt::format("clusters: items with the same '{}'", by);
}

void check_clusters(const SuiteItems& suite, const std::string& suite_name) {
  if (!is_feature(suite.cluster_by) || suite.items.empty()) return;
  std::set<std::string> known;
  for (const suite::Item& item : suite.items)
    for (const auto& [name, value] : item.features) known.insert(name);
  if (known.contains(suite.cluster_by)) return;
  throw wrong_call(
      fmt::format("no item of '{}' has the feature '{}'", suite_name, suite.cluster_by))
      .hint(fmt::format("--cluster takes suite, template, lexical, item{}{}",
                        known.empty() ? "" : ", ", join({known.begin(), known.end()}, ", ")));
}

Clustered page_interval(std::span<const double> values, std::span<const uint64_t> cluster) {
  constexpr size_t kBootstrapped = 2000;
  stats::ClusterSums sums = stats::sum_by_cluster(values, cluster);
  Clustered c;
  c.items = values.size();
  c.clusters = sums.sum.size();
  if (c.clusters < c.items && c.clusters <= kBootstrapped) {
    c.interval = stats::bootstrap_mean(sums).bca;
    return c;
  }
  double effect = c.clusters < c.items ? std::max(1.0, stats::design_effect(sums)) : 1;
  c.interval = stats::wilson(sums.total() / effect, sums.items() / effect);
  return c;
}

}  // namespace minpair::report
