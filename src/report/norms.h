#pragma once
// Accuracies under norms with parameters or word frequencies (judge/norm.h).

#include "judge/norm.h"
#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

// A table per run: its tests under its own view and these norms. `unigrams` may be null where no
// norm needs it.
std::vector<Grid> norm_grids(store::Store& store, const ReportOptions& options,
                             const std::vector<judge::Norm>& norms,
                             const judge::Unigrams* unigrams);

}  // namespace minpair::report
