#include "papers/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace minpair::papers {
namespace {

constexpr int kStepsBetweenChecks = 100'000;
constexpr int64_t kMostMemory = int64_t{4} << 30;

// Statements read and write this database alone, and give the same result every time.
int authorize(void*, int action, const char*, const char* second, const char*, const char*) {
  static const std::set<std::string_view> kModules = {"released", "results"};
  static const std::set<std::string_view> kRefused = {
      "load_extension", "random", "randomblob", "avg",
      "total"};  // these skip what is missing and take texts for 0
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
      return SQLITE_DENY;
    case SQLITE_CREATE_VTABLE:
      return kModules.contains(second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return kRefused.contains(lower(second)) ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_OK;
  }
}

int check_limits(void* deadline) {
  return std::chrono::steady_clock::now() >
             *static_cast<std::chrono::steady_clock::time_point*>(deadline) ||
         sqlite3_memory_used() > kMostMemory;
}

}  // namespace

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return "";
}

Value value_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    default:
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return std::string(text ? text : "", size_t(sqlite3_value_bytes(value)));
  }
}

double number_of(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return double(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nan("");
}

bool parse_number(std::string_view text, double& number) {
  text = trim(text);
  const std::string low = text.size() <= 5 ? lower(text) : "";
  if (low == "true" || low == "false") {
    number = low == "true";
    return true;
  }
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end && !text.empty() &&
         std::isfinite(number);
}

Database::Database(const std::filesystem::path& folder, const std::string& name,
                   const Limits& limits)
    : folder_(folder), name_(name), limits_(limits) {
  if (sqlite3_open_v2(":memory:", &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) !=
      SQLITE_OK)
    throw cannot("SQLite cannot make a database in memory");
  sqlite3_exec(handle_, "pragma temp_store = memory", nullptr, nullptr, nullptr);
  // "a name" is a column or an error, never a text.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, 1 << 28);
  add_functions(*this);
  add_released(*this);
  sqlite3_set_authorizer(handle_, authorize, nullptr);
  sqlite3_progress_handler(handle_, kStepsBetweenChecks, check_limits, &deadline_);
}

Database::~Database() { sqlite3_close(handle_); }

int Database::keep(std::exception_ptr error) {
  if (!kept_) kept_ = std::move(error);
  return SQLITE_ERROR;
}

void Database::fail(const Sql& sql, size_t at) {
  if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  const int offset = sqlite3_error_offset(handle_);
  at = std::min(at + size_t(std::max(offset, 0)), sql.text.size());
  const auto lines = std::count(sql.text.begin(), sql.text.begin() + std::ptrdiff_t(at), '\n');
  const std::string said = sqlite3_errcode(handle_) == SQLITE_INTERRUPT
                               ? "this query takes too long or too much memory"
                               : fmt::format("SQLite: {}", sqlite3_errmsg(handle_));
  throw bad_input(said)
      .at(name_, sql.line + uint64_t(lines))
      .hint("docs/papers.md says what a paper's SQL can do");
}

Result Database::query(const Sql& sql) {
  Result result;
  deadline_ = std::chrono::steady_clock::now() + limits_.time;
  for (const char* rest = sql.text.c_str(); *rest;) {
    const size_t at = size_t(rest - sql.text.c_str());
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(handle_, rest, -1, &prepared, &rest) != SQLITE_OK) fail(sql, at);
    if (!prepared) continue;  // white space or a comment
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                               sqlite3_finalize);
    result = {};
    for (int i = 0; i < sqlite3_column_count(prepared); ++i)
      result.columns.emplace_back(sqlite3_column_name(prepared, i));
    int code = SQLITE_OK;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
      if (result.rows.size() == limits_.rows)
        throw bad_input("this query gives too many rows").at(name_, sql.line);
      std::vector<Value>& row = result.rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(prepared); ++i)
        row.push_back(value_of(sqlite3_column_value(prepared, i)));
    }
    if (code != SQLITE_DONE) fail(sql, at);
  }
  return result;
}

}  // namespace minpair::papers
