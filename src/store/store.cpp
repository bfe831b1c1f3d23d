#include "store/store.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "judge/criterion.h"
#include "store/checksum.h"
#include "store/pack.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/summary.h"

namespace minpair::store {
namespace {

constexpr const char* kPragmas =
    "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; "
    "PRAGMA cache_size = -32768;";

void check_can_create(const std::filesystem::path& path) {
  if (path.empty() || path == ":memory:")
    throw wrong_call("the results need a file, or they are lost").hint("as in '-o results.db'");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw cannot_errno("cannot write the results")
        .at(path.string())
        .hint("does the folder exist, and may you write there?");
}

std::unique_ptr<Database> open_to_write(const std::filesystem::path& path) {
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (sqlite3_db_readonly(database->handle(), "main") == 1)
    database->fail(SQLITE_READONLY, "cannot write the results");
  database->run(kPragmas);
  create_schema(*database);
  return database;
}

constexpr const char* kSameMethod = "method = ? AND version = ? AND words = ? AND reads = ?";

std::string lines_of(const std::vector<std::string>& notes) { return join(notes, "\n"); }

}  // namespace

struct Store::Impl {
  std::filesystem::path path;
  std::unique_ptr<Database> database;
  bool created = true;  // false: a new file, which the first transaction makes
  std::map<std::string, Statement> prepared;

  struct Writing {
    int64_t suite = 0;
    int64_t model = 0;
    judge::MethodInfo method;  // its key and view
    bool special = false;
    std::vector<judge::View> views;
    judge::Judge judge;
    SummaryTable summary;
  };
  std::map<int64_t, Writing> writing;
  std::map<int64_t, std::string> facts;  // of the call, by run

  Statement& statement(const std::string& sql) {
    auto at = prepared.find(sql);
    if (at == prepared.end()) at = prepared.emplace(sql, Statement(*database, sql)).first;
    at->second.reset();
    return at->second;
  }

  Writing& run_being_written(int64_t run) {
    auto at = writing.find(run);
    if (at != writing.end()) return at->second;
    Writing& w = writing[run];
    Statement& s = statement(
        "SELECT runs.suite, model, special, norm, manifest, method, version, words, reads FROM "
        "runs "
        "JOIN suites ON suites.suite = runs.suite WHERE run = ?");
    if (!s.bind(run).step()) throw cannot("there is no such run");
    w.suite = s.integer(0);
    w.model = s.integer(1);
    w.special = s.integer(2) != 0;
    w.method.view = judge::find_view(s.text(3));
    w.views = judge::family_of(w.method.view);
    w.judge = judge::Judge(suite::parse_manifest(s.text(4), path.string()));
    w.method.name = s.string(5);
    w.method.version = int(s.integer(6));
    w.method.words = s.string(7);
    w.method.reads = judge::parse_reads(s.text(8));
    s.reset();
    w.summary.load(*database, run);
    return w;
  }

  bool run_has(int64_t run, uint64_t ordinal) {
    Statement& s = statement("SELECT 1 FROM scores WHERE run = ? AND ordinal = ?");
    bool found = s.bind(run).bind(int64_t(ordinal)).step();
    s.reset();
    return found;
  }

  // The row that was just inserted.
  int64_t sealed(const char* table, const char* key) {
    int64_t id = database->last_id();
    seal(*database, table, key, id);
    return id;
  }

  // What a score's key says of its method.
  static Statement& bind_method(Statement& s, const judge::MethodInfo& method) {
    return s.bind(method.name)
        .bind(int64_t{method.version})
        .bind(method.words)
        .bind(judge::text_of(method.reads));
  }

  Statement& score_by_content(int64_t model, const judge::MethodInfo& method,
                              const suite::Item& item) {
    Statement& s = statement(
        "SELECT scores.excluded, scores.tokens, scores.run, scores.ordinal, " + is_whole("scores") +
        " FROM scores JOIN runs ON runs.run = scores.run WHERE scores.content = ? AND runs.model "
        "= ? AND " +
        kSameMethod + " LIMIT 1");
    s.bind_blob(bytes_of(judge::content_of(item, method.reads))).bind(model);
    return bind_method(s, method);
  }
};

namespace {

// Checksums see every row that is read, but not one that a damaged page hides. Looking at all pages
// of a file of this size takes a moment.
void check_pages(Database& database, const std::filesystem::path& path) {
  constexpr uintmax_t kSmall = 32 << 20;
  std::error_code unknown;
  if (std::filesystem::file_size(path, unknown) > kSmall || unknown) return;
  Statement pages(database, "PRAGMA quick_check(1)");
  if (pages.step() && pages.text(0) != "ok")
    throw bad_input(fmt::format("these results are damaged: {}", pages.string(0)))
        .at(path.string())
        .hint("'minpair check' lists all that is; take a copy of the file, or run again");
}

}  // namespace

Store::Store(const std::filesystem::path& path, Mode mode) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  if (mode == Mode::read) {
    impl_->database = open_to_read(path);
    check_pages(*impl_->database, path);
  } else if (std::filesystem::exists(path)) {
    impl_->database = open_to_write(path);
  } else {
    // A command that stores nothing leaves no file behind, and never has to remove one, which
    // another process may have begun to use. Until then there is an empty database.
    check_can_create(path);
    impl_->created = false;
    impl_->database =
        std::make_unique<Database>(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    create_schema(*impl_->database);
  }
}

Store::~Store() = default;

const std::filesystem::path& Store::path() const { return impl_->path; }

Database& Store::database() { return *impl_->database; }

Store::Transaction::Transaction(Store& store) : store_(store) {
  if (!store_.impl_->created) {
    store_.impl_->prepared.clear();
    store_.impl_->database = open_to_write(store_.impl_->path);
    store_.impl_->created = true;
  }
  store_.impl_->database->run("BEGIN IMMEDIATE");
  changes_ = sqlite3_total_changes(store_.impl_->database->handle());
}

Store::Transaction::~Transaction() {
  if (!open_) return;
  store_.impl_->prepared.clear();
  store_.impl_->writing.clear();
  store_.impl_->facts.clear();
  sqlite3_exec(store_.impl_->database->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Store::Transaction::commit() {
  // Where nothing changed, the file keeps its bytes.
  bool changed = sqlite3_total_changes(store_.impl_->database->handle()) != changes_;
  store_.impl_->database->run(changed ? "COMMIT" : "ROLLBACK");
  open_ = false;
}

int64_t Store::add_suite(const SuiteRecord& suite) {
  Statement& find = impl_->statement("SELECT suite FROM suites WHERE name = ? AND fingerprint = ?");
  if (find.bind(suite.name).bind(suite.fingerprint).step()) return find.integer(0);
  find.reset();
  impl_->statement("INSERT INTO suites (name, fingerprint, items, manifest) VALUES (?,?,?,?)")
      .bind(suite.name)
      .bind(suite.fingerprint)
      .bind(int64_t(suite.items))
      .bind(suite::manifest_json(suite.manifest))
      .run();
  return impl_->sealed("suites", "suite");
}

int64_t Store::find_model(const ModelRecord& model) {
  Statement& find = impl_->statement(
      "SELECT model FROM models WHERE fingerprint = ? AND tokenizer = ? AND precision = ?");
  bool found = find.bind(model.fingerprint).bind(model.tokenizer).bind(model.precision).step();
  int64_t id = found ? find.integer(0) : 0;
  find.reset();
  return id;
}

int64_t Store::add_model(const ModelRecord& model) {
  if (int64_t id = find_model(model)) return id;
  impl_
      ->statement(
          "INSERT INTO models (name, fingerprint, tokenizer, precision, kind, architecture, "
          "parameters, notes) VALUES (?,?,?,?,?,?,?,?)")
      .bind(model.name)
      .bind(model.fingerprint)
      .bind(model.tokenizer)
      .bind(model.precision)
      .bind(model.kind)
      .bind(model.architecture)
      .bind(int64_t(model.parameters))
      .bind(lines_of(model.notes))
      .run();
  return impl_->sealed("models", "model");
}

int64_t Store::add_run(int64_t suite, int64_t model, const judge::MethodInfo& method,
                       const Facts& facts) {
  Statement& find = impl_->statement(
      std::string("SELECT run FROM runs WHERE suite = ? AND model = ? AND ") + kSameMethod);
  Impl::bind_method(find.bind(suite).bind(model), method);
  std::string made = facts_json(facts);
  if (find.step()) {
    int64_t run = find.integer(0);
    impl_->facts[run] = std::move(made);
    return run;
  }
  find.reset();
  Statement& insert = impl_->statement(
      "INSERT INTO runs (suite, model, method, version, words, reads, norm, ties, special, facts) "
      "VALUES (?,?,?,?,?,?,?,?,0,?)");
  Impl::bind_method(insert.bind(suite).bind(model), method)
      .bind(name_of(method.view))
      .bind(name_of(method.ties))
      .bind(made)
      .run();
  return impl_->sealed("runs", "run");
}

void Store::add_item(int64_t suite, uint64_t ordinal, const suite::Item& item) {
  std::string line;
  suite::append_json_line(line, item);
  line.pop_back();
  impl_->statement("INSERT OR IGNORE INTO items " + values_with_checksum(7))
      .bind(suite)
      .bind(int64_t(ordinal))
      .bind(item.id)
      .bind(item.test)
      .bind(item.condition)
      .bind(item.language)
      .bind(line)
      .run();
}

void Store::add_score(int64_t run, uint64_t ordinal, const suite::Item& item,
                      judge::Reason excluded, const std::vector<judge::SentenceScore>& sentences,
                      std::optional<uint32_t> distance) {
  if (impl_->run_has(run, ordinal)) return;
  Impl::Writing& w = impl_->run_being_written(run);
  add_item(w.suite, ordinal, item);
  Judged judged;
  bool scored = excluded == judge::Reason::none;
  std::string tokens;
  if (scored) {
    judged = judge_all(w.judge, item, sentences, w.views);
    for (const judge::SentenceScore& s : sentences)
      for (const judge::TokenScore& t : s.tokens) w.special |= t.special;
  }
  if (scored || distance) tokens = pack_scores(sentences, distance);
  w.summary.add(item, ordinal, excluded, judged.equal_lengths, w.views, judged.verdicts);
  impl_->statement("INSERT INTO scores " + values_with_checksum(7))
      .bind(run)
      .bind(int64_t(ordinal))
      .bind_blob(bytes_of(judge::content_of(item, w.method.reads)))
      .bind(key_of(excluded))
      .bind(int64_t{judged.equal_lengths})
      .bind(int64_t{pack_outcomes(judged.verdicts, w.views)})
      .bind_blob(tokens)
      .run();
  if (scored)
    insert_shown(impl_->statement(kInsertShown), run, int64_t(ordinal),
                 shown_by_views(w.judge, item, sentences, w.method.view));
}

void Store::copy_score(int64_t run, uint64_t ordinal, const suite::Item& item,
                       std::optional<uint32_t> distance) {
  if (impl_->run_has(run, ordinal)) return;
  Impl::Writing& w = impl_->run_being_written(run);
  Statement& found = impl_->score_by_content(w.model, w.method, item);
  if (!found.step()) throw cannot("a stored score has vanished").at(impl_->path.string());
  if (!found.integer(4))
    throw damaged(*impl_->database,
                  score_called(*impl_->database, found.integer(2), uint64_t(found.integer(3))));
  judge::Reason excluded = judge::find_reason(found.text(0));
  std::vector<judge::SentenceScore> scores;
  if (excluded == judge::Reason::none) scores = unpack_scores(found.text(1));
  found.reset();
  add_score(run, ordinal, item, excluded, scores, distance);
}

void Store::finish_run(int64_t run) {
  auto at = impl_->writing.find(run);
  if (at == impl_->writing.end()) return;
  Impl::Writing& w = at->second;
  w.summary.save(*impl_->database, run);
  impl_->statement("UPDATE runs SET special = ? WHERE run = ? AND special <> ?")
      .bind(int64_t{w.special})
      .bind(run)
      .bind(int64_t{w.special})
      .run();
  impl_->writing.erase(at);
  if (auto given = impl_->facts.find(run); given != impl_->facts.end())
    impl_->statement("UPDATE runs SET facts = ? WHERE run = ? AND facts <> ?")
        .bind(given->second)
        .bind(run)
        .bind(given->second)
        .run();
  impl_->facts.erase(run);
  seal(*impl_->database, "runs", "run", run);
}

// Only files of parts have this table, so that merged ones are like those of a single run.
void Store::add_shard(int64_t run, const ShardRecord& shard) {
  impl_->database->run(kShardsTable);
  impl_->statement("INSERT OR IGNORE INTO shards VALUES (?,?,?,?)")
      .bind(run)
      .bind(shard.plan)
      .bind(int64_t{shard.of})
      .bind(int64_t{shard.number})
      .run();
}

std::vector<ShardRecord> Store::shards(int64_t run) {
  std::vector<ShardRecord> shards;
  if (impl_->database->number("SELECT 1 FROM sqlite_schema WHERE name = 'shards'") == 0)
    return shards;
  Statement& s = impl_->statement(
      "SELECT shard, shards, plan FROM shards WHERE run = ? ORDER BY plan, shards, shard");
  s.bind(run);
  while (s.step()) shards.push_back({uint32_t(s.integer(0)), uint32_t(s.integer(1)), s.string(2)});
  return shards;
}

bool Store::has_scores(int64_t model, const judge::MethodInfo& method) {
  Statement& s = impl_->statement(std::string("SELECT 1 FROM runs WHERE model = ? AND ") +
                                  kSameMethod + " LIMIT 1");
  bool found = Impl::bind_method(s.bind(model), method).step();
  s.reset();
  return found;
}

bool Store::has_score(int64_t model, const judge::MethodInfo& method, const suite::Item& item) {
  Statement& s = impl_->score_by_content(model, method, item);
  bool found = s.step();
  s.reset();
  return found;
}

std::vector<RunRecord> Store::runs() {
  // LEFT: a run whose suite or model lost its number is damaged, not absent.
  Statement s(*impl_->database,
              std::string("SELECT run, method, version, norm, ties, special, facts, words, "
                          "reads, ") +
                  is_whole("runs") + " AND " + suite_and_model_are_whole() + ", " + kSuiteAndModel +
                  " FROM runs LEFT JOIN suites ON suites.suite = runs.suite LEFT JOIN models ON "
                  "models.model = runs.model ORDER BY run");
  std::vector<RunRecord> runs;
  while (s.step()) {
    RunRecord r;
    r.id = s.integer(0);
    if (!s.integer(9))
      throw damaged(*impl_->database, fmt::format("what is said about run {}", r.id));
    r.method = s.string(1);
    r.version = int(s.integer(2));
    r.view = judge::find_view(s.text(3));
    r.ties = judge::find_ties(s.text(4));
    r.special = s.integer(5) != 0;
    r.facts = parse_facts(s.text(6), impl_->path.string());
    r.words = s.string(7);
    r.reads = judge::parse_reads(s.text(8));
    r.suite = suite_in(s, 10, impl_->path.string());
    r.model = model_in(s, 10);
    runs.push_back(std::move(r));
  }
  return runs;
}

std::vector<SummaryRow> Store::summary(int64_t run) { return read_summary(*impl_->database, run); }

namespace {

class ItemRows : public StoredItems {
 public:
  ItemRows(Database& database, int64_t run, bool with_text)
      : database_(database),
        run_(run),
        with_text_(with_text),
        rows_(database, "SELECT scores.ordinal, excluded, equal_lengths, outcomes, tokens, " +
                            is_whole("scores") +
                            (with_text ? ", " + is_whole("items") +
                                             ", item FROM runs JOIN scores ON scores.run = "
                                             "runs.run JOIN items ON items.suite = runs.suite AND "
                                             "items.ordinal = scores.ordinal WHERE runs.run = ? "
                                             "ORDER BY scores.ordinal"
                                       : " FROM scores WHERE run = ? ORDER BY ordinal")) {
    rows_.bind(run);
  }

  bool next(StoredItem& item) override {
    if (!rows_.step()) return false;
    item.ordinal = uint64_t(rows_.integer(0));
    if (!rows_.integer(5) || (with_text_ && !rows_.integer(6)))
      throw damaged(database_, rows_.integer(5) ? fmt::format("item {}", item.ordinal + 1)
                                                : score_called(database_, run_, item.ordinal));
    item.excluded = judge::find_reason(rows_.text(1));
    item.equal_lengths = rows_.integer(2) != 0;
    item.outcomes = uint32_t(rows_.integer(3));
    item.tokens = rows_.text(4);
    if (with_text_) item.item = rows_.text(7);
    return true;
  }

 private:
  Database& database_;
  int64_t run_;
  bool with_text_;
  Statement rows_;
};

class SuiteRows : public StoredItems {
 public:
  SuiteRows(Database& database, int64_t suite)
      : database_(database),
        rows_(database, "SELECT ordinal, " + is_whole("items") +
                            ", item FROM items WHERE suite = ? ORDER BY ordinal") {
    rows_.bind(suite);
  }

  bool next(StoredItem& item) override {
    if (!rows_.step()) return false;
    item.ordinal = uint64_t(rows_.integer(0));
    if (!rows_.integer(1)) throw damaged(database_, fmt::format("item {}", item.ordinal + 1));
    item.item = rows_.text(2);
    return true;
  }

 private:
  Database& database_;
  Statement rows_;
};

}  // namespace

std::unique_ptr<StoredItems> Store::suite_items(int64_t suite) {
  return std::make_unique<SuiteRows>(*impl_->database, suite);
}

std::unique_ptr<StoredItems> Store::items(int64_t run, bool with_text) {
  return std::make_unique<ItemRows>(*impl_->database, run, with_text);
}

void Store::each_item(int64_t run, bool with_text,
                      const std::function<void(const StoredItem&)>& each) {
  ItemRows rows(*impl_->database, run, with_text);
  for (StoredItem item; rows.next(item);) each(item);
}

}  // namespace minpair::store
