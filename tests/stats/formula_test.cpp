#include "stats/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "stats/stats.h"

namespace minpair::stats {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<double>;

// formula_golden.R makes the same rows.
Columns rows() {
  Columns d;
  for (int64_t r = 0; r < 400; ++r) {
    const int64_t item = (r * 7) % 40, lemma = (r * 11) % 16;
    const char* cond[] = {"far", "near", "none"};
    const bool second = (r / 3) % 2 == 1;
    const double x = double((r * 13) % 17) / 8;
    d["cond"].emplace_back(std::string(cond[r % 3]));
    d["model"].emplace_back(std::string(second ? "B" : "A"));
    d["item"].emplace_back("i" + std::to_string(item));
    d["lemma"].emplace_back("l" + std::to_string(lemma));
    d["x"].emplace_back(x);
    const double eta = 0.4 + 0.5 * (r % 3 == 1) - 0.7 * second + 0.4 * x +
                       double((item * 29) % 13 - 6) / 5 + double((lemma * 23) % 11 - 5) / 6;
    d["margin"].emplace_back(eta + double((r * r * 31 + r * 17) % 101 - 50) / 25);
    d["right"].emplace_back(
        double(1 / (1 + std::exp(-eta)) > double((r * r * 37 + r * 71) % 97) / 97));
    d["one"].emplace_back(1.0);
  }
  return d;
}

struct Case {
  const char* formula;
  double log_likelihood;
  Numbers estimates, errors;
  std::vector<Numbers> deviations;
  double chi_square;  // of the last term that can be left out
  bool singular = false;
};

TEST(FormulaFit, IsThatOfLme4) {
  const Case cases[] = {{"right / one ~ cond + (1 | item)",
                         -270.320910,
                         {0.033310, 0.525852, 0.181302},
                         {0.191737, 0.256282, 0.252263},
                         {{0.459108}},
                         4.374855},
                        {"right / one ~ cond * model + (1 | item) + (1 | lemma)",
                         -262.730625,
                         {0.550829, 0.268525, 0.146695, -1.028196, 0.516497, 0.076205},
                         {0.282602, 0.404338, 0.370485, 0.398345, 0.605136, 0.517253},
                         {{0.439612}, {0.132875}},
                         0.773157},
                        {"right / one ~ x + (1 + x | lemma)",
                         -268.639466,
                         {-0.106494, 0.385969},
                         {},
                         {{0.251195, 0.579377}},
                         2.782642,
                         true},
                        {"margin ~ cond * model + (1 | item)",
                         -704.576578,
                         {0.618377, 0.456692, 0.304952, -0.834184, 0.079808, -0.456577},
                         {0.196699, 0.278174, 0.234457, 0.278174, 0.447222, 0.332167},
                         {{0.474571}},
                         2.428336},
                        {"margin ~ x + (1 + x | lemma) + (1 | item)",
                         -710.036105,
                         {0.015209, 0.381661},
                         {},
                         {{0.728399, 0.167076}, {0.445462}},
                         9.213155,
                         true},
                        {"right / one ~ cond * model",
                         -264.012335,
                         {0.518794, 0.265325, 0.129902, -0.974269, 0.495532, 0.081952},
                         {0.252605, 0.364921, 0.360576, 0.355895, 0.507986, 0.504358},
                         {},
                         1.083242}};
  const Columns data = rows();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.formula);
    const Formula formula(c.formula);
    const FormulaFit got = fit_formula(formula, data, {.errors = true});
    EXPECT_NEAR(got.fit.log_likelihood, c.log_likelihood, 2e-5);
    ASSERT_EQ(got.fit.estimates.size(), c.estimates.size());
    for (size_t i = 0; i < c.estimates.size(); ++i)
      EXPECT_NEAR(got.fit.estimates[i], c.estimates[i], 5e-4) << got.fixed[i];
    for (size_t i = 0; i < c.errors.size(); ++i)
      EXPECT_NEAR(got.fit.standard_errors[i], c.errors[i], 1e-3) << got.fixed[i];
    for (size_t t = 0; t < c.deviations.size(); ++t)
      for (size_t i = 0; i < c.deviations[t].size(); ++i)
        EXPECT_NEAR(got.fit.deviations[t][i], c.deviations[t][i], 1e-3);
    EXPECT_EQ(got.fit.singular, c.singular);
    const FormulaFit less = fit_formula(formula.without(formula.droppable().back()), data);
    EXPECT_NEAR(2 * (got.fit.log_likelihood - less.fit.log_likelihood), c.chi_square, 1e-3);
  }
}

TEST(Formula, ReadsWhatRWrites) {
  const Formula f("right ~ condition * model + (1 | item) + (condition | lemma)");
  EXPECT_EQ(f.response, "right");
  EXPECT_THAT(f.columns(), ElementsAre("condition", "item", "lemma", "model", "right"));
  // What another term contains stays.
  ASSERT_EQ(f.droppable().size(), 1u);
  EXPECT_EQ(name_of(f.droppable()[0]), "condition:model");
  EXPECT_EQ(f.without(f.droppable()[0]).droppable().size(), 2u);
  EXPECT_THROW(Formula("right"), Error);
  EXPECT_THROW(Formula("right ~ x + (1, item)"), Error);
  EXPECT_THROW(fit_formula(Formula("margin ~ nothing"), rows()), Error);
}

}  // namespace
}  // namespace minpair::stats
