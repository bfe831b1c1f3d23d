#pragma once
// The rows of a typed list: its header found, every cell checked. Private to this folder.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "suite/formats/columns.h"
#include "suite/formats/spreadsheet.h"
#include "suite/formats/support.h"

namespace minpair::suite {

using Row = std::vector<std::string>;

// Rows of text with a place for each.
struct Table {
  virtual ~Table() = default;
  virtual bool next(Row& fields) = 0;
  virtual Where where() const = 0;  // of the last row
  std::string test;                 // of rows that name none
  bool fills_rows = false;          // a row that is too short has empty cells at its end
};
std::unique_ptr<Table> text_table(const fs::path& file, char separator, bool quotes);
std::unique_ptr<Table> sheet_table(Sheet sheet, std::string name, std::string test);

constexpr size_t kMostTitles = 10;  // rows above the one that names the columns
extern const char* const kHowToName;

// Which of the first rows names the columns: the first, or one below a title of fewer cells. None:
// their number.
size_t header_among(const std::vector<Row>& rows, const std::string& columns);
char separator_of(std::string_view line);
// That of the row that names the columns: a title may have other commas.
char separator_of_file(const fs::path& file, const std::string& columns);

// Two versions of one sentence have most of their letters or a word in common.
bool alike(std::string_view a, std::string_view b);
// Are these two no versions of one sentence, but something else beside a sentence, or two of
// different columns?
bool are_strangers(std::string_view good, std::string_view bad);

// The rows below a header, each as long as it. Without a header (`bare`), all rows: pairs.
class ListRows {
 public:
  ListRows(std::unique_ptr<Table> table, const std::string& columns, bool bare);

  bool next();
  // "good = Satz, bad = Stern", for people.
  std::string described() const;

  // The first column of that role, or an empty text.
  const std::string& value(Role role) const;
  size_t column(Role role) const;
  bool has(Role role) const { return column(role) < roles.size(); }
  std::string test() const;
  Where where() const { return where_; }
  Error at(size_t column, const std::string& what) const;

  // The text of a cell that must have one, without the judgment that stands before a bad sentence.
  std::string sentence_at(size_t column, bool good) const;
  void check_sentence(const std::string& text, size_t column) const;

  Row header, fields;
  std::vector<Role> roles;
  bool published = false;
  uint64_t count = 0;   // rows so far
  size_t titles = 0;    // rows above the header
  size_t repeated = 0;  // rows that are the header again

 private:
  bool read(Row& row);
  void read_bare(const Row& top, const Where& where);
  bool is_header_again();
  void check_narrow(size_t column);
  void check_text(const Row& row, size_t column) const;

  std::unique_ptr<Table> table_;
  std::vector<std::pair<Row, Where>> ahead_;  // read already
  size_t at_ahead_ = 0;
  Where where_;
  std::vector<std::optional<bool>> narrow_;  // columns in which the rows so far have a value
};

}  // namespace minpair::suite
