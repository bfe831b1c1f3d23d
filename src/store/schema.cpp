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

// For whoever opens the file with SQLite, pandas, DuckDB or R: the names and texts of everything,
// and scores under the run's own norm.
constexpr const char* kViews = R"sql(
DROP VIEW IF EXISTS tidy_runs;
DROP VIEW IF EXISTS tidy_items;
DROP VIEW IF EXISTS tidy_sentences;
DROP TABLE IF EXISTS shown;
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

// Format 5 had views, and what they show of the scores; format 6 has regions and contexts there.
void add_views(Database& database) {
  database.run(kViews);
  Statement scores(
      database,
      "SELECT scores.run, scores.ordinal, tokens, norm, item, manifest FROM scores JOIN runs ON "
      "runs.run = scores.run JOIN suites ON suites.suite = runs.suite JOIN items ON "
      "items.suite = runs.suite AND items.ordinal "
      "= scores.ordinal WHERE excluded = '' ORDER BY scores.run, scores.ordinal");
  Statement insert(database, kInsertShown);
  suite::ItemParser parser;
  suite::Item item;
  std::map<int64_t, judge::Judge> judges;  // of each run
  while (scores.step()) {
    parser.parse(scores.text(4), {database.path().string()}, item);
    std::vector<judge::SentenceScore> sentences = unpack_scores(scores.text(2));
    if (judges.find(scores.integer(0)) == judges.end())
      judges[scores.integer(0)] =
          judge::Judge(suite::parse_manifest(scores.text(5), database.path().string()));
    Shown shown = shown_by_views(judges[scores.integer(0)], item, sentences,
                                 judge::find_view(scores.text(3)));
    insert_shown(insert, scores.integer(0), scores.integer(1), shown);
  }
}

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
  if (version == 3) add_checksums(database);
  if (version == 5) add_views(database);
}

// Results of an earlier format that may not be changed are brought up to date in memory.
std::unique_ptr<Database> migrated_copy(Database& old) {
  auto copy = std::make_unique<Database>(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle(), "main", old.handle(), "main");
  if (!backup) copy->fail(sqlite3_errcode(copy->handle()), "cannot read the results");
  sqlite3_backup_step(backup, -1);
  int code = sqlite3_backup_finish(backup);
  copy->say_it_is(old.path());
  if (code != SQLITE_OK) copy->fail(code, "cannot read the results");
  migrate(*copy);
  return copy;
}

// A run that was killed while it stored something leaves a journal: the first who looks puts the
// file back, for which it must be opened to write.
void undo_what_was_cut_off(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::exists(path.string() + "-journal", none)) return;
  try {
    Database database(path, SQLITE_OPEN_READWRITE);
    database.number("SELECT count(*) FROM sqlite_schema");
  } catch (const Error&) {
    // Who may only read is told by whoever reads.
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

// A view in the place of a table can compute without end, and so can a generated column; a trigger
// does what nobody asked for. minpair's own views are for others, it never reads them.
void refuse_what_computes(Database& database) {
  if (database.number(
          "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger' OR (type = 'table' "
          "AND rootpage = 0) OR (type = 'view' AND lower(name) IN ('suites', 'models', 'items', "
          "'runs', 'scores', 'summary', 'shown', 'shards', 'judgments', 'sweeps', 'effects', "
          "'sweep_shards'))) OR EXISTS (SELECT 1 FROM sqlite_schema AS s, "
          "pragma_table_xinfo(s.name) AS c WHERE s.type = 'table' AND c.hidden > 0)"))
    throw bad_input("these results have a view, a trigger or a column that minpair never makes")
        .at(database.path().string())
        .hint("whoever made the file changed more than results: do not trust it");
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
  if (version < 0 || (version == 0) != empty)
    throw bad_input(fmt::format("these results are damaged: there is no format {}", version))
        .at(database.path().string())
        .hint("take a copy of the file, or move it away and run again");
  if (!empty) refuse_what_computes(database);
  database.has_checksums = version >= 4;
  return version;
}

void migrate(Database& database) {
  if (check_version(database) == kSchemaVersion) return;
  database.run("BEGIN IMMEDIATE");
  try {
    int v = check_version(database);
    // Another process was faster; nothing is written twice.
    if (v == kSchemaVersion) return database.run("ROLLBACK");
    for (; v < kSchemaVersion; ++v) step_from(v, database);
    database.run(fmt::format("PRAGMA application_id = {}", kApplicationId));
    database.run(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    database.run("COMMIT");
    database.has_checksums = true;
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
  undo_what_was_cut_off(path);
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READONLY);
  int version = check_version(*database);
  if (version == 0) throw bad_input("these results are empty").at(path.string());
  return version < kReadableVersion ? migrated_copy(*database) : std::move(database);
}

}  // namespace minpair::store
