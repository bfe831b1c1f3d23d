#include "corpus/words.h"

#include <gmock/gmock.h>

using namespace minpair;
using namespace minpair::corpus;
using ::testing::ElementsAre;

TEST(Words, GermanKeepsHyphensNumbersAndApostrophes) {
  EXPECT_THAT(split_words("Der U-Boot-Käpt'n zahlt 1.000,50 Euro ...", "de"),
              ElementsAre("Der", "U-Boot-Käpt'n", "zahlt", "1.000,50", "Euro", "..."));
  EXPECT_THAT(split_words("„Wie geht’s?“, fragt sie.", "de"),
              ElementsAre("„", "Wie", "geht’s", "?", "“", ",", "fragt", "sie", "."));
}

TEST(Words, FrenchCutsAfterTheApostrophe) {
  EXPECT_THAT(split_words("L'auteur qu’elle aime.", "fr"),
              ElementsAre("L'", "auteur", "qu’", "elle", "aime", "."));
}

TEST(Words, EnglishCutsClitics) {
  EXPECT_THAT(split_words("The author's dog doesn't bark", "en"),
              ElementsAre("The", "author", "'s", "dog", "does", "n't", "bark"));
}

TEST(Words, HebrewKeepsItsQuotesInsideWords) {
  EXPECT_THAT(split_words("צה\"ל בא.", "he"), ElementsAre("צה\"ל", "בא", "."));
  EXPECT_THAT(split_words("צה\"ל", "de"), ElementsAre("צה", "\"", "ל"));
}

TEST(Words, RussianLetters) {
  EXPECT_THAT(split_words("Кто-то, авторы!", "ru"), ElementsAre("Кто-то", ",", "авторы", "!"));
}

TEST(Words, SoftHyphensAndZeroWidthSpacesVanish) {
  EXPECT_THAT(split_words("Do\u00ADnau\u200B fließt", "de"), ElementsAre("Donau", "fließt"));
}
