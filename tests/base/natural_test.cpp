// Sentences as people write them, in several scripts.

#include "base/natural.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace minpair {

static std::string written(std::string_view text, std::string_view language) {
  std::string whole;
  Joiner joiner;
  bool first = true;
  for (std::string_view word : words(text)) {
    if (joiner.space_before(beside(word, language))) whole += ' ';
    whole += first ? capitalized(word, language) : std::string(word);
    first = first && !has_word(word);
  }
  return whole + std::string(missing_stop(whole, language));
}

TEST(Natural, EveryLanguageHasItsMarksSpacesAndCapitals) {
  struct Case {
    const char *language, *words, *text;
  };
  for (const Case& c : {
           Case{"de", "der Autor lacht , weil er schläft", "Der Autor lacht, weil er schläft."},
           Case{"de", "„ schläft er ? “ fragt sie", "„Schläft er?“ fragt sie."},
           Case{"de", "» er schläft « , sagt sie", "»Er schläft«, sagt sie."},
           Case{"es", "¿ duerme el médico ?", "¿Duerme el médico?"},
           Case{"fr", "pourquoi dort -t-il ?", "Pourquoi dort -t-il ?"},
           Case{"fr", "« il dort » , dit-elle", "« Il dort », dit-elle."},
           Case{"en", "he says \" yes \" .", "He says \"yes\"."},
           Case{"en", "he says \" yes \" , and ( she ) sleeps",
                "He says \"yes\", and (she) sleeps."},
           Case{"en", "3 cats sleep", "3 cats sleep."},
           Case{"en", "he sleeps …", "He sleeps…"},
           Case{"el", "κοιμάται ο γιατρός ;", "Κοιμάται ο γιατρός;"},
           Case{"hi", "बच्चा सोता है ।", "बच्चा सोता है।"},
           Case{"hi", "बच्चा सोता है", "बच्चा सोता है।"},
           Case{"ar", "هل ينام الولد ؟", "هل ينام الولد؟"},
           Case{"ar", "ينام الولد", "ينام الولد."},
           Case{"ur", "بچہ سوتا ہے", "بچہ سوتا ہے۔"},
           Case{"he", "הילד ישן", "הילד ישן."},
           Case{"zh", "老师 买 了 一 本 书", "老师买了一本书。"},
           Case{"zh", "老师 买 了 书 ， 是 吗 ？", "老师买了书，是吗？"},
           Case{"ja", "先生 が 本 を 買う", "先生が本を買う。"},
           Case{"ko", "선생님이 책을 산다", "선생님이 책을 산다."},
           Case{"th", "ครู ซื้อ หนังสือ", "ครูซื้อหนังสือ"},
           Case{"tr", "ilk çocuk uyuyor", "İlk çocuk uyuyor."},
           Case{"nl", "ijs is koud", "IJs is koud."},
           Case{"", "ijs is koud", "Ijs is koud."},
           Case{"hy", "երեխան քնում է", "Երեխան քնում է։"},
       })
    EXPECT_EQ(written(c.words, c.language), c.text);
}

TEST(Natural, FinalMarksMayStandInQuotesAndBrackets) {
  for (const char* ended : {"Er geht.", "Geht er?", "„Er geht.“", "(Er geht.)", "He goes…", "他走。",
                            "वह जाता है।", "هل ذهب؟", "Πάει;", "He said \"go!\" "})
    EXPECT_TRUE(ends_sentence(ended)) << ended;
  for (const char* open : {"", "Er geht", "Er geht,", "Satz:", "one;", "\"quoted\"", "(1)"})
    EXPECT_FALSE(ends_sentence(open)) << open;
}

TEST(Natural, NoMarkIsAddedBehindAnother) {
  for (const char* marked : {"Er geht.", "er geht,", "er sagt:", "", "Πάει;", "\"Go!\""})
    EXPECT_EQ(missing_stop(marked, ""), "") << marked;
  EXPECT_EQ(missing_stop("er geht (bald)", "de"), ".");
  EXPECT_EQ(missing_stop("क्या", "mr"), ".");
}

TEST(Natural, OnlyAFirstLetterOfAScriptWithCapitalsCanLackOne) {
  for (const char* lacks : {"er geht.", "¿duerme?", "«il dort»", "ilk"})
    EXPECT_TRUE(lacks_capital(lacks)) << lacks;
  for (const char* fine : {"Er geht.", "他走。", "הוא הולך.", "3 cats", "ينام", "...", "Ïn"})
    EXPECT_FALSE(lacks_capital(fine)) << fine;
}

}  // namespace minpair
