#pragma once
// The tables, version by version. docs/results-format.md explains them.

#include <filesystem>
#include <memory>

namespace minpair::store {

class Database;
class Statement;
struct Shown;

constexpr int kApplicationId = 0x6d706172;  // "mpar"
constexpr int kSchemaVersion = 6;
// Older files are read as they are: their keys differ, by which scores are found again, and they
// lack what only views show.
constexpr int kReadableVersion = 2;

// Brings an empty or older file to the present version, in one transaction. Refuses files of
// other programs and of later versions.
void migrate(Database& database);
// Throws unless the file is ours and of this or an earlier version; gives its version.
int check_version(Database& database);
// Files of an earlier format are brought up to date in memory, where that is needed to read them.
std::unique_ptr<Database> open_to_read(const std::filesystem::path& path);

// What the views show of an item.
constexpr const char* kInsertShown = "INSERT INTO shown VALUES (?,?,?,?,?)";
void insert_shown(Statement& insert, int64_t run, int64_t ordinal, const Shown& shown);

}  // namespace minpair::store
