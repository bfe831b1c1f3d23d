#pragma once

#include <math.h>

namespace minpair::stats {

// ln |Γ(x)|. std::lgamma leaves the sign of Γ in a variable that all threads share.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace minpair::stats
