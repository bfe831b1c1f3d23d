#pragma once
// Tables of text: tab-separated, comma-separated, with or without quotes.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace minpair {

class RowReader {
 public:
  // With `quotes`, "a ""b""" is a "b" and may span several lines.
  RowReader(const std::filesystem::path& file, char separator, bool quotes);
  bool next(std::vector<std::string>& fields);  // false at the end; empty lines are skipped
  uint64_t line() const { return line_; }       // where the last row begins
  const std::string& name() const { return lines_.name(); }

 private:
  void split_quoted(std::string_view line, std::vector<std::string>& fields);

  LineReader lines_;
  char separator_;
  bool quotes_;
  uint64_t line_ = 0;
};

// The line without the byte-order mark that spreadsheets put at the beginning of a file.
std::string_view without_mark(std::string_view line);
// The fields of one line, for looking at the beginning of a file.
std::vector<std::string> split_row(std::string_view line, char separator, bool quotes);

void append_row(std::string& to, const std::vector<std::string>& fields, char separator,
                bool quotes);
// Can a table without quotes hold the field?
bool fits_row(std::string_view field, char separator);

}  // namespace minpair
