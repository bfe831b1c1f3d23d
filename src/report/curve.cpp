#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"

namespace minpair::report {
namespace {

namespace fs = std::filesystem;
using Kind = GridColumn::Kind;
using Json = nlohmann::json;

std::optional<double> number(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

// The points of one row: those between two validations, or a share of all.
CurvePoint summed(const std::vector<CurvePoint>& points, size_t begin, size_t end) {
  CurvePoint sum = points[end - 1];
  double loss = 0, speed = 0;
  size_t n = 0;
  for (size_t i = begin; i < end; ++i)
    if (points[i].train_loss) {
      loss += *points[i].train_loss;
      speed += points[i].per_second.value_or(0);
      sum.rate = points[i].rate;
      ++n;
    }
  if (n > 0) {
    sum.train_loss = loss / double(n);
    sum.per_second = speed / double(n);
  }
  return sum;
}

std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points, size_t rows) {
  const size_t step = std::max<size_t>(1, (points.size() + rows - 1) / rows);
  std::vector<CurvePoint> kept;
  size_t begin = 0;
  for (size_t i = 0; i < points.size(); ++i)
    if (points[i].valid_loss || i + 1 - begin >= step || i + 1 == points.size()) {
      kept.push_back(summed(points, begin, i + 1));
      begin = i + 1;
    }
  return kept;
}

GridValue value(std::optional<double> x) { return x ? GridValue(*x) : GridValue(); }
GridValue perplexity(std::optional<double> loss) {
  return loss ? GridValue(std::exp(*loss)) : GridValue();
}

std::string bar(std::optional<double> loss, double most) {
  if (!loss || most <= 0) return "";
  std::string text;
  const long length = std::lround(std::clamp(30 * *loss / most, 0.0, 30.0));
  for (long i = 0; i < length; ++i) text += "█";
  return text;
}

Grid grid_of(const fs::path& folder, size_t rows) {
  const std::vector<CurvePoint> points = thinned(read_curve(folder / "curve.jsonl"), rows);
  Grid g{"curve", fmt::format("Learning curve: {}", folder.filename().string()), {}, {}, false, {}};
  g.columns = {{"step", "step", Kind::count},
               {"tokens", "tokens", Kind::count},
               {"train_perplexity", "train ppl", Kind::number},
               {"valid_perplexity", "valid ppl", Kind::number},
               {"rate", "rate", Kind::share},
               {"tokens_per_second", "tokens/s", Kind::count},
               {"loss", "loss", Kind::share},
               {"bar", "", Kind::text}};
  double most = 0;
  for (const CurvePoint& p : points)
    most = std::max(most, p.train_loss.value_or(p.valid_loss.value_or(0)));
  for (const CurvePoint& p : points) {
    const std::optional<double> loss = p.train_loss ? p.train_loss : p.valid_loss;
    const std::optional<double> speed =
        p.per_second ? std::optional(std::round(*p.per_second)) : std::nullopt;
    g.rows.push_back({double(p.step), p.tokens, perplexity(p.train_loss), perplexity(p.valid_loss),
                      value(p.rate), value(speed), value(loss), bar(loss, most)});
  }
  g.notes.push_back("loss and bar: of the training, nats a token, the mean since the row above");
  return g;
}

}  // namespace

std::vector<CurvePoint> read_curve(const fs::path& file) {
  std::vector<CurvePoint> points;
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    const Json object = Json::parse(line, nullptr, false);
    const auto step = object.find("step");
    const bool known =
        step != object.end() && step->is_number_unsigned() && number(object, "tokens");
    if (!known)
      throw bad_input("this is not a point on a learning curve")
          .at(fmt::format("{}:{}", lines.name(), lines.line_number()));
    CurvePoint p;
    p.step = step->get<uint64_t>();
    p.tokens = *number(object, "tokens");
    p.train_loss = number(object, "loss");
    p.valid_loss = number(object, "valid_loss");
    p.rate = number(object, "rate");
    p.per_second = number(object, "per_second");
    points.push_back(p);
  }
  return points;
}

std::vector<fs::path> curve_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  if (fs::exists(folder / "curve.jsonl")) found.push_back(folder);
  for (const fs::path& entry : entries_of(folder))
    if (fs::exists(entry / "curve.jsonl")) found.push_back(entry);
  if (found.empty())
    throw bad_input("there is no learning curve here")
        .at(folder.string())
        .hint("'minpair report' takes a results file, or a folder that 'minpair train' made");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Grid> curve_grids(const fs::path& folder, size_t rows) {
  std::vector<Grid> grids;
  for (const fs::path& f : curve_folders(folder)) grids.push_back(grid_of(f, rows));
  return grids;
}

}  // namespace minpair::report
