#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/gamma.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Lentz's continued fraction of the incomplete beta function; converges fast for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 10000; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (std::abs(c) < tiny) c = tiny;
      change = c * d;
      h *= change;
    }
    if (std::abs(change - 1) < 1e-16) break;
  }
  return h;
}

double log_beta(double a, double b) { return log_gamma(a) + log_gamma(b) - log_gamma(a + b); }

}  // namespace

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -HUGE_VAL : p == 1 ? HUGE_VAL : nan;
  if (p > 0.5) return -normal_quantile(1 - p);  // the lower tail has the digits
  // Bisection brackets, Newton finishes: slow, obvious, and accurate to the last bits in both
  // tails.
  double low = -40, high = 40;
  for (int i = 0; i < 60; ++i) {
    double middle = 0.5 * (low + high);
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  double z = 0.5 * (low + high);
  double density = std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI);
  return density > 0 ? z - (normal_cdf(z) - p) / density : z;
}

double incomplete_beta(double a, double b, double x) {
  if (!(a > 0 && b > 0) || std::isnan(x)) return nan;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta(a, b));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 200 && low < high; ++i) {
    double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (incomplete_beta(a, b, middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double student_two_sided_p(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return nan;
  return incomplete_beta(degrees_of_freedom / 2, 0.5,
                         degrees_of_freedom / (degrees_of_freedom + t * t));
}

double student_quantile(double p, double degrees_of_freedom) {
  if (p == 0.5) return 0;
  double x = beta_quantile(2 * std::min(p, 1 - p), degrees_of_freedom / 2, 0.5);
  double t = std::sqrt(degrees_of_freedom * (1 - x) / x);
  return p < 0.5 ? -t : t;
}

double binomial_cdf(uint64_t k, uint64_t n, double p) {
  if (k >= n) return 1;
  return incomplete_beta(double(n - k), double(k) + 1, 1 - p);
}

double mean(std::span<const double> x) {
  double sum = 0;
  for (double v : x) sum += v;
  return x.empty() ? 0 : sum / double(x.size());
}

double standard_deviation(std::span<const double> x) {
  if (x.size() < 2) return 0;
  double m = mean(x), squares = 0;
  for (double v : x) squares += (v - m) * (v - m);
  return std::sqrt(squares / double(x.size() - 1));
}

}  // namespace minpair::stats
