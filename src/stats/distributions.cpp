#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "stats/stats.h"

namespace minpair::stats {
namespace {

namespace math = boost::math;
namespace policies = math::policies;

// Errors are NaN and infinity, not exceptions. double only: long double has other digits elsewhere.
using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using Normal = math::normal_distribution<double, Quiet>;
using Beta = math::beta_distribution<double, Quiet>;
using Student = math::students_t_distribution<double, Quiet>;
using ChiSquare = math::chi_squared_distribution<double, Quiet>;
using Hypergeometric = math::hypergeometric_distribution<double, Quiet>;

}  // namespace

double normal_cdf(double z) { return math::cdf(Normal(), z); }

double normal_quantile(double p) { return math::quantile(Normal(), p); }

double incomplete_beta(double a, double b, double x) { return math::cdf(Beta(a, b), x); }

double beta_quantile(double p, double a, double b) { return math::quantile(Beta(a, b), p); }

double student_two_sided_p(double t, double degrees_of_freedom) {
  return 2 * math::cdf(Student(degrees_of_freedom), -std::abs(t));
}

double student_quantile(double p, double degrees_of_freedom) {
  return math::quantile(Student(degrees_of_freedom), p);
}

double chi_square_p(double x, uint64_t degrees_of_freedom) {
  if (!(x > 0)) return 1;
  if (std::isinf(x)) return 0;
  return math::cdf(math::complement(ChiSquare(double(degrees_of_freedom)), x));
}

double binomial_cdf(uint64_t k, uint64_t n, double p) {
  if (k >= n) return 1;
  return incomplete_beta(double(n - k), double(k) + 1, 1 - p);
}

double hypergeometric_density(uint64_t shared, uint64_t first, uint64_t second, uint64_t of) {
  if (shared > std::min(first, second) || first + second > of + shared) return 0;
  return math::pdf(Hypergeometric(first, second, of), shared);
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
