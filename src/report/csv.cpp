#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/outgoing.h"
#include "report/report.h"

namespace minpair::report {
namespace {

std::string csv_quoted(std::string_view text) { return outgoing(text, Medium::csv); }

std::string key_of(const Table& table, const Row& row, const std::string& name) {
  for (size_t i = 0; i < table.by.size(); ++i)
    if (table.by[i] == name) return row.keys[i];
  return "";
}

// "name=value;name=value"
std::string excluded_text(const Tally& t) {
  std::string text;
  for (const auto& [reason, n] : t.excluded)
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", key_of(reason), n);
  return text;
}

std::string number_text(double x) { return std::isnan(x) ? "" : fmt::format("{}", x); }

std::string published_text(const Table& table, const Row& row) {
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].published && row.cells[c].present)
      text += fmt::format("{}{}={}", text.empty() ? "" : ";", table.columns[c].model,
                          row.cells[c].accuracy);
  return text;
}

std::vector<std::string> other_levels(const std::vector<Table>& tables) {
  std::vector<std::string> names;
  for (const Table& t : tables)
    for (const std::string& name : t.by)
      if (name != "suite" && name != "test" && name != "condition" && name != "language" &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

}  // namespace

std::string csv_tables(const std::vector<Table>& tables) {
  std::vector<std::string> others = other_levels(tables);
  std::string out = "suite,model,method,norm,lengths,test,condition,language";
  for (const std::string& name : others) out += "," + csv_quoted(name);
  out += ",items,pairs,correct,ties,accuracy,ci_low,ci_high,sd,seeds,excluded,published\n";
  for (const Table& t : tables)
    for (const Row& row : t.rows)
      for (size_t c = 0; c < t.columns.size(); ++c) {
        const Column& column = t.columns[c];
        const Cell& cell = row.cells[c];
        if (column.published || !cell.present) continue;
        std::vector<std::string> fields = {t.suite, column.model, column.method, column.norm,
                                           column.lengths};
        for (const char* name : {"test", "condition", "language"})
          fields.push_back(key_of(t, row, name));
        for (const std::string& name : others) fields.push_back(key_of(t, row, name));
        for (const std::string& f : fields) out += csv_quoted(f) + ",";
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", cell.tally.items, cell.tally.pairs,
                           cell.tally.correct, cell.tally.ties, cell.accuracy,
                           number_text(cell.interval.low), number_text(cell.interval.high),
                           cell.deviation, column.seeds, csv_quoted(excluded_text(cell.tally)),
                           csv_quoted(published_text(t, row)));
      }
  return out;
}

}  // namespace minpair::report
