// Classifiers against the textbook's way to the same numbers (classify_golden.py), and against what
// must hold.

#include "stats/classify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace minpair::stats {
namespace {

LabelledRows example(uint32_t classes) {
  LabelledRows rows{6, classes, {}, {}};
  for (uint32_t i = 0; i < 40; ++i) {
    rows.labels.push_back(i * 7 % 11 % classes);
    for (uint32_t d = 0; d < 6; ++d)
      rows.values.push_back((1 + d) * std::sin(1 + 3.0 * i + 7.0 * d + 1.0 * i * d) +
                            0.8 * (d == rows.labels.back()));
  }
  return rows;
}

double share_right(Classifier kind, const LabelledRows& rows) {
  LinearClassifier fit = fit_classifier(kind, rows);
  double right = 0;
  for (size_t i = 0; i < rows.size(); ++i) right += fit.classify(rows.row(i)) == rows.labels[i];
  return right / double(rows.size());
}

// The last class against the first: weights, then the bias. And the squares of all weights, which
// are ours: the way of a search decides its last digits.
void expect_fit(Classifier kind, uint32_t classes, const std::vector<double>& golden,
                double squares) {
  LinearClassifier fit = fit_classifier(kind, example(classes));
  const std::vector<double>& w = fit.weights;
  EXPECT_NEAR(std::inner_product(w.begin(), w.end(), w.begin(), 0.0), squares, 1e-9);
  const size_t last = (classes - 1) * 6;
  for (size_t d = 0; d < 6; ++d)
    EXPECT_NEAR(fit.weights[last + d] - fit.weights[d], golden[d], 2e-5) << d;
  EXPECT_NEAR(fit.biases.back() - fit.biases[0], golden[6], 2e-5);
}

TEST(Classify, LogisticRegressionIsNewtons) {
  expect_fit(Classifier::logistic, 2,
             {-1.469633284, 0.210587208, -0.146007835, 0.065423311, -0.052838480, 0.103337643,
              0.208138757},
             2.24323693329);
  expect_fit(Classifier::logistic, 3,
             {-1.946989276, -0.352292377, 0.027349217, 0.109840679, -0.031828591, 0.150072847,
              -0.161391716},
             2.22467503813);
}

TEST(Classify, DiscriminantsAreShrunkAsLedoitAndWolfDo) {
  expect_fit(Classifier::lda, 2,
             {-0.447534637, 0.119123131, -0.111405665, 0.041470579, -0.045133501, 0.128334072,
              -0.112187530},
             0.262084570794);
  expect_fit(Classifier::lda, 3,
             {-0.539673679, -0.185828605, 0.137709667, 0.089515926, -0.073640470, 0.135273554,
              -0.528154248},
             0.390355718676);
}

TEST(Classify, OfTwoClassesMeansDecideAtTheMiddle) {
  LabelledRows rows{1, 2, {0, 2, 5, 9}, {0, 0, 1, 1}};  // means 1 and 7
  LinearClassifier fit = fit_classifier(Classifier::means, rows);
  for (double x : {-5.0, 3.99}) EXPECT_EQ(fit.classify(&x), 0u) << x;
  for (double x : {4.01, 50.0}) EXPECT_EQ(fit.classify(&x), 1u) << x;
}

TEST(Classify, ErasureIsTheRootOfTheCovariances) {
  const std::vector<double> golden[] = {
      {0.470540881, 0.559725210, 2.212799774, 3.957500094, 4.580776847, 3.493938524},
      {0.443359502, 0.901462319, 2.462058889, 3.519499049, 5.087589335, 1.991074654}};
  for (uint32_t classes : {2u, 3u}) {
    LabelledRows rows = example(classes);
    Eraser eraser = least_squares_eraser(rows);
    eraser.erase(rows.row(5));
    for (size_t d = 0; d < 6; ++d)
      EXPECT_NEAR(rows.row(5)[d], golden[classes - 2][d], 2e-5) << classes << " " << d;
  }
}

// Also where there are more values than rows, and every labelling could be told apart.
TEST(Classify, AfterErasureNoProbeBeatsTheMajority) {
  for (uint32_t width : {6u, 60u})
    for (uint32_t classes : {2u, 3u}) {
      LabelledRows rows{width, classes, {}, {}};
      for (uint32_t i = 0; i < 40; ++i) {
        rows.labels.push_back(i % 5 == 0 ? 0 : i % classes);
        for (uint32_t d = 0; d < width; ++d)
          rows.values.push_back(std::sin(1 + 3.0 * i + 7.0 * d * d + 1.0 * i * d) +
                                (d == rows.labels.back()));
      }
      const uint32_t most = majority_class(rows.labels, classes);
      const double majority = double(std::ranges::count(rows.labels, most)) / 40;
      EXPECT_GT(share_right(Classifier::logistic, rows), majority + 0.1);
      for (bool shrunk : {false, true}) {
        LabelledRows erased = rows;
        Eraser eraser = least_squares_eraser(rows, shrunk);
        for (size_t i = 0; i < rows.size(); ++i) eraser.erase(erased.row(i));
        EXPECT_EQ(share_right(Classifier::logistic, erased), majority) << width << " " << classes;
        EXPECT_EQ(share_right(Classifier::lda, erased), majority) << width << " " << classes;
      }
    }
}

// Half of the values hardly vary among the rows: there a map for them is no guide for others.
TEST(Classify, AShrunkErasureLeavesOtherRowsWhereTheyAre) {
  LabelledRows rows = example(2);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t d = 3; d < 6; ++d) rows.row(i)[d] *= 1e-3;
  auto moved = [&](bool shrunk) {
    std::vector<double> other{1, 1, 1, 5, -5, 5}, before = other;
    least_squares_eraser(rows, shrunk).erase(other.data());
    double far = 0;
    for (size_t d = 0; d < 6; ++d) far += std::pow(other[d] - before[d], 2);
    return std::sqrt(far);
  };
  EXPECT_LT(moved(true), 3);
  EXPECT_GT(moved(false), 10 * moved(true));
}

TEST(Classify, UnseenLabelsAreNeverPredicted) {
  LabelledRows rows{1, 3, {0, 1, 2, 3}, {0, 0, 2, 2}};
  for (Classifier kind : {Classifier::means, Classifier::logistic, Classifier::lda})
    for (double x = -10; x < 10; x += 0.5)
      EXPECT_NE(fit_classifier(kind, rows).classify(&x), 1u) << int(kind) << " " << x;
}

TEST(Classify, ConstantFeaturesDoNotMatter) {
  LabelledRows rows{2, 2, {0, 5, 1, 5, 2, 5, 3, 5}, {0, 0, 1, 1}};
  for (Classifier kind : {Classifier::means, Classifier::logistic, Classifier::lda})
    EXPECT_EQ(share_right(kind, rows), 1) << int(kind);
}

}  // namespace
}  // namespace minpair::stats
