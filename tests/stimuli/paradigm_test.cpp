#include "stimuli/grammar/paradigm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace minpair::stimuli {
namespace {

using ::testing::HasSubstr;

std::string error(const std::string& table) {
  try {
    Paradigms().read(table, "t.tsv");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Paradigms, ReadsUniMorph) {
  Paradigms p;
  p.read("# words\n\nAutor\tAutoren\tN;NOM;PL;MASC\r\nAutor\tAutors\tn;gen;sg;class=strong\n", "t");
  const std::vector<Cell>* cells = p.find("Autor");
  ASSERT_TRUE(cells);
  ASSERT_EQ(cells->size(), 2u);
  EXPECT_EQ((*cells)[0].form, "Autoren");
  EXPECT_EQ((*cells)[0].features,
            (Features{{"pos", "n"}, {"case", "nom"}, {"number", "pl"}, {"gender", "masc"}}));
  EXPECT_EQ((*cells)[1].features.at("class"), "strong");
  EXPECT_FALSE(p.find("autor"));
}

TEST(Paradigms, AlternativesAreSeveralCells) {
  Paradigms p;
  p.read("die\tdie\tDET;{NOM/ACC};SG;FEM\ndie\tdie\tDET;NOM/ACC;PL\n", "t");
  ASSERT_EQ(p.find("die")->size(), 4u);
  EXPECT_EQ((*p.find("die"))[1].features.at("case"), "acc");
}

TEST(Paradigms, SaysWhereATableIsBroken) {
  EXPECT_THAT(error("a\tb\n"), HasSubstr("t.tsv:1: 2 columns"));
  EXPECT_EQ(error("ä\tbb\tN;NOOM\n"),
            "t.tsv:1:8: 'NOOM' is not a feature of UniMorph\n"
            "  write a feature of your own as name=value");
  EXPECT_THAT(error("\na\tb\tN;SG;PL\n"), HasSubstr("t.tsv:2:10: number is given twice"));
  EXPECT_THAT(error("a\tb\tN;NOM/SG\n"), HasSubstr("not a feature"));
  EXPECT_THAT(error("a\t \tN\n"), HasSubstr("empty"));
  EXPECT_THAT(error("a\tb\t\n"), HasSubstr("not a feature"));
  EXPECT_THAT(error("a\t\xff\tN\n"), HasSubstr("UTF-8"));
}

TEST(Paradigms, KnowsTheFeatures) {
  EXPECT_EQ(feature_of_tag("SG"), "number");
  EXPECT_EQ(feature_of_tag("3"), "person");
  EXPECT_EQ(feature_of_tag("LGSPEC2"), "language-specific");
  EXPECT_EQ(feature_of_tag("sg pl"), "");
  EXPECT_EQ(full_feature_name("Num"), "number");
  EXPECT_TRUE(is_inherent("gender"));
  EXPECT_TRUE(is_inherent("class"));
  EXPECT_FALSE(is_inherent("case"));
}

}  // namespace
}  // namespace minpair::stimuli
