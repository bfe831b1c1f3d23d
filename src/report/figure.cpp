#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/progress.h"
#include "report/curve.h"
#include "report/designs.h"
#include "report/svg.h"

namespace minpair::report {
namespace {

struct FigureKind {
  const char* name;
  const char* by;  // what the places are
  Plot::Kind kind;
  const char* places;  // what that is called
};

constexpr FigureKind kKinds[] = {
    {"tests", "test", Plot::Kind::rows, ""},
    {"conditions", "condition", Plot::Kind::rows, ""},
    {"distance", "distance", Plot::Kind::lines, "distance (words between)"},
    {"distractors", "distractors", Plot::Kind::lines, "distractors"}};

// Only what tells the columns apart.
std::string name_of(const Column& column, const Table& table) {
  if (column.published) return column.model + " (published)";
  const auto differ = [&](auto member) {
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& c) {
      return !c.published && c.*member != column.*member;
    });
  };
  std::string name = column.model;
  if (differ(&Column::method)) name += ", " + column.method;
  if (differ(&Column::norm)) name += ", " + column.norm;
  if (differ(&Column::lengths) && !column.lengths.empty()) name += ", " + column.lengths;
  return name;
}

std::string place_name(const Table& table, const Row& row) {
  // A condition alone says too little; its test is what tells it.
  std::string name;
  for (const std::string& title : row.titles)
    if (!title.empty()) name += (name.empty() ? "" : ": ") + title;
  return name.empty() ? table.title : name;
}

Plot plot_of(const Table& table, const FigureKind& kind) {
  Plot plot;
  plot.kind = kind.kind;
  plot.title = table.title;
  if (std::any_of(table.notes.begin(), table.notes.end(),
                  [](const std::string& note) { return note.starts_with("rows mix"); }))
    plot.title += " (several languages together)";
  plot.values = "accuracy, with 95 % intervals (Wilson)";
  plot.places_title = kind.places;
  plot.mark = 0.5;
  for (const Row& row : table.rows) plot.places.push_back(place_name(table, row));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    PlotSeries series{name_of(table.columns[c], table), table.columns[c].published, {}};
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r].cells[c];
      const bool counted = cell.tally.pairs > 0 && !table.columns[c].published;
      if (!cell.present || (!counted && cell.source.empty())) continue;
      series.points.push_back(
          {r, cell.accuracy, counted ? cell.interval.low : 0, counted ? cell.interval.high : 0});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

// The smallest round range with zero in it.
void set_range(Plot& plot) {
  double low = 0, high = 0;
  for (const PlotSeries& s : plot.series)
    for (const PlotPoint& p : s.points) {
      low = std::min({low, p.value, p.low});
      high = std::max({high, p.value, p.high});
    }
  const double room = std::max(0.05 * (high - low), 1e-3);
  plot.from = low < 0 ? low - room : 0;
  plot.to = high + room;
}

double number_in(const Grid& grid, size_t row, std::string_view key) {
  for (size_t c = 0; c < grid.columns.size(); ++c)
    if (grid.columns[c].key == key)
      if (const auto* value = std::get_if<double>(&grid.rows[row][c])) return *value;
  return std::nan("");
}

std::string text_in(const Grid& grid, size_t row, std::string_view key) {
  for (size_t c = 0; c < grid.columns.size(); ++c)
    if (grid.columns[c].key == key)
      if (const auto* text = std::get_if<std::string>(&grid.rows[row][c])) return *text;
  return "";
}

size_t place_of(Plot& plot, const std::string& name) {
  auto found = std::find(plot.places.begin(), plot.places.end(), name);
  if (found != plot.places.end()) return size_t(found - plot.places.begin());
  plot.places.push_back(name);
  return plot.places.size() - 1;
}

// Suites call nouns between subject and verb distractors or attractors.
std::vector<Table> tables_for(store::Store& store, ReportOptions& options) try {
  return make_tables(store, options);
} catch (const Error& e) {
  if (e.kind() != Error::Kind::usage || options.by[0] != "distractors") throw;
  options.by = {"attractors"};
  return make_tables(store, options);
}

Plot margins_plot(const std::vector<Grid>& grids) {
  Plot plot;
  plot.title = "Margins: good minus bad";
  plot.values = "mean margin, with 95 % intervals over clusters";
  plot.mark = 0;
  for (const Grid& grid : grids) {
    PlotSeries series{
        grid.title.substr(std::min(grid.title.size(), std::string("Margins: ").size())), false, {}};
    for (size_t r = 0; r < grid.rows.size(); ++r) {
      const double mean = number_in(grid, r, "margin");
      if (!std::isfinite(mean)) continue;
      const std::string criterion = text_in(grid, r, "criterion");
      const size_t place =
          place_of(plot, text_in(grid, r, "test") + (criterion.empty() ? "" : ": " + criterion));
      double low = number_in(grid, r, "ci_low"), high = number_in(grid, r, "ci_high");
      if (!std::isfinite(low) || !std::isfinite(high)) low = high = mean;
      series.points.push_back({place, mean, low, high});
    }
    plot.series.push_back(std::move(series));
  }
  set_range(plot);
  return plot;
}

}  // namespace

const std::vector<std::string>& figure_kinds() {
  static const std::vector<std::string> all = {"tests",       "conditions", "distance",
                                               "distractors", "margins",    "curve"};
  return all;
}

std::string figure(store::Store& store, ReportOptions options, const std::string& kind,
                   const std::vector<std::string>& columns) {
  if (kind == "margins") return svg_of({margins_plot(margin_grids(store, options))});
  for (const FigureKind& k : kKinds)
    if (kind == k.name) {
      options.by = {k.by};
      options.by_default = k.kind == Plot::Kind::rows;
      std::vector<Table> tables = tables_for(store, options);
      if (!columns.empty()) choose_columns(tables, columns);
      std::vector<Plot> plots;
      for (const Table& table : tables) plots.push_back(plot_of(table, k));
      return svg_of(plots);
    }
  throw wrong_call("a learning curve is drawn of a folder that 'minpair train' made")
      .hint("minpair report lstm-de/ --figure curve -o curve.svg");
}

std::string curve_figure(const std::filesystem::path& folder) {
  Plot plot;
  plot.kind = Plot::Kind::lines;
  plot.title = "Learning curve";
  plot.values = "loss (nats a token)";
  plot.places_title = "tokens read (millions)";
  for (const Grid& grid : curve_grids(folder, 80)) {
    const std::string name = grid.title.substr(grid.title.find(": ") + 2);
    for (const char* what : {"train", "valid"}) {
      PlotSeries series{
          fmt::format("{}, {}", name, what[0] == 't' ? "training" : "validation"), false, {}};
      for (size_t r = 0; r < grid.rows.size(); ++r) {
        const double loss = std::log(number_in(grid, r, fmt::format("{}_perplexity", what)));
        if (!std::isfinite(loss)) continue;
        const double millions = number_in(grid, r, "tokens") / 1e6;
        series.points.push_back({place_of(plot, fmt::format("{:.3g}", millions)), loss, 0, 0});
      }
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
  }
  set_range(plot);
  return svg_of({plot});
}

}  // namespace minpair::report
