#pragma once
// People beside models: how far they agree with each other, and models with them.

#include <optional>

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

// The judgments in the results file (store/judgments.h) meet the runs' items by their sentences.
// `accepted`: only items that people accept: where the share of choices for the good sentence, or
// the mean rating of it, is above this.
std::vector<Grid> people_grids(store::Store& store, const ReportOptions& options,
                               std::optional<double> accepted);

}  // namespace minpair::report
