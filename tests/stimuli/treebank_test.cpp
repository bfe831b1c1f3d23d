#include "stimuli/treebank/treebank.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "stimuli/treebank/extract.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

// Our own sentence: "Im Garten singen die kleinen Vögel." with a multiword token and an empty node.
const char* const garden =
    "# sent_id = g1\n"
    "1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tin\tin\tADP\t_\t_\t3\tcase\t_\t_\n"
    "2\tdem\tder\tDET\t_\tCase=Dat|Gender=Masc|Number=Sing\t3\tdet\t_\t_\n"
    "3\tGarten\tGarten\tNOUN\t_\tCase=Dat|Gender=Masc|Number=Sing\t4\tobl\t_\t_\n"
    "4\tsingen\tsingen\tVERB\t_\tNumber=Plur|Person=3\t0\troot\t_\t_\n"
    "4.1\tleer\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "5\tdie\tder\tDET\t_\tCase=Nom|Number=Plur\t7\tdet\t_\t_\n"
    "6\tkleinen\tklein\tADJ\t_\tCase=Nom|Number=Plur\t7\tamod\t_\t_\n"
    "7\tVögel\tVogel\tNOUN\t_\tCase=Nom|Gender=Masc|Number=Plur\t4\tnsubj\t_\tSpaceAfter=No\n"
    "8\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_\n"
    "\n";

LanguageInfo german() {
  using enum AgreementType;
  return {"German", "de", "deu", false, {determiner, attributive, predicative, verb}};
}

struct Extracted {
  std::vector<suite::Item> items;
  ExtractCounts counts;
};

Extracted clozes(const std::string& text, ExtractOptions options = {}) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu", text);
  ConlluReader in(folder / "x.conllu");
  ClozeExtractor extractor(german(), options);
  Extracted e;
  for (Tree tree; in.next(tree);)
    extractor.add(tree, [&](const suite::Item& item) { e.items.push_back(item); });
  e.counts = extractor.counts();
  return e;
}

suite::FeatureValue feature(const suite::Item& item, const std::string& name) {
  for (const auto& [key, value] : item.features)
    if (key == name) return value;
  return "absent";
}

}  // namespace

TEST(Conllu, MultiwordTokensEmptyNodesAndSpaces) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu", garden);
  ConlluReader in(folder / "x.conllu");
  Tree tree;
  ASSERT_TRUE(in.next(tree));
  EXPECT_EQ(tree.id, "g1");
  EXPECT_EQ(tree.words.size(), 8u);
  std::vector<Span> spans;
  EXPECT_EQ(tree.text(spans), "Im Garten singen die kleinen Vögel.");
  EXPECT_EQ(tree.text(spans, true), "Im Garten singen die kleinen Vögel .");
  EXPECT_EQ(slice(tree.text(spans), spans[tree.word(7).token]), "Vögel");
  EXPECT_FALSE(in.next(tree));
  EXPECT_EQ(in.sloppy_lines(), 0u);
}

TEST(Conllu, BrokenLinesAreErrorsWithALine) {
  testing::TemporaryFolder folder;
  for (const char* text : {"1\tx\n\n", "2\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
                           "x\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n"}) {
    write_file(folder / "x.conllu", text);
    ConlluReader in(folder / "x.conllu");
    Tree tree;
    EXPECT_THROW(in.next(tree), Error) << text;
  }
}

TEST(Conllu, HarmlessFaultsAreCounted) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu", "1\ta\ta\tNOUN\t_\t_\t9\troot\t_\t_");
  ConlluReader in(folder / "x.conllu");
  Tree tree;
  ASSERT_TRUE(in.next(tree));
  EXPECT_EQ(tree.word(1).head, 0u);
  EXPECT_EQ(in.sloppy_lines(), 2u);
}

TEST(Features, BothSchemas) {
  Bundle ud = parse_ud_features("Case=Acc|Gender=Fem,Masc|Gender[psor]=Neut|Number=Plur|Person=2");
  EXPECT_EQ(value_name(Feature::gender, ud[Feature::gender]), "Fem");
  EXPECT_EQ(value_name(Feature::case_, ud[Feature::case_]), "Acc");
  Bundle um;
  EXPECT_EQ(parse_unimorph_features("N;ACC;PL;FEM", um), "NOUN");
  EXPECT_EQ(um[Feature::number], ud[Feature::number]);
  EXPECT_EQ(parse_unimorph_features("ADV", um), "");
  EXPECT_TRUE(core_values(parse_ud_features("Case=Dat")).empty());
  EXPECT_FALSE(agree(parse_ud_features("Number=Sing"), parse_ud_features("Number=Plur")));
  EXPECT_TRUE(agree(parse_ud_features("Number=Sing"), parse_ud_features("Case=Nom")));
}

TEST(Cloze, FindsRelationsAndMasksTheWholeToken) {
  Extracted e = clozes(garden);
  // dem~Garten, die~Vögel, kleinen~Vögel, singen~Vögel; the last three mask the same noun in three
  // types.
  ASSERT_EQ(e.items.size(), 4u);
  EXPECT_EQ(e.items[0].test, "determiner");
  EXPECT_EQ(suite::masked_text(e.items[0].sentences[0], "[MASK]"),
            "Im [MASK] singen die kleinen Vögel.");
  EXPECT_EQ(e.items[3].test, "verb");
  EXPECT_EQ(feature(e.items[3], "distance"), suite::FeatureValue(3.0));
  EXPECT_EQ(feature(e.items[3], "distractors"), suite::FeatureValue(1.0));  // Garten: singular
  EXPECT_EQ(feature(e.items[3], "number"), suite::FeatureValue("Plur"));
  ExtractOptions target;
  target.mask = ExtractOptions::Mask::target;
  Extracted t = clozes(garden, target);
  EXPECT_EQ(suite::masked_text(t.items[0].sentences[0], "[MASK]"),
            "[MASK] Garten singen die kleinen Vögel.");
}

TEST(Cloze, CompatCountsAgreeingNouns) {
  ExtractOptions compat;
  compat.compat = true;
  Extracted e = clozes(garden, compat);
  EXPECT_EQ(feature(e.items[3], "distractors"), suite::FeatureValue(1.0));  // Vögel itself
  EXPECT_EQ(e.items[3].sentences[0].text, "Im Garten singen die kleinen Vögel .");
}

TEST(Cloze, EveryRelationIsAccountedFor) {
  Extracted e = clozes(std::string(garden) + garden);
  EXPECT_EQ(e.counts.relations, 8u);
  EXPECT_EQ(e.counts.items + e.counts.duplicates + e.counts.featureless + e.counts.disagree +
                e.counts.wrong_type,
            8u);
  EXPECT_EQ(e.counts.duplicates, 4u);
}

TEST(Cloze, SubjectsOfCopulasAreFoundBesideThePredicate) {
  const char* text =
      "1\tWir\tich\tPRON\t_\tCase=Nom|Number=Plur|Person=1\t3\tnsubj\t_\t_\n"
      "2\tsind\tsein\tAUX\t_\tNumber=Plur|Person=1\t3\tcop\t_\t_\n"
      "3\tFreunde\tFreund\tNOUN\t_\tCase=Nom|Number=Plur\t0\troot\t_\tSpaceAfter=No\n"
      "4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n";
  Extracted right = clozes(text);
  ASSERT_EQ(right.items.size(), 1u);
  EXPECT_EQ(right.counts.through_auxiliary, 1u);
  ExtractOptions compat;
  compat.compat = true;
  EXPECT_TRUE(clozes(text, compat).items.empty());
}

TEST(Pairs, TheOtherFormComesFromTheParadigm) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu", garden);
  write_file(folder / "deu",
             "singen\tsingt\tV;IND;PRS;3;SG\nsingen\tsingen\tV;IND;PRS;3;PL\nsingen\tsingen\tV;IND;"
             "PRS;1;PL\nbroken line\n");
  Inflections paradigms;
  {
    ConlluReader in(folder / "x.conllu");
    for (Tree tree; in.next(tree);) paradigms.add(tree);
  }
  EXPECT_EQ(paradigms.add_unimorph(folder / "deu"), 1u);
  paradigms.finish();
  ExtractOptions options;
  options.mask = ExtractOptions::Mask::target;
  PairExtractor extractor(german(), paradigms, options, Feature::number);
  std::vector<suite::Item> items;
  ConlluReader in(folder / "x.conllu");
  for (Tree tree; in.next(tree);)
    extractor.add(tree, [&](const suite::Item& item) { items.push_back(item); });
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].sentences[0].text, "Im Garten singen die kleinen Vögel.");
  EXPECT_EQ(items[0].sentences[1].text, "Im Garten singt die kleinen Vögel.");
  EXPECT_EQ(items[0].condition, "plur");
}

TEST(PublishedData, AfrikaansGivesThePapersCounts) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto languages =
      read_agreement_types(testing::source_dir() / "suites/treebank/agreement-types.tsv");
  fs::path treebank = testing::data_dir() / "ud-2.4/UD_Afrikaans-AfriBooms";
  const LanguageInfo* afrikaans = language_of(treebank / "x.conllu", languages);
  ASSERT_NE(afrikaans, nullptr);
  EXPECT_EQ(afrikaans->code, "af");
  ExtractOptions both;
  both.mask = ExtractOptions::Mask::both;
  ClozeExtractor extractor(*afrikaans, both);
  for (const fs::path& file : conllu_files({treebank})) {
    ConlluReader in(file);
    for (Tree tree; in.next(tree);) extractor.add(tree, [](const suite::Item&) {});
  }
  EXPECT_EQ(extractor.counts().by_type.at("attributive controller"), 2304u);  // Table 2
  EXPECT_EQ(extractor.counts().by_type.at("attributive target"), 2440u);
}

TEST(PublishedData, TwentySixLanguages) {
  auto languages =
      read_agreement_types(testing::source_dir() / "suites/treebank/agreement-types.tsv");
  EXPECT_EQ(std::count_if(languages.begin(), languages.end(),
                          [](const LanguageInfo& l) { return l.in_paper; }),
            26);
  EXPECT_EQ(language_of("UD_Norwegian-Nynorsk/x.conllu", languages)->code, "nn");
  EXPECT_EQ(language_of("de_gsd-ud-dev.conllu", languages)->code, "de");
}

}  // namespace minpair::stimuli
