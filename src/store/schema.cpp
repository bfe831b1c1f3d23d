#include "store/schema.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace minpair::store {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE suites (
  suite INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  items INTEGER NOT NULL,
  manifest TEXT NOT NULL,
  UNIQUE (name, fingerprint)
);
CREATE TABLE models (
  model INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  tokenizer TEXT NOT NULL,
  precision TEXT NOT NULL,
  kind TEXT NOT NULL,
  architecture TEXT NOT NULL,
  parameters INTEGER NOT NULL,
  notes TEXT NOT NULL,
  UNIQUE (fingerprint, tokenizer, precision)
);
CREATE TABLE items (
  suite INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  test TEXT NOT NULL,
  condition TEXT NOT NULL,
  language TEXT NOT NULL,
  content BLOB NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (suite, ordinal)
) WITHOUT ROWID;
CREATE INDEX items_by_content ON items (content);
CREATE TABLE runs (
  run INTEGER PRIMARY KEY,
  suite INTEGER NOT NULL,
  model INTEGER NOT NULL,
  method TEXT NOT NULL,
  version INTEGER NOT NULL,
  norm TEXT NOT NULL,
  ties TEXT NOT NULL,
  special INTEGER NOT NULL,
  UNIQUE (suite, model, method, version)
);
CREATE TABLE scores (
  run INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  excluded TEXT NOT NULL,
  equal_lengths INTEGER NOT NULL,
  outcomes INTEGER NOT NULL,
  tokens BLOB NOT NULL,
  PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;
CREATE TABLE summary (
  run INTEGER NOT NULL,
  test TEXT NOT NULL,
  condition TEXT NOT NULL,
  language TEXT NOT NULL,
  excluded TEXT NOT NULL,
  equal_lengths INTEGER NOT NULL,
  norm TEXT NOT NULL,
  first_ordinal INTEGER NOT NULL,
  items INTEGER NOT NULL,
  correct INTEGER NOT NULL,
  ties INTEGER NOT NULL,
  unavailable INTEGER NOT NULL,
  pairs_right REAL NOT NULL,
  pairs_tied REAL NOT NULL,
  PRIMARY KEY (run, test, condition, language, excluded, equal_lengths, norm)
) WITHOUT ROWID;
)sql";

// Format 3 has XXH3 for the key of an item's content; until then it was a hash of our own.
void name_contents_anew(Database& database) {
  Statement items(database, "SELECT suite, ordinal, item FROM items ORDER BY suite, ordinal");
  Statement update(database, "UPDATE items SET content = ? WHERE suite = ? AND ordinal = ?");
  suite::ItemParser parser;
  suite::Item item;
  while (items.step()) {
    parser.parse(items.text(2), {database.path().string()}, item);
    update.bind_blob(bytes_of(content_of(item)))
        .bind(items.integer(0))
        .bind(items.integer(1))
        .run();
  }
}

void step_from(int version, Database& database) {
  if (version == 0) database.run(kTables);
  if (version == 1) database.run("ALTER TABLE runs ADD COLUMN facts TEXT NOT NULL DEFAULT '{}'");
  if (version == 2) name_contents_anew(database);
}

}  // namespace

int check_version(Database& database) {
  int version = int(database.number("PRAGMA user_version"));
  bool empty = database.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (!empty && database.number("PRAGMA application_id") != kApplicationId)
    throw bad_input("this database was not made by minpair").at(database.path().string());
  if (version > kSchemaVersion)
    throw bad_input(fmt::format("these results are of format {}, made by a later minpair; this "
                                "one knows up to {}",
                                version, kSchemaVersion))
        .at(database.path().string())
        .hint("use the later minpair");
  return version;
}

void migrate(Database& database) {
  if (check_version(database) == kSchemaVersion) return;
  database.run("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    for (int v = check_version(database); v < kSchemaVersion; ++v) step_from(v, database);
    database.run(fmt::format("PRAGMA application_id = {}", kApplicationId));
    database.run(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    database.run("COMMIT");
  } catch (...) {
    sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace minpair::store
