#include "judge/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "support.h"

namespace minpair::judge {
namespace {

TEST(Norms, AreWhatTheirPapersSay) {
  const Measured s{.logprob = -24, .tokens = 16, .words = 6, .unigram = -60};
  EXPECT_DOUBLE_EQ(value(find_norm("power"), s), -6);
  EXPECT_DOUBLE_EQ(value(find_norm("power:0.25"), s), -12);
  EXPECT_DOUBLE_EQ(value(find_norm("log-length"), s), -24 / std::log(17));
  EXPECT_DOUBLE_EQ(value(find_norm("log-length:10"), s), -24 / std::log(26));
  EXPECT_DOUBLE_EQ(value(find_norm("slor"), s), 6);
  EXPECT_DOUBLE_EQ(value(find_norm("morcela"), s), 6);
  EXPECT_DOUBLE_EQ(value(find_norm("morcela:0.5:12"), s), 3);
}

TEST(Norms, AreKnownByName) {
  EXPECT_TRUE(is_norm("slor") && is_norm("power:0.8") && !is_norm("mean") && !is_norm("powers"));
  EXPECT_FALSE(find_norm("power").needs_unigrams());
  EXPECT_TRUE(find_norm("morcela:1:2").needs_unigrams());
  for (const char* wrong : {"mean", "slor:1", "power:x", "power:", "morcela:1:2:3"})
    EXPECT_THROW(find_norm(wrong), Error) << wrong;
}

TEST(Norms, UnigramsOfATextAndItsPunctuation) {
  testing::TemporaryFolder folder;
  auto read = [&](const std::string& text) {
    std::ofstream(folder / "u.tsv") << text;
    return Unigrams::read(folder / "u.tsv");
  };
  Unigrams table = read("der\t50\nVäter\t30\n.\t20\n");
  Unigrams::Sum sum = table.of("\"der Väter lacht.\"");
  EXPECT_EQ(sum.words, 6u);  // two quotes, three words, a full stop
  EXPECT_EQ(sum.unknown, 3u);
  EXPECT_NEAR(sum.logprob, std::log(0.5 * 0.3 * 0.2) + 3 * std::log(0.01), 1e-12);
  EXPECT_EQ(table.of("").words, 0u);
  EXPECT_EQ(table.of("der , Väter ()").words, 5u);  // marks by themselves
  for (const char* wrong :
       {"", "der\n", "der\tx\n", "der\t0\n", "der\t-1\n", "der\t1\t2\n", "der\tinf\n"})
    EXPECT_THROW(read(wrong), Error) << wrong;
}

// Punctuation beside a word is passed over; a mark alone is no word, and a single letter is one.
TEST(Norms, TheCountOfAWordIsThatOfTheWordInIt) {
  testing::TemporaryFolder folder;
  std::ofstream(folder / "u.tsv") << "der\t50\ner\t9\na\t7\nnie\t1\n.\t20\n";
  const Unigrams table = Unigrams::read(folder / "u.tsv");
  EXPECT_EQ(table.count("der"), 50);
  EXPECT_EQ(table.count("\"der,"), 50);
  EXPECT_EQ(table.count("er."), 9);
  EXPECT_EQ(table.count("a"), 7);
  EXPECT_EQ(table.count("a."), 7);
  EXPECT_EQ(table.count("nie"), 1);
  EXPECT_EQ(table.count("."), 0);
  EXPECT_EQ(table.count("lacht"), 0);
  EXPECT_EQ(table.count(""), 0);
}

}  // namespace
}  // namespace minpair::judge
