#include "stats/minimum.h"

#include <cmath>

namespace minpair::stats {
namespace {

using Vector = Eigen::VectorXd;
using Function = std::function<double(const Vector&)>;

// One-sided far from the minimum, where half the calls are enough; central near it.
Vector gradient(const Function& f, Vector at, double value, bool central) {
  const double unit = central ? 3e-5 : 1e-7;
  Vector g(at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) {
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
  explicit Curvature(Eigen::Index n) : h_(n, n) { reset(); }
  void reset() {
    h_.setIdentity();
    fresh_ = true;
  }
  bool fresh() const { return fresh_; }
  Vector times(const Vector& v) const { return h_ * v; }
  void learn(const Vector& step, const Vector& change) {
    const double along = step.dot(change);
    if (!(along > 1e-14)) return;
    if (fresh_) h_ *= along / change.squaredNorm();
    const Vector hy = h_ * change;
    const double factor = (1 + change.dot(hy) / along) / along;
    h_ +=
        factor * step * step.transpose() - (hy * step.transpose() + step * hy.transpose()) / along;
    fresh_ = false;
  }

 private:
  Eigen::MatrixXd h_;
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
    double slope = -g.dot(way);
    if (!(slope < 0)) {
      curvature.reset();
      way = g, slope = -g.squaredNorm();
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
    double length = curvature.fresh() ? std::min(1.0, 1 / g.norm()) : 1.0;
    Vector next;
    double value = 0;
    bool lower = false;
    for (int halvings = 0; halvings < 40 && !lower; ++halvings, length /= 2) {
      next = best.at - length * way;
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
    curvature.learn(next - best.at, later - g);
    best.at = next, best.value = value, g = later;
  }
  return best;
}

}  // namespace minpair::stats
