#include "judge/words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minpair::judge {
namespace {

TEST(Words, BeginWhereTheModelSaysAndSpecialTokensStandAlone) {
  auto token = [](Span span, bool begins, bool special, double logprob) {
    TokenScore t;
    t.span = span;
    t.begins_word = begins;
    t.special = special;
    t.logprob = logprob;
    return t;
  };
  // [CLS] un ##able [SEP]; after [CLS] a piece that does not begin a word does not join it.
  std::vector<ScoredWord> words =
      words_of({token({}, false, true, -1), token({0, 2}, false, false, -2),
                token({2, 6}, false, false, -3), token({6, 6}, false, true, -4)});
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1].span, (Span{0, 6}));
  EXPECT_EQ(words[1].first, 1u);
  EXPECT_EQ(words[1].tokens, 2u);
  EXPECT_EQ(words[1].logprob, -5);
  EXPECT_TRUE(words[2].special);
  EXPECT_DOUBLE_EQ(bits(-std::log(8.0)), 3);
}

}  // namespace
}  // namespace minpair::judge
