#pragma once
// The minimum of a smooth function of a few variables.

#include <Eigen/Core>
#include <functional>

namespace minpair::stats {

struct Minimum {
  Eigen::VectorXd at;
  double value = 0;
  bool converged = false;
};

// Broyden, Fletcher, Goldfarb and Shanno's method with central differences.
Minimum minimise(const std::function<double(const Eigen::VectorXd&)>& f, Eigen::VectorXd start);

}  // namespace minpair::stats
