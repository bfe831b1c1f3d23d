#pragma once
// The tables, version by version. docs/results-format.md explains them.

namespace minpair::store {

class Database;

constexpr int kApplicationId = 0x6d706172;  // "mpar"
constexpr int kSchemaVersion = 3;
// Older files are read as they are; only their keys differ, by which scores are found again.
constexpr int kReadableVersion = 2;

// Brings an empty or older file to the present version, in one transaction. Refuses files of
// other programs and of later versions.
void migrate(Database& database);
// Throws unless the file is ours and of this or an earlier version; gives its version.
int check_version(Database& database);

}  // namespace minpair::store
