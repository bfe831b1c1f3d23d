#include "suite/lint.h"

#include <gtest/gtest.h>

#include "suite/formats/format.h"
#include "support.h"

namespace minpair::suite {

using testing::data_dir;
using testing::no_data;

static Item pair(const std::string& id, const std::string& good, const std::string& bad,
                 const std::string& test = "t", const std::string& condition = "") {
  Item item;
  item.id = id;
  item.test = test;
  item.condition = condition;
  item.sentences = {{{good}, {}, true}, {{bad}, {}, false}};
  align_loci(item.sentences);
  return item;
}

// "check test condition: items of of" for every finding.
static std::vector<std::string> found(const std::vector<Item>& items, Segmenter segmenter = {}) {
  Linter linter(std::move(segmenter));
  for (const Item& item : items) linter.add(item);
  std::vector<std::string> out;
  for (const Finding& f : linter.finish().findings)
    out.push_back(f.check + " " + f.test + (f.other.empty() ? "" : "+" + f.other) + ": " +
                  std::to_string(f.items) + "/" + std::to_string(f.of) + " " + f.example_id);
  return out;
}

using Findings = std::vector<std::string>;

TEST(Lint, ACleanSuiteHasNothing) {
  EXPECT_EQ(found({pair("1", "Er ruht.", "Er ruhen."), pair("2", "Sie ruhen.", "Sie ruht.")}),
            Findings{});
}

TEST(Lint, DuplicatesAndSharedItems) {
  EXPECT_EQ(found({pair("1", "Er ruht.", "Er ruhen."), pair("2", "Er ruht.", "Er ruhen."),
                   pair("3", "Er ruht.", "Er ruhen.", "u"), pair("4", "Er ruht.", "Er ruhen.", "u"),
                   pair("4", "Es geht.", "Es gehen.", "u")}),
            (Findings{"duplicate_id u: 1/3 4", "duplicate_item t: 1/2 2", "duplicate_item u: 1/3 4",
                      "shared_item u+t: 1/3 3"}));
}

TEST(Lint, LabelsAndSentences) {
  EXPECT_EQ(found({pair("1", "Er ruht.", "Er ruhen."), pair("2", "Er ruhen.", "Er ging.")}),
            (Findings{"labelled_both_ways t: 1/2 2"}));
  EXPECT_EQ(found({pair("1", "Er ruht.", "Er ruht.")}), (Findings{"identical_sentences t: 1/1 1"}));
  Item none = pair("1", "Er ruht.", "Er ruhen.");
  none.sentences[1].grammatical = true;
  EXPECT_EQ(found({none}), (Findings{"no_ungrammatical t: 1/1 1"}));
}

TEST(Lint, LociAndStatedPlaces) {
  Item wide = pair("1", "Er ruht hier.", "Sie ruhen hier.");
  wide.sentences[0].locus = {3, 7};
  wide.sentences[1].locus = {4, 9};
  EXPECT_EQ(found({wide}), (Findings{"difference_outside_locus t: 1/1 1"}));
  Item stated = pair("1", "Er ruht hier.", "Er ruhen hier.");
  for (double index : {1.0, -2.0}) {
    stated.features = {{"indexMASK", index}};
    EXPECT_EQ(found({stated}), Findings{});
  }
  stated.features = {{"indexMASK", 2.0}};
  EXPECT_EQ(found({stated}), (Findings{"wrong_mask_index t: 1/1 1"}));
  stated.features = {{"case", std::string("x_sg")}, {"file", std::string("x_pl")}};
  EXPECT_EQ(found({stated}), (Findings{"wrong_case_name t: 1/1 1"}));
}

TEST(Lint, Texts) {
  EXPECT_EQ(found({pair("1", "Er la\xCC\x88uft.", "Er laufen.")}), (Findings{"not_nfc t: 1/1 1"}));
  for (const char* front : {"Er  ", " Er ", "Er\t", "Er\xC2\xA0"})
    EXPECT_EQ(found({pair("1", std::string(front) + "ruht.", std::string(front) + "ruhen.")}),
              (Findings{"stray_spaces t: 1/1 1"}))
        << front;
  EXPECT_EQ(found({pair("1", "Er ruht", "Er ruhen")}), (Findings{"no_final_punctuation t: 1/1 1"}));
  EXPECT_EQ(found({pair("1", "Er ruht .", "Er ruhen .")}),
            (Findings{"space_before_punctuation t: 1/1 1"}));
}

TEST(Lint, Balance) {
  EXPECT_EQ(found({pair("1", "Er ruht.", "Er ruhen.", "t", "sg"),
                   pair("2", "Es ruht.", "Es ruhen.", "t", "sg"),
                   pair("3", "Sie ruhen.", "Sie ruht.", "t", "pl")}),
            (Findings{"unbalanced_conditions t: 0/0 "}));
}

TEST(Lint, Pieces) {
  testing::TemporaryFolder folder;
  write_file(folder / "vocab", "Er\nruht\n.\nfort\nruhen\n");
  Segmenter words = vocabulary_segmenter(folder / "vocab");
  EXPECT_EQ(found({pair("1", "Er ruht .", "Er ruhen .")}, words),
            (Findings{"space_before_punctuation t: 1/1 1"}));
  EXPECT_EQ(found({pair("1", "Er ruht fort .", "Er fort .")}, words),
            (Findings{"unequal_pieces t: 1/1 1", "space_before_punctuation t: 1/1 1"}));
  EXPECT_EQ(found({pair("1", "Er ruht .", "Er schläft .")}, words),
            (Findings{"unknown_locus t: 1/1 1", "space_before_punctuation t: 1/1 1"}));
  Linter linter(words);
  linter.add(pair("1", "Er ruht .", "Er ruhen ."));
  linter.add(pair("2", "Er ruht .", "Er schläft ."));
  linter.add(pair("3", "Er ruht fort .", "Er fort ruht ."));
  Item swedish = pair("4", "Er ruht .", "Er ruhen .");
  swedish.language = "sv";
  linter.add(swedish);
  LintReport report = linter.finish();
  ASSERT_EQ(report.single_piece.size(), 2u);
  EXPECT_EQ(report.single_piece[1].language, "sv");
  EXPECT_EQ(report.single_piece[0].sets, 3u);
  EXPECT_EQ(report.single_piece[0].single, 1u);
}

TEST(Lint, FixesWhatHasOneRightAnswer) {
  Item item = pair("1", " Die  Ba\xCC\x88ren  ruhen . ", " Die  Ba\xCC\x88ren  ruht . ");
  item.features = {{"indexMASK", 7.0}};
  EXPECT_EQ(fix_item(item), (std::vector<std::string>{"normalised to NFC", "stray spaces removed",
                                                      "indexMASK corrected"}));
  EXPECT_EQ(item.sentences[0].text, "Die Bären ruhen .");
  EXPECT_EQ(slice(item.sentences[0].text, item.sentences[0].locus), "ruhen");
  EXPECT_EQ(slice(item.sentences[1].text, item.sentences[1].locus), "ruht");
  EXPECT_EQ(feature_text(item, "indexMASK"), "2");
  EXPECT_TRUE(fix_item(item).empty());
}

// What is known about published data.

static std::vector<Finding> published(const fs::path& path) {
  auto items = read_items(path);
  Linter linter;
  for (Item item; items->next(item);) linter.add(item);
  return linter.finish().findings;
}

static std::map<std::string, std::string> of_check(const std::vector<Finding>& findings,
                                                   const std::string& check) {
  std::map<std::string, std::string> places;
  for (const Finding& f : findings)
    if (f.check == check)
      places[f.file.empty() ? f.test + "+" + f.other : f.file] =
          std::to_string(f.items) + "/" + std::to_string(f.of);
  return places;
}

using Places = std::map<std::string, std::string>;

TEST(LintPublished, Gevalm) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  std::vector<Finding> findings = published(data_dir() / "gevalm/input");
  EXPECT_EQ(of_check(findings, "duplicate_item"), (Places{{"SVinSentCompl_plsg", "900/1800"}}));
  EXPECT_EQ(of_check(findings, "wrong_mask_index"), (Places{{"SVlongVPCoord_plpl", "120/120"},
                                                            {"SVlongVPCoord_plsg", "120/120"},
                                                            {"SVlongVPCoord_sgpl", "120/120"},
                                                            {"SVlongVPCoord_sgsg", "120/120"}}));
  EXPECT_EQ(of_check(findings, "wrong_case_name"), (Places{{"SVinObjRelC_plsg", "225/225"},
                                                           {"SVinObjRelC_sgpl", "450/450"},
                                                           {"SVinSentCompl_plsg", "1800/1800"},
                                                           {"SVinSentCompl_sgpl", "450/450"}}));
  EXPECT_TRUE(of_check(findings, "difference_outside_locus").empty());
}

TEST(LintPublished, Clams) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  std::vector<Finding> findings = published(data_dir() / "clams/de_evalset");
  EXPECT_EQ(of_check(findings, "shared_item"),
            (Places{{"subj_rel+obj_rel_across_anim", "2800/11200"}}));
}

}  // namespace minpair::suite
