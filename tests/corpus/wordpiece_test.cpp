#include "corpus/wordpiece.h"

#include <gmock/gmock.h>

using namespace minpair;
using namespace minpair::corpus;
using ::testing::ElementsAre;

namespace {

WordCounts german() {
  return {{"lacht", 50},    {"lachen", 80},   {"redet", 40},   {"reden", 90},   {"sieht", 60},
          {"siehst", 20},   {"sehen", 70},    {"nicht", 500},  {"einen", 9000}, {"eint", 4},
          {"bewundert", 9}, {"bewundern", 9}, {"Lachen", 30},  {"nacht", 30},   {"Nacht", 400},
          {"macht", 300},   {"machen", 300},  {"machte", 100}, {"lachte", 90},  {"und", 4000}};
}

std::vector<std::string> pieces(const std::vector<std::string>& vocab, const std::string& word) {
  std::vector<int32_t> ids;
  WordPieceEncoder(vocab).encode(word, ids);
  std::vector<std::string> out;
  for (const int32_t id : ids) out.push_back(vocab[static_cast<size_t>(id)]);
  return out;
}

WordPieceOptions options(size_t size) {
  WordPieceOptions o;
  o.size = size;
  o.min_character_count = 1;
  return o;
}

}  // namespace

TEST(WordPiece, FindsEndingsWhereTheCorpusShowsBothForms) {
  const StemCuts cuts = find_verb_endings(german());
  EXPECT_EQ(cuts.at("lacht"), 4u);
  EXPECT_EQ(cuts.at("lachen"), 4u);
  EXPECT_EQ(cuts.at("redet"), 3u);
  EXPECT_EQ(cuts.at("sieht"), 4u);
  EXPECT_EQ(cuts.at("bewundern"), 8u);
  EXPECT_FALSE(cuts.contains("nicht"));
  EXPECT_FALSE(cuts.contains("einen")) << "an article, whatever `eint` says";
  EXPECT_FALSE(cuts.contains("Lachen"));
}

TEST(WordPiece, BothNumbersOfAVerbHaveOneStemAndOneEnding) {
  const auto vocab = train_wordpiece(german(), options(150));
  EXPECT_THAT(pieces(vocab, "lacht"), ElementsAre("lach", "##t"));
  EXPECT_THAT(pieces(vocab, "lachen"), ElementsAre("lach", "##en"));
  EXPECT_THAT(pieces(vocab, "redet"), ElementsAre("red", "##et"));
  EXPECT_THAT(pieces(vocab, "reden"), ElementsAre("red", "##en"));
  EXPECT_THAT(pieces(vocab, "nicht"), ElementsAre("nicht"));
}

TEST(WordPiece, WithoutCutsFrequentVerbsAreWhole) {
  WordPieceOptions o = options(150);
  o.cut_verb_endings = false;
  EXPECT_THAT(pieces(train_wordpiece(german(), o), "lachen"), ElementsAre("lachen"));
}

TEST(WordPiece, SpecialTokensComeFirstAndSizeIsKept) {
  const auto vocab = train_wordpiece(german(), options(90));
  EXPECT_LE(vocab.size(), 90u);
  EXPECT_THAT(std::vector<std::string>(vocab.begin(), vocab.begin() + 5),
              ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"));
}

TEST(WordPiece, AWordWithAnUnknownLetterIsUnknown) {
  EXPECT_THAT(pieces(train_wordpiece(german(), options(90)), "lachж"), ElementsAre("[UNK]"));
}
