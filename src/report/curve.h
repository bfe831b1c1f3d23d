#pragma once
// How a training went: the curve.jsonl that 'minpair train' leaves beside a model, as a table with
// bars.
//
//   render_grids(curve_grids("lstm-de"), "table");      // one grid per seed

#include <filesystem>
#include <optional>

#include "report/grid.h"

namespace minpair::report {

struct CurvePoint {
  uint64_t step = 0;
  double tokens = 0;
  std::optional<double> train_loss, valid_loss;  // nats a word or piece
  std::optional<double> rate, per_second;
};

std::vector<CurvePoint> read_curve(const std::filesystem::path& file);

// `folder`, or its folders (seed1, seed2, ...), where there is a curve.
std::vector<std::filesystem::path> curve_folders(const std::filesystem::path& folder);

// At most `rows` points, each the mean of the training losses since the one before it; validations
// are never left out. One grid for each of curve_folders().
std::vector<Grid> curve_grids(const std::filesystem::path& folder, size_t rows = 20);
// The same as a picture, all curves in one: a page to open in a browser.
std::string curve_html(const std::filesystem::path& folder);

}  // namespace minpair::report
