#include "report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/counts.h"
#include "base/error.h"
#include "base/team.h"
#include "suite/lint.h"

namespace minpair::report {
namespace {

bool is_feature(const std::string& by) {
  return by != "suite" && by != "template" && by != "lexical" && by != "item";
}

}  // namespace

std::string cluster_name(const suite::Item& item, const std::string& by) {
  if (by == "suite") {
    if (item.cluster.empty()) return suite::words_at_locus(item);
    // "TEST/WORD", also behind a language: a word of several tests is one cluster where they are
    // together.
    const size_t at = item.cluster.find(item.test + "/");
    if (at != 0 && (at == std::string::npos || item.cluster.substr(0, at) != item.language + "/"))
      return item.cluster;
    return item.cluster.substr(0, at) + item.cluster.substr(at + item.test.size() + 1);
  }
  if (by == "item") return "";
  std::string stated = suite::feature_text(item, by == "lexical" ? "lemma" : by);
  if (!stated.empty() || is_feature(by)) return stated;
  return by == "lexical" ? suite::words_at_locus(item) : item.test + "/" + item.condition;
}

uint64_t Clusters::of(const suite::Item& item) {
  ++items_;
  stated_ += !item.cluster.empty();
  if (is_feature(by_))
    for (const auto& [name, value] : item.features) features_.insert(name);
  std::string name = cluster_name(item, by_);
  if (name.empty()) return count_++;
  auto [at, fresh] = named_.try_emplace(std::move(name), count_);
  count_ += fresh;
  return at->second;
}

std::string Clusters::text() const {
  if (by_ == "suite") {
    if (stated_ == items_) return "clusters: as the suite states them";
    if (count_ == items_) return "clusters: the suite states none, items are taken as independent";
    return stated_
               ? "clusters: as the suite states them, else items with the same words at the locus"
               : "clusters: the suite states none; items with the same words at the locus";
  }
  if (by_ == "template") return "clusters: items of one template";
  if (by_ == "lexical") return "clusters: items with the same words at the locus";
  if (by_ == "item") return "clusters: none, items taken as independent";
  return fmt::format("clusters: items with the same '{}'", by_);
}

void Clusters::check(const std::string& suite_name) const {
  if (!is_feature(by_) || items_ == 0 || features_.contains(by_)) return;
  throw wrong_call(fmt::format("no item of '{}' has the feature '{}'", suite_name, by_))
      .hint(fmt::format("--cluster takes suite, template, lexical, item{}{}",
                        features_.empty() ? "" : ", ",
                        join({features_.begin(), features_.end()}, ", ")));
}

uint32_t SuiteItems::add(uint64_t ordinal, suite::Item item) {
  auto [found, added] = at.try_emplace(ordinal, uint32_t(items.size()));
  if (!added) return found->second;
  cluster.push_back(clusters.of(item));
  ordinals.push_back(ordinal);
  items.push_back(std::move(item));
  return found->second;
}

void Values::add(const Values& more) {
  of.insert(of.end(), more.of.begin(), more.of.end());
  cluster.insert(cluster.end(), more.cluster.begin(), more.cluster.end());
}

namespace {

template <class E>
E resampled_if_asked(E e, const stats::ClusterSums& sums, const Intervals& by) {
  if (by.way != Intervals::Way::bootstrap) return e;
  e.interval = stats::bootstrap_mean(sums, by.resampling).bca;
  e.method = std::isnan(e.interval.low) ? stats::Method::none : stats::Method::bootstrap;
  return e;
}

stats::Estimate share_of(const stats::ClusterSums& sums, const Intervals& by) {
  if (by.way == Intervals::Way::likelihood) return stats::likelihood_share(sums);
  return resampled_if_asked(stats::clustered_share(sums), sums, by);
}

}  // namespace

std::vector<stats::Estimate> Shares::of(const std::vector<stats::ClusterSums>& groups) {
  std::vector<const stats::Estimate*> found;
  std::vector<std::pair<const stats::ClusterSums*, stats::Estimate*>> fresh;
  for (const stats::ClusterSums& sums : groups) {
    std::vector<std::pair<double, double>> key;
    for (size_t i = 0; i < sums.sum.size(); ++i) key.emplace_back(sums.count[i], sums.sum[i]);
    // What is resampled depends on the order of the clusters.
    if (by_.way != Intervals::Way::bootstrap) std::sort(key.begin(), key.end());
    auto [known, is_new] = known_.try_emplace(std::move(key));
    if (is_new) fresh.emplace_back(&sums, &known->second);
    found.push_back(&known->second);
  }
  share(fresh.size(), std::thread::hardware_concurrency(),
        [&](size_t i) { *fresh[i].second = share_of(*fresh[i].first, by_); });
  std::vector<stats::Estimate> estimates;
  for (const stats::Estimate* e : found) estimates.push_back(*e);
  return estimates;
}

stats::Estimate mean_of(const stats::ClusterSums& sums, const Intervals& by) {
  return resampled_if_asked(stats::clustered_mean(sums), sums, by);
}

stats::Difference difference_of(const stats::PairedSums& sums, const Intervals& by) {
  const auto& [replicates, seed, level, threads] = by.resampling;
  if (by.way == Intervals::Way::likelihood)
    return stats::likelihood_difference(sums, level, replicates, seed);
  const stats::ClusterSums differences = sums.differences();
  stats::Difference d{stats::clustered_difference(differences)};
  d.p = stats::clustered_permutation(differences, replicates, seed);
  return resampled_if_asked(d, differences, by);
}

stats::Estimate mean_over_seeds(const std::vector<double>& means, const stats::ClusterSums& all) {
  stats::Estimate e = stats::clustered_mean(all);
  const auto n = double(means.size());
  e.value = stats::mean(means);
  e.standard_error = std::hypot(e.standard_error, stats::standard_deviation(means) / std::sqrt(n));
  e.interval = {std::nan(""), std::nan("")};
  e.method = stats::Method::none;
  if (n < 2 || std::isnan(e.standard_error)) return e;
  const double t = stats::student_quantile(0.975, std::min(n, double(e.clusters)) - 1);
  const double half = t * e.standard_error;
  e.interval = {std::max(0.0, e.value - half), std::min(1.0, e.value + half)};
  e.method = stats::Method::student;
  return e;
}

std::string intervals_of_means_text(Intervals by) {
  if (by.way == Intervals::Way::likelihood) by.way = Intervals::Way::student;
  return intervals_text(by);
}

std::string intervals_text(const Intervals& by) {
  switch (by.way) {
    case Intervals::Way::bootstrap:
      return fmt::format("from, to: 95%, clusters resampled {} times (BCa)",
                         count_text(by.resampling.replicates));
    case Intervals::Way::student:
      return "from, to: 95%, Student's t over clusters";
    default:
      return "from, to: 95%, profile likelihood over clusters";
  }
}

}  // namespace minpair::report
