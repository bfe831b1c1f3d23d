#include "stats/classify.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>

namespace minpair::stats {
namespace {

using Vector = std::vector<double>;

double dot(const double* a, const double* b, size_t n) {
  double sums[4] = {0, 0, 0, 0};  // four chains: additions need not wait for each other
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
double dot(const Vector& a, const Vector& b) { return dot(a.data(), b.data(), a.size()); }

void add_to(double* to, const double* x, double by, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] += by * x[i];
}

std::vector<size_t> counts_of(const LabelledRows& rows) {
  std::vector<size_t> counts(rows.classes, 0);
  for (uint32_t label : rows.labels) ++counts[label];
  return counts;
}

Vector means_of(const LabelledRows& rows, const std::vector<size_t>& counts) {
  Vector means(rows.classes * rows.width, 0.0);
  for (size_t i = 0; i < rows.size(); ++i)
    add_to(&means[rows.labels[i] * rows.width], rows.row(i), 1, rows.width);
  for (size_t k = 0; k < rows.classes; ++k)
    for (size_t d = 0; d < rows.width; ++d)
      means[k * rows.width + d] /= double(std::max<size_t>(1, counts[k]));
  return means;
}

Vector mean_of(const LabelledRows& rows) {
  Vector mean(rows.width, 0.0);
  for (size_t i = 0; i < rows.size(); ++i) add_to(mean.data(), rows.row(i), 1, rows.width);
  for (double& m : mean) m /= double(std::max<size_t>(1, rows.size()));
  return mean;
}

// A symmetric positive matrix as the product of a lower triangle and its mirror image.
class Cholesky {
 public:
  // Only the lower triangle of `a` is read.
  Cholesky(Vector a, size_t n) : n_(n), l_(std::move(a)) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double rest = l_[i * n + j] - dot(&l_[i * n], &l_[j * n], j);
        l_[i * n + j] = i == j ? std::sqrt(std::max(rest, 1e-300)) : rest / l_[j * n + j];
      }
  }
  Vector solve(Vector b) const {
    for (size_t i = 0; i < n_; ++i) b[i] = (b[i] - dot(&l_[i * n_], b.data(), i)) / l_[i * n_ + i];
    for (size_t i = n_; i-- > 0;) {
      b[i] /= l_[i * n_ + i];
      for (size_t j = 0; j < i; ++j) b[j] -= l_[i * n_ + j] * b[i];
    }
    return b;
  }

 private:
  size_t n_;
  Vector l_;
};

// The lower triangle of the covariance of centred rows, by their number.
Vector covariance(const Vector& centred, size_t n, size_t width) {
  Vector c(width * width, 0.0);
  for (size_t i = 0; i < n; ++i) {
    const double* x = &centred[i * width];
    for (size_t a = 0; a < width; ++a) add_to(&c[a * width], x, x[a] / double(n), a + 1);
  }
  return c;
}

double trace(const Vector& c, size_t width) {
  double sum = 0;
  for (size_t d = 0; d < width; ++d) sum += c[d * width + d];
  return sum;
}

// Ledoit and Wolf's share of the identity, from the centred rows and their covariance.
double shrinkage(const Vector& centred, size_t n, size_t width, const Vector& c) {
  double fourth = 0, squared = 0;
  for (size_t i = 0; i < n; ++i) {
    double length = dot(&centred[i * width], &centred[i * width], width);
    fourth += length * length;
  }
  for (size_t a = 0; a < width; ++a) {
    squared += 2 * dot(&c[a * width], &c[a * width], a);
    squared += c[a * width + a] * c[a * width + a];
  }
  const double p = double(width), mean = trace(c, width) / p;
  const double delta = (squared - p * mean * mean) / p;
  const double beta = (fourth / double(n) - squared) / (p * double(n));
  return delta > 0 ? std::clamp(beta / delta, 0.0, 1.0) : 1;
}

// Puts so much of the mean variance on the diagonal, and a trifle, that it can be inverted.
void shrink(Vector& c, size_t width, double share, double trifle) {
  const double mean = trace(c, width) / double(width);
  for (double& x : c) x *= 1 - share;
  for (size_t d = 0; d < width; ++d) c[d * width + d] += (share + trifle) * mean + 1e-300;
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

LinearClassifier fit_means(const LabelledRows& rows) {
  const std::vector<size_t> counts = counts_of(rows);
  LinearClassifier fit{rows.width, means_of(rows, counts), {}};
  for (size_t k = 0; k < rows.classes; ++k) {
    const double* mean = &fit.weights[k * rows.width];
    fit.biases.push_back(counts[k] ? -0.5 * dot(mean, mean, rows.width) : kNever);
  }
  return fit;
}

LinearClassifier fit_lda(const LabelledRows& rows) {
  const size_t w = rows.width, n = rows.size();
  const std::vector<size_t> counts = counts_of(rows);
  const Vector means = means_of(rows, counts);
  Vector centred = rows.values;
  for (size_t i = 0; i < n; ++i) add_to(&centred[i * w], &means[rows.labels[i] * w], -1, w);
  Vector c = covariance(centred, n, w);
  shrink(c, w, shrinkage(centred, n, w, c), 1e-12);
  const Cholesky solver(std::move(c), w);
  LinearClassifier fit{w, {}, {}};
  for (size_t k = 0; k < rows.classes; ++k) {
    const Vector at(means.begin() + ptrdiff_t(k * w), means.begin() + ptrdiff_t((k + 1) * w));
    const Vector weights = solver.solve(at);
    fit.weights.insert(fit.weights.end(), weights.begin(), weights.end());
    fit.biases.push_back(
        counts[k] ? std::log(double(counts[k]) / double(n)) - 0.5 * dot(at, weights) : kNever);
  }
  return fit;
}

// --- logistic regression

using Objective = std::function<double(const Vector& at, Vector& gradient)>;

// The direction that the last steps suggest (Nocedal's two loops).
struct Step {
  Vector moved, changed;
  double curvature;
};
Vector direction_of(const std::deque<Step>& steps, const Vector& gradient) {
  Vector d = gradient;
  std::vector<double> shares(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    shares[i] = dot(steps[i].moved, d) / steps[i].curvature;
    add_to(d.data(), steps[i].changed.data(), -shares[i], d.size());
  }
  if (!steps.empty()) {
    const Step& last = steps.back();
    const double scale = last.curvature / dot(last.changed, last.changed);
    for (double& x : d) x *= scale;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const double back = dot(steps[i].changed, d) / steps[i].curvature;
    add_to(d.data(), steps[i].moved.data(), shares[i] - back, d.size());
  }
  for (double& x : d) x = -x;
  return d;
}

// Least of a smooth convex function (L-BFGS with ten steps of memory).
Vector minimum(const Objective& objective, Vector at, double tolerance) {
  Vector gradient(at.size());
  double value = objective(at, gradient);
  std::deque<Step> steps;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    double largest = 0;
    for (double g : gradient) largest = std::max(largest, std::abs(g));
    if (largest <= tolerance) break;
    const Vector direction = direction_of(steps, gradient);
    const double slope = dot(direction, gradient);
    double by = steps.empty() ? std::min(1.0, 1 / largest) : 1;
    Vector next = at, there(at.size());
    double reached = value;
    int halved = 0;
    for (; halved < 60; ++halved, by /= 2) {
      for (size_t i = 0; i < at.size(); ++i) next[i] = at[i] + by * direction[i];
      reached = objective(next, there);
      if (reached <= value + 1e-4 * by * slope) break;
    }
    if (halved == 60) break;  // as low as these digits go
    Step step{Vector(at.size()), Vector(at.size()), 0};
    for (size_t i = 0; i < at.size(); ++i) {
      step.moved[i] = next[i] - at[i];
      step.changed[i] = there[i] - gradient[i];
    }
    step.curvature = dot(step.moved, step.changed);
    if (step.curvature > 0) steps.push_back(std::move(step));
    if (steps.size() > 10) steps.pop_front();
    at = std::move(next);
    gradient = std::move(there);
    value = reached;
  }
  return at;
}

// Scores are those of the classes from the first on; of two classes the first one's is zero.
class LogisticLoss {
 public:
  explicit LogisticLoss(const LabelledRows& rows)
      : rows_(rows), blocks_(rows.classes == 2 ? 1 : rows.classes), scores_(rows.classes) {}
  size_t size() const { return blocks_ * (rows_.width + 1); }
  size_t first() const { return rows_.classes - blocks_; }

  double operator()(const Vector& at, Vector& gradient) {
    const size_t w = rows_.width;
    double loss = 0;
    for (size_t b = 0; b < blocks_; ++b) {
      const double* weights = &at[b * (w + 1)];
      loss += 0.5 * dot(weights, weights, w);
      std::copy_n(weights, w, &gradient[b * (w + 1)]);
      gradient[b * (w + 1) + w] = 0;
    }
    for (size_t i = 0; i < rows_.size(); ++i) loss += one_row(i, at, gradient);
    return loss;
  }

 private:
  double one_row(size_t i, const Vector& at, Vector& gradient) {
    const size_t w = rows_.width;
    scores_[0] = 0;
    for (size_t b = 0; b < blocks_; ++b)
      scores_[first() + b] = dot(&at[b * (w + 1)], rows_.row(i), w) + at[b * (w + 1) + w];
    const double most = *std::ranges::max_element(scores_);
    double sum = 0;
    for (double s : scores_) sum += std::exp(s - most);
    const double total = most + std::log(sum);
    for (size_t b = 0; b < blocks_; ++b) {
      const size_t k = first() + b;
      const double by = std::exp(scores_[k] - total) - double(rows_.labels[i] == k);
      add_to(&gradient[b * (w + 1)], rows_.row(i), by, w);
      gradient[b * (w + 1) + w] += by;
    }
    return total - scores_[rows_.labels[i]];
  }

  const LabelledRows& rows_;
  size_t blocks_;
  Vector scores_;
};

// Each value minus its mean, by its deviation; what does not vary is left at nought.
struct Standard {
  Vector mean, scale;
};
Standard standardise(LabelledRows& rows) {
  Standard s{mean_of(rows), Vector(rows.width, 0.0)};
  for (size_t i = 0; i < rows.size(); ++i) {
    double* x = rows.row(i);
    for (size_t d = 0; d < rows.width; ++d) {
      x[d] -= s.mean[d];
      s.scale[d] += x[d] * x[d];
    }
  }
  for (double& x : s.scale) x = x > 1e-24 ? std::sqrt(double(rows.size()) / x) : 0;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t d = 0; d < rows.width; ++d) rows.row(i)[d] *= s.scale[d];
  return s;
}

LinearClassifier fit_logistic(LabelledRows rows) {
  const size_t w = rows.width;
  const std::vector<size_t> counts = counts_of(rows);
  const Standard standard = standardise(rows);
  LogisticLoss loss(rows);
  const Vector at = minimum(std::ref(loss), Vector(loss.size(), 0.0), 1e-6 * double(rows.size()));
  LinearClassifier fit{w, Vector(rows.classes * w, 0.0), Vector(rows.classes, 0.0)};
  for (size_t k = loss.first(); k < rows.classes; ++k) {
    const double* block = &at[(k - loss.first()) * (w + 1)];
    fit.biases[k] = block[w];
    for (size_t d = 0; d < w; ++d) {
      fit.weights[k * w + d] = block[d] * standard.scale[d];
      fit.biases[k] -= fit.weights[k * w + d] * standard.mean[d];
    }
  }
  for (size_t k = 0; k < rows.classes; ++k)
    if (counts[k] == 0) fit.biases[k] = kNever;
  return fit;
}

}  // namespace

uint32_t LinearClassifier::classify(const double* row) const {
  uint32_t best = 0;
  double highest = kNever;
  for (uint32_t k = 0; k < biases.size(); ++k) {
    const double score = dot(&weights[k * width], row, width) + biases[k];
    if (score > highest) highest = score, best = k;
  }
  return best;
}

LinearClassifier fit_classifier(Classifier kind, const LabelledRows& rows) {
  if (kind == Classifier::means) return fit_means(rows);
  return kind == Classifier::lda ? fit_lda(rows) : fit_logistic(rows);
}

uint32_t majority_class(std::span<const uint32_t> labels, uint32_t classes) {
  std::vector<size_t> counts(classes, 0);
  for (uint32_t label : labels) ++counts[label];
  return uint32_t(std::ranges::max_element(counts) - counts.begin());
}

void Eraser::erase(double* row) const {
  const size_t w = mean_.size();
  Vector x(row, row + w);
  add_to(x.data(), mean_.data(), -1, w);
  for (size_t k = 0; k < away_.size(); ++k) add_to(row, away_[k].data(), -dot(along_[k], x), w);
}

// With S the covariance of the rows and c that of rows and classes, the map is
// x - c (cᵀ S⁻¹ c)⁻¹ cᵀ S⁻¹ (x - mean): no root of S is needed. A trifle on its diagonal makes it
// invertible where there are fewer rows than values; what is erased is the same with any S.
Eraser least_squares_eraser(const LabelledRows& rows, bool shrunk) {
  const size_t w = rows.width, n = rows.size();
  const std::vector<size_t> counts = counts_of(rows);
  const Vector means = means_of(rows, counts);
  Eraser eraser;
  eraser.mean_ = mean_of(rows);
  Vector centred = rows.values;
  for (size_t i = 0; i < n; ++i) add_to(&centred[i * w], eraser.mean_.data(), -1, w);
  Vector s = covariance(centred, n, w);
  shrink(s, w, shrunk ? shrinkage(centred, n, w, s) : 0, 1e-6);
  const Cholesky solver(std::move(s), w);
  for (size_t k = 0; k + 1 < rows.classes; ++k) {
    if (counts[k] == 0) continue;
    Vector c(means.begin() + ptrdiff_t(k * w), means.begin() + ptrdiff_t((k + 1) * w));
    add_to(c.data(), eraser.mean_.data(), -1, w);
    const double before = dot(c, solver.solve(c));
    for (size_t j = 0; j < eraser.away_.size(); ++j)
      add_to(c.data(), eraser.away_[j].data(), -dot(eraser.along_[j], c), w);
    Vector along = solver.solve(c);
    const double length = dot(c, along);
    if (!(length > 1e-12 * before)) continue;  // the other classes tell it already
    for (size_t d = 0; d < w; ++d) c[d] /= std::sqrt(length), along[d] /= std::sqrt(length);
    eraser.away_.push_back(std::move(c));
    eraser.along_.push_back(std::move(along));
  }
  return eraser;
}

}  // namespace minpair::stats
