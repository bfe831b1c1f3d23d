#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/report.h"

namespace minpair::report {
namespace {

GridValue key_of(const Table& table, const Row& row, const std::string& name) {
  for (size_t i = 0; i < table.by.size(); ++i)
    if (table.by[i] == name && !row.keys[i].empty()) return row.keys[i];
  return {};
}

GridValue text_or_nothing(std::string text) {
  return text.empty() ? GridValue{} : GridValue{std::move(text)};
}

// "name=value;name=value"
std::string excluded_text(const Tally& t) {
  std::string text;
  for (const auto& [reason, n] : t.excluded)
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", key_of(reason), n);
  return text;
}

std::string published_text(const Table& table, const Row& row) {
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].published && row.cells[c].present)
      text += fmt::format("{}{}={}", text.empty() ? "" : ";", table.columns[c].model,
                          row.cells[c].accuracy);
  return text;
}

const std::vector<std::string> kUsualLevels = {"test", "condition", "language"};

std::vector<std::string> levels_of(const std::vector<Table>& tables) {
  std::vector<std::string> names = kUsualLevels;
  for (const Table& t : tables)
    for (const std::string& name : t.by)
      if (name != "suite" && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

}  // namespace

Grid cells_grid(const std::vector<Table>& tables) {
  using Kind = GridColumn::Kind;
  Grid g{.key = "report"};
  auto add = [&](Kind kind, std::initializer_list<const char*> names) {
    for (const char* name : names) g.columns.push_back({name, name, kind});
  };
  add(Kind::text, {"suite", "model", "method", "norm", "lengths"});
  const std::vector<std::string> levels = levels_of(tables);
  for (const std::string& level : levels) g.columns.push_back({level, level});
  add(Kind::count, {"items", "pairs", "correct", "ties"});
  add(Kind::number, {"accuracy", "ci_low", "ci_high"});
  add(Kind::text, {"ci_method"});
  add(Kind::count, {"clusters"});
  add(Kind::number, {"sd"});
  add(Kind::count, {"seeds"});
  add(Kind::text, {"excluded", "published"});
  for (const Table& t : tables) {
    for (const Row& row : t.rows)
      for (size_t c = 0; c < t.columns.size(); ++c) {
        const Column& column = t.columns[c];
        const Cell& cell = row.cells[c];
        if (column.published || !cell.present) continue;
        std::vector<GridValue>& values = g.rows.emplace_back();
        values = {t.suite, column.model, column.method, column.norm,
                  text_or_nothing(column.lengths)};
        for (const std::string& level : levels) values.push_back(key_of(t, row, level));
        for (uint64_t n : {cell.tally.items, cell.tally.pairs, cell.tally.correct, cell.tally.ties})
          values.emplace_back(double(n));
        values.emplace_back(cell.tally.pairs ? cell.accuracy : std::nan(""));
        for (double x : {cell.interval.low, cell.interval.high}) values.emplace_back(x);
        values.push_back(text_or_nothing(std::string(name_of(cell.method))));
        values.emplace_back(double(cell.clusters));
        values.emplace_back(cell.deviation);
        values.emplace_back(double(column.seeds));
        values.push_back(text_or_nothing(excluded_text(cell.tally)));
        values.push_back(text_or_nothing(published_text(t, row)));
      }
    for (const auto* lines : {&t.policies, &t.account, &t.notes})
      for (const std::string& line : *lines)
        if (std::find(g.notes.begin(), g.notes.end(), line) == g.notes.end())
          g.notes.push_back(line);
  }
  return g;
}

std::string csv_tables(const std::vector<Table>& tables) {
  return render_grids({cells_grid(tables)}, "csv");
}

}  // namespace minpair::report
