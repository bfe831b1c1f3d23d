#include "stats/mixed.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/error.h"
#include "stats/minimum.h"

namespace minpair::stats {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Sparse = Eigen::SparseMatrix<double>;

// Columns at right angles to each other, with a mean square of one: fixed effects are found in
// these, so that predictors which are nearly the same cost no digits.
class Orthogonal {
  Matrix triangle_;  // leads back
  auto upper() const { return triangle_.triangularView<Eigen::Upper>(); }

 public:
  explicit Orthogonal(const MixedData& data) {
    const auto n = Index(data.rows), p = Index(data.columns);
    const Rows x = Rows::Map(data.x.data(), n, p);
    const Eigen::HouseholderQR<Matrix> qr(x);
    const double root = std::sqrt(double(n));
    triangle_ = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
    triangle_ /= root;
    for (Index j = 0; j < p; ++j)
      if (!(std::abs(triangle_(j, j)) > 1e-9 * triangle_.col(j).norm()))
        throw bad_input(
            fmt::format("column {} of the model is a combination of the others", j + 1));
    q = root * (qr.householderQ() * Matrix::Identity(n, p));
  }

  Matrix q;  // rows × columns

  // Of the effects of the orthogonal columns, those of the given ones.
  std::vector<double> back(const Vector& effects) const {
    const Vector b = upper().solve(effects);
    return {b.begin(), b.end()};
  }
  // Standard errors, where those columns have this Cholesky factor of their information.
  std::vector<double> errors(const Matrix& factor, double scale) const {
    const Matrix root = factor.triangularView<Eigen::Lower>().transpose().solve(
        Matrix::Identity(factor.rows(), factor.cols()));
    const Vector e = scale * upper().solve(root).rowwise().norm();
    return {e.begin(), e.end()};
  }
  // REML knows the columns as they were given.
  double log_volume() const { return triangle_.diagonal().cwiseAbs().array().log().sum(); }
};

// The lower triangles between unit random effects and real ones, relative to the residual
// deviation, term after term; row after row of each.
using Factors = std::vector<Matrix>;

// The penalised normal equations of random effects, fixed effects and answers, as lme4 solves them:
// a sparse Cholesky factor of the random effects' part, and what is beside it.
class Equations {
 public:
  explicit Equations(const MixedData& data) : data_(data) {
    std::vector<Eigen::Triplet<double>> places;
    Index effects = 0;
    for (const RandomTerm& term : data.random) {
      for (size_t r = 0; r < data.rows; ++r)
        for (size_t j = 0; j < term.columns; ++j)
          places.emplace_back(effects + Index(term.level[r] * term.columns + j), Index(r), 0);
      effects += Index((1 + *std::ranges::max_element(term.level)) * term.columns);
    }
    design_ = Sparse(effects, Index(data.rows));
    design_.setFromTriplets(places.begin(), places.end());
    unit_ = Sparse(effects, effects);
    unit_.setIdentity();
  }
  Index effects() const { return design_.rows(); }

  // How unit random effects add up in each row under these factors.
  void scale(const Factors& factors) {
    double* value = design_.valuePtr();  // of a row after the other: terms, columns
    for (size_t r = 0; r < data_.rows; ++r)
      for (size_t t = 0; t < factors.size(); ++t) {
        const auto k = Index(data_.random[t].columns);
        const auto z = Vector::Map(&data_.random[t].z[r * size_t(k)], k);
        Vector::Map(value, k) = factors[t].transpose() * z;
        value += k;
      }
  }
  Vector random_part(const Vector& u) const { return design_.transpose() * u; }

  // Under these weights of the rows; `x` are the fixed effects' columns, if these are unknown.
  void factor(const Vector& weight, const Matrix& x, const Vector& answer) {
    Matrix sides(weight.size(), x.cols() + 1);
    sides << x, answer;
    Matrix own = sides.transpose() * weight.asDiagonal() * sides;
    log_determinant = 0;
    if (effects() > 0) {
      const Sparse weighted = design_ * weight.asDiagonal();
      const Sparse information = weighted * design_.transpose() + unit_;
      if (!analyzed_) solver_.analyzePattern(information);
      analyzed_ = true;
      solver_.factorize(information);
      beside_ = solver_.matrixL().solve(solver_.permutationP() * (weighted * sides));
      own -= beside_.transpose() * beside_;
      log_determinant = 2 * Vector(Sparse(solver_.matrixL()).diagonal()).array().log().sum();
    }
    information_ = own.topLeftCorner(x.cols(), x.cols()).llt().matrixL();
    const Vector last =
        information_.triangularView<Eigen::Lower>().solve(own.col(x.cols()).head(x.cols()));
    residual_squares = own(x.cols(), x.cols()) - last.squaredNorm();
    fixed_log_determinant = 2 * information_.diagonal().array().log().sum();
    fixed_effects = information_.triangularView<Eigen::Lower>().transpose().solve(last);
  }

  double log_determinant = 0;  // of L·Lʹ
  double fixed_log_determinant = 0;
  double residual_squares = 0;  // penalised
  Vector fixed_effects;

  const Matrix& information() const { return information_; }  // its Cholesky factor
  Vector random_effects() const {
    if (effects() == 0) return {};
    const Vector rest =
        beside_.col(fixed_effects.size()) - beside_.leftCols(fixed_effects.size()) * fixed_effects;
    return solver_.permutationPinv() * solver_.matrixU().solve(rest);
  }

 private:
  const MixedData& data_;
  Sparse design_, unit_;  // effects × rows; the penalty
  Eigen::SimplicialLLT<Sparse> solver_;
  bool analyzed_ = false;
  Matrix beside_, information_;
};

class Mixed {
 public:
  explicit Mixed(const MixedData& data)
      : data_(data),
        columns_(data),
        y_(Vector::Map(data.y.data(), Index(data.rows))),
        equations_(data) {
    for (const RandomTerm& term : data.random) thetas_ += term.columns * (term.columns + 1) / 2;
  }

  MixedFit measures() {
    const Vector ones = Vector::Ones(y_.size());
    const auto n = double(data_.rows), p = double(data_.columns);
    const double freedom = data_.restricted ? n - p : n;
    auto deviance = [&](const Vector& theta) {
      equations_.scale(factors(theta));
      equations_.factor(ones, columns_.q, y_);
      const double variance = equations_.residual_squares / freedom;
      return equations_.log_determinant +
             (data_.restricted ? equations_.fixed_log_determinant : 0) +
             freedom * (1 + std::log(2 * std::numbers::pi * variance));
    };
    const Minimum best = lowest(deviance, start());
    MixedFit fit;
    fit.log_likelihood = -deviance(best.at) / 2;
    if (data_.restricted) fit.log_likelihood -= columns_.log_volume();
    fit.converged = best.converged;
    fit.residual_deviation = std::sqrt(equations_.residual_squares / freedom);
    fit.estimates = columns_.back(equations_.fixed_effects);
    // As lm: without random terms the variance knows how many effects were estimated.
    const double scale = data_.random.empty() ? std::sqrt(equations_.residual_squares / (n - p))
                                              : fit.residual_deviation;
    fit.standard_errors = columns_.errors(equations_.information(), scale);
    finish(fit, best.at, fit.residual_deviation, 1);
    return fit;
  }

  MixedFit counts() {
    trials_ = Vector::Map(data_.trials.data(), y_.size());
    const Vector first = start();
    Vector u = Vector::Zero(equations_.effects()), fixed = Vector::Zero(columns_.q.cols());
    equations_.scale(factors(first));
    const double at_mode = newton(u, fixed, true);
    MixedFit fit;
    if (data_.random.empty()) {
      fit.log_likelihood = -at_mode / 2;
      fit.converged = true;
      fit.estimates = columns_.back(fixed);
      fit.standard_errors = columns_.errors(equations_.information(), 1);
      finish(fit, first, 1, 0);
      return fit;
    }
    Vector at(first.size() + fixed.size());
    at << first, fixed;
    auto laplace = [&](const Vector& all) {
      equations_.scale(factors(all));
      Vector b = all.tail(fixed.size());
      const double penalised = newton(u, b, false);
      return penalised + equations_.log_determinant;
    };
    const Minimum best = lowest(laplace, at);
    fit.log_likelihood = -best.value / 2;
    fit.converged = best.converged;
    fit.estimates = columns_.back(best.at.tail(fixed.size()));
    if (data_.errors) fit.standard_errors = curved_errors(laplace, best.at, fixed.size());
    finish(fit, best.at, 1, 0);
    return fit;
  }

 private:
  const MixedData& data_;
  Orthogonal columns_;
  Vector y_, trials_;
  Equations equations_;
  size_t thetas_ = 0;

  Vector start() const {
    Vector theta = Vector::Zero(Index(thetas_));
    Index at = 0;
    for (const RandomTerm& term : data_.random)
      for (size_t i = 0; i < term.columns; ++i)
        for (size_t j = 0; j <= i; ++j) theta[at++] = i == j;
    return theta;
  }
  // The deviance is even in every deviation, so that its slope is zero where one of them is: a step
  // that lands there exactly stays, wherever the minimum is.
  Minimum lowest(const std::function<double(const Vector&)>& deviance, const Vector& from) const {
    Minimum best = minimise(deviance, from);
    for (const Matrix& f : factors(best.at))
      if (f.diagonal().cwiseAbs().minCoeff() < 1e-8) {
        Vector again = from;
        again.head(Index(thetas_)) *= 0.3;
        if (Minimum other = minimise(deviance, again); other.value < best.value) best = other;
        break;
      }
    return best;
  }
  Factors factors(const Vector& theta) const {
    Factors all;
    Index at = 0;
    for (const RandomTerm& term : data_.random) {
      const auto k = Index(term.columns);
      Matrix& f = all.emplace_back(Matrix::Zero(k, k));
      for (Index i = 0; i < k; ++i)
        for (Index j = 0; j <= i; ++j) f(i, j) = theta[at++];
    }
    return all;
  }
  // From the second derivatives of the deviance, in the fixed effects and in the deviations, as
  // lme4 has them; where these are at their boundary, in the fixed effects alone.
  std::vector<double> curved_errors(const std::function<double(const Vector&)>& deviance,
                                    const Vector& at, Index effects) const {
    const Index n = at.size();
    Matrix curvature(n, n);
    const double here = deviance(at);
    const auto moved = [&](Index i, double a, Index j, double b) {
      Vector x = at;
      x[i] += a;
      x[j] += b;
      return deviance(x);
    };
    constexpr double h = 1e-3;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        curvature(i, j) = curvature(j, i) =
            i == j ? (moved(i, h, i, 0) - 2 * here + moved(i, -h, i, 0)) / (h * h)
                   : (moved(i, h, j, h) - moved(i, h, j, -h) - moved(i, -h, j, h) +
                      moved(i, -h, j, -h)) /
                         (4 * h * h);
    const Eigen::LDLT<Matrix> whole(curvature / 2);
    Matrix information = curvature.bottomRightCorner(effects, effects) / 2;
    if (whole.isPositive() && whole.vectorD().minCoeff() > 1e-8)
      information =
          Matrix(whole.solve(Matrix::Identity(n, n))).bottomRightCorner(effects, effects).inverse();
    return columns_.errors(information.llt().matrixL(), 1);
  }

  void finish(MixedFit& fit, const Vector& theta, double scale, size_t more) const {
    constexpr double kNothing = 1e-4;  // lme4's limit
    for (const Matrix& f : factors(theta)) {
      fit.singular |= f.diagonal().cwiseAbs().minCoeff() < kNothing;
      const Vector own = scale * f.rowwise().norm();
      fit.deviations.emplace_back(own.begin(), own.end());
    }
    fit.parameters = data_.columns + thetas_ + more;
  }

  // --- Counts: the logit link

  Vector linear(const Vector& u, const Vector& fixed) const {
    return equations_.random_part(u) + columns_.q * fixed;
  }
  // -2 log-likelihood of the single answers, and the penalty on random effects.
  double penalised_deviance(const Vector& eta, const Vector& u) const {
    const auto soft = eta.array().max(0) + (-eta.array().abs()).exp().log1p();
    return 2 * (trials_.array() * soft - y_.array() * eta.array()).sum() + u.squaredNorm();
  }

  // Newton's steps to the most likely random effects (and, at first, fixed ones), halved where they
  // lead up. Answers the penalised deviance at the mode, where the equations stand then.
  double newton(Vector& u, Vector& fixed, bool all) {
    constexpr int kMost = 100;
    const Matrix columns = all ? columns_.q : Matrix(y_.size(), 0);
    const Vector known = all ? Vector::Zero(y_.size()) : Vector(columns_.q * fixed);
    Vector eta = linear(u, fixed);
    double value = penalised_deviance(eta, u);
    bool near = false, last = false;
    for (int step = 0;; ++step) {
      const Vector mu = (1 + (-eta.array()).exp()).inverse();
      const Vector weight = (trials_.array() * mu.array() * (1 - mu.array())).max(1e-12);
      const Vector residual = y_ - trials_.cwiseProduct(mu);
      equations_.factor(weight, columns, eta - known + residual.cwiseQuotient(weight));
      if (last || step == kMost) return value;
      Vector b = all ? equations_.fixed_effects : fixed;
      Vector next = equations_.random_effects();
      double now = 0;
      for (int halvings = 0;; ++halvings) {
        eta = linear(next, b);
        now = penalised_deviance(eta, next);
        if (now <= value + 1e-12 * std::abs(value) || halvings == 20) break;
        next = (next + u) / 2;
        b = (b + fixed) / 2;
      }
      // Each step squares the distance: after a small one the next is exact.
      last = near;
      near = std::abs(value - now) < 1e-9 * (1 + std::abs(value));
      u = next, fixed = b, value = now;
    }
  }
};

}  // namespace

MixedFit fit_mixed(const MixedData& data) {
  Mixed model(data);
  return data.trials.empty() ? model.measures() : model.counts();
}

}  // namespace minpair::stats
