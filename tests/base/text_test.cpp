#include "base/text.h"

#include <gtest/gtest.h>

namespace minpair::inline base {

TEST(Text, BytesAndCharacters) {
  std::string s = "Der Bär läuft";
  EXPECT_EQ(count_characters(s), 13u);
  EXPECT_EQ(byte_of_character(s, 6), 7u);
  EXPECT_EQ(character_of_byte(s, 7), 6u);
  EXPECT_FALSE(valid_utf8("\xff"));
}

TEST(Text, CapitalFirst) {
  EXPECT_EQ(capitalize_first("über"), "Über");
  EXPECT_EQ(capitalize_first("«da»"), "«Da»");
  EXPECT_EQ(capitalize_first("3 da"), "3 da");
}

TEST(Text, DidYouMean) {
  EXPECT_EQ(closest("generat", {"generate", "lint"}), "generate");
  EXPECT_EQ(closest("zzz", {"generate", "lint"}), "");
}

}  // namespace minpair::inline base
