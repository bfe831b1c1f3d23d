#include "stats/reliability.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace minpair::stats {
namespace {

// Sum and sum of squares give all differences between pairs: n·Σx² − (Σx)², each pair once.
double pair_differences(double n, double sum, double squares) {
  return std::max(0.0, n * squares - sum * sum);
}

struct Moments {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  void add(double a, double b) { ++n, x += a, y += b, xx += a * a, yy += b * b, xy += a * b; }
  Moments without(const Moments& o) const {
    return {n - o.n, x - o.x, y - o.y, xx - o.xx, yy - o.yy, xy - o.xy};
  }
  double r() const {
    double vx = xx - x * x / n, vy = yy - y * y / n, cov = xy - x * y / n;
    return vx > 0 && vy > 0 ? std::clamp(cov / std::sqrt(vx * vy), -1.0, 1.0) : std::nan("");
  }
};

}  // namespace

double krippendorff_alpha(const std::vector<std::vector<double>>& units) {
  double n = 0, sum = 0, squares = 0, observed = 0;
  for (const std::vector<double>& unit : units) {
    if (unit.size() < 2) continue;
    double s = 0, q = 0;
    for (double v : unit) s += v, q += v * v;
    observed += pair_differences(double(unit.size()), s, q) / double(unit.size() - 1);
    n += double(unit.size()), sum += s, squares += q;
  }
  double expected = pair_differences(n, sum, squares) / (n - 1);
  return n > 1 && expected > 0 ? 1 - observed / expected : std::nan("");
}

double others_agree(const std::vector<std::vector<double>>& units) {
  double n = 0, agree = 0;
  for (const std::vector<double>& unit : units) {
    if (unit.size() < 2) continue;
    double s = std::accumulate(unit.begin(), unit.end(), 0.0), half = double(unit.size() - 1) / 2;
    for (double v : unit) {
      double others = s - v;
      agree += others == half ? 0.5 : (others > half) == (v > 0.5);
      ++n;
    }
  }
  return n > 0 ? agree / n : std::nan("");
}

double others_predict(const std::vector<std::vector<double>>& units) {
  std::vector<double> own, others;
  for (const std::vector<double>& unit : units) {
    if (unit.size() < 2) continue;
    double s = std::accumulate(unit.begin(), unit.end(), 0.0);
    for (double v : unit) {
      own.push_back(v);
      others.push_back((s - v) / double(unit.size() - 1));
    }
  }
  return own.size() < 3 ? std::nan("") : pearson(own, others).r;
}

Correlation clustered_pearson(std::span<const double> x, std::span<const double> y,
                              std::span<const uint64_t> cluster, double level) {
  // Centred first: sums of squares of large numbers would eat the digits.
  const double mx = mean(x), my = mean(y);
  Moments all;
  std::map<uint64_t, Moments> by;
  for (size_t i = 0; i < x.size(); ++i) {
    all.add(x[i] - mx, y[i] - my);
    by[cluster.empty() ? i : cluster[i]].add(x[i] - mx, y[i] - my);
  }
  Correlation c;
  c.r = all.r();
  c.n = x.size();
  c.interval = {std::nan(""), std::nan("")};
  c.p = std::nan("");
  const double g = double(by.size());
  if (by.size() < kFewestClusters || std::isnan(c.r) || std::abs(c.r) == 1) return c;
  std::vector<double> z;
  for (const auto& [name, own] : by) z.push_back(std::atanh(all.without(own).r()));
  const double middle = mean(z);
  double squares = 0;
  for (double v : z) squares += (v - middle) * (v - middle);
  const double error = std::sqrt(squares * (g - 1) / g), at = std::atanh(c.r);
  if (!std::isfinite(error)) return c;
  const double half = student_quantile(0.5 + level / 2, g - 1) * error;
  c.interval = {std::tanh(at - half), std::tanh(at + half)};
  c.p = error > 0 ? student_two_sided_p(at / error, g - 1) : 0;
  return c;
}

Correlation clustered_spearman(std::span<const double> x, std::span<const double> y,
                               std::span<const uint64_t> cluster, double level) {
  return clustered_pearson(mid_ranks(x), mid_ranks(y), cluster, level);
}

}  // namespace minpair::stats
