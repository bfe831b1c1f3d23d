#pragma once
// SQLite with our errors: what went wrong, in which file, and what to do.

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace minpair::store {

class Database {
 public:
  Database(const std::filesystem::path& path, int flags);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  int64_t number(const std::string& sql);  // the first column of the first row; 0: no row
  int64_t last_id() const { return sqlite3_last_insert_rowid(handle_); }
  sqlite3* handle() const { return handle_; }
  const std::filesystem::path& path() const { return path_; }
  [[noreturn]] void fail(int code, const std::string& doing) const;

 private:
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;

  Statement& bind(int64_t value);  // in the order of the question marks
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind_null();
  bool step();   // true: there is a row
  void run();    // to the end, then ready for new values
  void reset();  // ready for new values

  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  int columns() const { return sqlite3_column_count(statement_); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string_view text(int column) const;  // or blob; valid until the next step
  std::string string(int column) const { return std::string(text(column)); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  void check(int code);
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

}  // namespace minpair::store
