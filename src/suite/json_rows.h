#pragma once
// JSON Lines as a table: one object per line, its keys are the columns.

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace minpair::suite {

struct Field {
  std::string name, text;
  bool json = false;  // no string: `text` is JSON, as it was written
};

class JsonRowReader {
 public:
  explicit JsonRowReader(const std::filesystem::path& file) : lines_(file) {}
  bool next(std::vector<Field>& fields);  // false at the end; empty lines are skipped
  uint64_t line() const { return lines_.line_number(); }
  const std::string& name() const { return lines_.name(); }

 private:
  LineReader lines_;
};

}  // namespace minpair::suite
