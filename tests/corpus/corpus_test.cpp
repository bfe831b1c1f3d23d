#include "corpus/corpus.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/text_lines.h"
#include "support.h"

using namespace minpair;
using namespace minpair::corpus;
using minpair::testing::TemporaryFolder;

namespace {

std::string compress(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  size_t used = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<uint8_t*>(out.data()), &used, out.size()),
            LZMA_OK);
  out.resize(used);
  return out;
}

std::string sample() {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "Der Autor lacht .\nDie Autoren lachen , und wir reden nicht .\n";
    text += "Satz " + std::to_string(i) + " steht hier .\n";
  }
  return text;
}

CorpusOptions options_for(const fs::path& file) {
  CorpusOptions o;
  o.sources = {{file}};
  o.vocabulary = 20;
  o.max_unknown = 0.1;
  o.quiet = true;
  return o;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream in(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST(TextLines, ReadsXzAndPlainAlike) {
  TemporaryFolder folder;
  const std::string text = sample() + "kein Ende";
  write_file(folder / "a.txt", text);
  const std::string packed = compress(text);
  write_file(folder / "a.xz", packed + packed.substr(0, 0));
  TextLines plain(folder / "a.txt"), xz(folder / "a.xz");
  std::string_view a, b;
  while (plain.next(a)) {
    ASSERT_TRUE(xz.next(b));
    ASSERT_EQ(a, b);
  }
  EXPECT_FALSE(xz.next(b));
  EXPECT_EQ(plain.line_number(), 1201u);
}

TEST(TextLines, DamagedXzIsAnError) {
  TemporaryFolder folder;
  const std::string packed = compress(sample());
  write_file(folder / "cut.xz", packed.substr(0, packed.size() / 2));
  TextLines lines(folder / "cut.xz");
  std::string_view line;
  EXPECT_THROW(while (lines.next(line)){}, Error);
}

TEST(Corpus, SameSeedSameBytesOtherSeedOtherOrder) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", sample());
  CorpusOptions o = options_for(folder / "a.txt");
  prepare_corpus(o, folder / "one");
  prepare_corpus(o, folder / "two");
  o.seed = 2;
  prepare_corpus(o, folder / "three");
  for (const char* name : {"train.txt", "valid.txt", "test.txt", "vocab.txt", "corpus.json"})
    EXPECT_EQ(read_file(folder / "one" / name), read_file(folder / "two" / name)) << name;
  EXPECT_NE(read_file(folder / "one" / "train.txt"), read_file(folder / "three" / "train.txt"));
}

TEST(Corpus, DropsSentencesWithUnknownWordsAndCountsThem) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", sample());
  const CorpusReport r = prepare_corpus(options_for(folder / "a.txt"), folder / "out");
  EXPECT_EQ(r.read, 1200u);
  EXPECT_GT(r.unknown_words, 380u);  // `Satz 17`: the number is too rare
  EXPECT_EQ(r.read, r.unknown_words + r.train + r.valid + r.test);
  EXPECT_EQ(lines_of(folder / "out" / "train.txt").size(), r.train);
  EXPECT_EQ(lines_of(folder / "out" / "vocab.txt").size(), 22u);
  EXPECT_FALSE(fs::exists(folder / "out" / "train.txt.part0"));
}

TEST(Corpus, CountsTheWordsOfTrainingAndValidation) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", sample());
  CorpusOptions o = options_for(folder / "a.txt");
  o.max_unknown = 1;
  o.vocabulary = 5;  // counts are of all words, whatever the vocabulary has
  prepare_corpus(o, folder / "out");
  std::map<std::string, uint64_t> seen, stated;
  for (const char* part : {"train.txt", "valid.txt"})
    for (const std::string& line : lines_of(folder / "out" / part))
      for (std::string_view word : words(line)) ++seen[std::string(word)];
  uint64_t last = UINT64_MAX;
  for (const std::string& line : lines_of(folder / "out" / "counts.tsv")) {
    const size_t tab = line.find('\t');
    stated[line.substr(0, tab)] = std::stoull(line.substr(tab + 1));
    EXPECT_LE(stated[line.substr(0, tab)], last);
    last = stated[line.substr(0, tab)];
  }
  EXPECT_GT(stated.size(), 300u);
  EXPECT_EQ(stated, seen);
}

TEST(Corpus, ManyDroppedSentencesAreFlagged) {
  CorpusReport r;
  r.train = 900;
  r.unknown_words = 100;
  EXPECT_EQ(corpus_warning(r), "");
  r.unknown_words = 900;
  EXPECT_NE(corpus_warning(r).find("50 % of the sentences"), std::string::npos);
}

TEST(Corpus, EndingsGoWithTheCorpusAndNeedPieces) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", sample());
  write_file(folder / "e", "ending\tt\nending\ten\nforms\tt\ten\n");
  CorpusOptions o = options_for(folder / "a.txt");
  o.endings = folder / "e";
  EXPECT_THROW(prepare_corpus(o, folder / "out"), Error);
  o.wordpiece = 100;
  prepare_corpus(o, folder / "out");
  EXPECT_EQ(read_file(folder / "out/endings.tsv"), read_file(folder / "e"));
}

TEST(Corpus, ShuffleKeepsEverySentence) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", sample());
  CorpusOptions o = options_for(folder / "a.txt");
  o.max_unknown = 1;
  o.valid = o.test = 0;
  prepare_corpus(o, folder / "out");
  auto expected = lines_of(folder / "a.txt"), got = lines_of(folder / "out" / "train.txt");
  EXPECT_NE(got, expected);
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
}

TEST(Corpus, TruecaseLowersAFirstWordThatIsUsuallyLower) {
  TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "Heute sieht der Autor die Frau .\nDer Autor\nAutor sein\n";
  write_file(folder / "a.txt", text);
  CorpusOptions o = options_for(folder / "a.txt");
  o.truecase = true;
  o.max_unknown = 1;
  prepare_corpus(o, folder / "out");
  const auto lines = lines_of(folder / "out" / "train.txt");
  const std::set<std::string> got(lines.begin(), lines.end());
  EXPECT_EQ(got,
            (std::set<std::string>{"Autor sein", "Heute sieht der Autor die Frau .", "der Autor"}));
}

TEST(Corpus, SourcesNameLanguageAndShare) {
  const CorpusSource s = parse_source("fr:some/file.txt=0.25", "de");
  EXPECT_EQ(s.language, "fr");
  EXPECT_EQ(s.file, "some/file.txt");
  EXPECT_EQ(s.keep, 0.25);
  EXPECT_EQ(parse_source("a.txt", "ru").language, "ru");
  EXPECT_THROW(parse_source("a.txt=2", "de"), Error);
}

TEST(Corpus, AnUnknownLanguageAndBrokenTextAreErrors) {
  TemporaryFolder folder;
  write_file(folder / "a.txt",
             "gut\nschl\xFF"
             "echt\n");
  CorpusOptions o = options_for(folder / "a.txt");
  EXPECT_THROW(prepare_corpus(o, folder / "out"), Error);
  o.sources[0].language = "xx";
  EXPECT_THROW(prepare_corpus(o, folder / "out"), Error);
}
