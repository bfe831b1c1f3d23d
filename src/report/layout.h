#pragma once
// A table as strings, for the formats that readers look at: columns that share their counts share
// one column of them.

#include "report/report.h"

namespace minpair::report {

struct LayoutColumn {
  std::vector<std::string> head;   // lines
  size_t cell = SIZE_MAX;          // index into the table's columns; SIZE_MAX: counts
  std::vector<std::string> texts;  // per row; the total last
  bool counts = false;
};

struct Layout {
  std::vector<LayoutColumn> columns;
  bool with_total = false;  // is there more than one row?
};

Layout lay_out(const Table& table);
// The row's titles below the row before it: what repeats is left out.
std::vector<std::string> row_labels(const Table& table, size_t row);
// "best of the row, five lowest": which marks the table uses.
bool has_best(const Table& table);
bool has_low(const Table& table);
size_t display_width(const std::string& text);

}  // namespace minpair::report
