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

// At most `rows` points, each the mean of the training losses since the one before it; validations
// are never left out. Of `folder`, or of its folders (seed1, seed2, ...).
std::vector<Grid> curve_grids(const std::filesystem::path& folder, size_t rows = 20);

}  // namespace minpair::report
