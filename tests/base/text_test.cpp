#include "base/text.h"

#include <gtest/gtest.h>

#include "base/character_index.h"

namespace minpair::inline base {

TEST(Text, BytesAndCharacters) {
  std::string s = "Der Bär läuft";
  EXPECT_EQ(count_characters(s), 13u);
  EXPECT_EQ(byte_of_character(s, 6), 7u);
  EXPECT_EQ(character_of_byte(s, 7), 6u);
  EXPECT_FALSE(valid_utf8("\xff"));
}

TEST(Text, AnIndexFindsWhatReadingFromTheBeginningFinds) {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += i % 7 == 0 ? "ü" : i % 11 == 0 ? "\xff" : i % 13 ? "a" : "你";
  for (const std::string& some : {text, text.substr(0, 100), std::string()}) {
    const CharacterIndex index(some);
    EXPECT_EQ(index.characters(), count_characters(some));
    for (size_t i = 0; i <= some.size() + 3; ++i) {
      EXPECT_EQ(index.character(i), character_of_byte(some, i)) << i;
      EXPECT_EQ(index.byte(i), byte_of_character(some, i)) << i;
    }
  }
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
