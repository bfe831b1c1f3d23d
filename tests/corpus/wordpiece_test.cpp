#include "corpus/wordpiece.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/file.h"
#include "support.h"
#include "tokenizer/make.h"

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
  std::vector<std::string> out;
  for (const tokenizer::Token& token :
       tokenizer::make_wordpiece(vocab, {})->encode(word, false).tokens)
    out.push_back(vocab[static_cast<size_t>(token.id)]);
  return out;
}

Endings german_endings() {
  return read_endings(minpair::testing::source_dir() / "languages/de.endings");
}

PieceOptions options(size_t size) {
  PieceOptions o;
  o.size = size;
  o.min_character_count = 1;
  o.endings = german_endings();
  return o;
}

}  // namespace

TEST(Endings, AreFoundWhereTheCorpusShowsBothForms) {
  const StemCuts cuts = cut_endings(german(), german_endings());
  EXPECT_EQ(cuts.at("lacht"), 4u);
  EXPECT_EQ(cuts.at("lachen"), 4u);
  EXPECT_EQ(cuts.at("redet"), 3u);
  EXPECT_EQ(cuts.at("sieht"), 4u);
  EXPECT_EQ(cuts.at("bewundern"), 8u);
  EXPECT_FALSE(cuts.contains("nicht"));
  EXPECT_FALSE(cuts.contains("einen")) << "an article, whatever `eint` says";
  EXPECT_FALSE(cuts.contains("Lachen"));
}

TEST(Endings, OfAnotherLanguageAreAnotherFile) {
  minpair::testing::TemporaryFolder folder;
  write_file(folder / "en.endings", "ending\ts\tagrees\nending\ting\nforms\ts\ting\n");
  const Endings english = read_endings(folder / "en.endings");
  EXPECT_THAT(english.agreeing, ElementsAre("s"));
  const StemCuts cuts =
      cut_endings({{"laughs", 5}, {"laughing", 5}, {"less", 9}, {"Laughs", 1}}, english);
  EXPECT_EQ(cuts.at("laughs"), 5u);
  EXPECT_EQ(cuts.at("laughing"), 5u);
  EXPECT_EQ(cuts.size(), 2u);
}

TEST(Endings, AMistakeIsShownWithItsLine) {
  minpair::testing::TemporaryFolder folder;
  for (const char* line : {"endings\tt", "ending", "ending\tt\tagree", "forms\tt", "ending\t",
                           "forms\tt\ten\tafter", "forms\tt\ten\tbefore\te"}) {
    write_file(folder / "x", "# verbs\n" + std::string(line) + "\n");
    try {
      read_endings(folder / "x");
      ADD_FAILURE() << line;
    } catch (const Error& e) {
      EXPECT_EQ(e.where().line, 2u) << line;
    }
  }
  write_file(folder / "x", "ending\tt\n");
  EXPECT_THROW(read_endings(folder / "x"), Error) << "no forms: nothing would ever be cut";
  EXPECT_THROW(find_endings("klingonisch"), Error);
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
  PieceOptions o = options(150);
  o.endings = {};
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
