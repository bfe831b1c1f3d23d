#include "suite/item.h"

#include <gtest/gtest.h>

namespace minpair::suite {

static std::vector<Sentence> aligned(std::vector<std::string> texts) {
  std::vector<Sentence> s;
  for (std::string& t : texts) s.push_back({{.text = t}, {}, false});
  align_loci(s);
  return s;
}

TEST(AlignLoci, NoSentencesNeedNoLocus) {
  std::vector<Sentence> none;
  align_loci(none);
  EXPECT_TRUE(none.empty());
}

TEST(AlignLoci, FindsTheDifferenceNotTheWord) {
  auto s = aligned({"Der Autor schwimmt und schwimmt .", "Der Autor schwimmt und schwimmen ."});
  EXPECT_EQ(s[0].locus.begin, 23u);
  EXPECT_EQ(slice(s[0].text, s[0].locus), "schwimmt");
  EXPECT_EQ(slice(s[1].text, s[1].locus), "schwimmen");
}

TEST(AlignLoci, AMissingWordIsAnEmptyLocus) {
  auto s = aligned({"no one ever came", "no one came"});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "ever");
  EXPECT_TRUE(s[1].locus.empty());
  EXPECT_EQ(s[1].locus.begin, 7u);
}

TEST(AlignLoci, RepeatedWordIsNotCountedTwice) {
  auto s = aligned({"a a", "a a a"});
  EXPECT_TRUE(s[0].locus.empty());
  EXPECT_EQ(slice(s[1].text, s[1].locus), "a");
}

TEST(AlignLoci, PunctuationIsNoPartOfTheWord) {
  auto s = aligned({"Susan saw herself.", "Susan saw themselves."});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "herself");
  EXPECT_EQ(slice(s[1].text, s[1].locus), "themselves");
  s = aligned({"They haven't left-over \"food\".", "They hasn't left-over \"food\"."});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "haven't");
  s = aligned({"l' auteur parle", "les auteur parle"});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "l'");
}

TEST(AlignLoci, ScriptsWithoutSpacesAreAlignedByLetters) {
  auto s = aligned({"他们在买包子了。", "他们在买了包子。"});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "包子了");
  EXPECT_EQ(slice(s[1].text, s[1].locus), "了包子");
  s = aligned({"แมวกิน", "แมวกัน"});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "กิ");
  s = aligned({"나는 밥을 먹는다.", "나는 밥이 먹는다."});
  EXPECT_EQ(slice(s[0].text, s[0].locus), "밥을");
}

}  // namespace minpair::suite
