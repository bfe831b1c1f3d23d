// A row is a pair (or a set: bad_1, bad_2), or one sentence, and then the item's number says which
// belong together and another column, or a star, which of them are grammatical.

#include "suite/formats/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counts.h"
#include "base/names.h"
#include "base/rows.h"
#include "suite/formats/columns.h"
#include "suite/formats/spreadsheet.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

constexpr uint64_t kLargestLongList = uint64_t{1} << 29;

// --- tables: rows of text with a place for each ---

struct Table {
  virtual ~Table() = default;
  virtual bool next(std::vector<std::string>& fields) = 0;
  virtual Where where() const = 0;  // of the last row
  std::string test;                 // of rows that name none
};

struct TextTable : Table {
  TextTable(const fs::path& file, char separator) : rows(file, separator, true) {
    test = file.stem().string();
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

char separator_of(std::string_view line) {
  if (line.starts_with("sep=") && line.size() > 4) return line[4];
  char best = ',';
  for (char c : {';', '\t'})
    if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), best))
      best = c;
  return best;
}

// --- the header ---

constexpr size_t kMostTitles = 10;  // rows above the one that names the columns
constexpr const char* kTitle = "above the names of the columns";

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

// Which of the first rows names the columns: the first, or one below a title of fewer cells. None:
// their number.
size_t header_among(const std::vector<std::vector<std::string>>& rows, const std::string& columns) {
  size_t longest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (count_filled(rows[i]) > longest && names_columns(rows[i], columns)) return i;
    longest = std::max(longest, count_filled(rows[i]));
  }
  return rows.size();
}

// That of the row that names the columns: a title may have other commas.
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

constexpr const char* kHowToName =
    "the first row names the columns: good,bad,condition; or item,sentence,grammatical\n"
    "  for other names, run, lint and convert have --columns good=Satz,bad=Falsch";

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

// --- rows ---

// The rows below a header, each as long as it.
class ListRows {
 public:
  ListRows(std::unique_ptr<Table> table, const std::string& columns) : table_(std::move(table)) {
    std::vector<std::vector<std::string>> first;
    Where top;
    bool found = false;
    while (!found && first.size() < kMostTitles && table_->next(fields)) {
      if (first.empty()) top = table_->where();
      first.push_back(fields);
      found = header_among(first, columns) < first.size();
    }
    if (first.empty()) throw bad_input("there is nothing in it").at(table_->where());
    titles = found ? first.size() - 1 : 0;  // what is missing is said of the first row
    header = first[titles];
    if (found) top = table_->where();
    for (size_t i = 0; i < header.size(); ++i) check_text(header, i);
    check_header(header, top);
    roles = roles_of(header, columns);
    if (!makes_pairs(roles) && !makes_long_list(roles)) no_columns(header, top);
  }

  bool next() {
    if (!table_->next(fields)) return false;
    while (fields.size() > header.size() && trim(fields.back()).empty()) fields.pop_back();
    if (fields.size() > header.size())
      throw at(header.size(), fmt::format("there are {} columns here, and the first row names {}",
                                          fields.size(), header.size()))
          .hint("a sentence with a comma must be in quotes");
    if (dynamic_cast<TextTable*>(table_.get()) && fields.size() < header.size())
      throw at(fields.size(), fmt::format("there {} {} here, and the first row names {}",
                                          plural(fields.size(), "is", "are"),
                                          counted(fields.size(), "column"), header.size()));
    fields.resize(header.size());
    for (size_t i = 0; i < fields.size(); ++i) check_text(fields, i);
    return true;
  }

  // The first column of that role, or an empty text.
  const std::string& value(Role role) const {
    static const std::string nothing;
    size_t i = column(role);
    return i < fields.size() ? fields[i] : nothing;
  }
  size_t column(Role role) const {
    return size_t(std::find(roles.begin(), roles.end(), role) - roles.begin());
  }
  bool has(Role role) const { return column(role) < roles.size(); }
  Error at(size_t column, const std::string& what) const {
    Where w = table_->where();
    return bad_input(what).at(w.file, w.line, column + 1);
  }
  // Programs that make spreadsheets write formulas without what comes out of them.
  Error nothing_at(size_t column) const {
    Error error = at(column, "there is no sentence here");
    if (dynamic_cast<const SheetTable*>(table_.get()))
      error.hint("if a formula makes it, open the list in its program and save it again");
    return error;
  }
  Where where() const { return table_->where(); }
  std::string test() const {
    std::string named(trim(value(Role::test)));
    return named.empty() ? table_->test : named;
  }

  std::vector<std::string> header, fields;
  std::vector<Role> roles;
  size_t titles = 0;  // rows above the header

 private:
  void check_text(const std::vector<std::string>& row, size_t i) const {
    if (!valid_utf8(row[i]))
      throw at(i, "this is not UTF-8").hint("save the list as 'CSV UTF-8', or as .xlsx");
  }

  std::unique_ptr<Table> table_;
};

// Names for items: TEST/ITEM/CONDITION, else numbers. Conditions of one item share its words, so
// they are a cluster.
class Ids {
 public:
  void name(Item& item, std::string_view number, const Where& where) {
    if (number.empty()) {
      item.id = number_id(item.test, ++numbers_[item.test]);
      return;
    }
    item.id = fmt::format("{}/{}", item.test, number);
    if (!item.condition.empty()) {
      if (item.cluster.empty()) item.cluster = item.id;
      item.id += "/" + item.condition;
    }
    if (!seen_.insert(item.id).second)
      throw bad_input(fmt::format("item '{}' is there already{}", number,
                                  item.condition.empty() ? "" : " with this condition"))
          .at(where)
          .hint("give each pair a number of its own, or a condition");
  }

 private:
  std::map<std::string, uint64_t> numbers_;
  std::set<std::string> seen_;
};

void set_places(Item& item, const ListRows& rows) {
  item.test = rows.test();
  item.condition = trim(rows.value(Role::condition));
  item.language = trim(rows.value(Role::language));
  item.cluster = trim(rows.value(Role::cluster));
}

// The text without its star; whether there was one.
bool take_star(std::string& text) {
  text = trim(text);
  if (!text.starts_with('*')) return false;
  text = trim(std::string_view(text).substr(1));
  return true;
}

// --- a pair a row ---

class WideItems : public FileItemStream {
 public:
  explicit WideItems(ListRows rows) : rows_(std::move(rows)) {
    for (size_t i = 0; i < rows_.titles; ++i) skip(kTitle);
  }

  bool next(Item& item) override {
    if (!rows_.next()) return false;
    clear_item(item);
    set_places(item, rows_);
    item.sentences.clear();
    for (Role role : {Role::good, Role::bad}) add_sentences(item, role);
    if (std::none_of(item.sentences.begin(), item.sentences.end(),
                     [](const Sentence& s) { return !s.grammatical; }))
      throw rows_.nothing_at(rows_.column(Role::bad));
    align_loci(item.sentences);
    const std::string_view context = trim(rows_.value(Role::context));
    for (Sentence& s : item.sentences) s.context = context;
    for (size_t i = 0; i < rows_.fields.size(); ++i)
      if (rows_.roles[i] == Role::feature && !rows_.header[i].empty() &&
          !trim(rows_.fields[i]).empty())
        add_feature(item, rows_.header[i], trim(rows_.fields[i]));
    ids_.name(item, trim(rows_.value(Role::item)), rows_.where());
    return true;
  }

  Where where() const override { return rows_.where(); }

 private:
  // The first column of a role must have a sentence; further ones may be empty.
  void add_sentences(Item& item, Role role) {
    for (size_t i = rows_.column(role); i < rows_.fields.size(); ++i) {
      if (rows_.roles[i] != role) continue;
      std::string text = rows_.fields[i];
      const bool starred = trim(text).starts_with('*');
      if (starred && role == Role::good)
        throw rows_.at(i, "a star marks what is ungrammatical, and this is the good sentence");
      if (starred) take_star(text);
      if (trim(text).empty()) {
        if (i == rows_.column(role)) throw rows_.nothing_at(i);
        continue;
      }
      item.sentences.push_back({{text}, {}, role == Role::good});
    }
  }

  ListRows rows_;
  Ids ids_;
};

// --- a sentence a row ---

struct LongRow {
  uint64_t line = 0;
  std::string test, item, condition;
  std::string text;
  bool good = false;
  std::vector<std::string> fields;
};

class LongItems : public FileItemStream {
 public:
  explicit LongItems(ListRows rows) : rows_(std::move(rows)) {
    for (size_t i = 0; i < rows_.titles; ++i) skip(kTitle);
    uint64_t bytes = 0;
    while (rows_.next()) {
      bytes += 64;
      for (const std::string& f : rows_.fields) bytes += f.size() + 32;
      if (bytes > kLargestLongList)
        throw bad_input("this list is too large for one sentence per row")
            .at(rows_.where())
            .hint("a list with a good and a bad sentence in each row may have any size");
      add_row();
    }
    judge();
    if (!group(true)) group(false);
  }

  bool next(Item& item) override {
    if (at_ == groups_.size()) return false;
    const std::vector<size_t>& group = groups_[at_++];
    fill(item, group);
    line_ = all_[group[0]].line;
    ids_.name(item, all_[group[0]].item, where());
    return true;
  }

  Where where() const override { return {rows_.where().file, line_, 0, {}}; }

 private:
  Error at(const LongRow& row, size_t column, const std::string& what) const {
    return bad_input(what).at(rows_.where().file, row.line, column + 1);
  }

  void add_row() {
    LongRow row{rows_.where().line,
                rows_.test(),
                std::string(trim(rows_.value(Role::item))),
                std::string(trim(rows_.value(Role::condition))),
                rows_.value(Role::sentence),
                false,
                rows_.fields};
    if (trim(row.text).empty()) throw rows_.nothing_at(rows_.column(Role::sentence));
    // Without numbers, two rows after each other are a pair; each must have both sides.
    if (!rows_.has(Role::item)) row.item = std::to_string(all_.size() / 2 + 1);
    if (row.item.empty())
      throw rows_.at(rows_.column(Role::item), "which item does this sentence belong to?")
          .hint("write the item's number in each of its rows, or merge the cells");
    all_.push_back(std::move(row));
  }

  // Which sentences are grammatical: a column says so, or stars, or the conditions' names.
  void judge() {
    const bool stars = std::any_of(all_.begin(), all_.end(), [](const LongRow& row) {
      return trim(row.text).starts_with('*');
    });
    const size_t none = rows_.roles.size();
    judgment_ = rows_.has(Role::judgment) ? rows_.column(Role::judgment)
                : stars                   ? none
                                          : rows_.column(Role::condition);
    if (judgment_ == none && !stars)
      throw bad_input("no column says which sentences are grammatical")
          .at(rows_.where().file)
          .hint(
              "add one: 'grammatical' with 1 and 0; or put a star before the others; or say which\n"
              "  columns are pairs: minpair convert LIST OUT.jsonl --columns good=Satz,bad=Falsch");
    for (LongRow& row : all_) {
      const bool starred = stars && take_star(row.text);
      row.good = judgment_ < none ? judgment(row) == 1 : !starred;
      if (starred && row.good)
        throw at(row, judgment_, "a star says ungrammatical, and this column says the opposite");
      if (judgment_ == rows_.column(Role::condition)) row.condition.clear();
    }
  }

  int judgment(const LongRow& row) const {
    const std::string& text = row.fields[judgment_];
    int said = judgment_of(text);
    if (said < 0)
      throw at(row, judgment_, fmt::format("'{}' says neither grammatical nor ungrammatical", text))
          .hint(rows_.roles[judgment_] == Role::judgment
                    ? "write 1 or 0, yes or no, grammatical or ungrammatical"
                    : "add a column 'grammatical' with 1 and 0");
    return said;
  }

  // False when some group lacks a side, and another way of grouping is left to try.
  bool group(bool by_condition) {
    by_condition_ = by_condition;
    groups_.clear();
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < all_.size(); ++i) {
      std::string key = all_[i].test + '\0' + all_[i].item;
      if (by_condition) key += '\0' + all_[i].condition;
      auto [place, is_new] = places.try_emplace(std::move(key), groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[place->second].push_back(i);
    }
    for (std::vector<size_t>& g : groups_) {
      std::stable_partition(g.begin(), g.end(), [&](size_t i) { return all_[i].good; });
      const bool has_good = all_[g.front()].good, has_bad = !all_[g.back()].good;
      if (has_good && has_bad) continue;
      if (by_condition) return false;
      const LongRow& row = all_[g[0]];
      throw at(row, rows_.column(Role::item),
               fmt::format("item '{}' has no {} sentence", row.item,
                           has_good ? "ungrammatical" : "grammatical"))
          .hint(
              "rows that belong together have one number; --columns item=NAME says in which "
              "column it is");
    }
    return true;
  }

  void fill(Item& item, const std::vector<size_t>& group) {
    clear_item(item);
    const LongRow& first = all_[group[0]];
    item.test = first.test;
    if (by_condition_) item.condition = first.condition;
    item.sentences.clear();
    for (size_t i : group) item.sentences.push_back({{all_[i].text}, {}, all_[i].good});
    align_loci(item.sentences);
    for (size_t c = 0; c < rows_.roles.size(); ++c) fill_column(item, group, c);
  }

  // What all sentences of an item share is the item's; the rest is kept for each of them.
  void fill_column(Item& item, const std::vector<size_t>& group, size_t c) {
    const Role role = rows_.roles[c];
    const auto value = [&](size_t i) { return trim(all_[group[i]].fields[c]); };
    bool same = true;
    for (size_t i = 1; i < group.size(); ++i) same = same && value(i) == value(0);
    if (role == Role::context)
      for (size_t i = 0; i < group.size(); ++i) item.sentences[i].context = value(i);
    if (role == Role::language && same) item.language = value(0);
    if (role == Role::cluster && same) item.cluster = value(0);
    const bool kept = role == Role::feature ||
                      (!same && (role == Role::cluster || role == Role::language)) ||
                      (role == Role::condition && !by_condition_);
    if (!kept || c == judgment_ || rows_.header[c].empty()) return;
    if (same && role == Role::condition) item.condition = value(0);
    if (same && role == Role::feature && !value(0).empty())
      add_feature(item, rows_.header[c], value(0));
    for (size_t i = 0; !same && i < group.size(); ++i)
      if (!value(i).empty()) add_feature(item, rows_.header[c] + "_" + side(item, i), value(i));
  }

  static std::string side(const Item& item, size_t sentence) {
    if (!is_pair(item)) return std::to_string(sentence + 1);
    return item.sentences[sentence].grammatical ? "good" : "bad";
  }

  ListRows rows_;
  std::vector<LongRow> all_;
  std::vector<std::vector<size_t>> groups_;
  size_t judgment_ = 0;
  bool by_condition_ = true;
  size_t at_ = 0;
  uint64_t line_ = 0;
  Ids ids_;
};

std::unique_ptr<ItemStream> open_table(std::unique_ptr<Table> table, const std::string& columns) {
  ListRows rows(std::move(table), columns);
  if (makes_pairs(rows.roles)) return std::make_unique<WideItems>(std::move(rows));
  return std::make_unique<LongItems>(std::move(rows));
}

// --- spreadsheets ---

// Every sheet that is a list, one after the other; where there are several, a sheet is a test.
class SheetItems : public FileItemStream {
 public:
  SheetItems(const fs::path& file, const std::string& columns) {
    std::vector<Sheet> sheets = read_spreadsheet(file);
    std::erase_if(sheets, [](const Sheet& s) { return s.rows.empty(); });
    if (sheets.empty()) throw bad_input("there is nothing in it").at(file.string());
    const bool several = sheets.size() > 1;
    for (Sheet& sheet : sheets) {
      if (several && !is_list_sheet(sheet, columns)) {
        skip(fmt::format("the sheet '{}' names no columns for sentences", sheet.name));
        continue;
      }
      std::string name = file.string(), test = several ? sheet.name : file.stem().string();
      if (several) name += fmt::format(", sheet '{}'", sheet.name);
      streams_.push_back(
          open_table(std::make_unique<SheetTable>(std::move(sheet), name, test), columns));
    }
    if (streams_.empty())
      throw bad_input("no sheet of it names columns for sentences")
          .at(file.string())
          .hint(kHowToName);
  }

  bool next(Item& item) override {
    for (; at_ < streams_.size(); ++at_) {
      if (streams_[at_]->next(item)) return true;
      for (const auto& [reason, n] : streams_[at_]->skipped())
        for (uint64_t i = 0; i < n; ++i) skip(reason);
    }
    return false;
  }

  Where where() const override { return streams_[std::min(at_, streams_.size() - 1)]->where(); }

 private:
  static bool is_list_sheet(const Sheet& sheet, const std::string& columns) {
    if (!columns.empty()) return true;  // and where there is no such column, that is an error
    std::vector<std::vector<std::string>> first;
    for (size_t i = 0; i < std::min(sheet.rows.size(), kMostTitles); ++i)
      first.push_back(sheet.rows[i].cells);
    return header_among(first, columns) < first.size();
  }

  std::vector<std::unique_ptr<ItemStream>> streams_;
  size_t at_ = 0;
};

}  // namespace

bool is_spreadsheet(const fs::path& file) {
  const std::string extension = lower(file.extension().string());
  return extension == ".xlsx" || extension == ".ods" || extension == ".xlsm" || extension == ".xls";
}

bool is_list(const FileHead& head) {
  if (is_spreadsheet(head.path)) return true;
  const std::string extension = lower(head.path.extension().string());
  const bool table = extension == ".csv" || extension == ".tsv";
  std::vector<std::vector<std::string>> first;
  for (const std::string& line : head.lines)
    if (!line.starts_with("sep=") && first.size() < (table ? kMostTitles : 1))
      first.push_back(split_row(line, separator_of(line), true));
  return header_among(first, "") < first.size();
}

std::unique_ptr<ItemStream> read_list(const fs::path& file, const std::string& columns) {
  if (is_spreadsheet(file)) return std::make_unique<SheetItems>(file, columns);
  return open_table(std::make_unique<TextTable>(file, separator_of_file(file, columns)), columns);
}

}  // namespace minpair::suite
