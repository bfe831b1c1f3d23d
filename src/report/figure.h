#pragma once
// Figures for papers, as SVG: the tables' own numbers, drawn.

#include "report/report.h"

namespace minpair::report {

// tests, conditions, distance, distractors, margins; and curve, over the checkpoints of a model or
// of a training.
const std::vector<std::string>& figure_kinds();

std::string figure(store::Store& store, ReportOptions options, const std::string& kind,
                   const std::vector<std::string>& columns = {});
std::string curve_figure(const std::filesystem::path& folder);

}  // namespace minpair::report
