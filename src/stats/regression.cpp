#include <Eigen/Cholesky>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

struct Fit {
  Eigen::Map<const Vector> outcome;
  Rows rows;
  Vector b;
  Matrix covariance;  // the inverse of the information at `b`
  uint64_t iterations = 0;

  Vector probabilities() const { return (1 + (-(rows * b).array()).exp()).inverse(); }

  // False: the columns are dependent.
  bool invert_information(const Vector& weights) {
    const Eigen::LDLT<Matrix> information(rows.transpose() * weights.asDiagonal() * rows);
    if (!(information.vectorD().minCoeff() > 1e-12)) return false;
    covariance = information.solve(Matrix::Identity(b.size(), b.size()));
    return true;
  }
};

// Where a combination of conditions is all right or all wrong, several coefficients run away
// together, each of them slowly; their steps end where the rounding of its probability does.
constexpr double kCertain = 1e-8;

bool newton(Fit& fit) {
  fit.b.setZero();
  for (fit.iterations = 1; fit.iterations <= 50; ++fit.iterations) {
    const Vector p = fit.probabilities();
    if (!fit.invert_information(p.array() * (1 - p.array()))) return false;
    const Vector step = fit.covariance * (fit.rows.transpose() * (fit.outcome - p));
    fit.b += step;
    if (step.cwiseAbs().maxCoeff() < 1e-12)
      return (p.array() * (1 - p.array())).minCoeff() > kCertain;
    if (fit.b.cwiseAbs().maxCoeff() > 30) return false;
  }
  return true;
}

// Firth's penalty: the score of each item gets h(1/2 - p), h its leverage. It is finite where one
// condition is all right; in a saturated design it is one half added to every cell.
bool firth(Fit& fit) {
  fit.b.setZero();
  for (fit.iterations = 1; fit.iterations <= 500; ++fit.iterations) {
    const Vector p = fit.probabilities(), weights = p.array() * (1 - p.array());
    if (!fit.invert_information(weights)) return false;
    const Vector leverages =
        weights.array() *
        (fit.rows * fit.covariance).cwiseProduct(fit.rows).rowwise().sum().array();
    const Vector residuals = fit.outcome - p + leverages.cwiseProduct((0.5 - p.array()).matrix());
    const Vector step =
        (fit.covariance * (fit.rows.transpose() * residuals)).cwiseMax(-5).cwiseMin(5);
    fit.b += step;
    if (step.cwiseAbs().maxCoeff() < 1e-10) return true;
  }
  return false;
}

// The scores of the items, summed over each cluster: clusters × coefficients.
Matrix cluster_scores(const Fit& fit, std::span<const uint64_t> cluster) {
  std::unordered_map<uint64_t, Eigen::Index> place;
  const Vector residuals = fit.outcome - fit.probabilities();
  Matrix scores = Matrix::Zero(fit.rows.rows(), fit.rows.cols());
  for (Eigen::Index i = 0; i < fit.rows.rows(); ++i) {
    const uint64_t name = cluster.empty() ? uint64_t(i) : cluster[size_t(i)];
    const auto at = place.try_emplace(name, Eigen::Index(place.size())).first;
    scores.row(at->second) += residuals[i] * fit.rows.row(i);
  }
  return scores.topRows(Eigen::Index(place.size()));
}

}  // namespace

Logistic logistic_regression(std::span<const double> outcome, std::span<const double> rows,
                             const std::vector<std::string>& names,
                             std::span<const uint64_t> cluster) {
  const size_t n = outcome.size(), k = names.size();
  if (rows.size() != n * k || (!cluster.empty() && cluster.size() != n))
    throw wrong_call("logistic regression: outcomes, rows and clusters differ in length");
  Logistic result;
  result.items = n;
  for (const std::string& name : names) result.coefficients.push_back({name});
  if (n <= k) return result;
  Fit fit{{outcome.data(), Eigen::Index(n)},
          {rows.data(), Eigen::Index(n), Eigen::Index(k)},
          Vector(Eigen::Index(k)),
          {}};
  result.converged = newton(fit);
  if (!result.converged) result.converged = result.penalised = firth(fit);
  result.iterations = fit.iterations;
  if (!result.converged) return result;
  const Matrix scores = cluster_scores(fit, cluster);
  result.clusters = uint64_t(scores.rows());
  Vector variances = fit.covariance.diagonal();
  if (!result.penalised) {
    const auto g = double(result.clusters);
    variances = (scores * fit.covariance).colwise().squaredNorm() * (g > 1 ? g / (g - 1) : NAN);
  }
  for (size_t j = 0; j < k; ++j) {
    Coefficient& c = result.coefficients[j];
    c.estimate = fit.b[Eigen::Index(j)];
    c.standard_error = std::sqrt(variances[Eigen::Index(j)]);
    c.z = c.estimate / c.standard_error;
    c.p = 2 * normal_cdf(-std::abs(c.z));
  }
  return result;
}

}  // namespace minpair::stats
