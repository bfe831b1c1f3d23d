#include "store/schema.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/checksum.h"
#include "store/pack.h"
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
  checksum INTEGER NOT NULL DEFAULT 0,
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
  checksum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (fingerprint, tokenizer, precision)
);
CREATE TABLE items (
  suite INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  test TEXT NOT NULL,
  condition TEXT NOT NULL,
  language TEXT NOT NULL,
  item TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (suite, ordinal)
) WITHOUT ROWID;
CREATE TABLE runs (
  run INTEGER PRIMARY KEY,
  suite INTEGER NOT NULL,
  model INTEGER NOT NULL,
  method TEXT NOT NULL,
  version INTEGER NOT NULL,
  words TEXT NOT NULL,
  reads TEXT NOT NULL,
  norm TEXT NOT NULL,
  ties TEXT NOT NULL,
  special INTEGER NOT NULL,
  facts TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (suite, model, method, version, words, reads)
);
CREATE TABLE scores (
  run INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  content BLOB NOT NULL,
  excluded TEXT NOT NULL,
  equal_lengths INTEGER NOT NULL,
  outcomes INTEGER NOT NULL,
  tokens BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;
CREATE INDEX scores_by_content ON scores (content);
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
  checksum INTEGER NOT NULL,
  PRIMARY KEY (run, test, condition, language, excluded, equal_lengths, norm)
) WITHOUT ROWID;
)sql";

// For whoever opens the file with SQLite, pandas, DuckDB or R: the names and texts of everything,
// and scores under the run's own norm.
constexpr const char* kViews = R"sql(
CREATE TABLE shown (
  run INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  margin REAL,
  by_sentence TEXT NOT NULL,
  by_region TEXT,
  PRIMARY KEY (run, ordinal)
) WITHOUT ROWID;
CREATE VIEW tidy_runs AS SELECT runs.run, suites.name AS suite, suites.items AS suite_items,
  suites.fingerprint AS suite_fingerprint, models.name AS model, models.kind,
  models.architecture, models.parameters, models.precision, models.fingerprint, runs.method,
  runs.norm, runs.ties, json_extract(runs.facts, '$.command') AS command,
  json_extract(runs.facts, '$.version') AS minpair
FROM runs JOIN suites ON suites.suite = runs.suite JOIN models ON models.model = runs.model;
CREATE VIEW tidy_items AS SELECT runs.run, suites.name AS suite, models.name AS model,
  runs.method, items.ordinal, items.id, items.test, items.condition, items.language,
  json_extract(items.item, '$.cluster') AS cluster, runs.norm,
  (SELECT json_extract(value, '$.text') FROM json_each(items.item, '$.sentences')
   WHERE json_extract(value, '$.grammatical') LIMIT 1) AS good,
  (SELECT json_extract(value, '$.text') FROM json_each(items.item, '$.sentences')
   WHERE NOT json_extract(value, '$.grammatical') LIMIT 1) AS bad,
  shown.margin,
  CASE WHEN margin > 0 THEN 'right' WHEN margin < 0 THEN 'wrong' WHEN margin = 0 THEN 'tie' END
    AS outcome,
  CASE WHEN margin > 0 THEN 1.0 WHEN margin < 0 THEN 0.0 WHEN margin = 0 THEN 0.5 END AS correct,
  nullif(scores.excluded, '') AS excluded, scores.equal_lengths,
  (SELECT json_extract(value, '$.context') FROM json_each(items.item, '$.sentences')
   WHERE json_extract(value, '$.grammatical') LIMIT 1) AS context_good,
  (SELECT json_extract(value, '$.context') FROM json_each(items.item, '$.sentences')
   WHERE NOT json_extract(value, '$.grammatical') LIMIT 1) AS context_bad,
  json_extract(items.item, '$.features') AS features
FROM scores JOIN runs ON runs.run = scores.run JOIN suites ON suites.suite = runs.suite
  JOIN models ON models.model = runs.model
  JOIN items ON items.suite = runs.suite AND items.ordinal = scores.ordinal
  LEFT JOIN shown ON shown.run = scores.run AND shown.ordinal = scores.ordinal;
CREATE VIEW tidy_sentences AS SELECT runs.run, suites.name AS suite, models.name AS model,
  runs.method, items.ordinal, items.id, items.test, items.condition, items.language,
  runs.norm, one.key + 1 AS sentence,
  CASE WHEN one.key > written.key THEN 0 ELSE json_extract(written.value, '$.grammatical') END
    AS grammatical,
  json_extract(written.value, '$.text') AS text, one.value AS score,
  json_extract(written.value, '$.name') AS sentence_name,
  json_extract(written.value, '$.context') AS context
FROM shown JOIN runs ON runs.run = shown.run JOIN suites ON suites.suite = runs.suite
  JOIN models ON models.model = runs.model
  JOIN items ON items.suite = runs.suite AND items.ordinal = shown.ordinal
  JOIN json_each(shown.by_sentence) AS one JOIN json_each(items.item, '$.sentences') AS written
    ON written.key = min(one.key, json_array_length(items.item, '$.sentences') - 1);
CREATE VIEW tidy_regions AS SELECT runs.run, suites.name AS suite, models.name AS model,
  runs.method, items.ordinal, items.id, items.test, items.condition, items.language,
  json_extract(items.item, '$.cluster') AS cluster, runs.norm, one.key + 1 AS sentence,
  json_extract(written.value, '$.name') AS sentence_name,
  json_extract(written.value, '$.grammatical') AS grammatical, part.key + 1 AS region,
  json_extract(place.value, '$[0]') AS region_name,
  substr(json_extract(written.value, '$.text'), json_extract(place.value, '$[1]') + 1,
    json_extract(place.value, '$[2]') - json_extract(place.value, '$[1]')) AS text,
  json_extract(place.value, '$[1]') AS begin, json_extract(place.value, '$[2]') AS "end",
  part.value AS surprisal
FROM shown JOIN runs ON runs.run = shown.run JOIN suites ON suites.suite = runs.suite
  JOIN models ON models.model = runs.model
  JOIN items ON items.suite = runs.suite AND items.ordinal = shown.ordinal
  JOIN json_each(shown.by_region) AS one
  JOIN json_each(items.item, '$.sentences') AS written ON written.key = one.key
  JOIN json_each(one.value) AS part
  JOIN json_each(written.value, '$.regions') AS place ON place.key = part.key;
)sql";

}  // namespace

const char* const kShardsTable =
    "CREATE TABLE IF NOT EXISTS shards (run INTEGER NOT NULL, plan TEXT NOT NULL, shards INTEGER "
    "NOT NULL, shard INTEGER NOT NULL, PRIMARY KEY (run, plan, shards, shard)) WITHOUT ROWID";
const char* const kJudgmentsTable =
    "CREATE TABLE IF NOT EXISTS judgments (source TEXT NOT NULL, sentence TEXT NOT NULL, other "
    "TEXT NOT NULL, person TEXT NOT NULL, value REAL NOT NULL, checksum INTEGER NOT NULL)";
const char* const kSweepTables =
    "CREATE TABLE IF NOT EXISTS sweeps (sweep INTEGER PRIMARY KEY, suite INTEGER NOT NULL, model "
    "INTEGER NOT NULL, what TEXT NOT NULL, version INTEGER NOT NULL, options TEXT NOT NULL, facts "
    "TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (suite, model, what, version, options)); "
    "CREATE TABLE IF NOT EXISTS effects (sweep INTEGER NOT NULL, ordinal INTEGER NOT NULL, effects "
    "BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (sweep, ordinal)) WITHOUT ROWID";
const char* const kSweepShardsTable =
    "CREATE TABLE IF NOT EXISTS sweep_shards (sweep INTEGER NOT NULL, plan TEXT NOT NULL, shards "
    "INTEGER NOT NULL, shard INTEGER NOT NULL, PRIMARY KEY (sweep, plan, shards, shard)) WITHOUT "
    "ROWID";

namespace {

// Every object of a results file, by name, with the text that SQLite keeps of it.
using Schema = std::map<std::string, std::string>;

Schema schema_of(Database& database) {
  Schema schema;
  Statement s(database, "SELECT name, coalesce(sql, '') FROM sqlite_schema");
  while (s.step()) schema[s.string(0)] = s.string(1);
  return schema;
}

const Schema& largest_schema() {
  static const Schema schema = [] {
    Database all(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    for (const char* sql :
         {kTables, kViews, kShardsTable, kJudgmentsTable, kSweepTables, kSweepShardsTable})
      all.run(sql);
    return schema_of(all);
  }();
  return schema;
}

// A view in the place of a table can compute without end, and so can a generated column, a check
// or an index over an expression; a trigger does what nobody asked for.
void refuse_foreign_schema(Database& database) {
  for (const auto& [name, sql] : schema_of(database)) {
    auto known = largest_schema().find(name);
    if (known == largest_schema().end() || known->second != sql)
      throw bad_input(fmt::format("these results have a table, view, index or trigger that minpair "
                                  "never makes: '{}'",
                                  name))
          .at(database.path().string())
          .hint(
              "own tables and views belong into a file of their own, to which SQLite can attach "
              "this one; if you did not make them, do not trust the file");
  }
}

}  // namespace

void insert_shown(Statement& insert, int64_t run, int64_t ordinal, const Shown& shown) {
  insert.bind(run).bind(ordinal);
  shown.margin ? insert.bind(*shown.margin) : insert.bind_null();
  insert.bind(shown.by_sentence);
  shown.by_region.empty() ? insert.bind_null() : insert.bind(shown.by_region);
  insert.run();
}

namespace {

// A run that was killed while it stored something leaves a journal. The first reader puts the file
// back, for which it must be opened for writing; a user who may not write gets the reader's error.
void roll_back_hot_journal(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::exists(path.string() + "-journal", none)) return;
  try {
    Database database(path, SQLITE_OPEN_READWRITE);
    database.number("SELECT count(*) FROM sqlite_schema");
  } catch (const Error& e) {
    if (e.kind() == Error::Kind::input) throw;
  }
}

}  // namespace

namespace {

// All that is read in its lifetime is of one moment.
class ReadTransaction {
 public:
  explicit ReadTransaction(Database& database)
      : database_(database), own_(sqlite3_get_autocommit(database.handle()) != 0) {
    if (own_) database_.run("BEGIN");
  }
  ~ReadTransaction() {
    if (own_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  ReadTransaction(const ReadTransaction&) = delete;

 private:
  Database& database_;
  bool own_;
};

}  // namespace

bool check_schema(Database& database) {
  const ReadTransaction unchanged(database);  // another process may be creating the tables
  int64_t version = database.number("PRAGMA user_version");
  bool empty = database.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (empty && version == 0) return false;
  if (database.number("PRAGMA application_id") != kApplicationId)
    throw bad_input("this database was not made by minpair").at(database.path().string());
  if (version != kSchemaVersion)
    throw bad_input(fmt::format("these results are of format {}, this minpair reads format {}",
                                version, kSchemaVersion))
        .at(database.path().string())
        .hint("use the minpair that made the file, or run again into a new file");
  refuse_foreign_schema(database);
  return true;
}

void create_schema(Database& database) {
  if (check_schema(database)) return;
  database.run("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    if (check_schema(database)) return database.run("ROLLBACK");
    database.run(kTables);
    database.run(kViews);
    database.run(fmt::format("PRAGMA application_id = {}", kApplicationId));
    database.run(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    database.run("COMMIT");
  } catch (...) {
    sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::unique_ptr<Database> open_to_read(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw bad_input("there is no such results file")
        .at(path.string())
        .hint("'minpair run -s SUITE -m MODEL -o FILE' makes one");
  roll_back_hot_journal(path);
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READONLY);
  if (!check_schema(*database)) throw bad_input("these results are empty").at(path.string());
  return database;
}

}  // namespace minpair::store
