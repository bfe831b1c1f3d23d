#include "stats/minimum.h"

#include <algorithm>
#include <cmath>

namespace minpair::stats {
namespace {

using Vector = std::vector<double>;
using Function = std::function<double(const Vector&)>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// One-sided far from the minimum, where half the calls are enough; central near it.
Vector gradient(const Function& f, Vector at, double value, bool central) {
  const double unit = central ? 3e-5 : 1e-7;
  Vector g(at.size());
  for (size_t i = 0; i < at.size(); ++i) {
    const double x = at[i], step = unit * std::max(1.0, std::abs(x));
    at[i] = x + step;
    const double above = f(at);
    at[i] = x - step;
    g[i] = central ? (above - f(at)) / (2 * step) : (above - value) / step;
    at[i] = x;
  }
  return g;
}

// The inverse of the second derivatives, learnt from how the gradient changes.
class Curvature {
 public:
  explicit Curvature(size_t n) : n_(n) { reset(); }
  void reset() {
    h_.assign(n_ * n_, 0);
    for (size_t i = 0; i < n_; ++i) h_[i * n_ + i] = 1;
    fresh_ = true;
  }
  bool fresh() const { return fresh_; }
  Vector times(const Vector& v) const {
    Vector out(n_);
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) out[i] += h_[i * n_ + j] * v[j];
    return out;
  }
  void learn(const Vector& step, const Vector& change) {
    const double along = dot(step, change);
    if (!(along > 1e-14)) return;
    if (fresh_)
      for (size_t i = 0; i < n_; ++i) h_[i * n_ + i] = along / dot(change, change);
    const Vector hy = times(change);
    const double factor = (1 + dot(change, hy) / along) / along;
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j)
        h_[i * n_ + j] += factor * step[i] * step[j] - (hy[i] * step[j] + step[i] * hy[j]) / along;
    fresh_ = false;
  }

 private:
  size_t n_;
  Vector h_;
  bool fresh_ = true;
};

}  // namespace

Minimum minimise(const Function& f, Vector start) {
  constexpr size_t kMostSteps = 300;
  Minimum best{std::move(start), 0, false};
  best.value = f(best.at);
  Curvature curvature(best.at.size());
  bool central = false;
  Vector g = gradient(f, best.at, best.value, central);
  for (size_t step = 0; step < kMostSteps; ++step) {
    Vector way = curvature.times(g);
    double slope = -dot(g, way);
    if (!(slope < 0)) {
      curvature.reset();
      way = g, slope = -dot(g, g);
    }
    if (!central && -slope < 1e-5 * (1 + std::abs(best.value))) {
      central = true;
      g = gradient(f, best.at, best.value, central);
      continue;
    }
    // So little is to be gained that rounding hides it.
    if (-slope < 1e-14 * (1 + std::abs(best.value))) {
      best.converged = true;
      return best;
    }
    double length = curvature.fresh() ? std::min(1.0, 1 / std::sqrt(dot(g, g))) : 1.0;
    Vector next(best.at.size());
    double value = 0;
    bool lower = false;
    for (int halvings = 0; halvings < 40 && !lower; ++halvings, length /= 2) {
      for (size_t i = 0; i < next.size(); ++i) next[i] = best.at[i] - length * way[i];
      value = f(next);
      lower = value <= best.value + 1e-4 * length * slope;
    }
    if (!lower && !central) {
      central = true;
      g = gradient(f, best.at, best.value, central);
      continue;
    }
    if (!lower) {
      best.converged = curvature.fresh() || -slope < 1e-7 * (1 + std::abs(best.value));
      if (best.converged) return best;
      curvature.reset();
      continue;
    }
    const Vector later = gradient(f, next, value, central);
    Vector moved(next.size()), change(next.size());
    for (size_t i = 0; i < next.size(); ++i)
      moved[i] = next[i] - best.at[i], change[i] = later[i] - g[i];
    curvature.learn(moved, change);
    best.at = next, best.value = value, g = later;
  }
  return best;
}

}  // namespace minpair::stats
