#include "reading/reading.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/error.h"
#include "base/rows.h"
#include "support.h"

namespace minpair::reading {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// golden/make.py made the files, golden/golden.R the numbers, from what --joined writes.
Question golden() {
  const std::filesystem::path folder = testing::source_dir() / "tests/reading/golden";
  Question q{.times = folder / "times.tsv", .words = {folder / "a.csv", folder / "b.csv"}};
  q.text = "story", q.position = "place", q.word = "form", q.time = "ms";
  q.unigrams = folder / "counts.tsv";
  q.folds = 5;
  return q;
}

TEST(ReadingTimes, AreRs) {
  const Question q = golden();
  const Joined joined = join(q);
  EXPECT_THAT(joined.controls,
              ElementsAre("constant", "length", "frequency", "length.1", "frequency.1"));
  const std::vector<Gain> all = gains(joined, q);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[0].base_r2, 0.2263394873, 1e-9);
  EXPECT_NEAR(all[0].base_log_likelihood, -488.16431785, 1e-7);
  EXPECT_NEAR(all[0].gain.value, 0.080579633311, 1e-11);
  EXPECT_NEAR(all[0].r2, 0.3865054779, 1e-9);
  EXPECT_NEAR(all[0].log_likelihood, -476.56622644, 1e-7);
  EXPECT_NEAR(all[0].fit.estimates[5], 11.43745022298, 1e-9);
  EXPECT_NEAR(all[0].fit.standard_errors[6], 2.30559750933, 1e-9);
  EXPECT_NEAR(all[1].gain.value, -0.062563778034, 1e-11);
  EXPECT_NEAR(all[0].p, 0.31, 0.02);
  EXPECT_EQ(all[0].gain.clusters, joined.places.size());
}

TEST(ReadingTimes, EveryObservationThatDoesNotCountHasAReason) {
  Question q = golden();
  Joined joined = join(q);
  uint64_t left_out = 0;
  for (const auto& [why, n] : joined.left_out) left_out += n;
  EXPECT_EQ(joined.observations.size() + left_out, 120u);
  EXPECT_EQ(joined.left_out["words with too few before them"], 4u);
  EXPECT_EQ(joined.left_out["words without a surprisal"], 4u);  // the first's successors
  EXPECT_EQ(joined.left_out["rows without a time"], 2u);
  EXPECT_GT(joined.left_out["words without a frequency"], 0u);
}

TEST(ReadingTimes, OneWordIsInOneFoldAndTheSeedDecidesInWhich) {
  Question q = golden();
  const Joined joined = join(q);
  std::map<uint32_t, size_t> folds;
  for (const Place& p : joined.places) ++folds[p.fold];
  EXPECT_EQ(folds.size(), 5u);
  EXPECT_EQ(joined_csv(joined), joined_csv(join(q)));
  q.seed = 2;
  EXPECT_NE(joined_csv(joined), joined_csv(join(q)));
  q.by_text = true;
  EXPECT_THROW(join(q), Error);  // two texts, five folds
  q.folds = 2;
  const Joined whole = join(q);
  for (const Place& p : whole.places)
    EXPECT_EQ(p.fold == whole.places[0].fold, p.text == whole.places[0].text);
}

class OwnFiles : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  Question q;
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }
  void SetUp() override {
    q.times = folder / "t.csv";
    q.words = {folder / "m.csv"};
    q.folds = 2;
    q.spillover = 0;
    write("m.csv",
          "text,position,word,surprisal\n1,1,Er,2\n1,2,lacht,4\n1,3,laut,3\n1,4,auf,7\n1,5,und,2\n"
          "1,6,geht,6\n");
    write("t.csv",
          "text,position,word,time\n1,2,lacht,300\n1,1,Er,210\n1,3,laut,250\n1,4,auf,400\n"
          "1,5,und,220\n1,6,geht,350\n");
  }
  std::string error() {
    try {
      gains(join(q), q);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(OwnFiles, RowsInAnyOrder) {
  q.folds = 2;
  const Joined joined = join(q);
  ASSERT_EQ(joined.observations.size(), 6u);
  EXPECT_EQ(joined.places[1].word, "Er");
  EXPECT_THAT(joined.places[1].surprisals, ElementsAre(2));
}

TEST_F(OwnFiles, JsonLinesAreTheSame) {
  const std::string before = joined_csv(join(q));
  write("m.jsonl",
        "{\"text\":1,\"position\":1,\"word\":\"Er\",\"surprisal\":2}\n"
        "{\"text\":1,\"position\":2,\"word\":\"lacht\",\"surprisal\":4}\n"
        "{\"text\":1,\"position\":3,\"word\":\"laut\",\"surprisal\":3}\n"
        "{\"text\":1,\"position\":4,\"word\":\"auf\",\"surprisal\":7}\n"
        "{\"text\":1,\"position\":5,\"word\":\"und\",\"surprisal\":2}\n"
        "{\"text\":1,\"position\":6,\"word\":\"geht\",\"surprisal\":6}\n");
  q.words = {folder / "m.jsonl"};
  EXPECT_EQ(joined_csv(join(q)), before);
}

TEST_F(OwnFiles, AWordThatDiffersIsRefusedWithBothPlaces) {
  write("t.csv", "text,position,word,time\n1,1,Er,300\n1,2,lachte,210\n");
  EXPECT_THAT(error(), HasSubstr("t.csv:3: word 2 of text '1' is 'lachte', but 'lacht' in"));
  EXPECT_THAT(error(), HasSubstr("m.csv:3"));
  q.mismatches = 1;
  Joined joined =
      join({.times = q.times, .words = q.words, .spillover = 0, .mismatches = 1, .folds = 1});
  EXPECT_EQ(joined.left_out["words that are spelt differently"], 1u);
  EXPECT_EQ(joined.mismatches.size(), 1u);
}

TEST_F(OwnFiles, ATableThatCountsFromZeroIsRecognised) {
  write("t.csv", "text,position,word,time\n1,1,lacht,300\n1,0,Er,210\n");
  EXPECT_THAT(error(), HasSubstr("does the table count from 0?"));
  write("t.csv", "text,position,word,time\n1,0,Er,300\n1,1,lacht,210\n");
  EXPECT_THAT(error(), HasSubstr("--first"));
  q.first = 0;
  EXPECT_EQ(join(q).observations.size(), 2u);
}

TEST_F(OwnFiles, ModelsMustHaveReadTheSame) {
  write("n.csv", "text,position,word,surprisal\n1,1,Er,2\n1,2,lachte,4\n");
  q.words.push_back(folder / "n.csv");
  EXPECT_THAT(error(), HasSubstr("m.csv:3: word 2 of text '1' is 'lacht' here"));
  EXPECT_THAT(error(), HasSubstr("it is 'lachte' in"));
  q.words.back() = folder / "m.csv";
  EXPECT_THAT(error(), HasSubstr("two files are called 'm'"));
}

TEST_F(OwnFiles, SayWhatIsWrong) {
  q.time = "tme";
  EXPECT_THAT(error(), HasSubstr("did you mean 'time'?"));
  q.time = "time";
  q.text = "word";
  EXPECT_THAT(error(), HasSubstr("stands where word 1 is expected"));
  q.text = "text";
  write("t.csv", "text,position,word,time\n2,1,Er,300\n");
  EXPECT_THAT(error(), HasSubstr("has no text '2'"));
  write("t.csv", "text,position,word,time\n1,9,Er,300\n");
  EXPECT_THAT(error(), HasSubstr("has 6 words in"));
  write("t.csv", "text,position,word,time\n1,1,Er,fast\n");
  EXPECT_THAT(error(), HasSubstr("t.csv:2: time: 'fast' is not a number"));
  write("t.csv", "text,position,word,time\n1,1,Er,300\n1,1,er,300\n");
  EXPECT_THAT(error(), HasSubstr("is 'er', but 'Er' in line 2"));
  write("t.csv", "text,position,word,time\n1,1.5,Er,300\n");
  EXPECT_THAT(error(), HasSubstr("'1.5' is not a whole number"));
  write("t.csv", "text,position,word,time\n1,1,Er,0\n");
  q.log = true;
  EXPECT_THAT(error(), HasSubstr("has no logarithm"));
  write("t.csv", "text,position,word,time\n");
  EXPECT_THAT(error(), HasSubstr("no times"));
  write("m.csv", "text,position,word,surprisal\n1,2,Er,2\n");
  EXPECT_THAT(error(), HasSubstr("m.csv:2: word 2 of text '1' stands where word 1 is expected"));
}

TEST_F(OwnFiles, SurprisalRefusesInvalidRows) {
  write("m.csv",
        "text,position,word,surprisal\n1,1,Er,2\n1,2,lacht,5\n1,3,laut,4\n1,4,auf,3\n1,5,und,3\n"
        "1,6,geht,4\n");
  EXPECT_THAT(error(), HasSubstr("m: 'surprisal' can be computed from the other predictors"));
}

// The corpus, with GPT-3's log-probabilities: the fits in the README of the data, and R's gain.
class NaturalStories : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  std::filesystem::path data = testing::data_dir() / "naturalstories";

  void SetUp() override {
    if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
    write_words();
    write_times();
  }

  // Tokens become words where one begins with white space.
  void write_words() {
    std::ofstream out(folder / "gpt3.tsv");
    out << "text\tposition\tword\tsurprisal\n";
    RowReader rows(data / "all_stories_gpt3.csv", ',', true);
    std::vector<std::string> cells;
    std::string word, story;
    double surprisal = 0;
    int position = 0;
    auto end = [&] {
      if (!word.empty()) {
        ++position;
        out << fmt::format("{}\t{}\t{}\t{}\n", story, position, word,
                           position == 1 ? "" : fmt::format("{}", surprisal));
      }
      word.clear(), surprisal = 0;
    };
    for (rows.next(cells); rows.next(cells);) {
      const std::string number = std::to_string(std::stoi(cells[6]) + 1);
      if (number != story) end(), story = number, position = 0;
      if (std::string(" \n").find(cells[0][0]) != std::string::npos) end();
      for (char c : cells[0])
        if (c != ' ' && c != '\n') word += c;
      if (!cells[1].empty()) surprisal -= std::stod(cells[1]);
    }
    end();
  }

  void write_times() {
    std::map<std::string, std::string> counts;
    std::vector<std::string> cells;
    RowReader frequencies(data / "freqs/freqs-1.tsv", '\t', false);
    while (frequencies.next(cells)) counts[cells[0]] = cells[3];
    std::ofstream out(folder / "times.tsv");
    out << "word\tzone\titem\tmeanItemRT\tcount\n";
    RowReader rows(data / "processed_wordinfo.tsv", '\t', false);
    for (rows.next(cells); rows.next(cells);)
      out << fmt::format("{}\t{}\t{}\t{}\t{}\n", cells[0], cells[1], cells[2], cells[4],
                         counts[cells[2] + "." + cells[1] + ".word"]);
  }
};

TEST_F(NaturalStories, GiveRsNumbers) {
  Question q{.times = folder / "times.tsv", .words = {folder / "gpt3.tsv"}};
  q.text = "item", q.position = "zone", q.time = "meanItemRT", q.frequency = "count";
  EXPECT_THROW(join(q), Error);  // a typo of the experiment
  q.mismatches = 1;
  const Joined joined = join(q);
  EXPECT_THAT(joined.mismatches, ElementsAre(HasSubstr("is 'peaked', but 'peeked' in")));
  const Gain g = gains(joined, q)[0];
  EXPECT_EQ(g.fit.rows, 10200u);
  EXPECT_NEAR(g.gain.value, 0.009154761333, 1e-11);
  EXPECT_NEAR(g.r2, 0.1583680080, 1e-9);
  EXPECT_NEAR(g.log_likelihood, -52283.66601513, 1e-6);
}

TEST_F(NaturalStories, GiveRsNumbersWithOtherSettings) {
  Question q{.times = folder / "times.tsv", .words = {folder / "gpt3.tsv"}};
  q.text = "item", q.position = "zone", q.time = "meanItemRT", q.frequency = "count";
  q.mismatches = 1;
  q.spillover = 2, q.log = true;
  const Gain logs = gains(join(q), q)[0];
  EXPECT_EQ(logs.fit.rows, 10174u);
  EXPECT_NEAR(logs.gain.value, 0.010578054702, 1e-11);
  EXPECT_NEAR(logs.base_log_likelihood, 8621.64742962, 1e-6);
  EXPECT_NEAR(logs.log_likelihood, 8734.20144151, 1e-6);
  q.spillover = 0, q.log = false, q.by_text = true, q.folds = 5;
  const Gain texts = gains(join(q), q)[0];
  EXPECT_NEAR(texts.gain.value, 0.005917336205, 1e-11);
  EXPECT_EQ(texts.gain.clusters, 10u);
  EXPECT_NEAR(texts.r2, 0.1203355742, 1e-9);
  q.spillover = 3, q.by_text = false, q.folds = 4, q.seed = 7;
  EXPECT_NEAR(gains(join(q), q)[0].gain.value, 0.009193453629, 1e-11);
}

TEST_F(NaturalStories, GiveTheFitsOfTheDatasReadme) {
  testing::run_command("sed -i 's/^peaked/peeked/' " + (folder / "times.tsv").string());
  Question q{.times = folder / "times.tsv", .words = {folder / "gpt3.tsv"}};
  q.text = "item", q.position = "zone", q.time = "meanItemRT", q.frequency = "count";
  const Gain g = gains(join(q), q)[0];
  EXPECT_EQ(g.fit.rows, 10201u);
  EXPECT_NEAR(g.base_r2, 0.142317, 5e-7);
  EXPECT_NEAR(g.base_log_likelihood, -52384.7633, 5e-5);
  EXPECT_NEAR(g.r2, 0.158348, 5e-7);
  EXPECT_NEAR(g.log_likelihood, -52288.5258, 5e-5);
  EXPECT_NEAR(g.fit.estimates[0], 357.094533, 5e-7);
  EXPECT_NEAR(g.fit.estimates[5], 1.915229, 5e-7);
  EXPECT_NEAR(g.fit.standard_errors[6], 0.171864, 5e-7);
}

}  // namespace
}  // namespace minpair::reading
