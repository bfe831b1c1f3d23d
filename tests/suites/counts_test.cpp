// The numbers of minimal sets are those of the papers.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "stimuli/grammar/grammar.h"
#include "suite/suite.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using Counts = std::map<std::string, uint64_t>;

std::map<std::string, Counts> counts_of(const std::string& suite) {
  std::map<std::string, Counts> counts;  // by language
  for (const stimuli::Derivations& l :
       stimuli::load_derivations(testing::source_dir() / "suites" / suite))
    counts[l.language()][l.test()] += uint64_t(l.count());
  return counts;
}

// Mueller et al. 2020, Table 6: en, fr, de, he, ru.
TEST(SuiteCounts, ClamsAsInTable6) {
  const std::map<std::string, std::vector<uint64_t>> table{
      {"simple_agreement", {140, 280, 140, 140, 280}},
      {"short_vp_coordination", {840, 980, 980, 980, 980}},
      {"long_vp_coordination", {400, 500, 500, 500, 500}},
      {"across_subject_relative", {11200, 11200, 11200, 11200, 10080}},
      {"in_object_relative", {11200, 11200, 11200, 11200, 11200}},
      {"across_object_relative", {11200, 11200, 11200, 11200, 11200}},
      {"across_prepositional_phrase", {16800, 14000, 12600, 5600, 5880}},
  };
  std::map<std::string, Counts> expected;
  const char* languages[] = {"en", "fr", "de", "he", "ru"};
  for (const auto& [test, counts] : table)
    for (size_t i = 0; i < counts.size(); ++i) expected[languages[i]][test] = counts[i];
  EXPECT_EQ(counts_of("clams"), expected);
}

// Goldberg 2019, Table 3, "# M&L pairs". The negative polarity items are not in it: 264 and 10,560
// minimal sets with three wrong sentences each make 792 and 31,680 pairs, the counts of Marvin and
// Linzen as we remember them: their table was not at hand.
TEST(SuiteCounts, MarvinLinzenAsInTable3) {
  const Counts expected{{"simple_agreement", 140},
                        {"sentential_complement", 1680},
                        {"short_vp_coordination", 840},
                        {"long_vp_coordination", 400},
                        {"across_prepositional_phrase", 22400},
                        {"across_subject_relative", 11200},
                        {"across_object_relative", 22400},
                        {"across_object_relative_no_that", 22400},
                        {"in_object_relative", 22400},
                        {"in_object_relative_no_that", 22400},
                        {"reflexive_simple", 280},
                        {"reflexive_sentential_complement", 3360},
                        {"reflexive_across_relative", 22400},
                        {"npi_simple", 264},
                        {"npi_across_relative", 10560}};
  EXPECT_EQ(counts_of("en-marvin-linzen").at("en"), expected);
}

TEST(SuiteCounts, SampledSuitesHaveAThousandOfEachCondition) {
  for (const auto& [suite, conditions] :
       {std::pair("de-agreement-wide", 30u), std::pair("gender-agreement", 36u)}) {
    size_t sampled = 0;
    for (const stimuli::Derivations& l :
         stimuli::load_derivations(testing::source_dir() / "suites" / suite))
      for (const auto& [condition, n] : l.count_by_condition()) {
        EXPECT_LE(n, 1000u) << suite << " " << l.test();
        sampled += n == 1000;
      }
    EXPECT_EQ(sampled, conditions) << suite;
  }
}

// Without the conditions in which both nouns agree there is nothing to compare attraction with.
TEST(SuiteCounts, DutchNumbersAreCrossedWhereverThereAreTwoNouns) {
  for (const stimuli::Derivations& l :
       stimuli::load_derivations(testing::source_dir() / "suites/nl-agreement")) {
    Counts counts;
    for (const auto& [condition, n] : l.count_by_condition()) counts[condition] = uint64_t(n);
    if (l.test() == "simple_agreement")
      EXPECT_EQ(counts, (Counts{{"sg", 60}, {"pl", 60}}));
    else if (l.test() == "short_vp_coordination")
      EXPECT_EQ(counts, (Counts{{"sg", 240}, {"pl", 240}}));
    else
      EXPECT_EQ(counts, (Counts{{"sg_sg", 960}, {"sg_pl", 960}, {"pl_sg", 960}, {"pl_pl", 960}}))
          << l.test();
  }
}

// What looks like independent evidence is: the two English suites share no sentence.
TEST(SuiteCounts, TheEnglishSuitesShareNoSentence) {
  std::set<std::string> sentences;
  for (const stimuli::Derivations& l :
       stimuli::load_derivations(testing::source_dir() / "suites/en-marvin-linzen"))
    l.expand([&](const suite::Item& item) { sentences.insert(item.sentences[0].text); });
  for (const stimuli::Derivations& l :
       stimuli::load_derivations(testing::source_dir() / "suites/clams"))
    if (l.language() == "en")
      l.expand([&](const suite::Item& item) {
        EXPECT_FALSE(sentences.contains(item.sentences[0].text)) << item.sentences[0].text;
      });
}

TEST(SuiteCounts, NegativePolarityItemsHaveThreeWrongSentences) {
  uint64_t wrong = 0;
  for (const stimuli::Derivations& l :
       stimuli::load_derivations(testing::source_dir() / "suites/en-marvin-linzen"))
    if (l.test() == "npi_simple")
      l.expand([&](const suite::Item& item) { wrong += item.sentences.size() - 1; });
  EXPECT_EQ(wrong, 792u);
}

// A result for a test that is not there, or a test without a grammar, is a typing error.
TEST(SuiteCounts, ManifestsSpeakOfTheTestsThatExist) {
  for (const char* suite : {"clams", "en-marvin-linzen", "gender-agreement", "nl-agreement"}) {
    suite::Manifest manifest =
        suite::read_manifest(testing::source_dir() / "suites" / suite / "manifest.json");
    std::map<std::string, Counts> counts = counts_of(suite);
    EXPECT_EQ(counts.size(), manifest.languages.size()) << suite;
    for (const auto& [language, tests] : counts) {
      EXPECT_EQ(tests.size(), manifest.tests.size()) << suite << " " << language;
      for (const suite::TestInfo& t : manifest.tests) EXPECT_TRUE(tests.count(t.name)) << t.name;
    }
    for (const suite::PublishedResult& r : manifest.results) {
      EXPECT_TRUE(r.test.empty() || manifest.find(r.test)) << r.test;
      EXPECT_TRUE(r.language.empty() || counts.count(r.language)) << r.language;
      if (!r.model.starts_with("LSTM") || !r.pairs) continue;
      EXPECT_EQ(*r.pairs, counts.at(r.language.empty() ? "en" : r.language).at(r.test));
    }
  }
}

}  // namespace
}  // namespace minpair::stimuli
