#pragma once
// What accuracies do not say: by how much criteria hold, and how surprising each region is.

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

// Per run: accuracy, mean, interval and median of the margins, by test and criterion.
std::vector<Grid> margin_grids(store::Store& store, const ReportOptions& options);

// Per run: mean surprisal of every region of every sentence of the designs, with intervals.
std::vector<Grid> region_grids(store::Store& store, const ReportOptions& options);

// The same of one run; no rows where its items have no regions.
struct NamedRun;
Grid margin_grid(store::Store& store, const NamedRun& named, const ReportOptions& options);
Grid region_grid(store::Store& store, const NamedRun& named, const ReportOptions& options);

}  // namespace minpair::report
