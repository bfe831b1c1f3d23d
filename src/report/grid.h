#pragma once
// A small table of values, shown for readers (text, Markdown, LaTeX) or exactly (CSV, JSON).

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace minpair::report {

struct GridColumn {
  enum class Kind { text, count, share, difference, number, p };
  std::string key;    // in CSV and JSON
  std::string title;  // for readers
  Kind kind = Kind::text;
  bool printed = true;  // also on paper, where there is less room
  bool shown = true;    // to readers, who have notes; else in CSV and JSON alone
};

// Nothing, a text or a number; what is not a number (NaN) is shown as nothing.
using GridValue = std::variant<std::monostate, std::string, double>;

struct Grid {
  std::string key, title;
  std::vector<GridColumn> columns;
  std::vector<std::vector<GridValue>> rows;
  bool total = false;  // the last row sums the others up
  std::vector<std::string> notes;
  std::map<std::string, std::string> titles;  // what texts are called on paper
  std::string label;                          // for \ref
};

// "table", "markdown", "latex", "csv" or "json".
std::string render_grids(const std::vector<Grid>& grids, const std::string& format);
std::string value_text(const GridValue& value, GridColumn::Kind kind);

// As a field of a CSV file: in quotes where it must be.
std::string csv_quoted(const std::string& text);
// As LaTeX shows it, with any engine.
std::string latex_text(std::string_view text);

}  // namespace minpair::report
