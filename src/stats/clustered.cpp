#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "stats/stats.h"

namespace minpair::stats {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Estimate estimate_of(const ClusterSums& data) {
  Estimate e{data.mean(), {std::nan(""), std::nan("")}, std::nan(""), data.sum.size()};
  if (e.clusters < kFewestClusters) return e;
  std::vector<double> without = leave_one_out(data);
  double g = double(e.clusters);
  e.standard_error = standard_deviation(without) * (g - 1) / std::sqrt(g);
  return e;
}

bool varied(const Estimate& e) { return e.value > 0 && e.value < 1 && e.standard_error > 0; }

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::likelihood:
      return "profile likelihood";
    case Method::wilson:
      return "Wilson";
    case Method::student:
      return "Student's t";
    case Method::bootstrap:
      return "bootstrap (BCa)";
    default:
      return "";
  }
}

double ClusterSums::total() const {
  double t = 0;
  for (double s : sum) t += s;
  return t;
}

double ClusterSums::items() const {
  double n = 0;
  for (double c : count) n += c;
  return n;
}

double ClusterSums::mean() const {
  double n = items();
  return n > 0 ? total() / n : 0;
}

ClusterSums sum_by_cluster(std::span<const double> values, std::span<const uint64_t> cluster) {
  ClusterSums out;
  if (cluster.empty()) {
    out.sum.assign(values.begin(), values.end());
    out.count.assign(values.size(), 1);
    return out;
  }
  // Clusters in the order of their first item, so that nothing depends on the hash table.
  std::unordered_map<uint64_t, size_t> place;
  for (size_t i = 0; i < values.size(); ++i) {
    auto [at, fresh] = place.try_emplace(cluster[i], out.sum.size());
    if (fresh) {
      out.sum.push_back(0);
      out.count.push_back(0);
    }
    out.sum[at->second] += values[i];
    out.count[at->second] += 1;
  }
  return out;
}

std::vector<double> leave_one_out(const ClusterSums& data) {
  std::vector<double> values;
  double total = data.total(), items = data.items();
  for (size_t i = 0; i < data.sum.size(); ++i) {
    double rest = items - data.count[i];
    values.push_back(rest > 0 ? (total - data.sum[i]) / rest : 0);
  }
  return values;
}

Estimate clustered_share(const ClusterSums& data, double level) {
  Estimate e = estimate_of(data);
  bool independent = double(e.clusters) == data.items();
  if (independent) {
    e.interval = wilson(data.total(), data.items(), level);
    e.method = Method::wilson;
  }
  if (independent || e.clusters < kFewestClusters) return e;
  e.method = Method::student;
  double t = student_quantile(0.5 + level / 2, double(e.clusters - 1));
  if (!varied(e)) {
    e.interval = score_interval(e.value, double(e.clusters), t);
  } else {
    double at = std::log(e.value / (1 - e.value));
    double half = t * e.standard_error / (e.value * (1 - e.value));
    e.interval = {logistic(at - half), logistic(at + half)};
  }
  return e;
}

Estimate clustered_mean(const ClusterSums& data, double level) {
  Estimate e = estimate_of(data);
  if (!(e.standard_error > 0)) return e;
  double half = student_quantile(0.5 + level / 2, double(e.clusters - 1)) * e.standard_error;
  e.interval = {e.value - half, e.value + half};
  e.method = Method::student;
  return e;
}

Estimate clustered_difference(const ClusterSums& data, double level) {
  Estimate e = clustered_mean(data, level);
  if (e.interval.low < -1) e.interval.low = -1;
  if (e.interval.high > 1) e.interval.high = 1;
  return e;
}

double design_effect(const ClusterSums& data) {
  double n = data.items(), m = data.mean(), clusters = double(data.sum.size());
  if (clusters < 2 || !(m > 0 && m < 1)) return 1;
  double between = 0;
  for (size_t i = 0; i < data.sum.size(); ++i) {
    double d = data.sum[i] - data.count[i] * m;
    between += d * d;
  }
  double clustered = between / (n * n) * clusters / (clusters - 1);
  return clustered / (m * (1 - m) / n);
}

}  // namespace minpair::stats
