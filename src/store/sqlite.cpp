#include "store/sqlite.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "store/checksum.h"

namespace minpair::store {

namespace {

constexpr int kLargestValue = 1 << 27;  // bytes; the longest line of a suite has half of that

Error not_made_by_minpair(const std::filesystem::path& file, const std::string& what) {
  return bad_input(what)
      .at(file.string())
      .hint(
          "minpair never makes such files: do not trust the results; a copy of the results file "
          "alone, "
          "without its neighbours, is safe to read");
}

// SQLite obeys the files that it finds beside a database. A journal may name a "super-journal",
// which SQLite deletes after a rollback whatever it is; a write-ahead log is another program's.
void refuse_side_files(const std::filesystem::path& database) {
  if (database == ":memory:") return;
  std::error_code missing;
  std::filesystem::path file = std::filesystem::canonical(database, missing);  // as SQLite does
  if (missing) file = database;
  if (std::filesystem::exists(file, missing) && !std::filesystem::is_regular_file(file, missing))
    throw bad_input("results are a regular file").at(database.string());
  for (const char* ending : {"-journal", "-wal", "-shm"})
    refuse_unusual_file(file.string() + ending);
  const std::filesystem::path journal = file.string() + "-journal";
  if (file_ends_with(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"))
    throw not_made_by_minpair(journal, "this journal would delete another file");
  for (const char* ending : {"-wal", "-shm"})
    if (std::filesystem::exists(file.string() + ending, missing))
      throw bad_input("another program keeps a write-ahead log beside these results")
          .at(file.string() + ending)
          .hint("if it was yours: sqlite3 FILE 'PRAGMA journal_mode = DELETE'");
}

}  // namespace

Database::Database(const std::filesystem::path& path, int flags) : path_(path) {
  refuse_side_files(path);
  int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    try {
      fail(code, "cannot open the results");
    } catch (...) {
      sqlite3_close(handle_);
      throw;
    }
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 60000);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLargestValue);
  add_checksum_function(handle_);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int code, const std::string& doing) const {
  std::string message = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  auto say = [&](Error error, const char* hint) { throw error.at(path_.string()).hint(hint); };
  switch (code & 0xff) {
    case SQLITE_FULL:
      say(cannot(doing + ": the disk is full"),
          "make room and run the same command again: nothing stored is lost");
      break;
    case SQLITE_IOERR:
      say(cannot(fmt::format("{}: {}", doing, message)),
          "is the disk full? Nothing stored is lost; run the same command again");
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      if (code == SQLITE_READONLY_ROLLBACK)
        say(cannot(doing + ": somebody was cut off while writing, and left a journal beside it"),
            "make file and folder writable, or copy both and look at the copy: then it is put "
            "back");
      say(cannot(fmt::format("{}: {}", doing,
                             code == SQLITE_READONLY_DBMOVED ? message : "the file is read-only")),
          "give another file, or make it writable");
      break;
    case SQLITE_CANTOPEN:
      say(cannot(doing), "does the folder exist, and may you write there?");
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      say(cannot(doing + ": another process is writing to it"), "wait until it is done");
      break;
    case SQLITE_TOOBIG:
      say(bad_input("a value in these results is larger than any that minpair writes"),
          "if you did not make the file, do not trust it");
      break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      say(bad_input("this is not a results file of minpair, or it is damaged"),
          "'minpair run' makes one");
      break;
    default:
      throw cannot(fmt::format("{}: {}", doing, message)).at(path_.string());
  }
  throw cannot(doing);
}

void Database::run(const std::string& sql) {
  int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "cannot write the results");
}

int64_t Database::number(const std::string& sql) {
  Statement s(*this, sql);
  return s.step() ? s.integer(0) : 0;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle(), sql.data(), int(sql.size()), &statement_, nullptr));
}

Statement::Statement(Statement&& o) noexcept
    : database_(o.database_), statement_(std::exchange(o.statement_, nullptr)), next_(o.next_) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail(code, "cannot use the results");
}

Statement& Statement::bind(int64_t value) {
  check(sqlite3_bind_int64(statement_, next_++, value));
  return *this;
}

Statement& Statement::bind(double value) {
  check(sqlite3_bind_double(statement_, next_++, value));
  return *this;
}

Statement& Statement::bind(std::string_view t) {
  check(sqlite3_bind_text(statement_, next_++, t.data(), int(t.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_blob(std::string_view b) {
  check(sqlite3_bind_blob(statement_, next_++, b.data(), int(b.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(statement_, next_++));
  return *this;
}

bool Statement::step() {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code, "cannot use the results");
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  next_ = 1;
}

std::string_view Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  return {static_cast<const char*>(bytes), size_t(sqlite3_column_bytes(statement_, column))};
}

}  // namespace minpair::store
