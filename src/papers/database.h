#pragma once
// A paper's files and queries in an SQLite database in memory. It can read files below one folder
// and nothing else: no other databases, no settings, no extensions; time and memory are limited.
//
//   Database database("data/zorro");
//   database.query({"create virtual table scores using released('*.csv', score real);"
//                   "select mean(score) from scores"});

#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "papers/papers.h"

struct sqlite3;
struct sqlite3_value;

namespace minpair::papers {

using Value = std::variant<std::monostate, int64_t, double, std::string>;
std::string text_of(const Value& value);  // "" for nothing
double number_of(const Value& value);     // NaN for nothing and for texts
Value value_of(sqlite3_value* value);
bool parse_number(std::string_view text, double& number);  // True and False are 1 and 0

struct Result {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

struct Limits {  // of a query
  std::chrono::milliseconds time = std::chrono::minutes(10);
  size_t rows = 10'000'000;
};

class Database {
 public:
  // `name` is that of the file whose SQL runs, for messages.
  Database(const std::filesystem::path& folder, const std::string& name, const Limits& limits = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result query(const Sql& sql);  // runs all statements; the rows of the last one
  sqlite3* handle() const { return handle_; }
  const std::filesystem::path& folder() const { return folder_; }
  // For functions that SQLite calls: nothing is thrown through it, but kept until query() returns.
  int keep(std::exception_ptr error);

 private:
  std::filesystem::path folder_;
  std::string name_;
  sqlite3* handle_ = nullptr;
  std::exception_ptr kept_;
  Limits limits_;
  std::chrono::steady_clock::time_point deadline_;

  [[noreturn]] void fail(const Sql& sql, size_t at);
};

void add_functions(Database& database);  // mean, sd, pearson, ...
void add_released(Database& database);   // virtual tables over files
std::string fit_as_json(Database& database, const std::string& model, const std::string& table,
                        bool restricted);

}  // namespace minpair::papers
