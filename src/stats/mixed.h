#pragma once
// Mixed models, as R's lme4 fits them: lmer (maximum likelihood or REML) and glmer with the logit
// link (Laplace). Without random terms they are lm and glm.
//
//   MixedData data{.rows = 4, .columns = 1, .x = {1, 1, 1, 1}, .y = {2.1, 1.9, 3.2, 2.8}};
//   data.random.push_back({.columns = 1, .z = {1, 1, 1, 1}, .level = {0, 0, 1, 1}});
//   double mean = fit_mixed(data).estimates[0];

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minpair::stats {

// (columns | groups): every group has its own effects of these columns, which are correlated with
// each other.
struct RandomTerm {
  size_t columns = 1;
  std::vector<double> z;        // rows × columns
  std::vector<uint32_t> level;  // the group of every row, from 0
};

struct MixedData {
  size_t rows = 0, columns = 0;
  std::vector<double> x;       // rows × columns, with a column of ones
  std::vector<double> y;       // of counts: how many of `trials` are right
  std::vector<double> trials;  // empty: y is a measure, and errors are normal
  std::vector<RandomTerm> random;
  bool restricted = false;  // REML; of measures only
  bool errors = false;      // of counts with random terms, too, for which the likelihood is curved
};

struct MixedFit {
  std::vector<double> estimates;
  std::vector<double> standard_errors;          // of counts with random terms: where asked for
  std::vector<std::vector<double>> deviations;  // of every random term, of each of its columns
  double residual_deviation = 0;                // of measures
  double log_likelihood = 0;                    // of counts: of the single answers
  size_t parameters = 0;                        // for AIC
  bool converged = false;
  bool singular = false;  // a deviation is nearly zero, or effects of a group are tied to others

  double aic() const { return 2 * double(parameters) - 2 * log_likelihood; }
};

// Throws where a column is a combination of those before it.
MixedFit fit_mixed(const MixedData& data);

}  // namespace minpair::stats
