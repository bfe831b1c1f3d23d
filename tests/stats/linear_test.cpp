#include "stats/linear.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minpair::stats {
namespace {

// R's cars: summary(lm(dist ~ speed, cars[1:12, ])), logLik, and dnorm(80, predict(m, 20), sqrt(rss
// / 12), log = TRUE).
constexpr double kSpeed[] = {4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12};
constexpr double kDistance[] = {2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14};

LeastSquares cars(size_t from, size_t to) {
  LeastSquares sums(2);
  for (size_t i = from; i < to; ++i) sums.add(std::vector{1.0, kSpeed[i]}, kDistance[i]);
  return sums;
}

TEST(LeastSquares, IsRsLm) {
  LinearFit fit = cars(0, 12).fit();
  ASSERT_FALSE(fit.dependent);
  EXPECT_NEAR(fit.estimates[0], -1.746478873239, 1e-10);
  EXPECT_NEAR(fit.estimates[1], 2.154929577465, 1e-10);
  EXPECT_NEAR(fit.standard_errors[0], 8.296304938289, 1e-10);
  EXPECT_NEAR(fit.standard_errors[1], 0.9270723656904, 1e-10);
  EXPECT_NEAR(fit.residual_squares, 661.0704225352, 1e-9);
  EXPECT_NEAR(fit.log_likelihood(), -41.08098474111, 1e-10);
  EXPECT_NEAR(fit.log_density(std::vector{1.0, 20.0}, 80), -16.4801483272, 1e-9);
}

TEST(LeastSquares, PartsAddUp) {
  LeastSquares both = cars(0, 5);
  both.add(cars(5, 12));
  LinearFit parts = both.fit(), whole = cars(0, 12).fit();
  EXPECT_EQ(parts.rows, 12u);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(parts.estimates[i], whole.estimates[i], 1e-12);
  EXPECT_NEAR(parts.residual_squares, whole.residual_squares, 1e-9);
}

TEST(LeastSquares, ColumnsThatSayTheSameAreNamed) {
  LeastSquares sums(3);
  for (int i = 0; i < 9; ++i) sums.add(std::vector{1.0, double(i), 2.0 * i - 1}, i * i);
  EXPECT_EQ(sums.fit().dependent, 2u);
  // Fewer rows than columns.
  LeastSquares few(2);
  few.add(std::vector{1.0, 2.0}, 3);
  EXPECT_EQ(few.fit().dependent, 1u);
}

// Far from zero, where sums of squares would lose all digits.
TEST(LeastSquares, KeepsItsDigits) {
  LeastSquares sums(2);
  for (int i = 0; i < 100; ++i) sums.add(std::vector{1.0, 1e6 + i * 1e-1}, 3 + i * 2e-1);
  EXPECT_NEAR(sums.fit().estimates[1], 2, 1e-7);
}

}  // namespace
}  // namespace minpair::stats
