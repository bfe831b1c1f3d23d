#pragma once
// A results file in which one value changes or one row goes; mostly with checksums that are right
// again, so that what is behind them is reached.

#include <sqlite3.h>

#include <vector>

#include "mutation.h"
#include "store/checksum.h"

namespace minpair::fuzzing {

// One thread, and nobody asks how much memory SQLite has: it need not take locks for either.
inline const bool kWithoutLocks =
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) + sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == 0;

// A database in memory, from bytes and to bytes.
class InMemory {
 public:
  explicit InMemory(const std::string& file) {
    sqlite3_open(":memory:", &handle_);
    store::add_checksum_function(handle_);
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(file.size() + 1));
    std::memcpy(copy, file.data(), file.size());
    sqlite3_deserialize(handle_, "main", copy, sqlite3_int64(file.size()),
                        sqlite3_int64(file.size()),
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  }
  ~InMemory() { sqlite3_close(handle_); }
  sqlite3* handle() { return handle_; }

  // The rows' first columns, as text.
  std::vector<std::string> column(const std::string& sql) {
    std::vector<std::string> found;
    sqlite3_exec(
        handle_, sql.c_str(),
        [](void* to, int n, char** values, char**) {
          if (n > 0)
            static_cast<std::vector<std::string>*>(to)->emplace_back(values[0] ? values[0] : "");
          return 0;
        },
        &found, nullptr);
    return found;
  }
  void run(const std::string& sql) {
    sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  std::string bytes() {
    sqlite3_int64 size = 0;
    unsigned char* all = sqlite3_serialize(handle_, "main", &size, 0);
    std::string file(reinterpret_cast<char*>(all), all ? size_t(size) : 0);
    sqlite3_free(all);
    return file;
  }

 private:
  sqlite3* handle_ = nullptr;
};

// Any value becomes another one.
inline void changed_value(sqlite3_context* context, int, sqlite3_value** values) {
  auto& choose = *static_cast<Choice*>(sqlite3_user_data(context));
  const int type = sqlite3_value_type(values[0]);
  if (choose.one_in(12)) return sqlite3_result_null(context);
  if (type == SQLITE_INTEGER)
    return sqlite3_result_int64(
        context, choose.one_in(2)
                     ? int64_t(odd_number(choose))
                     : int64_t(uint64_t(sqlite3_value_int64(values[0])) + choose.below(5) - 2));
  if (type == SQLITE_FLOAT)
    return sqlite3_result_double(context, choose.one_in(2) ? 1e308 * 10 : -0.5);
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(values[0]));
  const std::string now = any_change(
      std::string(bytes ? bytes : "", bytes ? size_t(sqlite3_value_bytes(values[0])) : 0), 32);
  if (type == SQLITE_BLOB)
    sqlite3_result_blob(context, now.data(), int(now.size()), SQLITE_TRANSIENT);
  else
    sqlite3_result_text(context, now.data(), int(now.size()), SQLITE_TRANSIENT);
}

inline std::string changed_results(const std::string& file, Choice& choose) {
  InMemory database(file);
  const auto tables = database.column("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.empty()) return {};
  sqlite3_create_function_v2(database.handle(), "changed_value", 1, SQLITE_UTF8, &choose,
                             changed_value, nullptr, nullptr, nullptr);
  const std::string& table = choose.of(tables);
  const auto columns = database.column("SELECT name FROM pragma_table_info('" + table + "')");
  if (columns.empty()) return {};
  const std::string& column = choose.of(columns);
  const auto keys =
      database.column("SELECT name FROM pragma_table_info('" + table + "') WHERE pk > 0");
  std::string key = keys.empty() ? "rowid" : "";
  for (const std::string& k : keys) key += (key.empty() ? "" : ", ") + k;
  const auto rows = database.column("SELECT 1 FROM " + table);
  const std::string where = " WHERE (" + key + ") = (SELECT " + key + " FROM " + table +
                            " LIMIT 1 OFFSET " + std::to_string(choose.below(rows.size())) + ")";
  if (choose.one_in(10))
    database.run("DELETE FROM " + table + where);
  else if (choose.one_in(12))
    database.run("PRAGMA user_version = " + std::to_string(choose.below(9)));
  else
    database.run("UPDATE " + table + " SET " + column + " = changed_value(" + column + ")" + where);
  // With checksums that are right, what is behind them is reached.
  if (!choose.one_in(6)) {
    std::string checked;
    for (const std::string& c : columns)
      if (c != "checksum") checked += (checked.empty() ? "" : ", ") + c;
    database.run("UPDATE " + table + " SET checksum = row_checksum(" + checked + ")");
  }
  return database.bytes();
}

}  // namespace minpair::fuzzing
