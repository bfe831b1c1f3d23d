#pragma once
// The minimum of a smooth function of a few variables.

#include <functional>
#include <vector>

namespace minpair::stats {

struct Minimum {
  std::vector<double> at;
  double value = 0;
  bool converged = false;
};

// Broyden, Fletcher, Goldfarb and Shanno's method with central differences.
Minimum minimise(const std::function<double(const std::vector<double>&)>& f,
                 std::vector<double> start);

}  // namespace minpair::stats
