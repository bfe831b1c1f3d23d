#include "stats/classify.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace minpair::stats {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> matrix_of(const LabelledRows& rows) {
  return Rows::Map(rows.values.data(), Index(rows.size()), Index(rows.width));
}

Vector counts_of(const LabelledRows& rows) {
  Vector counts = Vector::Zero(rows.classes);
  for (uint32_t label : rows.labels) ++counts[label];
  return counts;
}

Vector mean_of(const LabelledRows& rows) {
  if (rows.size() == 0) return Vector::Zero(Index(rows.width));
  return matrix_of(rows).colwise().mean();
}

// classes × width
Rows means_of(const LabelledRows& rows, const Vector& counts) {
  Rows means = Rows::Zero(rows.classes, Index(rows.width));
  for (size_t i = 0; i < rows.size(); ++i)
    means.row(rows.labels[i]) += matrix_of(rows).row(Index(i));
  return counts.cwiseMax(1).cwiseInverse().asDiagonal() * means;
}

// Ledoit and Wolf's share of the identity, from the centred rows and their covariance.
double shrinkage(const Rows& centred, const Matrix& c) {
  const double n = double(centred.rows()), p = double(centred.cols());
  const double fourth = centred.rowwise().squaredNorm().squaredNorm();
  const double squared = c.squaredNorm(), mean = c.trace() / p;
  const double delta = (squared - p * mean * mean) / p;
  const double beta = (fourth / n - squared) / (p * n);
  return delta > 0 ? std::clamp(beta / delta, 0.0, 1.0) : 1;
}

// Of the covariance of centred rows, the Cholesky factors. A share of the mean variance is put on
// the diagonal (Ledoit and Wolf's, where `shrunk`), and a trifle, so that it can be inverted.
Eigen::LLT<Matrix> covariance(const Rows& centred, bool shrunk, double trifle) {
  Matrix c = centred.transpose() * centred / double(centred.rows());
  const double share = shrunk ? shrinkage(centred, c) : 0, mean = c.trace() / double(c.cols());
  c *= 1 - share;
  c.diagonal().array() += (share + trifle) * mean + 1e-300;
  return Eigen::LLT<Matrix>(c);
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

// `weights`: classes × width
LinearClassifier classifier_of(const Rows& weights, Vector biases, const Vector& counts) {
  biases = (counts.array() > 0).select(biases, kNever);
  return {size_t(weights.cols()),
          {weights.data(), weights.data() + weights.size()},
          {biases.begin(), biases.end()}};
}

LinearClassifier fit_means(const LabelledRows& rows) {
  const Vector counts = counts_of(rows);
  const Rows means = means_of(rows, counts);
  return classifier_of(means, -0.5 * means.rowwise().squaredNorm(), counts);
}

LinearClassifier fit_lda(const LabelledRows& rows) {
  const Vector counts = counts_of(rows);
  const Rows means = means_of(rows, counts);
  Rows centred = matrix_of(rows);
  for (size_t i = 0; i < rows.size(); ++i) centred.row(Index(i)) -= means.row(rows.labels[i]);
  const Rows weights = covariance(centred, true, 1e-12).solve(means.transpose()).transpose();
  const Vector shares = (counts / double(rows.size())).array().log();
  return classifier_of(weights, shares - 0.5 * means.cwiseProduct(weights).rowwise().sum(), counts);
}

// --- logistic regression

// The direction that the last steps suggest (Nocedal's two loops).
struct Step {
  Vector moved, changed;
  double curvature;
};
Vector direction_of(const std::deque<Step>& steps, const Vector& gradient) {
  Vector d = gradient;
  std::vector<double> shares(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    shares[i] = steps[i].moved.dot(d) / steps[i].curvature;
    d -= shares[i] * steps[i].changed;
  }
  if (!steps.empty()) d *= steps.back().curvature / steps.back().changed.squaredNorm();
  for (size_t i = 0; i < steps.size(); ++i)
    d += (shares[i] - steps[i].changed.dot(d) / steps[i].curvature) * steps[i].moved;
  return -d;
}

// Least of a smooth convex function (L-BFGS with ten steps of memory).
template <class Objective>
Vector minimum(const Objective& objective, Vector at, double tolerance) {
  Vector gradient(at.size()), there(at.size());
  double value = objective(at, gradient);
  std::deque<Step> steps;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const double largest = gradient.cwiseAbs().maxCoeff();
    if (largest <= tolerance) break;
    const Vector direction = direction_of(steps, gradient);
    const double slope = direction.dot(gradient);
    double by = steps.empty() ? std::min(1.0, 1 / largest) : 1;
    Vector next;
    double reached = value;
    int halved = 0;
    for (; halved < 60; ++halved, by /= 2) {
      next = at + by * direction;
      reached = objective(next, there);
      if (reached <= value + 1e-4 * by * slope) break;
    }
    if (halved == 60) break;  // as low as these digits go
    Step step{next - at, there - gradient, 0};
    step.curvature = step.moved.dot(step.changed);
    if (step.curvature > 0) steps.push_back(std::move(step));
    if (steps.size() > 10) steps.pop_front();
    at = std::move(next);
    gradient = there;
    value = reached;
  }
  return at;
}

// Each value minus its mean, by its deviation; what does not vary is left at zero.
LinearClassifier fit_logistic(const LabelledRows& rows) {
  const auto w = Index(rows.width), n = Index(rows.size()), classes = Index(rows.classes);
  const Vector mean = mean_of(rows);
  Matrix x = matrix_of(rows).rowwise() - mean.transpose();
  Vector scale = x.colwise().squaredNorm();
  scale = (scale.array() > 1e-24).select((double(n) / scale.array()).sqrt(), 0.0);
  x *= scale.asDiagonal();
  // Parameters are those of the last classes: width and bias; of two classes the first one's are
  // zero.
  const Index fitted = classes == 2 ? 1 : classes;
  auto loss = [&](const Vector& at, Vector& gradient) {
    const auto parameters = Matrix::Map(at.data(), w + 1, fitted);
    auto slopes = Matrix::Map(gradient.data(), w + 1, fitted);
    Matrix scores = Matrix::Zero(n, classes);
    scores.rightCols(fitted) = x * parameters.topRows(w);
    scores.rightCols(fitted).rowwise() += parameters.row(w);
    const Vector most = scores.rowwise().maxCoeff();
    const Vector total =
        most.array() + (scores.colwise() - most).array().exp().rowwise().sum().log();
    double sum = total.sum() + 0.5 * parameters.topRows(w).squaredNorm();
    Matrix errors = (scores.colwise() - total).array().exp();
    for (Index i = 0; i < n; ++i) {
      sum -= scores(i, rows.labels[size_t(i)]);
      errors(i, rows.labels[size_t(i)]) -= 1;
    }
    slopes.topRows(w) = parameters.topRows(w) + x.transpose() * errors.rightCols(fitted);
    slopes.row(w) = errors.rightCols(fitted).colwise().sum();
    return sum;
  };
  const Vector at = minimum(loss, Vector::Zero(fitted * (w + 1)), 1e-6 * double(n));
  const auto parameters = Matrix::Map(at.data(), w + 1, fitted);
  Rows weights = Rows::Zero(classes, w);
  weights.bottomRows(fitted) = (scale.asDiagonal() * parameters.topRows(w)).transpose();
  Vector biases = -weights * mean;
  biases.tail(fitted) += parameters.row(w);
  return classifier_of(weights, biases, counts_of(rows));
}

}  // namespace

uint32_t LinearClassifier::classify(const double* row) const {
  const auto k = Index(biases.size()), w = Index(width);
  const Vector scores =
      Rows::Map(weights.data(), k, w) * Vector::Map(row, w) + Vector::Map(biases.data(), k);
  Index best = 0;
  scores.maxCoeff(&best);
  return uint32_t(best);
}

LinearClassifier fit_classifier(Classifier kind, const LabelledRows& rows) {
  if (kind == Classifier::means) return fit_means(rows);
  return kind == Classifier::lda ? fit_lda(rows) : fit_logistic(rows);
}

uint32_t majority_class(std::span<const uint32_t> labels, uint32_t classes) {
  std::vector<size_t> counts(classes, 0);
  for (uint32_t label : labels) ++counts[label];
  return uint32_t(std::ranges::max_element(counts) - counts.begin());
}

void Eraser::erase(double* row) const {
  const auto w = Index(mean_.size()), k = Index(away_.size()) / std::max<Index>(w, 1);
  Eigen::Map<Vector> x(row, w);
  const Vector told = Rows::Map(along_.data(), k, w) * (x - Vector::Map(mean_.data(), w));
  x -= Rows::Map(away_.data(), k, w).transpose() * told;
}

// With S the covariance of the rows and c that of rows and classes, the map is
// x - c (cᵀ S⁻¹ c)⁻¹ cᵀ S⁻¹ (x - mean): no root of S is needed. A trifle on its diagonal makes it
// invertible where there are fewer rows than values; what is erased is the same with any S.
Eraser least_squares_eraser(const LabelledRows& rows, bool shrunk) {
  const Vector counts = counts_of(rows), mean = mean_of(rows);
  const Rows means = means_of(rows, counts);
  const Eigen::LLT<Matrix> solver =
      covariance(matrix_of(rows).rowwise() - mean.transpose(), shrunk, 1e-6);
  Eraser eraser;
  eraser.mean_.assign(mean.begin(), mean.end());
  Matrix away(mean.size(), 0), along(mean.size(), 0);
  for (Index k = 0; k + 1 < Index(rows.classes); ++k) {
    if (counts[k] == 0) continue;
    Vector c = means.row(k).transpose() - mean;
    const double before = c.dot(solver.solve(c));
    c -= away * (along.transpose() * c);
    const Vector solved = solver.solve(c);
    const double length = c.dot(solved);
    if (!(length > 1e-12 * before)) continue;  // the other classes tell it already
    away.conservativeResize(Eigen::NoChange, away.cols() + 1);
    along.conservativeResize(Eigen::NoChange, along.cols() + 1);
    away.rightCols(1) = c / std::sqrt(length);
    along.rightCols(1) = solved / std::sqrt(length);
  }
  eraser.away_.assign(away.data(), away.data() + away.size());
  eraser.along_.assign(along.data(), along.data() + along.size());
  return eraser;
}

}  // namespace minpair::stats
