#include "reading/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/counts.h"
#include "base/error.h"
#include "base/names.h"

namespace minpair::reading {

Table::Table(const std::filesystem::path& file) : file_(file.string()) {
  const std::string ending = file.extension().string();
  if (ending == ".jsonl") {
    json_ = std::make_unique<suite::JsonRowReader>(file);
    waiting_ = next_json();
  } else {
    rows_ = std::make_unique<RowReader>(file, ending == ".csv" ? ',' : '\t', ending == ".csv");
    rows_->next(names_);
  }
  if (names_.empty()) throw bad_input("the table is empty").at(file_);
}

bool Table::has(const std::string& column) const {
  return std::find(names_.begin(), names_.end(), column) != names_.end();
}

size_t Table::column(const std::string& name) const {
  auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return size_t(at - names_.begin());
  throw unknown_name(fmt::format("{}: there is no column '{}'", file_, name), name, names_);
}

bool Table::next_json() {
  std::vector<suite::Field> fields;
  if (!json_->next(fields)) return false;
  if (names_.empty())
    for (const suite::Field& f : fields) names_.push_back(f.name);
  cells_.assign(names_.size(), "");
  for (const suite::Field& f : fields)
    if (auto at = std::find(names_.begin(), names_.end(), f.name); at != names_.end())
      cells_[size_t(at - names_.begin())] = f.text;
  return true;
}

bool Table::next() {
  if (json_) return std::exchange(waiting_, false) || next_json();
  if (!rows_->next(cells_)) return false;
  if (cells_.size() != names_.size())
    throw bad_input(fmt::format("{} where the first line has {}", counted(cells_.size(), "column"),
                                names_.size()))
        .at(file_, line());
  return true;
}

uint64_t Table::line() const { return json_ ? json_->line() : rows_->line(); }

double Table::number(size_t column) const {
  const std::string& text = cells_[column];
  if (text.empty() || text == "NA" || text == "null" || text == "NaN") return std::nan("");
  double value = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end || !std::isfinite(value))
    throw bad_input(fmt::format("{}: '{}' is not a number", names_[column], text))
        .at(file_, line());
  return value;
}

uint64_t Table::whole(size_t column) const {
  const double value = number(column);
  if (!(value >= 0 && value < 1e9 && value == std::floor(value)))
    throw bad_input(fmt::format("{}: '{}' is not a whole number", names_[column], cells_[column]))
        .at(file_, line());
  return uint64_t(value);
}

}  // namespace minpair::reading
