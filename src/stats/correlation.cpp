#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/stats.h"

namespace minpair::stats {
namespace {

double product_moment(std::span<const double> x, std::span<const double> y) {
  double mx = mean(x), my = mean(y), xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : std::nan("");
}

// `variance` of atanh(r); three items or fewer say nothing.
Correlation with_interval(double r, size_t n, double variance, double level) {
  Correlation c;
  c.r = r;
  c.n = n;
  if (std::isnan(r) || n < 3) return c;
  if (n > 3) {
    double half = normal_quantile(0.5 + level / 2) * std::sqrt(variance), z = std::atanh(r);
    c.interval = {std::tanh(z - half), std::tanh(z + half)};
  }
  double df = double(n) - 2;
  c.p = std::abs(r) == 1 ? 0 : student_two_sided_p(r * std::sqrt(df / (1 - r * r)), df);
  return c;
}

// The share of orders that correlate at least as strongly; both are ranks. For a few items the t
// approximation is far off.
double exact_p(const std::vector<double>& x, const std::vector<double>& y, double observed) {
  std::vector<size_t> order(y.size());
  std::iota(order.begin(), order.end(), size_t{0});
  double all = 0, stronger = 0;
  std::vector<double> turned(y.size());
  do {
    for (size_t i = 0; i < y.size(); ++i) turned[i] = y[order[i]];
    ++all;
    stronger += std::abs(product_moment(x, turned)) >= std::abs(observed) - 1e-9;
  } while (std::next_permutation(order.begin(), order.end()));
  return stronger / all;
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    for (size_t k = begin; k < end; ++k) ranks[order[k]] = 0.5 * double(begin + 1 + end);
    begin = end;
  }
  return ranks;
}

Correlation pearson(std::span<const double> x, std::span<const double> y, double level) {
  return with_interval(product_moment(x, y), x.size(), 1 / (double(x.size()) - 3), level);
}

Correlation spearman(std::span<const double> x, std::span<const double> y, double level) {
  std::vector<double> rx = mid_ranks(x), ry = mid_ranks(y);
  double r = product_moment(rx, ry);
  Correlation c = with_interval(r, x.size(), (1 + r * r / 2) / (double(x.size()) - 3), level);
  if (!std::isnan(r) && x.size() >= 3 && x.size() <= 8) c.p = exact_p(rx, ry, r);
  return c;
}

Agreement agreement(std::span<const double> first, std::span<const double> second) {
  Agreement a;
  double alike = 0, right1 = 0, right2 = 0, tie1 = 0, tie2 = 0;
  for (size_t i = 0; i < first.size() && i < second.size(); ++i) {
    ++a.items;
    alike += first[i] == second[i];
    right1 += first[i] == 1;
    right2 += second[i] == 1;
    tie1 += first[i] == 0.5;
    tie2 += second[i] == 0.5;
  }
  if (a.items == 0) return a;
  auto n = double(a.items);
  a.share = alike / n;
  double chance =
      (right1 * right2 + tie1 * tie2 + (n - right1 - tie1) * (n - right2 - tie2)) / (n * n);
  a.kappa = chance < 1 ? (a.share - chance) / (1 - chance) : std::nan("");
  return a;
}

}  // namespace minpair::stats
