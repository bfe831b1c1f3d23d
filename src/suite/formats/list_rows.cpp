#include "suite/formats/list_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/counts.h"
#include "base/names.h"
#include "base/natural.h"
#include "base/rows.h"
#include "suite/cells.h"

namespace minpair::suite {

const char* const kHowToName =
    "the first row names the columns: good,bad,condition; or item,sentence,grammatical\n"
    "  for other names, every command that reads a list has --columns good=Satz,bad=Falsch";

namespace {

struct TextTable : Table {
  TextTable(const fs::path& file, char separator, bool quotes) : rows(file, separator, quotes) {
    test = file == "-" ? "pairs" : file.stem().string();
  }
  bool next(std::vector<std::string>& fields) override {
    do {
      if (!rows.next(fields)) return false;
    } while (std::all_of(fields.begin(), fields.end(), [](auto& f) { return trim(f).empty(); }) ||
             (rows.line() == 1 && fields[0].starts_with("sep=")));  // what Excel likes to read
    return true;
  }
  Where where() const override { return {rows.name(), rows.line(), 0, {}}; }
  RowReader rows;
};

struct SheetTable : Table {
  SheetTable(Sheet s, std::string name, std::string of_test) : sheet(std::move(s)) {
    file = std::move(name);
    fills_rows = true;
    test = std::move(of_test);
  }
  bool next(std::vector<std::string>& fields) override {
    if (at == sheet.rows.size()) return false;
    row = sheet.rows[at].number;
    fields = std::move(sheet.rows[at++].cells);
    return true;
  }
  Where where() const override { return {file, row, 0, {}}; }
  Sheet sheet;
  std::string file;
  size_t at = 0;
  uint64_t row = 0;
};

// --- the header ---

constexpr size_t kLookedAt = 32;  // rows that a first one is compared with

// Does this row name the columns of a list, those that the caller named among them?
bool names_columns(const std::vector<std::string>& row, const std::string& columns) {
  try {
    std::vector<Role> roles = roles_of(row, columns);
    return makes_pairs(roles) || makes_long_list(roles);
  } catch (const Error&) {
    return false;  // a named column is not there
  }
}

size_t count_filled(const std::vector<std::string>& row) {
  return size_t(
      std::count_if(row.begin(), row.end(), [](const auto& cell) { return !trim(cell).empty(); }));
}

[[noreturn]] void no_columns(std::vector<std::string> header, const Where& where) {
  constexpr size_t kShown = 100;
  if (header.size() > kShown) {
    header.resize(kShown);
    header.push_back("...");
  }
  throw bad_input(
      fmt::format("which columns are the sentences? There are: {}", fmt::join(header, ", ")))
      .at(where)
      .hint(kHowToName);
}

void check_header(std::vector<std::string>& header, const Where& where) {
  for (std::string& name : header) name = nfc(trim(name));
  while (!header.empty() && header.back().empty()) header.pop_back();
  std::vector<size_t> named;
  for (size_t i = 0; i < header.size(); ++i)
    if (!header[i].empty()) named.push_back(i);
  const auto name = [&](size_t i) -> std::string_view { return header[named[i]]; };
  const size_t again = first_repeated(named.size(), name);
  if (again < named.size())
    throw bad_input(fmt::format("two columns are called '{}'", name(again)))
        .at(where.file, where.line, named[again] + 1);
}

// Does a first row of two cells look like names of columns, because no row below looks like it?
bool looks_like_header(const Row& row, const std::vector<Row>& below) {
  size_t most = 0, fewest = SIZE_MAX;
  for (const std::string& cell : row) {
    if (ends_sentence(cell)) return false;
    most = std::max(most, words(cell).size());
  }
  bool all_end = true, all_alike = true;
  for (const Row& other : below) {
    for (const std::string& cell : other) {
      all_end = all_end && ends_sentence(cell);
      fewest = std::min(fewest, words(cell).size());
    }
    all_alike = all_alike && alike(other[0], other[1]);
  }
  if (below.empty()) return most == 1;
  return all_end || (most <= 3 && most < fewest) || (all_alike && !alike(row[0], row[1]));
}

}  // namespace

std::unique_ptr<Table> text_table(const fs::path& file, char separator, bool quotes) {
  return std::make_unique<TextTable>(file, separator, quotes);
}

std::unique_ptr<Table> sheet_table(Sheet sheet, std::string name, std::string test) {
  return std::make_unique<SheetTable>(std::move(sheet), std::move(name), std::move(test));
}

char separator_of(std::string_view line) {
  if (line.starts_with("sep=") && line.size() > 4) return line[4];
  char best = ',';
  for (char c : {';', '\t'})
    if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), best))
      best = c;
  return best;
}

size_t header_among(const std::vector<Row>& rows, const std::string& columns) {
  size_t longest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (count_filled(rows[i]) > longest && names_columns(rows[i], columns)) return i;
    longest = std::max(longest, count_filled(rows[i]));
  }
  return rows.size();
}

char separator_of_file(const fs::path& file, const std::string& columns) {
  LineReader lines(file);
  std::string_view line;
  char first = 0;
  for (size_t n = 0; n < kMostTitles && lines.next(line);) {
    if (trim(line).empty()) continue;
    const char separator = separator_of(line);
    if (names_columns(split_row(line, separator, true), columns)) return separator;
    if (n++ == 0) first = separator;
  }
  return first == 0 ? ',' : first;
}

bool alike(std::string_view a, std::string_view b) {
  for (std::string_view word : words(a))
    for (std::string_view other : words(b))
      if (word.size() > 1 && word == other) return true;
  return 2 * edit_distance(a, b) <= std::max(a.size(), b.size());
}

bool are_strangers(std::string_view good, std::string_view bad) {
  const size_t a = words(good).size(), b = words(bad).size();
  const auto lone = [](size_t n, std::string_view text) { return n == 1 && !ends_sentence(text); };
  const auto whole = [](size_t n, std::string_view text) {
    return n > 2 || (n == 2 && ends_sentence(text));
  };
  if (!(a > 2 && b > 2) && !(lone(a, good) && whole(b, bad)) && !(lone(b, bad) && whole(a, good)))
    return false;
  std::set<std::string> known;
  const auto plain = [](std::string_view word) {
    std::string letters;
    for (size_t at = 0; at < word.size();)
      if (char32_t c = next_character(word, at); !is_punctuation(c)) append_utf8(letters, c);
    return lower(letters);
  };
  for (std::string_view word : words(good)) known.insert(plain(word));
  known.erase("");
  const std::vector<std::string_view> others = words(bad);
  return std::none_of(others.begin(), others.end(),
                      [&](std::string_view word) { return known.contains(plain(word)); });
}
ListRows::ListRows(std::unique_ptr<Table> table, const std::string& columns, bool bare)
    : table_(std::move(table)) {
  std::vector<Row> first;
  Where top;
  bool found = false;
  while (!found && first.size() < (bare ? 1 : kMostTitles) && read(fields)) {
    if (first.empty()) top = where_;
    first.push_back(fields);
    found = header_among(first, columns) < first.size();
  }
  if (first.empty()) throw bad_input("there is nothing in it").at(table_->where());
  if (bare && !found) {
    read_bare(first[0], top);
    return;
  }
  titles = found ? first.size() - 1 : 0;  // what is missing is said of the first row
  header = first[titles];
  if (found) top = where_;
  for (size_t i = 0; i < header.size(); ++i) check_text(header, i);
  check_header(header, top);
  roles = roles_of(header, columns);
  if (!makes_pairs(roles) && !makes_long_list(roles)) no_columns(header, top);
  narrow_.resize(roles.size());
}

bool ListRows::next() {
  do {
    if (!read(fields)) return false;
    while (fields.size() > header.size() && trim(fields.back()).empty()) fields.pop_back();
  } while (is_header_again());
  if (fields.size() > header.size())
    throw at(header.size(), fmt::format("there are {} columns here, and the first row has {}",
                                        fields.size(), header.size()))
        .hint("a sentence with a comma must be in quotes");
  if (!table_->fills_rows && fields.size() < header.size())
    throw at(fields.size(), fmt::format("there {} {} here, and the first row has {}",
                                        plural(fields.size(), "is", "are"),
                                        counted(fields.size(), "column"), header.size()));
  ++count;
  fields.resize(header.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    check_text(fields, i);
    check_narrow(i);
  }
  return true;
}

std::string ListRows::described() const {
  std::string text;
  for (const auto& [name, role] : said_roles())
    for (size_t i = 0; i < roles.size(); ++i)
      if (roles[i] == role && role != Role::feature)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, header[i]);
  return text;
}

const std::string& ListRows::value(Role role) const {
  static const std::string nothing;
  size_t i = column(role);
  return i < fields.size() ? fields[i] : nothing;
}
size_t ListRows::column(Role role) const {
  return size_t(std::find(roles.begin(), roles.end(), role) - roles.begin());
}
Error ListRows::at(size_t column, const std::string& what) const {
  Where w = table_->where();
  return bad_input(what).at(w.file, w.line, column + 1);
}
std::string ListRows::sentence_at(size_t column, bool good) const {
  std::string text = fields[column];
  const bool is_text = why_no_sentence(text).empty();  // #REF! has no judgment in front
  if (const std::string_view mark = judgment_before(text); is_text && !mark.empty()) {
    if (good)
      throw at(column, fmt::format("'{}' in front marks what is not grammatical, and this is the "
                                   "good sentence",
                                   mark));
    text = trim(trim(text).substr(mark.size()));
  }
  check_sentence(text, column);
  return text;
}
void ListRows::check_sentence(const std::string& text, size_t column) const {
  const std::string why = why_no_typed_sentence(text);
  if (why.empty()) return;
  Error error = at(column, why);
  if (trim(text).empty() && table_->fills_rows)
    // Programs that make spreadsheets write formulas without what comes out of them.
    error.hint("if a formula makes it, open the list in its program and save it again");
  else if (!trim(text).empty())
    error.hint("if it is one, end it with a full stop; else correct or remove the row");
  throw error;
}
std::string ListRows::test() const {
  std::string named(trim(value(Role::test)));
  return named.empty() ? table_->test : named;
}

bool ListRows::read(Row& row) {
  if (at_ahead_ < ahead_.size()) {
    std::tie(row, where_) = std::move(ahead_[at_ahead_++]);
    return true;
  }
  if (!table_->next(row)) return false;
  where_ = table_->where();
  return true;
}

// Rows of two cells, of which the first is a pair or has unknown names of columns.
void ListRows::read_bare(const Row& top, const Where& where) {
  ahead_.emplace_back(top, where);
  std::vector<Row> below;
  for (Row row; below.size() < kLookedAt && table_->next(row);) {
    if (row.size() == 2) below.push_back(row);
    ahead_.emplace_back(row, table_->where());
  }
  at_ahead_ = 0;
  header = {"good", "bad"};
  roles = {Role::good, Role::bad};
  narrow_.resize(2);
  if (top.size() == 2 && looks_like_header(top, below))
    throw bad_input(fmt::format("are '{}' and '{}' names of columns? No other row is like them",
                                top[0], top[1]))
        .at(where)
        .hint(fmt::format("if they are, say so: --columns 'good={},bad={}'\n"
                          "  if they are a pair, write a row above them: good, a tab, bad",
                          trim(top[0]), trim(top[1])));
}

bool ListRows::is_header_again() {
  if (fields.size() != header.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i)
    if (nfc(trim(fields[i])) != header[i]) return false;
  ++repeated;
  return true;
}

// A test, a condition, an item's number: in all rows or in none, and nothing else.
void ListRows::check_narrow(size_t i) {
  static const std::map<Role, const char*> narrow = {{Role::test, "test"},
                                                     {Role::condition, "condition"},
                                                     {Role::language, "language"},
                                                     {Role::item, "item"},
                                                     {Role::cluster, "cluster"}};
  const auto name = narrow.find(roles[i]);
  const std::string_view value = trim(fields[i]);
  if (roles[i] == Role::context && !value.empty())
    if (std::string why = why_no_typed_sentence(value); !why.empty()) throw at(i, why);
  if (name == narrow.end()) return;
  if (narrow_[i].has_value() && *narrow_[i] == value.empty())
    throw at(
        i, fmt::format("there is {} {} here, and {} in the rows above", value.empty() ? "no" : "a",
                       name->second, value.empty() ? "one" : "none"))
        .hint("write it in each row; a merged cell keeps it in the first one only");
  narrow_[i] = !value.empty();
  if (std::string why = why_no_label(value); !value.empty() && !why.empty())
    throw at(i, fmt::format("this is no {}: {}", name->second, why)).hint("is the row shifted?");
  if (roles[i] == Role::language && !value.empty() && !is_language(value))
    throw at(i, fmt::format("'{}' is no code of a language", value))
        .hint("write de, en, pt-BR; or say with --columns what the column is: feature=" +
              header[i]);
}

void ListRows::check_text(const Row& row, size_t i) const {
  if (!valid_utf8(row[i]))
    throw at(i, "this is not UTF-8").hint("save the list as 'CSV UTF-8', or as .xlsx");
}

}  // namespace minpair::suite
