#pragma once
// The tables of a results file. docs/results-format.md explains them.

#include <filesystem>
#include <memory>

namespace minpair::store {

class Database;
class Statement;
struct Shown;

constexpr int kApplicationId = 0x6d706172;  // "mpar"
constexpr int kSchemaVersion = 8;

// Tables that only some files have: shards of a run, human judgments, what `introspect` found.
extern const char* const kShardsTable;
extern const char* const kJudgmentsTable;
extern const char* const kSweepTables;
extern const char* const kSweepShardsTable;

// Creates the tables in an empty file, in one transaction; checks any other file.
void create_schema(Database& database);
// False for an empty file. Throws when the file is not minpair's, of another format, or holds
// anything that minpair never makes.
bool check_schema(Database& database);
std::unique_ptr<Database> open_to_read(const std::filesystem::path& path);

// What the views show of an item.
constexpr const char* kInsertShown = "INSERT INTO shown VALUES (?,?,?,?,?)";
void insert_shown(Statement& insert, int64_t run, int64_t ordinal, const Shown& shown);

}  // namespace minpair::store
