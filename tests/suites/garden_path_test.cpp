// The shipped designs: every criterion names what every item has, and regions hold all words.

#include <gtest/gtest.h>

#include <map>

#include "stimuli/stimuli.h"
#include "suite/lint.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

class GardenPath : public ::testing::TestWithParam<const char*> {};

TEST_P(GardenPath, HasNothingForLintToSay) {
  suite::Suite suite = suite::find_suite((testing::source_dir() / "suites" / GetParam()).string());
  suite::Linter linter({}, manifest_of(suite).criteria);
  auto items = open_items(suite);
  for (suite::Item item; items->next(item);) {
    EXPECT_TRUE(item.design);
    EXPECT_EQ(item.sentences.size(), 4u) << item.id;
    suite::check_item(item);
    linter.add(item);
  }
  for (const suite::Finding& f : linter.finish().findings)
    EXPECT_EQ(f.check, "different_words_compared") << f.test << ": " << f.example;
}

INSTANTIATE_TEST_SUITE_P(Shipped, GardenPath, ::testing::Values("en-garden-path", "de-garden-path"),
                         [](const auto& suite) { return std::string(suite.param).substr(0, 2); });

TEST(GardenPaths, AreAsManyAsTheReadmesSay) {
  std::map<std::string, uint64_t> counts;
  for (const char* suite : {"en-garden-path", "de-garden-path"})
    for (const Derivations& d : load_derivations(testing::source_dir() / "suites" / suite))
      counts[d.test()] = uint64_t(d.count());
  EXPECT_EQ(counts, (std::map<std::string, uint64_t>{{"np_z", 384},
                                                     {"reduced_relative", 768},
                                                     {"subordination", 192},
                                                     {"filler_gap", 96},
                                                     {"wh_island", 192},
                                                     {"object_first", 192},
                                                     {"verb_final", 192}}));
}

TEST(GardenPaths, SayInTheirGrammarsWhenAnItemIsRight) {
  suite::Suite suite =
      suite::find_suite((testing::source_dir() / "suites/en-garden-path").string());
  EXPECT_TRUE(suite.manifest.criteria.empty());
  std::vector<suite::Criterion> criteria = manifest_of(suite).criteria;
  ASSERT_EQ(criteria.size(), 11u);
  EXPECT_EQ(criteria[0],
            (suite::Criterion{"garden path", "np_z",
                              "critical in ambiguous_plain > critical in unambiguous_plain", ""}));
  EXPECT_EQ(criteria[6].test, "subordination");
}

TEST(GardenPaths, ReadAsAPersonWouldWriteThem) {
  suite::Suite suite =
      suite::find_suite((testing::source_dir() / "suites/en-garden-path").string());
  auto items = open_items(suite);
  suite::Item item;
  do ASSERT_TRUE(items->next(item));
  while (item.test != "np_z");
  EXPECT_EQ(item.sentences[0].name, "ambiguous_plain");
  EXPECT_EQ(item.sentences[0].text, "While the nurse watched the student laughed all the time.");
  EXPECT_EQ(item.sentences[3].name, "unambiguous_comma");
  EXPECT_EQ(item.sentences[3].text, "While the nurse slept, the student laughed all the time.");
  auto region = [&](size_t s, const char* name) {
    return slice(item.sentences[s].text, suite::find_region(item.sentences[s], name)->span);
  };
  EXPECT_EQ(region(3, "comma"), ",");
  EXPECT_EQ(region(0, "comma"), "");
  EXPECT_EQ(region(0, "critical"), "laughed");
  EXPECT_EQ(region(0, "end"), "all the time.");
  EXPECT_EQ(region(2, "start"), "While the nurse");
}

}  // namespace
}  // namespace minpair::stimuli
