#include "store/checksum.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"

namespace minpair::store {
namespace {

constexpr CheckedTable kTables[] = {
    {"suites", "suite", "suite", "suite, name, fingerprint, items, manifest"},
    {"models", "model", "model",
     "model, name, fingerprint, tokenizer, precision, kind, architecture, parameters, notes"},
    {"items", "item", "suite, ordinal",
     "suite, ordinal, id, test, condition, language, item"},
    {"runs", "run", "run", "run, suite, model, method, version, words, reads, norm, ties, special, facts"},
    {"scores", "score", "run, ordinal",
     "run, ordinal, content, excluded, equal_lengths, outcomes, tokens"},
    {"summary", "line of the summary", "run, test, condition, norm",
     "run, test, condition, language, excluded, equal_lengths, norm, first_ordinal, items, "
     "correct, ties, unavailable, pairs_right, pairs_tied"},
};

const CheckedTable& find(std::string_view name) {
  for (const CheckedTable& table : kTables)
    if (table.name == name) return table;
  throw std::logic_error("no such table");
}

// Type, size and bytes of every value, so that none can pass for its neighbour.
void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::string row;
  for (int i = 0; i < count; ++i) {
    int type = sqlite3_value_type(values[i]);
    append_key(row, uint64_t(type), 1);
    if (type == SQLITE_INTEGER) {
      append_key(row, uint64_t(sqlite3_value_int64(values[i])), 8);
    } else if (type == SQLITE_FLOAT) {
      double x = sqlite3_value_double(values[i]);
      row.append(reinterpret_cast<const char*>(&x), sizeof x);
    } else if (const void* bytes = sqlite3_value_blob(values[i])) {
      append_key(row, uint64_t(sqlite3_value_bytes(values[i])), 8);
      row.append(static_cast<const char*>(bytes), size_t(sqlite3_value_bytes(values[i])));
    }
  }
  sqlite3_result_int64(context, int64_t(hash128(row).low));
}

}  // namespace

std::span<const CheckedTable> checked_tables() { return kTables; }

std::string checksum_of(std::string_view table) {
  std::string columns;
  for (std::string_view column : split(find(table).columns, ','))
    columns += fmt::format("{}{}.{}", columns.empty() ? "" : ", ", table, trim(column));
  return "row_checksum(" + columns + ")";
}

std::string is_whole(std::string_view table) {
  return fmt::format("{} = {}.checksum", checksum_of(table), table);
}

std::string values_with_checksum(size_t n) {
  std::string values;
  for (size_t i = 1; i <= n; ++i) values += fmt::format("{}?{}", i == 1 ? "" : ",", i);
  return fmt::format("VALUES ({0}, row_checksum({0}))", values);
}

void seal(Database& database, std::string_view table, std::string_view key, int64_t value) {
  Statement(database, fmt::format("UPDATE {0} SET checksum = {1} WHERE {2} = ? AND checksum <> {1}",
                                  table, checksum_of(table), key))
      .bind(value)
      .run();
}

void add_checksum_function(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             nullptr, row_checksum, nullptr, nullptr, nullptr);
}

Error damaged(const Database& database, const std::string& what) {
  return bad_input(what + " is damaged: its checksum is wrong")
      .at(database.path().string())
      .hint(
          "the file was changed outside of minpair, or the disk is failing; 'minpair check' lists "
          "all that is damaged. Take a copy of the file, or move it away and run again");
}

std::string score_called(Database& database, int64_t run, uint64_t ordinal) {
  Statement s(database,
              "SELECT items.id, suites.name, models.name, runs.method FROM runs JOIN suites ON "
              "suites.suite = runs.suite JOIN models ON models.model = runs.model JOIN items ON "
              "items.suite = runs.suite AND items.ordinal = ? WHERE runs.run = ?");
  if (!s.bind(int64_t(ordinal)).bind(run).step())
    return fmt::format("the score of item {} in run {}", ordinal + 1, run);
  return fmt::format("the score of '{}' (item {}, {} × {}, {})", s.text(0), ordinal + 1, s.text(1),
                     s.text(2), s.text(3));
}

}  // namespace minpair::store
