#pragma once
// What a run chose, as BabyLM's leaderboard takes it.

#include <string>

#include "report/report.h"

namespace minpair::report {

// {"SUITE": {"TEST": {"predictions": [{"id": "TEST_0", "pred": " the chosen sentence"}, ...]}}}, in
// the order of the suite; a tie goes to the good sentence, as in the challenge's own program. The
// options must leave one run. Items that the run excluded have no choice: an error.
std::string babylm_predictions(store::Store& store, const ReportOptions& options);

}  // namespace minpair::report
