#pragma once
// Least squares: y = x·b, as R's lm gives it.
//
//   LeastSquares sums(2);
//   for (double y : {1.0, 2.5, 2.9}) sums.add(std::vector{1.0, y * y}, y);
//   double slope = sums.fit().estimates[1];

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace minpair::stats {

struct LinearFit {
  std::vector<double> estimates, standard_errors;
  uint64_t rows = 0;
  double residual_squares = 0;
  // The first column that is a combination of those before it (to 1e-7): then nothing is estimated.
  std::optional<size_t> dependent;

  double at(std::span<const double> x) const;
  double log_likelihood() const;  // at the maximum, R's logLik
  // Of another row, under the normal distribution with the variance that maximises the likelihood.
  double log_density(std::span<const double> x, double y) const;
};

// A QR decomposition that takes one row after the other by Givens rotations: as exact as one of the
// whole matrix, in the memory of its triangle.
class LeastSquares {
 public:
  explicit LeastSquares(size_t columns);
  void add(std::span<const double> x, double y);
  void add(const LeastSquares& other);  // as if its rows were added
  LinearFit fit() const;

 private:
  size_t columns_;
  std::vector<double> triangle_, right_, row_;  // `row_` is being rotated in
  uint64_t rows_ = 0;
  double residual_squares_ = 0;

  double& at(size_t i, size_t j) { return triangle_[i * columns_ + j]; }
  double at(size_t i, size_t j) const { return triangle_[i * columns_ + j]; }
  void rotate_in(double y);
  std::vector<double> inverse() const;
};

}  // namespace minpair::stats
