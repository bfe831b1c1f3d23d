#pragma once
// How far the accuracies can be trusted: clustered intervals, detectable differences, effects of
// conditions, agreement of methods. docs/statistics.md has the formulas.

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

// Per run: accuracy by test and the effect of conditions; per suite and model: agreement of its
// methods.
std::vector<Grid> statistics_grids(store::Store& store, const ReportOptions& options);

// "sg_pl", "sgpl": the numbers of subject and distractor; false for other names.
bool numbers_of_condition(const std::string& condition, bool& subject_plural,
                          bool& distractor_plural);

}  // namespace minpair::report
