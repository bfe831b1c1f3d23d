// Files as virtual tables:
//
//   create virtual table scores using released('scores/*.csv', id text, score real, note text null)
//   create virtual table votes using released('votes.tsv', id text, "annotator_#" integer)
//   create virtual table items using results('results.db', items)
//
// Files are read when a query first needs them. Where names of columns have a #, a row of the file
// is a row for each text that # can be; the column `over` has the text.

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "papers/database.h"
#include "papers/table.h"
#include "store/store.h"
#include "tidy/tidy.h"

namespace minpair::papers {
namespace {

enum class Type { text, integer, real };
struct Field {
  std::string name;
  Type type = Type::text;
  bool null = false;  // cells can be empty
};
const Field kHidden[] = {{"over"}, {"file"}, {"star"}, {"number", Type::integer}, {"place"}};

class Rows {
 public:
  virtual ~Rows() = default;
  std::vector<Field> fields;
  std::vector<std::vector<Value>> rows;  // the hidden columns last
  virtual void read() {}

  // Rows with these values in columns; values that SQLite could find equal have one key.
  const std::vector<size_t>& matching(const std::string& columns, const std::string& key) {
    static const std::vector<size_t> kNone;
    auto [index, fresh] = indices_.try_emplace(columns);
    for (size_t row = 0; fresh && row < rows.size(); ++row) {
      std::string own;
      for (const std::string_view column : words(columns))
        own += key_of(rows[row][std::stoul(std::string(column))]);
      index->second[own].push_back(row);
    }
    const auto found = index->second.find(key);
    return found == index->second.end() ? kNone : found->second;
  }
  static std::string key_of(const Value& value) {
    double number = number_of(value);
    if (std::isnan(number)) parse_number(text_of(value), number);
    return (std::isnan(number) ? text_of(value) : fmt::format("{}", number)) + '\x1f';
  }

 private:
  std::map<std::string, std::unordered_map<std::string, std::vector<size_t>>> indices_;
};

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"') || text.back() != text[0])
    return std::string(text);
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); i += 1 + (text[i] == text[0])) out += text[i];
  return out;
}

bool says_nothing(std::string_view cell) {
  cell = trim(cell);
  return cell.empty() || cell == "NA" || cell == "nan" || cell == "NaN";
}

// name type [null]
Field field_of(std::string_view text) {
  Field field;
  const size_t end = text[0] == '"' ? text.find('"', 1) + 1 : text.find(' ');
  field.name = unquoted(text.substr(0, end));
  const std::vector<std::string_view> rest = words(text.substr(std::min(end, text.size())));
  const std::string_view type = rest.empty() ? "" : rest[0];
  field.type = type == "integer" ? Type::integer : type == "real" ? Type::real : Type::text;
  field.null = rest.size() == 2 && rest[1] == "null";
  if ((type != "text" && field.type == Type::text) || rest.size() > 1 + size_t(field.null))
    throw bad_input(
        fmt::format("'{}' is no column: name text, integer or real, then null where "
                    "cells can be empty",
                    text));
  return field;
}

class ReleasedRows : public Rows {
 public:
  ReleasedRows(const std::filesystem::path& folder, const std::vector<std::string>& arguments)
      : folder_(folder) {
    for (const std::string& argument : arguments) {
      if (argument[0] == '\'')
        files_.push_back(unquoted(argument));
      else if (argument.starts_with("format="))
        reading_.format = argument.substr(7);
      else if (argument == "header=none")
        header_ = false;
      else
        fields.push_back(field_of(argument));
    }
    if (files_.empty() || fields.empty())
      throw bad_input("released: names of files and columns are needed");
    for (const std::string& name : files_) {
      const std::filesystem::path path(name);
      if (name.empty() || path.is_absolute() || *path.lexically_normal().begin() == "..")
        throw bad_input(fmt::format("'{}' is not below the folder of the files", name));
    }
    if (!header_)
      for (const Field& field : fields) reading_.names.push_back(field.name);
  }

  void read() override {
    if (done_) return;
    rows.clear();
    for (const std::string& name : files_)
      for (const Found& found : files_of(name, folder_)) read_file(found);
    done_ = true;
  }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> files_;
  Reading reading_;
  bool header_ = true, done_ = false;

  // What # stands for in the names of columns; one nothing where no name has one.
  std::vector<std::string> all_over(const Table& table) const {
    const auto pattern = std::ranges::find_if(
        fields, [](const Field& f) { return f.name.find('#') != f.name.npos; });
    if (pattern == fields.end()) return {""};
    const size_t at = pattern->name.find('#');
    const std::string before = pattern->name.substr(0, at), after = pattern->name.substr(at + 1);
    std::vector<std::string> all;
    for (const std::string& name : table.columns)
      if (name.size() > before.size() + after.size() && name.starts_with(before) &&
          name.ends_with(after) && std::ranges::find(fields, name, &Field::name) == fields.end())
        all.push_back(name.substr(at, name.size() - before.size() - after.size()));
    if (all.empty())
      throw bad_input(fmt::format("no column is called '{}', whatever # is", pattern->name));
    return all;
  }

  void read_file(const Found& found) try {
    const Table table = read_table(found.path, reading_);
    const std::string stem = unpacked_name(found.path).stem().string();
    const std::vector<std::string> all = all_over(table);
    std::vector<std::vector<size_t>> places(all.size());
    for (size_t i = 0; i < all.size(); ++i)
      for (const Field& field : fields) {
        std::string name = field.name;
        if (const size_t at = name.find('#'); at != name.npos) name.replace(at, 1, all[i]);
        const auto at = std::ranges::find(table.columns, name);
        if (at == table.columns.end())
          throw unknown_name(fmt::format("there is no column '{}'", name), name, table.columns);
        places[i].push_back(size_t(at - table.columns.begin()));
      }
    for (size_t row = 0; row < table.rows.size(); ++row)
      for (size_t i = 0; i < all.size(); ++i) {
        const Where where{found.path.string(), table.lines[row], 0, {}};
        std::vector<Value>& cells = rows.emplace_back();
        for (size_t f = 0; f < fields.size(); ++f)
          cells.push_back(value_of(table.rows[row][places[i][f]], fields[f], where));
        cells.insert(cells.end(), {all[i], stem, found.star, int64_t(row) + 1, where.str()});
      }
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(found.path.string());
    throw;
  }

  static Value value_of(const std::string& cell, const Field& field, const Where& where) {
    const bool empty = field.type == Type::text && field.null ? cell.empty() : says_nothing(cell);
    if (empty && field.null) return std::monostate();
    if (field.type == Type::text) {
      if (!empty) return cell;
      throw bad_input(fmt::format("column '{}': '{}' says nothing", field.name, cell)).at(where);
    }
    double number = 0;
    if (empty || !parse_number(cell, number))
      throw bad_input(fmt::format("column '{}': '{}' is not a number", field.name, cell)).at(where);
    if (field.type == Type::real) return number;
    if (number != std::floor(number) || std::abs(number) > 1e15)
      throw bad_input(fmt::format("column '{}': '{}' is not a whole number", field.name, cell))
          .at(where);
    return int64_t(number);
  }
};

Value exported_value(const tidy::Column& column, tidy::Type type, size_t row) {
  if (!column.has(row)) return std::monostate();
  switch (type) {
    case tidy::Type::text:
      return std::string(column.text(row));
    case tidy::Type::integer:
      return column.integers[row];
    case tidy::Type::number:
      return column.numbers[row];
    case tidy::Type::truth:
      return int64_t{column.truth(row)};
    default:
      return std::monostate();
  }
}

// The rows of `minpair export`; of one run, and under a policy, where these are given.
class ResultRows : public Rows {
 public:
  ResultRows(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
    const std::filesystem::path name = arguments.empty() ? "" : unquoted(arguments[0]);
    if (name.empty() || name.has_parent_path())
      throw bad_input("results: the name of a results file in the folder is needed");
    std::string what = "items";
    report::ReportOptions options;
    for (size_t i = 1; i < arguments.size(); ++i) {
      const std::string &all = arguments[i], set = all.substr(all.find('=') + 1);
      double run = 0;
      if (all.starts_with("run=") && parse_number(set, run))
        options.wanted.runs = {int64_t(run)};
      else if (all.starts_with("lengths="))
        options.policy.lengths = judge::find_lengths(set);
      else if (all.starts_with("ties="))
        options.policy.ties = judge::find_ties(set);
      else
        what = all;
    }
    store::Store store(folder / name, store::Store::Mode::read);
    const std::unique_ptr<tidy::Rows> source = tidy::stored_rows(store, what, options);
    for (const tidy::Field& field : source->fields())
      fields.push_back({field.name,
                        field.type == tidy::Type::text     ? Type::text
                        : field.type == tidy::Type::number ? Type::real
                                                           : Type::integer,
                        true});
    for (tidy::Frame batch(source->fields()); source->next(batch); batch.clear())
      for (size_t row = 0; row < batch.rows(); ++row) {
        std::vector<Value>& cells = rows.emplace_back();
        for (size_t i = 0; i < fields.size(); ++i)
          cells.push_back(exported_value(batch.columns()[i], batch.fields()[i].type, row));
        cells.resize(fields.size() + std::size(kHidden));
      }
  }
};

struct VirtualTable : sqlite3_vtab {
  Database* database = nullptr;
  std::unique_ptr<Rows> rows;
};
struct Cursor : sqlite3_vtab_cursor {
  const std::vector<size_t>* chosen = nullptr;  // those that match; otherwise all
  size_t at = 0;
  size_t row() const { return chosen ? (*chosen)[at] : at; }
};

// Errors are kept and thrown again when SQLite has returned.
template <typename Action>
int guarded(Database& database, Action action) try {
  action();
  return SQLITE_OK;
} catch (...) {
  return database.keep(std::current_exception());
}

std::string identifier(std::string name) {
  for (size_t at = 0; (at = name.find('"', at)) != name.npos; at += 2) name.insert(at, "\"");
  return '"' + name + '"';
}

int create(sqlite3* db, void* with, int count, const char* const* arguments, sqlite3_vtab** table,
           char**) {
  auto& database = *static_cast<Database*>(with);
  return guarded(database, [&] {
    std::vector<std::string> said;
    for (int i = 3; i < count; ++i)
      if (const std::string_view one = trim(arguments[i]); !one.empty()) said.emplace_back(one);
    auto made = std::make_unique<VirtualTable>();
    made->database = &database;
    if (std::string_view(arguments[0]) == "results")
      made->rows = std::make_unique<ResultRows>(database.folder(), said);
    else
      made->rows = std::make_unique<ReleasedRows>(database.folder(), said);
    std::set<std::string> taken;  // names are the same in capitals
    const auto unique = [&](std::string name) {
      while (!taken.insert(lower(name)).second) name.insert(0, "_");
      return identifier(name);
    };
    constexpr const char* kTypes[] = {"text", "integer", "real"};
    std::string sql = "create table t(";
    for (const Field& field : made->rows->fields)
      sql += fmt::format("{} {}, ", unique(field.name), kTypes[size_t(field.type)]);
    for (const Field& field : kHidden)
      sql += fmt::format("{} {} hidden, ", unique(field.name), kTypes[size_t(field.type)]);
    sql.replace(sql.size() - 2, 2, ")");
    if (sqlite3_declare_vtab(db, sql.c_str()) != SQLITE_OK)
      throw bad_input(fmt::format("{}: {}", arguments[2], sqlite3_errmsg(db)));
    *table = made.release();
  });
}

int destroy(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

// Columns that must equal something are looked up; SQLite checks all conditions again.
int plan(sqlite3_vtab*, sqlite3_index_info* info) {
  std::string columns;
  int count = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& c = info->aConstraint[i];
    if (!c.usable || c.op != SQLITE_INDEX_CONSTRAINT_EQ || c.iColumn < 0) continue;
    info->aConstraintUsage[i].argvIndex = ++count;
    columns += std::to_string(c.iColumn) + " ";
  }
  info->estimatedRows = count > 0 ? 10 : 100'000;
  info->estimatedCost = count > 0 ? 20.0 / count : 1e6;
  info->idxStr = sqlite3_mprintf("%s", columns.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) Cursor;
  return *cursor ? SQLITE_OK : SQLITE_NOMEM;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char* columns, int count, sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  auto& table = *static_cast<VirtualTable*>(base->pVtab);
  return guarded(*table.database, [&] {
    table.rows->read();
    cursor.at = 0;
    cursor.chosen = nullptr;
    std::string key;
    for (int i = 0; i < count; ++i) key += Rows::key_of(value_of(values[i]));
    if (count > 0) cursor.chosen = &table.rows->matching(columns, key);
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<Cursor*>(base);
  const auto& table = *static_cast<VirtualTable*>(base->pVtab);
  return cursor.at >= (cursor.chosen ? cursor.chosen->size() : table.rows->rows.size());
}

int cell(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<Cursor*>(base);
  const auto& table = *static_cast<VirtualTable*>(base->pVtab);
  const Value& value = table.rows->rows[cursor.row()][size_t(column)];
  if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  else if (const auto* integer = std::get_if<int64_t>(&value))
    sqlite3_result_int64(context, *integer);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_result_double(context, *real);
  else
    sqlite3_result_null(context);
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = int64_t(static_cast<Cursor*>(cursor)->row());
  return SQLITE_OK;
}

constexpr sqlite3_module kModule = [] {
  sqlite3_module m{};
  m.xCreate = m.xConnect = create;
  m.xDestroy = m.xDisconnect = destroy;
  m.xBestIndex = plan;
  m.xOpen = open_cursor;
  m.xClose = close_cursor;
  m.xFilter = filter;
  m.xNext = next;
  m.xEof = at_end;
  m.xColumn = cell;
  m.xRowid = row_id;
  return m;
}();

}  // namespace

void add_released(Database& database) {
  for (const char* name : {"released", "results"})
    sqlite3_create_module_v2(database.handle(), name, &kModule, &database, nullptr);
}

}  // namespace minpair::papers
