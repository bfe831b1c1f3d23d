#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/team.h"
#include "support.h"

namespace minpair::inline base {

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::string million(1000000, 'a');
  EXPECT_EQ(sha256_hex(million),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 in_pieces;
  for (size_t i = 0; i < million.size(); i += 777)
    in_pieces.add(std::string_view(million).substr(i, 777));
  EXPECT_EQ(in_pieces.hex(), sha256_hex(million));
}

TEST(Hash, GitNamesFilesSo) {
  EXPECT_EQ(git_blob_hex(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_hex("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

// The bytes over which xxHash publishes its answers (tests/sanity_test_vectors.h).
std::string sanity_bytes(size_t n) {
  std::string all;
  for (uint64_t x = 2654435761; all.size() < n; x *= 11400714785074694797u) all += char(x >> 56);
  return all;
}

TEST(Hash, XxHashsPublishedAnswers) {
  EXPECT_EQ(hex_of(hash128("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hex_of(hash128("", 2654435761)), "92220ae55e14ab505444f7869c671ab0");
  EXPECT_EQ(hex_of(hash128(sanity_bytes(1))), "a6cd5e9392000f6ac44bdff4074eecdb");
  EXPECT_EQ(hex_of(hash128(sanity_bytes(12))), "6e3efd8fc7802b18061a192713f69ad9");
  EXPECT_EQ(hex_of(hash128(sanity_bytes(81))), "4952f58181ab00425e8bafb9f95fb803");
  EXPECT_EQ(hex_of(hash128(sanity_bytes(403))), "1b6de21e332dd73dcdeb804d65c6dea4");
  EXPECT_EQ(bytes_of({0x0102030405060708, 0x090a0b0c0d0e0f10}),
            "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10");
}

// Computed by other code from the same definition: results files hold these names.
TEST(Hash, FingerprintsStayAsTheyAre) {
  EXPECT_EQ(hex_of(fingerprint128("")), "ac88743afd05de92e4e72d9cb710be2c");
  EXPECT_EQ(hex_of(fingerprint128("abc")), "3ce8d9760326302fc3cdb2f26230a70b");
  EXPECT_EQ(hex_of(fingerprint128("Der Autor, den die Frau kennt, lacht.", 3)),
            "8d09de57f7a36839c7ce5dd2bf987526");
  Fingerprint lines;
  lines.add("one");
  lines.add("two");
  EXPECT_EQ(lines.text(), "d054e632f7d9c25d03916d7d7287d814");
}

TEST(AtomicFile, NothingStaysBehindWithoutCommit) {
  testing::TemporaryFolder folder;
  {
    AtomicFile f(folder / "x");
    f.write("half");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_file(folder / "x", "whole");
  EXPECT_EQ(read_file(folder / "x"), "whole");
}

TEST(AtomicFile, NothingStaysBehindWhenTheProcessIsKilled) {
  testing::TemporaryFolder folder;
  pid_t child = ::fork();
  if (child == 0) {
    AtomicFile f(folder / "x");
    f.write(std::string(1 << 20, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  // Not every file system has files without names.
  int unnamed = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) GTEST_SKIP() << "this file system has no files without names";
  ::close(unnamed);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(LineReader, LinesOfEverySize) {
  testing::TemporaryFolder folder;
  std::string big(300000, 'x');
  // A byte-order mark is no text, but only at the beginning.
  write_file(folder / "x",
             "\xEF\xBB\xBF"
             "a\r\n\n" +
                 big + "\n\xEF\xBB\xBFlast");
  LineReader in(folder / "x");
  std::string_view line;
  std::vector<std::string> lines;
  while (in.next(line)) lines.emplace_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", big, "\xEF\xBB\xBFlast"}));
}

TEST(LineReader, AFileMayGrowWhileItIsRead) {
  testing::TemporaryFolder folder;
  write_file(folder / "x", "a\n");
  LineReader in(folder / "x");
  std::string_view line;
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, "a");
  const std::string big(5000, 'x');
  std::ofstream(folder / "x", std::ios::app) << big << "\nlast";
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, big);
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(in.next(line));
}

TEST(Random, TheSameOnEveryMachine) {
  // xoshiro256**, as its authors' code has it from this state.
  Random r;
  r.restore({{1, 2, 3, 4}});
  for (uint64_t expected : {uint64_t{11520}, uint64_t{0}, uint64_t{1509978240},
                            uint64_t{1215971899390074240}, uint64_t{1216172134540287360}})
    EXPECT_EQ(r.next(), expected);
  // Seeded by splitmix64; computed in Python from the two definitions.
  EXPECT_EQ(Random().next(), 0x99ec5f36cb75f2b4);
  EXPECT_EQ(Random(7).next(), 0xb358faf74ef9765a);
  EXPECT_EQ(Random(7).uniform(), 0.7005764821796896);
  Random drawn(7);
  for (uint64_t expected : {7, 2, 8, 9, 9, 8, 0, 1, 4, 1, 5, 7})
    EXPECT_EQ(drawn.below(10), expected);
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7};
  Random(7).shuffle(std::span(values));
  EXPECT_EQ(values, (std::vector<int>{6, 0, 2, 3, 4, 7, 1, 5}));
}

TEST(Text, CountsAndDurations) {
  EXPECT_EQ(count_text(18230), "18,230");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(counted(1, "item"), "1 item");
  EXPECT_EQ(counted(0, "item"), "0 items");
  EXPECT_EQ(counted(18230, "query", "queries"), "18,230 queries");
  EXPECT_EQ(plural(1, "is", "are") + plural(2, "is", "are"), "isare");
  EXPECT_EQ(duration_text(250), "4 min 10 s");
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  const nlohmann::ordered_json value = {{"z", "Grüße"}, {"a", {"\xff", 1}}};
  EXPECT_EQ(json_text(value), "{\"z\":\"Grüße\",\"a\":[\"\uFFFD\",1]}");
  EXPECT_EQ(json_text(value, 1, '\t'),
            "{\n\t\"z\": \"Grüße\",\n\t\"a\": [\n\t\t\"\uFFFD\",\n\t\t1\n\t]\n}");
  EXPECT_EQ(ascii_json_text(value), R"({"z":"Gr\u00fc\u00dfe","a":["\ufffd",1]})");
}

TEST(Share, EveryPartIsDoneOnceOnAnyNumberOfThreads) {
  for (size_t threads : {0, 1, 3, 50}) {
    std::vector<int> done(100);
    share(done.size(), threads, [&](size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(100, 1)) << threads;
  }
  share(0, 4, [](size_t) { FAIL(); });
}

TEST(Share, ThrowsWhatAThreadThrew) {
  for (size_t threads : {1, 4})
    EXPECT_THROW(share(50, threads,
                       [](size_t i) {
                         if (i % 7 == 3) throw bad_input("the fourth");
                       }),
                 Error);
}

}  // namespace minpair::inline base
