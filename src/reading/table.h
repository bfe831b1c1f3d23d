#pragma once
// Some columns of a table: .csv, .jsonl, else tab-separated.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/rows.h"
#include "suite/json_rows.h"

namespace minpair::reading {

class Table {
 public:
  explicit Table(const std::filesystem::path& file);

  bool has(const std::string& column) const;
  size_t column(const std::string& name) const;  // throws with what there is
  bool next();
  const std::string& cell(size_t column) const { return cells_[column]; }
  // NaN where there is none: nothing, NA, null. Anything else is an error.
  double number(size_t column) const;
  uint64_t whole(size_t column) const;

  const std::string& file() const { return file_; }
  uint64_t line() const;

 private:
  std::string file_;
  std::unique_ptr<RowReader> rows_;
  std::unique_ptr<suite::JsonRowReader> json_;
  std::vector<std::string> names_, cells_;
  bool waiting_ = false;  // JSON Lines: the first row was read for its names

  bool next_json();
};

}  // namespace minpair::reading
