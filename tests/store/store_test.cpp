#include "store/store.h"
#include "store/pack.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "store/check.h"
#include "store/checksum.h"
#include "store/merge.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "support.h"

namespace minpair::store {
namespace {

using testing::TemporaryFolder;

suite::Item pair_of(const std::string& id, const std::string& good, const std::string& bad) {
  suite::Item item;
  item.id = id;
  item.test = "simple";
  item.condition = "sg";
  item.language = "de";
  item.sentences = {{{good}, {}, true}, {{bad}, {}, false}};
  suite::align_loci(item.sentences);
  return item;
}

judge::MethodInfo method_named(const std::string& name) {
  return {name, "", "", {judge::Unit::token}, judge::Ties::right};
}

judge::SentenceScore sentence_of(std::vector<double> logprobs, bool special = false) {
  judge::SentenceScore s{{}, {}, 2, 9, 10};
  size_t at = 0;
  for (double p : logprobs) {
    judge::TokenScore t;
    t.id = tokenizer::TokenId(100 + s.tokens.size());
    t.special = special && (s.tokens.empty() || s.tokens.size() + 1 == logprobs.size());
    if (!t.special) t.span = {at, at + 3};
    t.in_locus = s.tokens.size() == 1;
    t.begins_word = s.tokens.size() != 2;
    t.logprob = p;
    at += 4;
    s.tokens.push_back(t);
  }
  return s;
}

TEST(Score, PacksAndUnpacks) {
  std::vector<judge::SentenceScore> in = {sentence_of({-1.5, -0.25, -1e-300}, true),
                                          sentence_of({}),
                                          {{}, {}, 1, 2, 3, judge::SentenceScore::Total{7, -12.5}}};
  in[0].tokens[1].span = {300, 100000};
  std::vector<judge::SentenceScore> out = unpack_scores(pack_scores(in));
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[2].total->tokens, 7u);
  EXPECT_EQ(out[2].total->logprob, -12.5);
  EXPECT_EQ(out[0].characters, 9u);
  ASSERT_EQ(out[0].tokens.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const judge::TokenScore &a = in[0].tokens[i], &b = out[0].tokens[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.span, b.span);
    EXPECT_EQ(a.special, b.special);
    EXPECT_EQ(a.in_locus, b.in_locus);
    EXPECT_EQ(a.begins_word, b.begins_word);
    EXPECT_EQ(a.logprob, b.logprob);
  }
}

TEST(Score, DamagedBytesAreAnError) {
  std::string bytes = pack_scores({sentence_of({-1, -2, -3}, true), sentence_of({-4})});
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(unpack_scores(bytes.substr(0, n)), Error) << n;
  EXPECT_THROW(unpack_scores(bytes + "x"), Error);
}

judge::SentenceScore side_of(judge::WordScore::Kind kind, float first, float second) {
  judge::SentenceScore s;
  s.cloze = judge::WordScore{kind, 12, {first, second}, {{"haus", -0.5f}, {"häuser", -1.5f}}};
  return s;
}

// A step so large that it does not fit: once undefined behaviour, found by fuzzing.
TEST(Score, SpansThatCannotBeAreAnError) {
  std::string bytes = pack_scores({sentence_of({-1})});
  std::string huge;
  append_number(huge, UINT64_MAX - 1);
  size_t step = bytes.size() - sizeof(double) - 1;
  EXPECT_THROW(unpack_scores(bytes.substr(0, step) + huge + bytes.substr(step + 1)), Error);
}

TEST(Score, ClozesComeBackWithTheirWordsAndTheDistance) {
  using Kind = judge::WordScore::Kind;
  std::vector<judge::SentenceScore> in = {side_of(Kind::features, -1, 2.5f),
                                          side_of(Kind::features, -3, 1)};
  std::string bytes = pack_scores(in, 7);
  EXPECT_LT(bytes.size(), 100u);
  std::vector<judge::SentenceScore> out = unpack_scores(bytes);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].cloze, in[0].cloze);
  EXPECT_EQ(out[1].cloze, in[1].cloze);
  EXPECT_EQ(unpack_distance(bytes), 7u);
  EXPECT_EQ(unpack_distance(pack_scores(in)), std::nullopt);
  EXPECT_EQ(unpack_distance(pack_scores({}, 0)),
            0u);  // excluded, but the distance is known
  EXPECT_EQ(unpack_distance(pack_scores({sentence_of({-1})})), std::nullopt);
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(unpack_scores(bytes.substr(0, n)), Error) << n;
}

class StoreTest : public ::testing::Test {
 protected:
  std::filesystem::path path() { return folder / "results.db"; }

  int64_t begin(Store& store, const std::string& fingerprint = "w") {
    int64_t suite = store.add_suite({0, "s", "f", 10, {}});
    int64_t model = store.add_model({0, "m", fingerprint, "t", "fp32", "masked", "bert", 5, {"n"}});
    return store.add_run(suite, model, method_named("ce"));
  }

  void fill(Store& store) {
    Store::Transaction t(store);
    int64_t run = begin(store);
    store.add_score(run, 0, pair_of("a", "Sie lacht .", "Sie lachen ."), judge::Reason::none,
                    {sentence_of({-1, -2, -1}, true), sentence_of({-1, -3, -1}, true)});
    store.add_score(run, 1, pair_of("b", "Er geht .", "Er gehen ."), judge::Reason::none,
                    {sentence_of({-1, -2, -1}, true), sentence_of({-1, -2, -0.1, -0.1}, true)});
    store.add_score(run, 2, pair_of("c", "Er kam .", "Er kamen ."), judge::Reason::too_long, {});
    store.finish_run(run);
    t.commit();
  }

  TemporaryFolder folder;
};

TEST_F(StoreTest, KeepsWhatIsWritten) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  Store store(path(), Store::Mode::read);
  std::vector<RunRecord> runs = store.runs();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].method, "ce");
  EXPECT_EQ(runs[0].view, judge::View{judge::Unit::token});
  EXPECT_EQ(runs[0].ties, judge::Ties::right);
  EXPECT_TRUE(runs[0].special);
  EXPECT_EQ(runs[0].model.name, "m");
  EXPECT_EQ(runs[0].model.notes, std::vector<std::string>{"n"});
  EXPECT_EQ(runs[0].suite.items, 10u);
  std::vector<StoredItem> items;
  store.each_item(runs[0].id, true, [&](const StoredItem& i) { items.push_back(i); });
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[2].excluded, judge::Reason::too_long);
  EXPECT_EQ(unpack_outcome(items[0].outcomes, judge::find_view("mean")), judge::Outcome::right);
  EXPECT_TRUE(items[0].equal_lengths);
  EXPECT_FALSE(items[1].equal_lengths);
  suite::Item item;
  suite::ItemParser().parse(items[1].item, {}, item);
  EXPECT_EQ(item, pair_of("b", "Er geht .", "Er gehen ."));
}

TEST_F(StoreTest, SummaryCountsEveryItemUnderEveryView) {
  Store store(path(), Store::Mode::write);
  fill(store);
  std::map<std::string, uint64_t> items, correct;
  for (const SummaryRow& r : store.summary(1)) {
    items[judge::name_of(r.view)] += r.counts.items;
    correct[judge::name_of(r.view)] += r.counts.right;
  }
  ASSERT_EQ(items.size(), judge::family_of({}).size());
  for (const auto& [norm, n] : items) EXPECT_EQ(n, 3u) << norm;
  EXPECT_EQ(correct["sum"], 1u);   // -4 against -3.2
  EXPECT_EQ(correct["mean"], 1u);  // -1.33 against -0.8
  EXPECT_EQ(correct["sum-no-special"], 2u);
}

TEST_F(StoreTest, ContentIsFoundAgainOnlyForTheSameModelAndMethod) {
  Store store(path(), Store::Mode::write);
  fill(store);
  suite::Item same = pair_of("other id", "Sie lacht .", "Sie lachen .");
  same.test = "other test";
  ModelRecord model{0, "renamed", "w", "t", "fp32", "", "", 0, {}};
  int64_t id = store.find_model(model);
  EXPECT_NE(id, 0);
  EXPECT_TRUE(store.has_score(id, method_named("ce"), same));
  EXPECT_FALSE(store.has_score(id, method_named("pll"), same));
  judge::MethodInfo later = method_named("ce");
  later.version = 2;
  EXPECT_FALSE(store.has_score(id, later, same));
  same.sentences[0].locus.begin -= 1;
  EXPECT_FALSE(store.has_score(id, method_named("ce"), same));
  model.fingerprint = "other weights";
  EXPECT_EQ(store.find_model(model), 0);
  model.fingerprint = "w";
  model.tokenizer = "other tokenizer";
  EXPECT_EQ(store.find_model(model), 0);
}

TEST_F(StoreTest, WithoutCommitNothingStays) {
  Store store(path(), Store::Mode::write);
  {
    Store::Transaction t(store);
    begin(store);
  }
  EXPECT_TRUE(store.runs().empty());
  fill(store);
  EXPECT_EQ(store.runs().size(), 1u);
}

TEST_F(StoreTest, ReadersAndForeignFiles) {
  EXPECT_THROW(Store(folder / "absent.db", Store::Mode::read), Error);
  std::ofstream(folder / "text.db") << "this is not a database, but long enough to look at it, "
                                       "so that SQLite reads the header of one hundred bytes";
  EXPECT_THROW(Store(folder / "text.db", Store::Mode::read), Error);
  EXPECT_THROW(Store(folder / "text.db", Store::Mode::write), Error);
  {
    Database other(folder / "other.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    other.run("CREATE TABLE t (x)");
  }
  EXPECT_THROW(Store(folder / "other.db", Store::Mode::write), Error);
  {
    Store created(path(), Store::Mode::write);
    EXPECT_FALSE(std::filesystem::exists(path()));  // nothing is stored yet
    Store::Transaction t(created);
  }
  {
    Database later(path(), SQLITE_OPEN_READWRITE);
    later.run("PRAGMA user_version = 99");
  }
  try {
    Store store(path(), Store::Mode::read);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("format 99"), std::string::npos);
  }
}

TEST_F(StoreTest, FactsAreThoseOfTheCallThatAddedScores) {
  auto call = [&](const char* command, uint64_t items) {
    Store store(path(), Store::Mode::write);
    Store::Transaction t(store);
    int64_t suite = store.add_suite({0, "s", "f", 10, {}});
    int64_t model = store.add_model({0, "m", "w", "t", "fp32", "causal", "gpt2", 5, {}});
    int64_t run = store.add_run(suite, model, method_named("lp"),
                                {{"command", command}, {"start", "\"<s>\" é"}});
    for (uint64_t i = 0; i < items; ++i)
      store.add_score(run, i, pair_of(std::to_string(i), "Er geht .", "Er gehen ."),
                      judge::Reason::none, {sentence_of({-1}), sentence_of({-2})});
    store.finish_run(run);
    t.commit();
    return store.runs().at(0).facts;
  };
  EXPECT_EQ(call("first", 2), (Facts{{"command", "first"}, {"start", "\"<s>\" é"}}));
  EXPECT_EQ(call("nothing new", 1)["command"], "first");
  EXPECT_EQ(call("more", 3)["command"], "more");
}

// Everything that reports and merges read.
std::string all_of(const std::filesystem::path& path) {
  Store store(path, Store::Mode::read);
  std::string all;
  for (const RunRecord& r : store.runs()) {
    all += fmt::format("{} {} {} {} {}\n", r.id, r.method, r.suite.name, r.model.name,
                       r.model.fingerprint);
    for (const SummaryRow& s : store.summary(r.id))
      all += fmt::format("{} {} {} {}\n", s.test, s.counts.items, s.counts.right, s.first_ordinal);
    store.each_item(r.id, true, [&](const StoredItem& i) {
      all += fmt::format("{} {} {} {}\n", i.ordinal, i.outcomes, i.tokens, i.item);
    });
  }
  return all;
}

TEST_F(StoreTest, ADamagedRowIsNamedWhereItIsRead) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  ASSERT_EQ(check_results(path()).findings, std::vector<std::string>{});
  const std::pair<const char*, const char*> damages[] = {
      {"UPDATE scores SET outcomes = outcomes + 1 WHERE ordinal = 1", "the score of 'b' (item 2"},
      {"UPDATE scores SET tokens = zeroblob(9) WHERE ordinal = 0", "the score of 'a' (item 1"},
      {"UPDATE items SET item = replace(item, 'geht', 'lebt') WHERE ordinal = 1", "item"},
      {"UPDATE summary SET correct = correct + 1", "summary"},
      {"UPDATE runs SET method = 'masked'", "run"},
      {"UPDATE models SET name = 'another'", "run"},
      {"UPDATE suites SET items = 4", "run"}};
  std::string whole = read_file(path());
  for (const auto& [sql, named] : damages) {
    write_file(path(), whole);
    {
      Database file(path(), SQLITE_OPEN_READWRITE);
      file.run(sql);
    }
    try {
      all_of(path());
      ADD_FAILURE() << sql << " was not noticed";
    } catch (const Error& e) {
      EXPECT_NE(e.message().find(named), std::string::npos) << sql << ": " << e.what();
      EXPECT_NE(e.message().find("damaged"), std::string::npos) << e.what();
    }
    EXPECT_FALSE(check_results(path()).findings.empty()) << sql;
  }
}

TEST_F(StoreTest, AnyChangedByteIsNoticedOrHarmless) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  std::string whole = read_file(path()), expected = all_of(path());
  Random random(7);
  int noticed = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string broken = whole;
    broken[random.below(broken.size())] ^= char(1 + random.below(255));
    write_file(path(), broken);
    try {
      ASSERT_EQ(all_of(path()), expected) << "trial " << trial;
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 20);
}

// As a kill leaves it: pages already changed in the file, what they were in a journal beside it.
TEST_F(StoreTest, OpeningForReadingRollsBackHotJournal) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  const std::string expected = all_of(path()), copy = path().string() + ".copy.db";
  {
    Database file(path(), SQLITE_OPEN_READWRITE);
    file.run("PRAGMA cache_size = 1");
    file.run("BEGIN IMMEDIATE");
    for (const char* table : {"items", "scores", "summary"})
      file.run(fmt::format("UPDATE {} SET checksum = 0", table));
    std::filesystem::copy_file(path(), copy);
    std::filesystem::copy_file(path().string() + "-journal", copy + "-journal");
    file.run("ROLLBACK");
  }
  EXPECT_NE(read_file(copy), read_file(path()));
  EXPECT_EQ(all_of(copy), expected);
  EXPECT_FALSE(std::filesystem::exists(copy + "-journal"));
  write_file(path().string() + "-journal", "this is no journal, whoever left it");
  EXPECT_EQ(all_of(path()), expected);
}

// With checksums that are right: whoever changes a verdict and its checksum must change the sums.
TEST_F(StoreTest, CheckComputesVerdictsAndSumsAnew) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  std::string whole = read_file(path());
  auto after = [&](const std::string& sql, std::string_view table) {
    write_file(path(), whole);
    Database file(path(), SQLITE_OPEN_READWRITE);
    file.run(sql);
    file.run(fmt::format("UPDATE {} SET checksum = {}", table, checksum_of(table)));
    return join(check_results(path()).findings, "\n");
  };
  EXPECT_NE(after("UPDATE scores SET outcomes = 0 WHERE ordinal = 0", "scores").find("verdict"),
            std::string::npos);
  EXPECT_NE(after("UPDATE summary SET items = items + 1", "summary").find("does not say"),
            std::string::npos);
  EXPECT_NE(after("DELETE FROM items WHERE ordinal = 0", "items").find("item is missing"),
            std::string::npos);
  EXPECT_EQ(after("UPDATE runs SET facts = '{}'", "runs"), "");
}

// A rollback would delete the file that such a journal names.
TEST_F(StoreTest, JournalThatNamesAnotherFileIsRefused) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  const std::string results = read_file(path());
  const std::filesystem::path victim = folder / "precious.txt";
  write_file(victim, "precious");
  auto big_endian = [](uint32_t x) {
    return std::string{char(x >> 24), char(x >> 16), char(x >> 8), char(x)};
  };
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", name = victim.string();
  const uint32_t page = uint32_t(uint8_t(results[16])) << 8 | uint8_t(results[17]);
  std::string journal = magic + big_endian(0) + big_endian(1234) +
                        big_endian(uint32_t(results.size() / page)) + big_endian(512) +
                        big_endian(page);
  journal.resize(512);
  uint32_t sum = 0;
  for (char c : name) sum += uint8_t(c);
  journal += big_endian(0x40000000 / page + 1) + name + big_endian(uint32_t(name.size())) +
             big_endian(sum) + magic;
  const std::filesystem::path linked = folder / "linked.db";  // SQLite follows links to the file
  std::filesystem::create_symlink(path(), linked);
  for (const std::filesystem::path& file : {path(), linked})
    for (Store::Mode mode : {Store::Mode::read, Store::Mode::write}) {
      write_file(path().string() + "-journal", journal);
      EXPECT_THAT([&] { Store(file, mode); },
                  ::testing::Throws<Error>(::testing::Property(
                      &Error::message, ::testing::HasSubstr("would delete another file"))));
      EXPECT_TRUE(std::filesystem::exists(victim));
      EXPECT_EQ(read_file(path()), results);
    }
}

TEST_F(StoreTest, SideFilesThatLeadElsewhereAreRefused) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  const std::filesystem::path victim = folder / "precious.txt";
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    const std::filesystem::path side = path().string() + ending;
    for (bool symbolic : {true, false}) {
      write_file(victim, "precious");
      symbolic ? std::filesystem::create_symlink(victim, side)
               : std::filesystem::create_hard_link(victim, side);
      for (Store::Mode mode : {Store::Mode::read, Store::Mode::write})
        EXPECT_THROW(Store(path(), mode), Error) << side;
      EXPECT_EQ(read_file(victim), "precious");
      std::filesystem::remove(side);
    }
  }
  write_file(path().string() + "-wal", "");
  EXPECT_THROW(Store(path(), Store::Mode::read), Error);
}

// Each of them could compute without end, or do what nobody asked for.
TEST_F(StoreTest, ForeignSchemasAreRefused) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  const std::string whole = read_file(path());
  for (const char* change :
       {"PRAGMA legacy_alter_table = ON; ALTER TABLE runs RENAME TO others; CREATE VIEW Runs AS "
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT others.* FROM "
        "others, n",
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM scores; END",
        "ALTER TABLE runs ADD COLUMN c GENERATED ALWAYS AS (zeroblob(900000000))",
        "CREATE INDEX slow ON items (item) WHERE length(item) > 5",
        "DROP INDEX scores_by_content; CREATE INDEX scores_by_content ON scores (content) WHERE "
        "length(tokens) > 5",
        "CREATE TABLE own (x CHECK (x > 0))", "CREATE VIEW mine AS SELECT * FROM runs",
        "DROP TABLE shown; CREATE TABLE shown (run CHECK (run > 0), ordinal, margin, by_sentence, "
        "by_region)"}) {
    write_file(path(), whole);
    {
      Database file(path(), SQLITE_OPEN_READWRITE);
      file.run(change);
    }
    for (Store::Mode mode : {Store::Mode::read, Store::Mode::write})
      EXPECT_THAT([&] { Store(path(), mode); },
                  ::testing::Throws<Error>(::testing::Property(
                      &Error::message, ::testing::HasSubstr("that minpair never makes"))))
          << change;
    EXPECT_THROW(check_results(path()), Error) << change;
  }
}

TEST_F(StoreTest, OtherFormatsAreRefused) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  for (int version : {-2147483647, -1000, -1, 0, 1, 6, 1000}) {
    {
      Database file(path(), SQLITE_OPEN_READWRITE);
      file.run(fmt::format("PRAGMA user_version = {}", version));
    }
    for (Store::Mode mode : {Store::Mode::read, Store::Mode::write})
      EXPECT_THAT([&] { Store(path(), mode); },
                  ::testing::Throws<Error>(::testing::Property(
                      &Error::message, ::testing::HasSubstr("this minpair reads format"))));
  }
}

TEST_F(StoreTest, ResultsNeedAFile) {
  for (const char* name : {"", ":memory:"})
    EXPECT_THROW(Store(name, Store::Mode::write), Error) << name;
}

TEST_F(StoreTest, ViewsShowRegionsAndContexts) {
  suite::Item item = pair_of("1", "Er geht .", "Er gehen .");
  item.sentences[0].context = "Na gut.";
  item.sentences[0].regions = {{"subject", {0, 2}}, {"verb", {3, 7}}};
  {
    Store store(path(), Store::Mode::write);
    Store::Transaction t(store);
    int64_t run = store.add_run(store.add_suite({0, "s", "f", 1, {}}),
                                store.add_model({0, "m", "w", "t", "fp32", "causal", "g", 5, {}}),
                                method_named("lp"), {});
    store.add_score(run, 0, item, judge::Reason::none, {sentence_of({-1}), sentence_of({-2})});
    store.finish_run(run);
    t.commit();
  }
  Database db(path(), SQLITE_OPEN_READONLY);
  std::string rows;
  for (const char* sql : {"region_name || ':' || text || '=' || surprisal FROM tidy_regions",
                          "context_good || quote(context_bad) FROM tidy_items",
                          "quote(context) || score FROM tidy_sentences"})
    for (Statement s(db, std::string("SELECT ") + sql); s.step();) rows += s.string(0) + '\n';
  EXPECT_NE(rows.find("subject:Er=1.44269"), rows.npos) << rows;
  EXPECT_NE(rows.find("Na gut.NULL"), rows.npos) << rows;
}

// What happens to a user who may not write; 0: a clear error.
int write_as_nobody(const std::filesystem::path& path) {
  pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(4);
    try {
      Store store(path, Store::Mode::write);
      ::_exit(1);
    } catch (const Error& e) {
      ::_exit(std::string(e.what()).find("read-only") != std::string::npos ? 0 : 2);
    } catch (...) {
      ::_exit(3);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(StoreTest, AReadOnlyFileIsAClearError) {
  {
    Store store(path(), Store::Mode::write);
    fill(store);
  }
  ::chmod(folder.path().c_str(), 0755);
  ::chmod(path().c_str(), 0444);
  EXPECT_EQ(write_as_nobody(path()), 0);
  EXPECT_EQ(Store(path(), Store::Mode::read).runs().size(), 1u);
}

TEST_F(StoreTest, AFullDiskLosesNothing) {
  Store store(path(), Store::Mode::write);
  fill(store);
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, tight;
  ::getrlimit(RLIMIT_FSIZE, &before);
  tight = {rlim_t(std::filesystem::file_size(path()) + 20000), before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  bool failed = false;
  try {
    Store::Transaction t(store);
    int64_t run = begin(store, "other model");
    for (uint64_t i = 0; i < 20000; ++i)
      store.add_score(run, i, pair_of(std::to_string(i), "Sie lacht .", "Sie lachen ."),
                      judge::Reason::none, {sentence_of({-1, -2, -1}), sentence_of({-1, -3, -1})});
    store.finish_run(run);
    t.commit();
  } catch (const Error& e) {
    failed = true;
    EXPECT_NE(std::string(e.what()).find("Nothing stored is lost") != std::string::npos ||
                  std::string(e.what()).find("nothing stored is lost") != std::string::npos,
              false)
        << e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(failed);
  Store again(path(), Store::Mode::read);
  ASSERT_EQ(again.runs().size(), 1u);
  uint64_t items = 0;
  again.each_item(1, true, [&](const StoredItem&) { ++items; });
  EXPECT_EQ(items, 3u);
}

}  // namespace
}  // namespace minpair::store
