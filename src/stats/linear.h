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

// Takes one row after the other and holds but a few: when these are too many, the triangle of their
// QR decomposition stands for them. As exact as one of the whole matrix.
class LeastSquares {
 public:
  explicit LeastSquares(size_t columns);
  void add(std::span<const double> x, double y);
  void add(const LeastSquares& other);  // as if its rows were added
  LinearFit fit() const;

 private:
  size_t columns_;
  std::vector<double> held_;  // rows: columns, then y
  uint64_t rows_ = 0;

  void append(const double* row);
  std::vector<double> triangle() const;
};

}  // namespace minpair::stats
