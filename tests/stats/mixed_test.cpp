#include "stats/mixed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.h"
#include "stats/minimum.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

// mixed_golden.R makes the same rows, and the numbers below with lm, glm and lme4.
constexpr int kRows = 60;

double x_of(int r) { return (r * 7) % 11 / 5.0; }
double y_of(int r) {
  return 1 + 0.5 * x_of(r) + ((r % 6) * 3 % 5 - 2) * 0.4 + ((r % 6) * 2 % 7 - 3) * 0.15 * x_of(r) +
         std::sin(double(r) * r) * 0.6 + (((r * 5) % 9) * 4 % 7 - 3) * 0.2;
}

MixedData rows(bool counts) {
  MixedData data{.rows = kRows, .columns = 2};
  for (int r = 0; r < kRows; ++r) {
    data.x.push_back(1);
    data.x.push_back(x_of(r));
    const int n = 5 + r % 4;
    if (counts) data.trials.push_back(n);
    data.y.push_back(counts ? std::nearbyint(n / (1 + std::exp(1.2 - y_of(r)))) : y_of(r));
  }
  return data;
}

// (1 | g) or (x | g)
RandomTerm six_groups(size_t columns) {
  RandomTerm term{.columns = columns};
  for (int r = 0; r < kRows; ++r) {
    term.z.push_back(1);
    if (columns == 2) term.z.push_back(x_of(r));
    term.level.push_back(uint32_t(r % 6));
  }
  return term;
}
RandomTerm nine_groups(size_t columns = 1) {
  RandomTerm term = six_groups(columns);
  for (int r = 0; r < kRows; ++r) term.level[size_t(r)] = uint32_t(r * 5 % 9);
  return term;
}

TEST(MixedModels, WithoutRandomTermsAreLm) {
  const MixedFit fit = fit_mixed(rows(false));
  EXPECT_NEAR(fit.log_likelihood, -89.162127343, 1e-8);
  EXPECT_NEAR(fit.estimates[0], 0.9327932405, 1e-9);
  EXPECT_NEAR(fit.estimates[1], 0.3183796700, 1e-9);
  EXPECT_NEAR(fit.standard_errors[1], 0.220378261, 1e-8);
  EXPECT_EQ(fit.parameters, 3u);
}

TEST(MixedModels, AreLmersAlsoWhereTheFitIsSingular) {
  MixedData data = rows(false);
  data.random = {six_groups(2), nine_groups()};
  const MixedFit fit = fit_mixed(data);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.log_likelihood, -49.828602066, 1e-8);
  EXPECT_NEAR(fit.estimates[0], 0.9163236076, 1e-7);
  EXPECT_NEAR(fit.estimates[1], 0.3384018361, 1e-7);
  EXPECT_NEAR(fit.standard_errors[0], 0.353306616, 1e-6);
  EXPECT_NEAR(fit.deviations[0][0], 0.78708768, 1e-6);
  EXPECT_NEAR(fit.deviations[0][1], 0.12832294, 1e-6);
  EXPECT_NEAR(fit.deviations[1][0], 0.31647953, 1e-6);
  EXPECT_NEAR(fit.residual_deviation, 0.42212430, 1e-6);
  EXPECT_EQ(fit.parameters, 7u);
}

TEST(MixedModels, AreLmersRestricted) {
  MixedData data = rows(false);
  data.restricted = true;
  data.random = {nine_groups(), six_groups(2)};  // in either order
  const MixedFit fit = fit_mixed(data);
  EXPECT_NEAR(fit.log_likelihood, -51.315751219, 1e-8);
  EXPECT_NEAR(fit.estimates[1], 0.3383709966, 1e-7);
  EXPECT_NEAR(fit.standard_errors[1], 0.104841472, 1e-6);
  EXPECT_NEAR(fit.deviations[0][0], 0.31892157, 1e-6);
  EXPECT_NEAR(fit.deviations[1][1], 0.14297692, 1e-6);
}

// The term with the most groups is eliminated in blocks of its own.
TEST(MixedModels, SlopesOfTheLargestTermAreLmers) {
  MixedData data = rows(false);
  data.random = {six_groups(1), nine_groups(2)};
  const MixedFit both = fit_mixed(data);
  EXPECT_NEAR(both.log_likelihood, -50.192445319, 1e-8);
  EXPECT_NEAR(both.estimates[1], 0.3284396848, 1e-7);
  EXPECT_NEAR(both.standard_errors[0], 0.4120355035, 1e-6);
  EXPECT_NEAR(both.deviations[0][0], 0.91404243, 1e-6);
  EXPECT_NEAR(both.deviations[1][0], 0.42418616, 1e-6);
  EXPECT_NEAR(both.deviations[1][1], 0.10821757, 1e-6);
  data.random = {six_groups(2)};
  const MixedFit one = fit_mixed(data);
  EXPECT_NEAR(one.log_likelihood, -54.727008151, 1e-8);
  EXPECT_NEAR(one.estimates[0], 0.9249376737, 1e-7);
  EXPECT_NEAR(one.standard_errors[1], 0.112743776, 1e-6);
  EXPECT_NEAR(one.deviations[0][1], 0.11501559, 1e-6);
}

TEST(MixedModels, OfMoreColumnsAreLmsAndLmers) {
  MixedData data = rows(false);
  data.columns = 4;
  data.x.clear();
  for (int r = 0; r < kRows; ++r)
    data.x.insert(data.x.end(), {1, x_of(r), r * 3 % 8 / 4.0, r * r % 7 / 3.0});
  const MixedFit plain = fit_mixed(data);
  EXPECT_NEAR(plain.log_likelihood, -89.096461686, 1e-8);
  const double estimates[] = {0.92366818761, 0.29547646519, 0.08069900654, -0.05621149744},
               errors[] = {0.369216538, 0.233975393, 0.258681962, 0.303345393};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(plain.estimates[i], estimates[i], 1e-9);
    EXPECT_NEAR(plain.standard_errors[i], errors[i], 1e-8);
  }
  data.random = {six_groups(1), nine_groups()};
  const MixedFit mixed = fit_mixed(data);
  EXPECT_NEAR(mixed.log_likelihood, -50.101850106, 1e-8);
  const double of_mixed[] = {0.989317612675, 0.362354883019, -0.115950411903, 0.002283326413},
               errors_of_mixed[] = {0.4223627711, 0.0912738673, 0.1029944436, 0.1180726522};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(mixed.estimates[i], of_mixed[i], 1e-6);
    EXPECT_NEAR(mixed.standard_errors[i], errors_of_mixed[i], 1e-6);
  }
}

TEST(MixedModels, OfCountsAreGlmAndGlmer) {
  MixedData data = rows(true);
  const MixedFit plain = fit_mixed(data);
  EXPECT_NEAR(plain.log_likelihood, -268.602266611, 1e-8);
  EXPECT_NEAR(plain.estimates[1], 0.2661783097, 1e-9);
  EXPECT_NEAR(plain.standard_errors[0], 0.190196449, 1e-8);
  data.random = {six_groups(1), nine_groups()};
  const MixedFit mixed = fit_mixed(data);
  EXPECT_NEAR(mixed.log_likelihood, -246.411024359, 1e-8);
  EXPECT_NEAR(mixed.estimates[0], -0.2384042328, 1e-6);
  EXPECT_NEAR(mixed.estimates[1], 0.3157434351, 1e-6);
  EXPECT_NEAR(mixed.deviations[0][0], 0.85032456, 1e-6);
  EXPECT_NEAR(mixed.deviations[1][0], 0.14934031, 1e-6);
  data.random = {six_groups(1), nine_groups(2)};
  const MixedFit slopes = fit_mixed(data);
  EXPECT_NEAR(slopes.log_likelihood, -246.380511811, 1e-7);
  EXPECT_NEAR(slopes.estimates[0], -0.2407286631, 1e-5);
  EXPECT_NEAR(slopes.estimates[1], 0.3166750789, 1e-5);
  EXPECT_NEAR(slopes.deviations[0][0], 0.848461929, 1e-5);
  EXPECT_NEAR(slopes.deviations[1][0], 0.211440080, 1e-5);
  EXPECT_NEAR(slopes.deviations[1][1], 0.049365012, 1e-5);
}

TEST(MixedModels, RefuseColumnsThatSayTheSame) {
  MixedData data = rows(false);
  for (int r = 0; r < kRows; ++r) data.x[size_t(2 * r + 1)] = 3;
  EXPECT_THROW(fit_mixed(data), Error);
}

TEST(ChiSquare, IsRs) {
  EXPECT_NEAR(chi_square_p(3.5, 1), 0.061368829139, 1e-12);
  EXPECT_NEAR(chi_square_p(7.25, 4), 0.123252075181, 1e-12);
  EXPECT_NEAR(chi_square_p(60, 3), 5.878e-13, 1e-16);
  EXPECT_NEAR(chi_square_p(9.25, 5), 0.0994984623808768, 1e-12);
  EXPECT_NEAR(chi_square_p(12.5, 7), 0.0852692751582693, 1e-12);
  EXPECT_NEAR(chi_square_p(18.307, 10), 0.0500005890913981, 1e-12);
  EXPECT_EQ(chi_square_p(-0.1, 2), 1);
}

// A call costs one solution of a mixed model: how many there are is as much a promise as the place.
void expect_minimum(const std::function<double(const Eigen::VectorXd&)>& f,
                    const std::vector<double>& start, const std::vector<double>& at, int expected) {
  int calls = 0;
  const Minimum m = minimise([&](const Eigen::VectorXd& x) { return ++calls, f(x); },
                             Eigen::VectorXd::Map(start.data(), Eigen::Index(start.size())));
  EXPECT_TRUE(m.converged);
  EXPECT_EQ(calls, expected);
  for (size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(m.at[Eigen::Index(i)], at[i], 1e-6) << i;
}

TEST(Minimum, IsFoundInANarrowValley) {
  expect_minimum(
      [](const Eigen::VectorXd& x) {
        const double a = 1 - x[0], b = x[1] - x[0] * x[0];
        return a * a + 100 * b * b;
      },
      {-1.2, 1}, {1, 1}, 140);
}

TEST(Minimum, IsFoundInSeveralDimensionsOfOtherScales) {
  expect_minimum(
      [](const Eigen::VectorXd& x) {
        const double off[] = {x[0] + x[1] - 1, x[0] - x[1] + 1, x[2] + x[3] / 2 - 3.5, x[3] - 3};
        double sum = 0, by = 1;
        for (double o : off) {
          sum += by * o * o + o * o * o * o;
          by *= 8;
        }
        return sum;
      },
      {40, -3, 7, 0.5}, {0, 1, 2, 3}, 308);
}

// Where the slope says nothing, and where no step leads down.
TEST(Minimum, OfWhatIsFlatOrHasACornerIsWhereItBegan) {
  expect_minimum([](const Eigen::VectorXd&) { return 3.0; }, {1, 2}, {1, 2}, 7);
  expect_minimum([](const Eigen::VectorXd& x) { return std::abs(x[0]); }, {0}, {0}, 44);
}

}  // namespace
}  // namespace minpair::stats
