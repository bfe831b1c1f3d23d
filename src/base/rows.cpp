#include "base/rows.h"

#include "base/error.h"
#include "base/outgoing.h"
#include "base/text.h"

namespace minpair {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLongestRow = size_t{1} << 26;

// Splits as far as the line goes. True when it ends inside quotes; `fields` then ends with the open
// field.
bool split_on(std::string_view line, char separator, bool in_quotes,
              std::vector<std::string>& fields) {
  if (!in_quotes) fields.emplace_back();
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (in_quotes) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        in_quotes = false;
      }
    } else if (c == separator) {
      fields.emplace_back();
    } else if (c == '"' && fields.back().empty()) {
      in_quotes = true;
    } else {
      fields.back() += c;
    }
  }
  return in_quotes;
}

}  // namespace

std::string_view without_mark(std::string_view line) {
  return line.starts_with("\xEF\xBB\xBF") ? line.substr(3) : line;
}

RowReader::RowReader(const fs::path& file, char separator, bool quotes)
    : lines_(file, kLongestRow), separator_(separator), quotes_(quotes) {}

void RowReader::split_quoted(std::string_view line, std::vector<std::string>& fields) {
  bool open = split_on(line, separator_, false, fields);
  size_t size = line.size();
  while (open) {
    if (!lines_.next(line) || (size += line.size()) > kLongestRow)
      throw bad_input("a quoted field does not end").at(name(), line_);
    fields.back() += '\n';
    open = split_on(line, separator_, true, fields);
  }
}

bool RowReader::next(std::vector<std::string>& fields) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
    line_ = lines_.line_number();
  } while (trim(line).empty());
  fields.clear();
  if (quotes_)
    split_quoted(line, fields);
  else
    for (std::string_view field : split(line, separator_)) fields.emplace_back(field);
  return true;
}

std::vector<std::string> split_row(std::string_view line, char separator, bool quotes) {
  std::vector<std::string> fields;
  if (quotes)
    split_on(line, separator, false, fields);
  else
    for (std::string_view field : split(line, separator)) fields.emplace_back(field);
  return fields;
}

void append_row(std::string& to, const std::vector<std::string>& fields, char separator,
                bool quotes) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) to += separator;
    if (quotes)
      append_field(to, fields[i], separator);
    else
      to += fields[i];
  }
  to += '\n';
}

bool fits_row(std::string_view field, char separator) {
  for (char c : field)
    if (c == separator || c == '\n' || c == '\r') return false;
  return true;
}

}  // namespace minpair
