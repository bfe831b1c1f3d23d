#include "stats/mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"
#include "stats/minimum.h"

namespace minpair::stats {
namespace {

using Vector = std::vector<double>;

// Lower triangle of a positive definite matrix, in its place. Answers the sum of the logarithms of
// its squared diagonal.
double cholesky(double* a, size_t n) {
  double log_determinant = 0;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (size_t l = 0; l < j; ++l) sum -= a[i * n + l] * a[j * n + l];
      if (i > j) {
        a[i * n + j] = sum / a[j * n + j];
        continue;
      }
      a[j * n + j] = std::sqrt(std::max(sum, 0.0));
      log_determinant += std::log(std::max(sum, 1e-300));
    }
  return log_determinant;
}

// Four sums, since one would wait for each addition.
double product(const double* a, const double* b, size_t n) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t l = 0; l < 4; ++l) sums[l] += a[i + l] * b[i + l];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Columns at right angles to each other, with a mean square of one: fixed effects are found in
// these, so that predictors which are nearly the same cost no digits. `triangle` leads back.
class Orthogonal {
 public:
  Orthogonal(const MixedData& data)
      : q(data.x), columns_(data.columns), triangle_(columns_ * columns_) {
    const size_t p = columns_;
    for (size_t j = 0; j < p; ++j) {
      const double whole = length(data, j);
      for (int twice = 0; twice < 2; ++twice)
        for (size_t i = 0; i < j; ++i) {
          double along = 0;
          for (size_t r = 0; r < data.rows; ++r) along += q[r * p + i] * q[r * p + j];
          along /= double(data.rows);
          for (size_t r = 0; r < data.rows; ++r) q[r * p + j] -= along * q[r * p + i];
          triangle_[i * p + j] += along;
        }
      const double left = length(data, j) / std::sqrt(double(data.rows));
      if (!(left > 1e-9 * whole / std::sqrt(double(data.rows))))
        throw bad_input(
            fmt::format("column {} of the model is a combination of the others", j + 1));
      for (size_t r = 0; r < data.rows; ++r) q[r * p + j] /= left;
      triangle_[j * p + j] = left;
    }
  }

  Vector q;  // rows × columns

  // Of the effects of the orthogonal columns, those of the given ones.
  Vector back(const Vector& effects) const {
    Vector b = effects;
    for (size_t i = columns_; i-- > 0;) {
      for (size_t j = i + 1; j < columns_; ++j) b[i] -= triangle_[i * columns_ + j] * b[j];
      b[i] /= triangle_[i * columns_ + i];
    }
    return b;
  }
  // Standard errors, where those columns have this lower triangle of their information.
  Vector errors(const Vector& information, double scale) const {
    Vector squares(columns_);
    for (size_t k = 0; k < columns_; ++k) {
      Vector e(columns_);  // a column of the inverse of the transposed triangle
      e[k] = 1 / information[k * columns_ + k];
      for (size_t i = k; i-- > 0;) {
        double sum = 0;
        for (size_t l = i + 1; l <= k; ++l) sum += information[l * columns_ + i] * e[l];
        e[i] = -sum / information[i * columns_ + i];
      }
      e = back(e);
      for (size_t i = 0; i < columns_; ++i) squares[i] += e[i] * e[i];
    }
    for (double& s : squares) s = scale * std::sqrt(s);
    return squares;
  }

  // REML knows the columns as they were given.
  double log_volume() const {
    double sum = 0;
    for (size_t i = 0; i < columns_; ++i) sum += std::log(triangle_[i * columns_ + i]);
    return sum;
  }

 private:
  size_t columns_;
  Vector triangle_;

  double length(const MixedData& data, size_t j) const {
    double sum = 0;
    for (size_t r = 0; r < data.rows; ++r) sum += q[r * columns_ + j] * q[r * columns_ + j];
    return std::sqrt(sum);
  }
};

// The normal equations of effects and answers. Random effects come first, and of these the term
// with the most groups: its groups do not meet, so that its part is made of small blocks.
class Equations {
 public:
  Equations(const MixedData& data, const Vector& q)
      : data_(data), q_(q), order_(data.random.size()) {
    for (const RandomTerm& term : data.random)
      levels_.push_back(1 + size_t(*std::max_element(term.level.begin(), term.level.end())));
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return levels_[a] > levels_[b]; });
    offsets_.resize(order_.size());
    for (size_t t : order_) {
      offsets_[t] = effects_;
      effects_ += levels_[t] * data.random[t].columns;
      if (t == order_[0]) first_ = effects_, block_ = data.random[t].columns;
    }
  }
  size_t effects() const { return effects_; }

  // Cholesky factors L of the random effects' part, with `factors` (lower triangles) between unit
  // effects and real ones, under these weights of the rows; then what is beside it. `fixed`: fixed
  // effects are unknown, too.
  void factor(const std::vector<Vector>& factors, const Vector& weight, const Vector& answer,
              bool fixed) {
    sides_ = (fixed ? data_.columns : 0) + 1;
    const size_t rest = effects_ - first_;
    blocks_.assign(first_ * block_, 0);
    below_.assign(rest * first_, 0);
    corner_.assign(rest * rest, 0);
    side_.assign(effects_ * sides_, 0);
    own_.assign(sides_ * sides_, 0);
    for (size_t r = 0; r < data_.rows; ++r) add_row(factors, r, weight[r], answer[r], fixed);
    for (size_t i = 0; i < first_; ++i) blocks_[i * block_ + i % std::max<size_t>(block_, 1)] += 1;
    for (size_t i = 0; i < rest; ++i) corner_[i * rest + i] += 1;
    eliminate(rest);
  }

  double log_determinant = 0;  // of L·Lʹ
  double fixed_log_determinant = 0;
  double residual_squares = 0;  // penalised

  // The unknowns, by back substitution: fixed effects, then unit random effects.
  Vector fixed_effects() const {
    const size_t p = sides_ - 1;
    Vector b(p);
    for (size_t i = p; i-- > 0;) {
      double sum = own_[p * sides_ + i];
      for (size_t j = i + 1; j < p; ++j) sum -= own_[j * sides_ + i] * b[j];
      b[i] = sum / own_[i * sides_ + i];
    }
    return b;
  }
  Vector information() const {  // lower triangle, of the fixed effects
    const size_t p = sides_ - 1;
    Vector triangle(p * p);
    for (size_t i = 0; i < p; ++i)
      for (size_t j = 0; j <= i; ++j) triangle[i * p + j] = own_[i * sides_ + j];
    return triangle;
  }
  Vector random_effects(const Vector& fixed) const {
    const size_t rest = effects_ - first_;
    Vector u(effects_);
    for (size_t i = 0; i < effects_; ++i) {
      u[i] = side_[i * sides_ + sides_ - 1];
      for (size_t j = 0; j < fixed.size(); ++j) u[i] -= side_[i * sides_ + j] * fixed[j];
    }
    for (size_t i = rest; i-- > 0;) {
      for (size_t j = i + 1; j < rest; ++j) u[first_ + i] -= corner_[j * rest + i] * u[first_ + j];
      u[first_ + i] /= corner_[i * rest + i];
    }
    for (size_t j = 0; j < rest; ++j)
      for (size_t i = 0; i < first_; ++i) u[i] -= below_[j * first_ + i] * u[first_ + j];
    for (size_t begin = 0; begin < first_; begin += block_)
      for (size_t i = block_; i-- > 0;) {
        double& x = u[begin + i];
        for (size_t j = i + 1; j < block_; ++j)
          x -= blocks_[(begin + j) * block_ + i] * u[begin + j];
        x /= blocks_[(begin + i) * block_ + i];
      }
    return u;
  }

  // What unit random effects add to a row.
  double part(const std::vector<Vector>& factors, const Vector& u, size_t row) const {
    double sum = 0;
    for (size_t t = 0; t < data_.random.size(); ++t) {
      const RandomTerm& term = data_.random[t];
      const double* own = &u[offsets_[t] + term.level[row] * term.columns];
      for (size_t i = 0; i < term.columns; ++i)
        for (size_t j = 0; j <= i; ++j)
          sum += term.z[row * term.columns + i] * factors[t][i * term.columns + j] * own[j];
    }
    return sum;
  }

 private:
  const MixedData& data_;
  const Vector& q_;
  std::vector<size_t> order_, levels_, offsets_;
  size_t effects_ = 0, first_ = 0, block_ = 0, sides_ = 0;
  Vector blocks_;      // of the first term: its rows, `block_` wide
  Vector below_;       // rest × first
  Vector corner_;      // rest × rest
  Vector side_, own_;  // effects × sides, sides × sides; the answer is the last side
  Vector values_;      // of one row
  std::vector<size_t> places_;

  void add_row(const std::vector<Vector>& factors, size_t r, double weight, double answer,
               bool fixed) {
    values_.clear(), places_.clear();
    for (size_t t : order_) {
      const RandomTerm& term = data_.random[t];
      for (size_t j = 0; j < term.columns; ++j) {
        double value = 0;
        for (size_t i = j; i < term.columns; ++i)
          value += term.z[r * term.columns + i] * factors[t][i * term.columns + j];
        values_.push_back(value);
        places_.push_back(offsets_[t] + term.level[r] * term.columns + j);
      }
    }
    const size_t rest = effects_ - first_;
    auto side = [&](size_t s) {
      return s + 1 == sides_ ? answer : q_[r * data_.columns + (fixed ? s : 0)];
    };
    for (size_t i = 0; i < values_.size(); ++i) {
      const double value = weight * values_[i];
      for (size_t j = 0; j <= i; ++j) {
        const size_t row = places_[i], column = places_[j];
        double& cell = row < first_      ? blocks_[row * block_ + j]
                       : column < first_ ? below_[(row - first_) * first_ + column]
                                         : corner_[(row - first_) * rest + column - first_];
        cell += value * values_[j];
      }
      for (size_t s = 0; s < sides_; ++s) side_[places_[i] * sides_ + s] += value * side(s);
    }
    for (size_t i = 0; i < sides_; ++i)
      for (size_t j = 0; j <= i; ++j) own_[i * sides_ + j] += weight * side(i) * side(j);
  }

  // x := L⁻¹x for rows of `x` that belong to one block.
  void forward(const double* block, double* x, size_t stride) const {
    for (size_t i = 0; i < block_; ++i) {
      for (size_t j = 0; j < i; ++j) x[i * stride] -= block[i * block_ + j] * x[j * stride];
      x[i * stride] /= block[i * block_ + i];
    }
  }

  void eliminate(size_t rest) {
    log_determinant = 0;
    for (size_t begin = 0; begin < first_; begin += block_) {
      double* block = &blocks_[begin * block_];
      log_determinant += cholesky(block, block_);
      for (size_t i = 0; i < rest; ++i) forward(block, &below_[i * first_ + begin], 1);
      for (size_t s = 0; s < sides_; ++s) forward(block, &side_[begin * sides_ + s], sides_);
    }
    for (size_t i = 0; i < rest; ++i) {
      const double* row = &below_[i * first_];
      for (size_t j = 0; j <= i; ++j)
        corner_[i * rest + j] -= product(row, &below_[j * first_], first_);
      for (size_t k = 0; k < first_; ++k)
        for (size_t s = 0; s < sides_; ++s)
          side_[(first_ + i) * sides_ + s] -= row[k] * side_[k * sides_ + s];
    }
    log_determinant += cholesky(corner_.data(), rest);
    for (size_t i = 0; i < rest; ++i)
      for (size_t s = 0; s < sides_; ++s) {
        double& x = side_[(first_ + i) * sides_ + s];
        for (size_t j = 0; j < i; ++j)
          x -= corner_[i * rest + j] * side_[(first_ + j) * sides_ + s];
        x /= corner_[i * rest + i];
      }
    for (size_t k = 0; k < effects_; ++k)
      for (size_t i = 0; i < sides_; ++i)
        for (size_t j = 0; j <= i; ++j)
          own_[i * sides_ + j] -= side_[k * sides_ + i] * side_[k * sides_ + j];
    const double all = cholesky(own_.data(), sides_);
    const double last = own_[sides_ * sides_ - 1];
    residual_squares = last * last;
    fixed_log_determinant = all - std::log(std::max(residual_squares, 1e-300));
  }
};

class Mixed {
 public:
  explicit Mixed(const MixedData& data)
      : data_(data), columns_(data), equations_(data, columns_.q) {
    for (const RandomTerm& term : data.random) thetas_ += term.columns * (term.columns + 1) / 2;
  }

  MixedFit measures() {
    const Vector ones(data_.rows, 1.0);
    const auto n = double(data_.rows), p = double(data_.columns);
    const double freedom = data_.restricted ? n - p : n;
    auto deviance = [&](const Vector& theta) {
      equations_.factor(factors(theta), ones, data_.y, true);
      const double variance = equations_.residual_squares / freedom;
      return equations_.log_determinant +
             (data_.restricted ? equations_.fixed_log_determinant : 0) +
             freedom * (1 + std::log(2 * std::numbers::pi * variance));
    };
    const Minimum best = minimise(deviance, start());
    MixedFit fit;
    fit.log_likelihood = -deviance(best.at) / 2;
    if (data_.restricted) fit.log_likelihood -= columns_.log_volume();
    fit.converged = best.converged;
    fit.residual_deviation = std::sqrt(equations_.residual_squares / freedom);
    fit.estimates = columns_.back(equations_.fixed_effects());
    // As lm: without random terms the variance knows how many effects were estimated.
    const double scale = data_.random.empty() ? std::sqrt(equations_.residual_squares / (n - p))
                                              : fit.residual_deviation;
    fit.standard_errors = columns_.errors(equations_.information(), scale);
    finish(fit, best.at, fit.residual_deviation, 1);
    return fit;
  }

  MixedFit counts() {
    const Vector first = start();
    Vector u(equations_.effects()), at = first;
    const Vector fixed = joint_mode(factors(first), u);
    MixedFit fit;
    if (data_.random.empty()) {
      fit.log_likelihood = -deviance_of(linear(factors(first), u, fixed)) / 2;
      fit.converged = true;
      fit.estimates = columns_.back(fixed);
      fit.standard_errors = columns_.errors(equations_.information(), 1);
      finish(fit, first, 1, 0);
      return fit;
    }
    at.insert(at.end(), fixed.begin(), fixed.end());
    auto deviance = [&](const Vector& all) {
      const Vector b(all.begin() + std::ptrdiff_t(thetas_), all.end());
      return laplace(factors(all), b, u);
    };
    const Minimum best = minimise(deviance, at);
    fit.log_likelihood = -best.value / 2;
    fit.converged = best.converged;
    fit.estimates = columns_.back({best.at.begin() + std::ptrdiff_t(thetas_), best.at.end()});
    finish(fit, best.at, 1, 0);
    return fit;
  }

 private:
  const MixedData& data_;
  Orthogonal columns_;
  Equations equations_;
  size_t thetas_ = 0;

  Vector start() const {
    Vector theta;
    for (const RandomTerm& term : data_.random)
      for (size_t i = 0; i < term.columns; ++i)
        for (size_t j = 0; j <= i; ++j) theta.push_back(i == j);
    return theta;
  }
  // Lower triangles of the terms, relative to the residual deviation.
  std::vector<Vector> factors(const Vector& theta) const {
    std::vector<Vector> all;
    size_t at = 0;
    for (const RandomTerm& term : data_.random) {
      Vector& f = all.emplace_back(term.columns * term.columns);
      for (size_t i = 0; i < term.columns; ++i)
        for (size_t j = 0; j <= i; ++j) f[i * term.columns + j] = theta[at++];
    }
    return all;
  }
  void finish(MixedFit& fit, const Vector& theta, double scale, size_t more) const {
    for (size_t t = 0; const Vector& f : factors(theta)) {
      const size_t k = data_.random[t++].columns;
      Vector& own = fit.deviations.emplace_back(k);
      for (size_t i = 0; i < k; ++i)
        own[i] = scale * std::sqrt(std::inner_product(&f[i * k], &f[i * k] + k, &f[i * k], 0.0));
    }
    fit.parameters = data_.columns + thetas_ + more;
  }

  // --- Counts: the logit link

  Vector linear(const std::vector<Vector>& f, const Vector& u, const Vector& fixed) const {
    Vector eta(data_.rows);
    for (size_t r = 0; r < data_.rows; ++r) {
      eta[r] = equations_.part(f, u, r);
      for (size_t j = 0; j < fixed.size(); ++j)
        eta[r] += columns_.q[r * fixed.size() + j] * fixed[j];
    }
    return eta;
  }
  // -2 log-likelihood of the single answers.
  double deviance_of(const Vector& eta) const {
    double sum = 0;
    for (size_t r = 0; r < data_.rows; ++r) {
      const double soft =
          eta[r] > 0 ? eta[r] + std::log1p(std::exp(-eta[r])) : std::log1p(std::exp(eta[r]));
      sum += data_.trials[r] * soft - data_.y[r] * eta[r];
    }
    return 2 * sum;
  }
  static double squares(const Vector& u) {
    return std::inner_product(u.begin(), u.end(), u.begin(), 0.0);
  }

  // Weights and working answers around `eta`; `known` is the part of it that is not sought.
  void work(const Vector& eta, const Vector& known, Vector& weight, Vector& answer) const {
    for (size_t r = 0; r < data_.rows; ++r) {
      const double mu = 1 / (1 + std::exp(-eta[r]));
      weight[r] = std::max(data_.trials[r] * mu * (1 - mu), 1e-12);
      answer[r] = eta[r] - known[r] + (data_.y[r] - data_.trials[r] * mu) / weight[r];
    }
  }

  // Newton's steps to the most likely random effects (and, at first, fixed ones), halved where they
  // lead up.
  Vector joint_mode(const std::vector<Vector>& f, Vector& u) {
    Vector fixed(data_.columns);
    newton(f, u, fixed, true);
    return fixed;
  }
  double laplace(const std::vector<Vector>& f, const Vector& fixed, Vector& u) {
    Vector b = fixed;
    const double at_mode = newton(f, u, b, false);
    return at_mode + equations_.log_determinant;
  }

  // Answers the penalised deviance at the mode, where the equations stand then.
  double newton(const std::vector<Vector>& f, Vector& u, Vector& fixed, bool all) {
    constexpr int kMost = 100;
    const Vector nothing(data_.rows);
    Vector known = nothing;
    if (!all) known = linear(f, Vector(u.size()), fixed);
    Vector eta = linear(f, u, fixed), weight(data_.rows), answer(data_.rows);
    double value = deviance_of(eta) + squares(u);
    bool near = false;
    for (int step = 0; step < kMost; ++step) {
      work(eta, known, weight, answer);
      equations_.factor(f, weight, answer, all);
      Vector b = all ? equations_.fixed_effects() : fixed;
      Vector next = equations_.random_effects(all ? b : Vector());
      double now = 0;
      for (int halvings = 0;; ++halvings) {
        eta = linear(f, next, b);
        now = deviance_of(eta) + squares(next);
        if (now <= value + 1e-12 * std::abs(value) || halvings == 20) break;
        for (size_t i = 0; i < u.size(); ++i) next[i] = (next[i] + u[i]) / 2;
        for (size_t i = 0; i < b.size(); ++i) b[i] = (b[i] + fixed[i]) / 2;
      }
      // Each step squares the distance: after a small one the next is exact.
      const bool last = near;
      near = std::abs(value - now) < 1e-9 * (1 + std::abs(value));
      u = next, fixed = b, value = now;
      if (last) break;
    }
    work(eta, known, weight, answer);
    equations_.factor(f, weight, answer, all);
    return value;
  }
};

}  // namespace

MixedFit fit_mixed(const MixedData& data) {
  Mixed model(data);
  return data.trials.empty() ? model.measures() : model.counts();
}

double chi_square_p(double x, uint64_t degrees_of_freedom) {
  if (!(x > 0)) return 1;
  const bool odd = degrees_of_freedom % 2 == 1;
  double p = odd ? std::erfc(std::sqrt(x / 2)) : 0;
  double term = std::exp(-x / 2) * (odd ? std::sqrt(2 * x / std::numbers::pi) : 1);
  for (uint64_t k = 1; k <= degrees_of_freedom / 2; ++k) {
    p += term;
    term *= x / double(2 * k + (odd ? 1 : 0));
  }
  return p;
}

}  // namespace minpair::stats
