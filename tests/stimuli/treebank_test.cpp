#include "stimuli/treebank/treebank.h"

#include <gtest/gtest.h>

#include <map>

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
  EXPECT_EQ(tree.text(spans, true), "Im Garten singen leer die kleinen Vögel .");
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

TEST(Conllu, AnErrorNamesItsOwnRow) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu", "# a\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n3\tb\n\n");
  ConlluReader in(folder / "x.conllu");
  Tree tree;
  try {
    in.next(tree);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("x.conllu:3"), std::string::npos) << e.what();
  }
}

TEST(Conllu, AByteOrderMarkIsNoWordAndAPackedFileNoText) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.conllu",
             "\xEF\xBB\xBF"
             "1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n");
  ConlluReader in(folder / "x.conllu");
  Tree tree;
  ASSERT_TRUE(in.next(tree));
  EXPECT_EQ(tree.word(1).form, "a");
  write_file(folder / "x.gz", "\x1F\x8B\x08");
  ConlluReader packed(folder / "x.gz");
  EXPECT_THROW(packed.next(tree), Error);
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
  EXPECT_EQ(e.items[3].sentences[0].text, "Im Garten singen leer die kleinen Vögel .");
}

TEST(Cloze, CompatSeesNounsBetweenOnlyBeforeTheController) {
  const char* text =
      "1\tVögel\tVogel\tNOUN\t_\tNumber=Plur\t3\tnsubj\t_\t_\n"
      "2\tGarten\tGarten\tNOUN\t_\tNumber=Sing\t1\tnmod\t_\t_\n"
      "3\tsingen\tsingen\tVERB\t_\tNumber=Plur|Person=3\t0\troot\t_\t_\n\n";
  ExtractOptions compat;
  compat.compat = true;
  EXPECT_EQ(feature(clozes(text).items.at(0), "intervening_noun"), suite::FeatureValue(1.0));
  EXPECT_EQ(feature(clozes(text, compat).items.at(0), "intervening_noun"),
            suite::FeatureValue(0.0));
}

TEST(Cloze, WithheldTextMakesNoItems) {
  Extracted e = clozes(
      "1\tDie\tder\tDET\t_\tNumber=Plur\t2\tdet\t_\t_\n"
      "2\t_\t_\tNOUN\t_\tNumber=Plur\t3\tnsubj\t_\t_\n"
      "3\t_\t_\tVERB\t_\tNumber=Plur|Person=3\t0\troot\t_\t_\n\n");
  EXPECT_TRUE(e.items.empty());
  EXPECT_EQ(e.counts.withheld, 2u);
}

TEST(Cloze, ATypeInParenthesesIsTheReleasedCodesAlone) {
  auto languages =
      read_agreement_types(testing::source_dir() / "suites/treebank/agreement-types.tsv");
  const LanguageInfo* german = language_of("UD_German-GSD/x.conllu", languages);
  EXPECT_FALSE(german->has(AgreementType::predicative, false));
  EXPECT_TRUE(german->has(AgreementType::predicative, true));
  EXPECT_TRUE(german->has(AgreementType::verb, false));
}

TEST(Languages, AreReadFromTheNamesOfFoldersAndFiles) {
  auto languages =
      read_agreement_types(testing::source_dir() / "suites/treebank/agreement-types.tsv");
  auto code = [&](const char* path) {
    const LanguageInfo* l = language_of(path, languages);
    return l ? l->code : "none";
  };
  EXPECT_EQ(code("UD_Norwegian-NynorskLIA/no_nynorsklia-ud-dev.conllu"), "nn");
  EXPECT_EQ(code("no_nynorsklia-ud-dev.conllu"), "nn");
  EXPECT_EQ(code("no_bokmaal-ud-dev.conllu"), "nb");
  EXPECT_EQ(code("UD_Swedish_Sign_Language-SSLC/swl_sslc-ud-dev.conllu"), "none");
  EXPECT_EQ(code("UD_Turkish_German-SAGT/qtd_sagt-ud-dev.conllu"), "none");
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
             "PRS;1;PL\nVogel\tVögel\tN;NOM;PL\nbroken line\n");
  Inflections paradigms;
  {
    ConlluReader in(folder / "x.conllu");
    for (Tree tree; in.next(tree);) paradigms.add(tree);
  }
  EXPECT_EQ(paradigms.add_unimorph(folder / "deu"), 1u);
  paradigms.finish(Feature::number);
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

// Clozes of a treebank as the released code counts them, by type and masked word.
std::map<std::string, uint64_t> compat_counts(const std::vector<std::string>& treebanks) {
  auto languages =
      read_agreement_types(testing::source_dir() / "suites/treebank/agreement-types.tsv");
  std::vector<fs::path> folders;
  for (const std::string& t : treebanks) folders.push_back(testing::data_dir() / "ud-2.4" / t);
  ExtractOptions options;
  options.mask = ExtractOptions::Mask::both;
  options.compat = true;
  ClozeExtractor extractor(*language_of(folders[0] / "x.conllu", languages), options);
  for (const fs::path& file : conllu_files(folders)) {
    ConlluReader in(file);
    for (Tree tree; in.next(tree);) extractor.add(tree, [](const suite::Item&) {});
  }
  return extractor.counts().by_type;
}

// The authors' program on the same files counts the same (for Hebrew it is one of its outcomes).
TEST(PublishedData, TreebanksGiveTheCountsOfTheAuthorsProgram) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto af = compat_counts({"UD_Afrikaans-AfriBooms"});
  EXPECT_EQ(af.at("attributive controller"), 2304u);  // Table 2
  EXPECT_EQ(af.at("attributive target"), 2440u);
  auto controllers = [](const std::map<std::string, uint64_t>& counts) {
    uint64_t n = 0;
    for (const auto& [name, count] : counts)
      if (name.ends_with("controller")) n += count;
    return n;
  };
  EXPECT_EQ(controllers(compat_counts({"UD_Hebrew-HTB"})), 1665u);
  EXPECT_EQ(controllers(compat_counts({"UD_German-GSD", "UD_German-PUD"})), 10087u);
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
