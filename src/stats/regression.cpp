#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

// A small dense symmetric system; k is the number of coefficients.
struct Matrix {
  size_t k;
  std::vector<double> a;
  explicit Matrix(size_t n) : k(n), a(n * n, 0.0) {}
  double& at(size_t i, size_t j) { return a[i * k + j]; }
  double at(size_t i, size_t j) const { return a[i * k + j]; }
};

// Inverse by Gauss-Jordan with pivoting; false when singular.
bool invert(Matrix& m) {
  size_t k = m.k;
  Matrix inverse(k);
  for (size_t i = 0; i < k; ++i) inverse.at(i, i) = 1;
  for (size_t column = 0; column < k; ++column) {
    size_t pivot = column;
    for (size_t r = column; r < k; ++r)
      if (std::abs(m.at(r, column)) > std::abs(m.at(pivot, column))) pivot = r;
    if (std::abs(m.at(pivot, column)) < 1e-12) return false;
    for (size_t j = 0; j < k; ++j) {
      std::swap(m.at(pivot, j), m.at(column, j));
      std::swap(inverse.at(pivot, j), inverse.at(column, j));
    }
    double scale = 1 / m.at(column, column);
    for (size_t j = 0; j < k; ++j) {
      m.at(column, j) *= scale;
      inverse.at(column, j) *= scale;
    }
    for (size_t r = 0; r < k; ++r) {
      if (r == column) continue;
      double factor = m.at(r, column);
      for (size_t j = 0; j < k; ++j) {
        m.at(r, j) -= factor * m.at(column, j);
        inverse.at(r, j) -= factor * inverse.at(column, j);
      }
    }
  }
  m = inverse;
  return true;
}

Matrix product(const Matrix& x, const Matrix& y) {
  Matrix z(x.k);
  for (size_t i = 0; i < x.k; ++i)
    for (size_t j = 0; j < x.k; ++j)
      for (size_t l = 0; l < x.k; ++l) z.at(i, j) += x.at(i, l) * y.at(l, j);
  return z;
}

struct Fit {
  std::span<const double> outcome, rows;
  size_t n, k;
  std::vector<double> b;

  const double* row(size_t i) const { return rows.data() + i * k; }
  double probability(size_t i) const {
    double eta = 0;
    for (size_t j = 0; j < k; ++j) eta += row(i)[j] * b[j];
    return 1 / (1 + std::exp(-eta));
  }

  // The Fisher information and the gradient at b.
  void information(Matrix& info, std::vector<double>& gradient) const {
    for (size_t i = 0; i < n; ++i) {
      double p = probability(i), weight = p * (1 - p), residual = outcome[i] - p;
      for (size_t j = 0; j < k; ++j) {
        gradient[j] += row(i)[j] * residual;
        for (size_t l = 0; l < k; ++l) info.at(j, l) += weight * row(i)[j] * row(i)[l];
      }
    }
  }
};

// The sum over clusters of the outer products of their score sums.
Matrix clustered_meat(const Fit& fit, std::span<const uint64_t> cluster, uint64_t& clusters) {
  std::unordered_map<uint64_t, size_t> place;
  std::vector<double> scores;
  for (size_t i = 0; i < fit.n; ++i) {
    auto [at, fresh] = place.try_emplace(cluster.empty() ? i : cluster[i], place.size());
    if (fresh) scores.resize(scores.size() + fit.k, 0.0);
    double residual = fit.outcome[i] - fit.probability(i);
    for (size_t j = 0; j < fit.k; ++j) scores[at->second * fit.k + j] += fit.row(i)[j] * residual;
  }
  clusters = place.size();
  Matrix meat(fit.k);
  for (size_t g = 0; g < clusters; ++g)
    for (size_t j = 0; j < fit.k; ++j)
      for (size_t l = 0; l < fit.k; ++l)
        meat.at(j, l) += scores[g * fit.k + j] * scores[g * fit.k + l];
  return meat;
}

bool newton(Fit& fit, Matrix& bread, uint64_t& iterations) {
  for (iterations = 1; iterations <= 50; ++iterations) {
    bread = Matrix(fit.k);
    std::vector<double> gradient(fit.k, 0.0);
    fit.information(bread, gradient);
    if (!invert(bread)) return false;
    double largest = 0;
    for (size_t j = 0; j < fit.k; ++j) {
      double step = 0;
      for (size_t l = 0; l < fit.k; ++l) step += bread.at(j, l) * gradient[l];
      fit.b[j] += step;
      largest = std::max(largest, std::abs(step));
    }
    if (largest < 1e-12) return true;
    if (std::any_of(fit.b.begin(), fit.b.end(), [](double b) { return std::abs(b) > 30; }))
      return false;
  }
  return true;
}

// Firth's penalty: the score of each item gets h(1/2 - p), h its leverage. It is finite where one
// condition is all right; in a saturated design it is one half added to every cell.
bool firth(Fit& fit, Matrix& bread, uint64_t& iterations) {
  std::fill(fit.b.begin(), fit.b.end(), 0.0);
  for (iterations = 1; iterations <= 500; ++iterations) {
    bread = Matrix(fit.k);
    std::vector<double> gradient(fit.k, 0.0);
    fit.information(bread, gradient);
    if (!invert(bread)) return false;
    for (size_t i = 0; i < fit.n; ++i) {
      double p = fit.probability(i), leverage = 0;
      for (size_t j = 0; j < fit.k; ++j)
        for (size_t l = 0; l < fit.k; ++l)
          leverage += p * (1 - p) * fit.row(i)[j] * bread.at(j, l) * fit.row(i)[l];
      for (size_t j = 0; j < fit.k; ++j) gradient[j] += fit.row(i)[j] * leverage * (0.5 - p);
    }
    double largest = 0;
    for (size_t j = 0; j < fit.k; ++j) {
      double step = 0;
      for (size_t l = 0; l < fit.k; ++l) step += bread.at(j, l) * gradient[l];
      step = std::clamp(step, -5.0, 5.0);
      fit.b[j] += step;
      largest = std::max(largest, std::abs(step));
    }
    if (largest < 1e-10) return true;
  }
  return false;
}

}  // namespace

Logistic logistic_regression(std::span<const double> outcome, std::span<const double> rows,
                             const std::vector<std::string>& names,
                             std::span<const uint64_t> cluster) {
  Fit fit{outcome, rows, outcome.size(), names.size(), std::vector<double>(names.size(), 0.0)};
  if (rows.size() != fit.n * fit.k || (!cluster.empty() && cluster.size() != fit.n))
    throw wrong_call("logistic regression: outcomes, rows and clusters differ in length");
  Logistic result;
  result.items = fit.n;
  for (const std::string& name : names) result.coefficients.push_back({name});
  Matrix covariance(fit.k);
  if (fit.n <= fit.k) return result;
  result.converged = newton(fit, covariance, result.iterations);
  if (!result.converged)
    result.converged = result.penalised = firth(fit, covariance, result.iterations);
  if (!result.converged) return result;
  Matrix meat = clustered_meat(fit, cluster, result.clusters);
  auto g = double(result.clusters);
  double correction = result.penalised ? 1 : g > 1 ? g / (g - 1) : std::nan("");
  if (!result.penalised) covariance = product(product(covariance, meat), covariance);
  for (size_t j = 0; j < fit.k; ++j) {
    Coefficient& c = result.coefficients[j];
    c.estimate = fit.b[j];
    c.standard_error = std::sqrt(covariance.at(j, j) * correction);
    c.z = c.estimate / c.standard_error;
    c.p = 2 * normal_cdf(-std::abs(c.z));
  }
  return result;
}

}  // namespace minpair::stats
