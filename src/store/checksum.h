#pragma once
// Every row carries a checksum of its other columns: what was damaged on the disk is noticed where
// it is read, and named.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/sqlite.h"

namespace minpair::store {

struct CheckedTable {
  std::string_view name;
  std::string_view what;     // one row, for messages
  std::string_view key;      // the columns by which a row is found
  std::string_view columns;  // with commas; all but the checksum, in their order
};

std::span<const CheckedTable> checked_tables();

// SQL: what the checksum of a row must be, and whether it is.
std::string checksum_of(std::string_view table);
std::string is_whole(std::string_view table);
// The same of the values ?1 to ?n that are about to be inserted.
std::string values_with_checksum(size_t n);
// After a row was changed; one that stays as it is costs nothing.
void seal(Database& database, std::string_view table, std::string_view key, int64_t value);

void add_checksum_function(sqlite3* handle);

Error damaged(const Database& database, const std::string& what);
// "the score of 'simple-12' (item 13, de-agreement × de-mini, ce)".
std::string score_called(Database& database, int64_t run, uint64_t ordinal);

}  // namespace minpair::store
