#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
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

TEST(LineReader, LinesOfEverySize) {
  testing::TemporaryFolder folder;
  std::string big(300000, 'x');
  write_file(folder / "x", "a\r\n\n" + big + "\nlast");
  LineReader in(folder / "x");
  std::string_view line;
  std::vector<std::string> lines;
  while (in.next(line)) lines.emplace_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", big, "last"}));
}

TEST(Random, TheSameOnEveryMachine) {
  Random r(7);
  uint64_t first = r.next();
  EXPECT_EQ(Random(7).next(), first);
  EXPECT_NE(Random(8).next(), first);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(r.below(3), 3u);
}

TEST(Text, CountsAndDurations) {
  EXPECT_EQ(count_text(18230), "18,230");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(duration_text(250), "4 min 10 s");
}

}  // namespace minpair::inline base
