#include "stats/linear.h"

#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace minpair::stats {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

LeastSquares::LeastSquares(size_t columns) : columns_(columns) {}

void LeastSquares::append(const double* row) {
  const size_t width = columns_ + 1;
  if (held_.size() == 3 * width * width) held_ = triangle();
  held_.insert(held_.end(), row, row + width);
}

void LeastSquares::add(std::span<const double> x, double y) {
  if (x.size() != columns_) throw wrong_call("least squares: a row has another number of columns");
  std::vector<double> row(x.begin(), x.end());
  row.push_back(y);
  append(row.data());
  ++rows_;
}

void LeastSquares::add(const LeastSquares& other) {
  for (size_t i = 0; i < other.held_.size(); i += columns_ + 1) append(&other.held_[i]);
  rows_ += other.rows_;
}

std::vector<double> LeastSquares::triangle() const {
  const auto width = Eigen::Index(columns_ + 1), held = Eigen::Index(held_.size()) / width;
  Rows all = Rows::Zero(std::max(held, width), width);
  all.topRows(held) = Rows::Map(held_.data(), held, width);
  const Rows r = Eigen::HouseholderQR<Eigen::Ref<Rows>>(all)
                     .matrixQR()
                     .topRows(width)
                     .triangularView<Eigen::Upper>();
  return {r.data(), r.data() + r.size()};
}

LinearFit LeastSquares::fit() const {
  const std::vector<double> held = triangle();
  const auto k = Eigen::Index(columns_);
  const auto all = Rows::Map(held.data(), k + 1, k + 1);
  const auto r = all.topLeftCorner(k, k);
  LinearFit fit{{}, {}, rows_, all(k, k) * all(k, k), {}};
  for (Eigen::Index j = 0; j < k; ++j)
    if (!(std::abs(r(j, j)) > 1e-7 * r.col(j).norm())) {
      fit.dependent = size_t(j);
      return fit;
    }
  const auto upper = r.triangularView<Eigen::Upper>();
  const Eigen::VectorXd estimates = upper.solve(all.col(k).head(k));
  const double deviation = std::sqrt(fit.residual_squares / (double(rows_) - double(columns_)));
  const Eigen::VectorXd errors = deviation * upper.solve(Rows::Identity(k, k)).rowwise().norm();
  fit.estimates.assign(estimates.begin(), estimates.end());
  fit.standard_errors.assign(errors.begin(), errors.end());
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
