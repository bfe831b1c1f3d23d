#pragma once
// Linear classifiers: what a hyperplane can read off a vector, and how to make it unreadable.
//
//   LinearClassifier probe = fit_classifier(Classifier::logistic, training);
//   uint32_t guess = probe.classify(row);
//   Eraser eraser = least_squares_eraser(training);   // after it, no such probe beats a guess

#include <cstdint>
#include <span>
#include <vector>

namespace minpair::stats {

// Vectors of one width, one after the other, and the class of each: 0 to `classes` - 1.
struct LabelledRows {
  size_t width = 0;
  uint32_t classes = 0;
  std::vector<double> values;
  std::vector<uint32_t> labels;

  size_t size() const { return labels.size(); }
  const double* row(size_t i) const { return values.data() + i * width; }
  double* row(size_t i) { return values.data() + i * width; }
};

struct LinearClassifier {
  size_t width = 0;
  std::vector<double> weights;  // classes × width
  std::vector<double> biases;   // minus infinity for a class that was not seen
  // The class of the highest score, the first among equals.
  uint32_t classify(const double* row) const;
};

enum class Classifier : uint8_t {
  means,     // the nearest class mean; of two classes: along the difference of means
  logistic,  // logistic regression (of more than two classes: softmax) on standardised values, with
             // half the squared weights as penalty; the biases are free
  lda,       // Fisher's discriminant, its covariance shrunk as Ledoit and Wolf (2004)
};
LinearClassifier fit_classifier(Classifier kind, const LabelledRows& rows);

// The class that most rows have, the first among equals.
uint32_t majority_class(std::span<const uint32_t> labels, uint32_t classes);

// LEACE (Belrose et al. 2023): of all affine maps after which no linear classifier, fitted to these
// rows, tells more than the classes' shares, the one that moves the rows least. `shrunk`: least by
// a covariance as that of `lda`; for rows that were not among these, which the plain one may throw
// far.
class Eraser {
 public:
  void erase(double* row) const;

 private:
  friend Eraser least_squares_eraser(const LabelledRows& rows, bool shrunk);
  std::vector<double> mean_;
  std::vector<double> away_, along_;  // rows of: x - sum of away · (along · (x - mean))
};
Eraser least_squares_eraser(const LabelledRows& rows, bool shrunk = false);

}  // namespace minpair::stats
