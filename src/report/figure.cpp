#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "report/checkpoints.h"
#include "report/labels.h"
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

PlotPoint point_of(size_t place, const Cell& cell, bool whiskers = true) {
  if (std::isnan(cell.interval.low)) whiskers = false;
  return {place, cell.accuracy, whiskers ? cell.interval.low : 0,
          whiskers ? cell.interval.high : 0};
}

// Of the cells' intervals, which are those of tables.
constexpr const char* kAccuracy = "accuracy, with 95 % intervals over clusters";

Plot plot_of(const Table& table, const FigureKind& kind) {
  Plot plot;
  plot.kind = kind.kind;
  plot.title = table.title;
  if (std::any_of(table.notes.begin(), table.notes.end(),
                  [](const std::string& note) { return note.starts_with("rows mix"); }))
    plot.title += " (several languages together)";
  plot.values = kAccuracy;
  plot.places_title = kind.places;
  if (!table.designs) plot.mark = 0.5;  // of several criteria chance is less
  for (const Row& row : table.rows) plot.places.push_back(place_name(table, row));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    PlotSeries series{
        name_of(table.columns[c], table), table.columns[c].published, {}, table.columns[c].model};
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r].cells[c];
      const bool counted = cell.tally.pairs > 0 && !table.columns[c].published;
      if (!cell.present || (!counted && cell.source.empty())) continue;
      series.points.push_back(point_of(r, cell, counted));
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

// What readers call a run among `runs` of one suite.
std::string name_of(const NamedRun& named, const std::vector<NamedRun>& runs) {
  const bool differ = std::any_of(runs.begin(), runs.end(), [&](const NamedRun& r) {
    return r.run.suite.id == named.run.suite.id && r.run.method != named.run.method;
  });
  return differ ? named.label + ", " + named.run.method : named.label;
}

PlotSeries margins_of(const Grid& grid, const suite::Manifest& manifest, Plot& plot) {
  PlotSeries series;
  for (size_t r = 0; r < grid.rows.size(); ++r) {
    const double mean = number_in(grid, r, "margin");
    if (!std::isfinite(mean)) continue;
    const std::string test = text_in(grid, r, "test"), criterion = text_in(grid, r, "criterion");
    const suite::TestInfo* info = manifest.find(test);
    std::string title = info && !info->title.empty() ? info->title : test;
    if (!criterion.empty()) title += ": " + criterion;
    const size_t place = place_of(plot, title);
    double low = number_in(grid, r, "ci_low"), high = number_in(grid, r, "ci_high");
    if (!std::isfinite(low) || !std::isfinite(high)) low = high = mean;
    series.points.push_back({place, mean, low, high});
  }
  return series;
}

// A plot for every suite.
std::vector<Plot> margin_plots(store::Store& store, const ReportOptions& options) {
  const std::vector<NamedRun> runs = selected_runs(store, options);
  std::map<int64_t, Plot> by_suite;
  for (const NamedRun& named : runs) {
    const suite::Manifest& manifest = named.run.suite.manifest;
    Plot& plot = by_suite[named.run.suite.id];
    plot.title = manifest.title.empty() ? named.run.suite.name : manifest.title;
    plot.values = "mean margin (good minus bad), with 95 % intervals over clusters";
    plot.mark = 0;
    PlotSeries series = margins_of(margin_grid(store, named, options), manifest, plot);
    series.name = name_of(named, runs);
    series.model = named.label;
    plot.series.push_back(std::move(series));
  }
  std::vector<Plot> plots;
  for (auto& [suite, plot] : by_suite) {
    set_range(plot);
    plots.push_back(std::move(plot));
  }
  return plots;
}

// --- accuracy over the checkpoints of a model ---

constexpr size_t kMostLines = 8;  // in one plot

class CheckpointPlots {
 public:
  // `table` as if the checkpoints of a training were one model.
  CheckpointPlots(Table table, const std::map<std::string, StageOf>& stages)
      : table_(std::move(table)) {
    std::map<double, const StageOf*> steps;
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      Column& column = table_.columns[c];
      auto at = stages.find(column.model);
      if (column.published || column.seeds > 0 || at == stages.end()) continue;
      steps[at->second.step] = &at->second;
      column.model = at->second.training;
      drawn_.emplace_back(c, at->second.step);
    }
    std::stable_sort(drawn_.begin(), drawn_.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [step, stage] : steps) {
      places_[step] = empty_.places.size();
      empty_.places.push_back(stage->said);
      empty_.positions.push_back(stage->at);
    }
    empty_.kind = Plot::Kind::lines;
    empty_.values = kAccuracy;
    empty_.places_title = "checkpoint";
    empty_.mark = 0.5;
  }

  // All items; then a line for every test, training by training.
  std::vector<Plot> plots() const {
    if (drawn_.empty()) return {};
    std::map<std::string, std::vector<size_t>> by_name;  // columns in the order of their steps
    for (const auto& [c, step] : drawn_) by_name[name_of(table_.columns[c], table_)].push_back(c);
    Plot all = titled(table_.title);
    for (const auto& [name, columns] : by_name)
      all.series.push_back(line(name, columns, table_.total));
    std::vector<Plot> plots = {all};
    if (table_.rows.size() < 2) return plots;
    for (const auto& [name, columns] : by_name)
      for (size_t from = 0; from < table_.rows.size(); from += kMostLines) {
        plots.push_back(titled(name + (from ? ", continued" : ": test by test")));
        plots.back().values = "accuracy";
        for (size_t r = from; r < std::min(from + kMostLines, table_.rows.size()); ++r)
          plots.back().series.push_back(
              line(place_name(table_, table_.rows[r]), columns, table_.rows[r], false));
      }
    return plots;
  }

 private:
  Plot titled(std::string title) const {
    Plot plot = empty_;
    plot.title = std::move(title);
    return plot;
  }

  // Of many lines nobody can tell the intervals apart.
  PlotSeries line(std::string name, const std::vector<size_t>& columns, const Row& row,
                  bool intervals = true) const {
    PlotSeries series{std::move(name), false, {}};
    for (size_t c : columns)
      if (const Cell& cell = row.cells[c]; cell.present && cell.tally.pairs > 0)
        series.points.push_back(point_of(places_.at(step_at(c)), cell, intervals));
    return series;
  }
  double step_at(size_t column) const {
    return std::find_if(drawn_.begin(), drawn_.end(),
                        [&](const auto& d) { return d.first == column; })
        ->second;
  }

  Table table_;
  Plot empty_;
  std::vector<std::pair<size_t, double>> drawn_;  // column, step
  std::map<double, size_t> places_;
};

std::string checkpoint_curve(store::Store& store, const ReportOptions& options,
                             const std::vector<std::string>& columns) {
  const std::map<std::string, StageOf> stages = stages_of(selected_runs(store, options));
  std::vector<Table> tables;
  if (!stages.empty()) tables = make_tables(store, options);
  if (!stages.empty() && !columns.empty()) choose_columns(tables, columns);
  std::vector<Plot> plots;
  for (Table& table : tables)
    for (Plot& plot : CheckpointPlots(std::move(table), stages).plots())
      plots.push_back(std::move(plot));
  if (plots.empty())
    throw wrong_call("no two models here are checkpoints of one training")
        .at(store.path().string())
        .hint(
            "their names tell: NAME@step1000, NAME/checkpoint-500, or 'minpair run --name "
            "NAME-step1000'\n  the losses of a training itself: minpair figure lstm-de/ "
            "curve");
  return svg_of(plots);
}

}  // namespace

const std::vector<std::string>& figure_kinds() {
  static const std::vector<std::string> all = {"tests",       "conditions", "distance",
                                               "distractors", "margins",    "curve"};
  return all;
}

std::string figure(store::Store& store, ReportOptions options, const std::string& kind,
                   const std::vector<std::string>& columns) {
  if (kind == "margins") return svg_of(margin_plots(store, options));
  options.with_values = true;
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
  options.by = {"test"};
  options.by_default = true;
  return checkpoint_curve(store, options, columns);
}

std::string curve_figure(const std::filesystem::path& folder) {
  Plot plot;
  plot.kind = Plot::Kind::lines;
  plot.title = "Learning curve";
  plot.values = "loss (nats a token)";
  plot.places_title = "tokens read (millions)";
  const std::vector<Grid> grids = curve_grids(folder, 80);
  std::set<double> read;
  for (const Grid& grid : grids)
    for (size_t r = 0; r < grid.rows.size(); ++r) read.insert(number_in(grid, r, "tokens") / 1e6);
  const std::vector<double> millions(read.begin(), read.end());
  for (double m : millions) {
    plot.places.push_back(fmt::format("{:.3g}", m));
    plot.positions.push_back(m / millions.back());
  }
  plot.positions_to = millions.empty() ? 0 : millions.back();
  for (const Grid& grid : grids) {
    const std::string name = grid.title.substr(grid.title.find(": ") + 2);
    for (const char* what : {"train", "valid"}) {
      PlotSeries series{
          fmt::format("{}, {}", name, what[0] == 't' ? "training" : "validation"), false, {}};
      for (size_t r = 0; r < grid.rows.size(); ++r) {
        const double loss = std::log(number_in(grid, r, fmt::format("{}_perplexity", what)));
        if (!std::isfinite(loss)) continue;
        const auto at =
            std::lower_bound(millions.begin(), millions.end(), number_in(grid, r, "tokens") / 1e6);
        series.points.push_back({size_t(at - millions.begin()), loss, 0, 0});
      }
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
  }
  set_range(plot);
  return svg_of({plot});
}

}  // namespace minpair::report
