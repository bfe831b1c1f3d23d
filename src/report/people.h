#pragma once
// Human judgments: how far people agree with each other, and models with them.

#include <optional>

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

// Judgments in the results file (store/judgments.h) and items of runs are matched by sentences.
// `accepted`: only items that people accept: where the share of choices for the good sentence, or
// the mean rating of it, is above this.
std::vector<Grid> people_grids(store::Store& store, const ReportOptions& options,
                               std::optional<double> accepted);

}  // namespace minpair::report
