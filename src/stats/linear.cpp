#include "stats/linear.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace minpair::stats {

LeastSquares::LeastSquares(size_t columns)
    : columns_(columns), triangle_(columns * columns), right_(columns), row_(columns) {}

void LeastSquares::rotate_in(double y) {
  for (size_t j = 0; j < columns_; ++j) {
    if (row_[j] == 0) continue;
    const double length = std::hypot(at(j, j), row_[j]);
    const double c = at(j, j) / length, s = row_[j] / length;
    for (size_t l = j; l < columns_; ++l) {
      const double above = at(j, l), below = row_[l];
      at(j, l) = c * above + s * below;
      row_[l] = c * below - s * above;
    }
    const double above = right_[j];
    right_[j] = c * above + s * y;
    y = c * y - s * above;
  }
  residual_squares_ += y * y;
}

void LeastSquares::add(std::span<const double> x, double y) {
  if (x.size() != columns_) throw wrong_call("least squares: a row has another number of columns");
  std::copy(x.begin(), x.end(), row_.begin());
  rotate_in(y);
  ++rows_;
}

void LeastSquares::add(const LeastSquares& other) {
  for (size_t i = 0; i < columns_; ++i) {
    auto row = other.triangle_.begin() + std::ptrdiff_t(i * columns_);
    std::copy(row, row + std::ptrdiff_t(columns_), row_.begin());
    rotate_in(other.right_[i]);
  }
  rows_ += other.rows_;
  residual_squares_ += other.residual_squares_;
}

// Of the triangle, column by column.
std::vector<double> LeastSquares::inverse() const {
  std::vector<double> inverse(columns_ * columns_);
  for (size_t j = 0; j < columns_; ++j)
    for (size_t i = j + 1; i-- > 0;) {
      double sum = i == j;
      for (size_t l = i + 1; l <= j; ++l) sum -= at(i, l) * inverse[l * columns_ + j];
      inverse[i * columns_ + j] = sum / at(i, i);
    }
  return inverse;
}

LinearFit LeastSquares::fit() const {
  LinearFit fit{{}, {}, rows_, residual_squares_, {}};
  for (size_t j = 0; j < columns_ && !fit.dependent; ++j) {
    double squares = 0;
    for (size_t i = 0; i <= j; ++i) squares += at(i, j) * at(i, j);
    if (!(std::abs(at(j, j)) > 1e-7 * std::sqrt(squares))) fit.dependent = j;
  }
  if (fit.dependent) return fit;
  const std::vector<double> inverted = inverse();
  const double variance = residual_squares_ / (double(rows_) - double(columns_));
  for (size_t i = 0; i < columns_; ++i) {
    double estimate = 0, squares = 0;
    for (size_t j = i; j < columns_; ++j) {
      estimate += inverted[i * columns_ + j] * right_[j];
      squares += inverted[i * columns_ + j] * inverted[i * columns_ + j];
    }
    fit.estimates.push_back(estimate);
    fit.standard_errors.push_back(std::sqrt(variance * squares));
  }
  return fit;
}

double LinearFit::at(std::span<const double> x) const {
  double sum = 0;
  for (size_t i = 0; i < estimates.size(); ++i) sum += estimates[i] * x[i];
  return sum;
}

double LinearFit::log_likelihood() const {
  const auto n = double(rows);
  return -n / 2 * (std::log(2 * std::numbers::pi * residual_squares / n) + 1);
}

double LinearFit::log_density(std::span<const double> x, double y) const {
  const double variance = residual_squares / double(rows), residual = y - at(x);
  return -(std::log(2 * std::numbers::pi * variance) + residual * residual / variance) / 2;
}

}  // namespace minpair::stats
