#include "stimuli/grammar/avg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "stimuli/grammar/grammar.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Lines = std::vector<std::string>;

// CLAMS's format: True or False, a tab, the sentence.
void append_clams(Lines& lines, const suite::Item& item) {
  for (const suite::Sentence& s : item.sentences)
    lines.push_back((s.grammatical ? "True\t" : "False\t") + s.text);
}

Lines clams(const Derivations& language) {
  Lines lines;
  language.expand([&](const suite::Item& item) { append_clams(lines, item); });
  return lines;
}

Lines clams(const std::string& text, const GrammarOptions& options = {}) {
  return clams(read_avg(text, "", "test.avg", options));
}

std::vector<suite::Item> items(const std::string& text, const std::string& common = "") {
  std::vector<suite::Item> all;
  read_avg(text, common, "test.avg").expand([&](const suite::Item& item) { all.push_back(item); });
  return all;
}

std::string error_of(const std::string& text, const std::string& common = "") {
  try {
    read_avg(text, common, "test.avg");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// The grammar that the paper explains the notation with.
std::string french(const std::string& vary) {
  return "vary: " + vary +
         "\nS[] je V[1,s]\nV[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n";
}

TEST(Avg, EmptyAttributesVaryOverAllCells) {
  EXPECT_THAT(clams(french("V[]")), ElementsAre("True\tje pense", "False\tje penses",
                                                "False\tje pensons", "False\tje pensez"));
}

TEST(Avg, AttributesOfOnePreterminalAreAllDemanded) {
  EXPECT_THAT(clams(french("V[1]")), ElementsAre("True\tje pense", "False\tje pensons"));
  try {
    read_avg(french("V[1,s]"), "", "test.avg");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("test.avg:1:7: the vary statement finds no wrong form"));
  }
}

TEST(Avg, SemicolonsSeparateAlternatives) {
  EXPECT_THAT(clams(french("V[1]; V[s]")),
              ElementsAre("True\tje pense", "False\tje penses", "False\tje pensons"));
}

TEST(Avg, SeveralWrongFormsAreOneMinimalSet) {
  std::vector<suite::Item> all = items(french("V[]"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].sentences.size(), 4u);
  EXPECT_EQ(slice(all[0].sentences[3].text, all[0].sentences[3].locus), "pensez");
}

TEST(Avg, FormsArePairedByPlaceAndWordsWithSpacesStayWhole) {
  EXPECT_THAT(clams("vary: V[]\nS[] the N[s] V[s]\nN[s] taxi driver | chef\n"
                    "V[s] laughs | is old\nV[p] laugh|are old\n"),
              ElementsAre("True\tthe taxi driver laughs", "False\tthe taxi driver laugh",
                          "True\tthe taxi driver is old", "False\tthe taxi driver are old",
                          "True\tthe chef laughs", "False\tthe chef laugh", "True\tthe chef is old",
                          "False\tthe chef are old"));
}

TEST(Avg, TheLocusIsOnlyWhatDiffers) {
  std::vector<suite::Item> all =
      items("vary: V[]\nS[] she V[s] today\nV[s] is old\nV[p] are old\n");
  ASSERT_EQ(all.size(), 1u);
  for (const suite::Sentence& s : all[0].sentences)
    EXPECT_EQ(slice(s.text, s.locus), s.grammatical ? "is" : "are") << s.text;
}

TEST(Avg, FormsEqualToTheRightOneAreNoWrongForms) {
  EXPECT_THAT(clams("vary: V[]\nS[] il V[3]\nV[1] pense\nV[2] penses\nV[3] pense\n"),
              ElementsAre("True\til pense", "False\til penses"));
  EXPECT_THAT(error_of("vary: V[]\nS[] she V[s]\nV[s] put\nV[p] put\n"),
              HasSubstr("test.avg:2:1: the wrong form of 'put' is the same as the right one"));
}

TEST(Avg, CommonIsReadFirstAndCanBeExtended) {
  std::vector<suite::Item> all =
      items("S[] N[] V[s]\nN[] b\n", "vary: V[]\nN[] a\nV[s] x\nV[p] y\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].sentences[0].text, "a x");
  EXPECT_EQ(all[1].sentences[0].text, "b x");
}

TEST(Avg, CommentsBlankLinesArrowsAndCarriageReturns) {
  EXPECT_THAT(
      clams("# a comment\r\n\r\n  # another\r\nvary: V[]\r\nS[] \xe2\x86\x92 x V[ s , t ]\r\n"
            "V[t,s] -> a \r\nV[p] b\r\n"),
      ElementsAre("True\tx a", "False\tx b"));
}

TEST(Avg, AttributesOfTemplatesAreConditionAndFeatures) {
  std::vector<suite::Item> all =
      items("vary: V[]\nS[sg,pl,animacy=animate] x V[s]\nV[s] a\nV[p] b\nlanguage: nl\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].condition, "sg_pl");
  EXPECT_EQ(all[0].language, "nl");
  ASSERT_EQ(all[0].features.size(), 1u);
  EXPECT_EQ(all[0].features[0].first, "animacy");
}

TEST(Avg, JoinedPreterminalsVaryTogether) {
  std::string text =
      "vary: A[x] + B[x]\nS[] A[x,1] n B[x,1] v\n"
      "A[x,1] no\nA[x,2] the\nA[y,3] some\nB[x,1] the\nB[x,2] no\nB[y,3] some\n";
  EXPECT_THAT(clams(text), ElementsAre("True\tno n the v", "False\tthe n no v"));
  std::vector<suite::Item> all = items(text);
  EXPECT_EQ(slice(all[0].sentences[1].text, all[0].sentences[1].locus), "the n no");
}

TEST(Avg, TwoVariedWordsAreRightOnlyTogether) {
  EXPECT_THAT(clams("vary: V[]\nS[] V[s] and V[s]\nV[s] a\nV[p] b\n"),
              ElementsAre("True\ta and a", "False\ta and b", "False\tb and a", "False\tb and b"));
}

// Right and wrong sentence, with the locus in brackets.
Lines loci(const std::string& text) {
  Lines lines;
  for (const suite::Item& item : items(text))
    for (const suite::Sentence& s : item.sentences)
      lines.push_back((s.grammatical ? "" : "*") + s.text.substr(0, s.locus.begin) + "[" +
                      s.text.substr(s.locus.begin, s.locus.size()) + "]" +
                      s.text.substr(s.locus.end));
  return lines;
}

TEST(Avg, CommasAttachInsideALocusAndInFrontOfOne) {
  EXPECT_THAT(loci("vary: A[] + B[]\ntext: natural\nS[] A[x] man , who B[x] her , left\n"
                   "A[x] no\nA[y] the\nB[x] likes\nB[y] knows\n"),
              ElementsAre("[No man, who likes] her, left.", "*[The man, who knows] her, left."));
  EXPECT_THAT(loci("vary: C[]\ntext: natural\nS[] she N[] C[x] he left\nN[] says | knows\n"
                   "C[x] , that\nC[y] that\n"),
              ElementsAre("She [says,] that he left.", "*She [says] that he left.",
                          "She [knows,] that he left.", "*She [knows] that he left."));
}

TEST(Avg, TwoPartsChangePlaces) {
  EXPECT_THAT(loci("vary: V[] <> N[]\nS[a] now V[] N[] it\nS[b] N[] not V[] it\nV[] has | buys\n"
                   "N[] Ann\n"),
              ElementsAre("now [has Ann] it", "*now [Ann has] it", "now [buys Ann] it",
                          "*now [Ann buys] it", "[Ann not has] it", "*[has not Ann] it",
                          "[Ann not buys] it", "*[buys not Ann] it"));
}

TEST(Avg, AnEmptyFormTakesAWordBesideItIntoTheLocus) {
  EXPECT_THAT(loci("vary: A[]\ntext: natural\nS[] A[x] it rains , he A[x]\nA[x] ''\nA[y] so\n"),
              ElementsAre("[It rains, he].", "*[It rains, he so].", "*[So it rains, he].",
                          "*[So it rains, he so]."));
  EXPECT_THAT(loci("vary: A[]\nS[] he waits until A[x] in May rains\nA[x] it\nA[y] ''\n"),
              ElementsAre("he waits until [it in] May rains", "*he waits until [in] May rains"));
  EXPECT_THAT(loci("vary: A[]\ntext: natural\nS[] he waits A[x] , she left\nA[x] it\nA[y] ''\n"),
              ElementsAre("He [waits it], she left.", "*He [waits], she left."));
}

TEST(Avg, FormsThatAreRightAndWrongAtOnceCanBeSkipped) {
  const std::string text =
      "vary: N[]\nsyncretic: skip\nS[] die N[p] da\nN[p] Lehrer | Gäste | Bäcker\n"
      "N[s] Lehrer | Gast | Bäcker\n";
  EXPECT_THAT(loci(text), ElementsAre("die [Gäste] da", "*die [Gast] da"));
  Derivations language = read_avg(text, "", "test.avg");
  EXPECT_EQ(language.count(), 1u);
  EXPECT_THAT(language.syncretic(), ElementsAre("Bäcker", "Lehrer"));
}

TEST(Avg, TiedListsGoStepByStepAndOthersStayApart) {
  const std::string tied =
      "vary: V[]\ntied: N O\nS[] N[] V[s] Adv[] O[]\nN[] cook | smith\nO[] soup | iron\n"
      "V[s] has\nV[p] have\nAdv[] now | here\n";
  EXPECT_THAT(loci(tied), ElementsAre("cook [has] now soup", "*cook [have] now soup",
                                      "cook [has] here soup", "*cook [have] here soup",
                                      "smith [has] now iron", "*smith [have] now iron",
                                      "smith [has] here iron", "*smith [have] here iron"));
  EXPECT_EQ(items(tied)[2].cluster, "test/smith");
  const std::string apart =
      "vary: V[]\napart: N_1 N_2 N_3\nS[] N_1[] N_2[] V[s] N_3[]\nN_1[] a | b | c\n"
      "N_2[] A | B | C\nN_3[] x | y | z\nV[s] has\nV[p] have\n";
  Derivations language = read_avg(apart, "", "test.avg");
  EXPECT_EQ(language.count(), 6u);
  EXPECT_THAT(loci(apart), ::testing::Contains("c A [has] y"));
  EXPECT_THAT(loci(apart), ::testing::Not(::testing::Contains("a A [has] y")));
  // Also where one of them stands inside the locus.
  EXPECT_THAT(loci("vary: A[] + B[]\napart: N_1 N_2\nS[] N_1[] A[x] N_2[] B[x]\nN_1[] a | b\n"
                   "N_2[] A | B\nA[x] is\nA[y] are\nB[x] s\nB[y] p\n"),
              ElementsAre("a [is B s]", "*a [are B p]", "b [is A s]", "*b [are A p]"));
}

TEST(Avg, TextAsTheAppendixHasIt) {
  std::string text = "vary: V[]\nS[] die Leute , die V[p] , gehen\nV[p] singen\nV[s] singt\n";
  GrammarOptions options;
  options.capitalize = true;
  options.eos = true;
  EXPECT_THAT(clams(text, options), ElementsAre("True\tDie Leute , die singen , gehen <eos>",
                                                "False\tDie Leute , die singt , gehen <eos>"));
  options = {};
  options.period = true;
  EXPECT_EQ(clams(text, options)[0], "True\tdie Leute , die singen , gehen .");
  EXPECT_EQ(clams("text: natural\n" + text)[0], "True\tDie Leute, die singen, gehen.");
}

TEST(Avg, ItemsWithTheSameSubjectAreOneCluster) {
  std::string text = "vary: V[]\nS[sg] N[] said M[] V[s]\nN[] a | b\nM[] c | d\nV[s] x\nV[p] y\n";
  std::vector<suite::Item> by_first = items(text);
  ASSERT_EQ(by_first.size(), 4u);
  EXPECT_EQ(by_first[1].cluster, "test/a");
  EXPECT_EQ(by_first[2].cluster, "test/b");
  text.replace(text.find("sg"), 2, "sg,cluster=M");
  std::vector<suite::Item> by_second = items(text);
  EXPECT_EQ(by_second[1].sentences[0].text, "b said c x");
  EXPECT_EQ(by_second[1].cluster, "test/c");
  text.replace(text.find("=M"), 2, "=Q");
  EXPECT_THAT(error_of(text), HasSubstr("test.avg:2:1: cluster=Q names nothing"));
}

// The forms of a word have the same place in its lists; lists of different words say so.
TEST(Avg, ClustersAreWordsWhateverTheirForm) {
  const std::string text =
      "vary: This[]\nS[acc,cluster=Do] he Do[acc] This[acc]\nS[dat,cluster=Do] he Do[dat] "
      "This[dat]\n"
      "This[acc] it\nThis[dat] him\nDo[acc] sees | hears\nDo[dat] helps | thanks\n";
  const auto clusters = [&](const std::string& grammar) {
    std::vector<std::string> all;
    for (const suite::Item& item : items(grammar)) all.push_back(item.cluster);
    return all;
  };
  EXPECT_THAT(clusters(text), ElementsAre("test/sees", "test/hears", "test/sees", "test/hears"));
  EXPECT_THAT(clusters("distinct: Do\n" + text),
              ElementsAre("test/sees", "test/hears", "test/helps", "test/thanks"));
  EXPECT_THAT(error_of("distinct: Nothing\n" + text), HasSubstr("nothing has that name"));
}

TEST(Avg, DistanceAndAttractorsAreCounted) {
  std::vector<suite::Item> all = items(
      "vary: V[]\nsubject: N\ndistractor: M P\nS[] the N[s] near the M[p] and M[s] V[s]\n"
      "N[s] a\nM[s] b\nM[p] c\nV[s] is x\nV[p] are x\n");
  ASSERT_EQ(all.size(), 1u);
  std::vector<std::pair<std::string, suite::FeatureValue>> expected{{"distance", 5.0},
                                                                    {"attractors", 1.0}};
  EXPECT_EQ(all[0].features, expected);
}

TEST(Avg, AVocabularyLeavesItemsOut) {
  Derivations language = read_avg(
      "vary: V[]\nS[sg] N[] V[s]\nS[pl] the V[p]\nN[] Ann | old Bob\nV[s] is old | sings\n"
      "V[p] are old | sing\n",
      "", "test.avg");
  language.keep_words([](std::string_view w) { return w != "Bob" && w != "sing" && w != "the"; });
  EXPECT_THAT(clams(language), ElementsAre("True\tAnn is old", "False\tAnn are old"));
  EXPECT_THAT(language.unknown_words(), ElementsAre("Bob", "sing", "the"));
  EXPECT_EQ(language.count(), 1u);
}

TEST(Avg, DesignsHaveNamesAndRegions) {
  std::vector<suite::Item> all = items(
      "text: natural\ndesign: V C+D\n"
      "S[] {start} the N[] {comma} C[plain] {verb} V[a] {object} D[plain] {end} now\n"
      "N[] cat | dog\nV[a] sees\nV[b] saw\nC[plain] ''\nC[full] ,\nD[plain] it\nD[full] them\n");
  ASSERT_EQ(all.size(), 2u);
  const suite::Item& item = all[1];
  EXPECT_TRUE(item.design);
  std::map<std::string, std::string> texts;
  for (const suite::Sentence& s : item.sentences) texts[s.name] = s.text;
  EXPECT_EQ(texts, (std::map<std::string, std::string>{{"a_plain", "The dog sees it now."},
                                                       {"b_plain", "The dog saw it now."},
                                                       {"a_full", "The dog, sees them now."},
                                                       {"b_full", "The dog, saw them now."}}));
  const suite::Sentence& full = *suite::find_sentence(item, "a_full");
  Lines words;
  for (const suite::Region& r : full.regions)
    words.push_back(r.name + "=" + std::string(slice(full.text, r.span)));
  EXPECT_THAT(words,
              ElementsAre("start=The dog", "comma=,", "verb=sees", "object=them", "end=now."));
  EXPECT_TRUE(item.sentences[0].regions[1].span.empty());
  EXPECT_THAT(error_of("design: V W\nS[] V[a]\nV[a] x\nV[b] y\nW[a] x\nW[b] y\n"),
              HasSubstr("not everything is in this template"));
  EXPECT_THAT(error_of("design: V\nvary: V[]\nS[] V[a]\nV[a] x\nV[b] y\n"),
              HasSubstr("a design has no vary statement"));
  EXPECT_THAT(error_of("design: V\nS[] {} V[a]\nV[a] x\nV[b] y\n"),
              HasSubstr("test.avg:2:5: a region has a name"));
  const std::string design = "design: V\nS[] {verb} V[a]\nV[a] x\nV[b] y\n";
  EXPECT_EQ(items(design + "criterion: c: verb in a > verb in b\n").size(), 1u);
  EXPECT_THAT(error_of(design + "criterion: c: verb in a > word in b\n"),
              HasSubstr("test.avg:5:12: the criterion 'c' names 'word', but there are verb"));
  EXPECT_THAT(error_of(design + "criterion: c: verb in a >\n"),
              HasSubstr("test.avg:5:12: in the formula"));
  EXPECT_THAT(error_of("criterion: c: verb in a > b\nvary: V[]\nS[] V[a]\nV[a] x\nV[b] y\n"),
              HasSubstr("criteria judge designs"));
}

TEST(Avg, Errors) {
  EXPECT_THAT(error_of(""), HasSubstr("there is no template"));
  EXPECT_THAT(error_of("S[] the NP[s]\nNP[p] x\n"), HasSubstr("test.avg:1:9: NP[s] has no forms"));
  EXPECT_THAT(error_of("S[] the NP[s]\nNP[p] x\n"), HasSubstr("did you mean NP[p]?"));
  EXPECT_THAT(error_of("S[] \xc3\xa9 V[s\n"), HasSubstr("test.avg:1:8: this bracket is never"));
  EXPECT_THAT(error_of("S[] x\nV[s] a | | b\n"), HasSubstr("test.avg:2:9: there is nothing here"));
  EXPECT_THAT(error_of("S[] x\nV[s] N[s]\n"), HasSubstr("test.avg:2:6: N[s] is a preterminal"));
  EXPECT_THAT(error_of("vary: V\nS[] x\n"), HasSubstr("test.avg:1:7: a preterminal with brackets"));
  EXPECT_THAT(error_of("vary: V[]\nS[] x\n"), HasSubstr("test.avg:1:7: nothing is called V"));
  EXPECT_THAT(error_of("vary: V[]\nS[] V[s]\nV[s] a | b\nV[p] a\n"),
              HasSubstr("test.avg:4:1: V[p] and V[s] have different numbers of forms"));
  EXPECT_THAT(error_of("vary: V[]\nS[] V[s]\nS[] x\nV[s] a\nV[p] b\n"),
              HasSubstr("test.avg:3:1: the vary statement does not concern this template"));
  EXPECT_THAT(error_of("S[] \xff\n"), HasSubstr("not UTF-8"));
  const std::string rest = "S[] N[s] V[s]\nN[s] a\nV[s] c\nV[p] d\n";
  EXPECT_THAT(error_of("vari: V[]\n" + rest),
              HasSubstr("test.avg:1:1: there is no statement 'vari:'\n  did you mean 'vary:'?"));
  EXPECT_THAT(error_of("langauge: de\nvary: V[]\n" + rest), HasSubstr("did you mean 'language:'?"));
  EXPECT_THAT(error_of("vary: V[]\ntied: N X\n" + rest),
              HasSubstr("test.avg:2:7: 'tied:' names X"));
  EXPECT_THAT(error_of("vary: V[]\nsubject: Q\n" + rest),
              HasSubstr("test.avg:2:10: 'subject:' names Q, but nothing"));
  EXPECT_EQ(error_of("vary: V[]\nsubject: Q N\n" + rest), "");
  EXPECT_EQ(error_of("vary: V[]\nsubject:\n" + rest, "subject: N\n"), "");
  EXPECT_THAT(error_of("vary: V[]\nsample: x\n" + rest),
              HasSubstr("test.avg:2:9: 'x' is not the size of a sample\n  say how many"));
  EXPECT_THAT(error_of("S[] x\n", "V[ x\n"), HasSubstr("common.avg:1:2: this bracket"));
  EXPECT_THAT(error_of("S[] x\ntext: fancy\n"), HasSubstr("text: fancy is unknown"));
  EXPECT_THAT(error_of("vary: A[] <> B[] <> C[]\nS[] x\n"),
              HasSubstr("test.avg:1:18: two preterminals change places, not more"));
  EXPECT_THAT(error_of("vary: A[] + B[] <> C[]\nS[] x\n"), HasSubstr("test.avg:1:17: two"));
  EXPECT_THAT(error_of("vary: A[]\nS[] A[x]\nA[x] ''\nA[y] so\n"),
              HasSubstr("test.avg:2:1: nothing is left of the locus"));
  EXPECT_THAT(error_of("syncretic: no\nS[] x\n"), HasSubstr("syncretic: no is unknown"));
  EXPECT_THAT(error_of("tied: A\nS[] A[]\nA[] x\n"), HasSubstr("'tied:' names two"));
  EXPECT_THAT(error_of("apart: A B\nS[] A[]\nA[] x\n"), HasSubstr("'apart:' names B, but"));
  EXPECT_THAT(error_of("tied: A B\nS[] A[] B[]\nA[] x | y\nB[] z\n"),
              HasSubstr("test.avg:4:1: A[] and B[] are tied, but have 2 and 1 forms"));
}

// The published grammars give exactly the published sentences and labels.
class PublishedClams : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedClams, GrammarsGiveTheEvaluationSets) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  fs::path grammars = testing::data_dir() / "clams" / (GetParam() + std::string("_replication"));
  fs::path expected = testing::data_dir() / "clams" / (GetParam() + std::string("_evalset"));
  std::string common = read_file(grammars / "common.avg");
  size_t tests = 0;
  for (const auto& entry : fs::directory_iterator(expected)) {
    fs::path grammar = grammars / entry.path().stem().replace_extension(".avg");
    Lines ours = clams(read_avg(read_file(grammar), common, grammar.string()));
    Lines theirs;
    LineReader reader(entry.path());
    for (std::string_view line; reader.next(line);) theirs.emplace_back(line);
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    EXPECT_EQ(ours.size(), theirs.size()) << entry.path();
    EXPECT_TRUE(ours == theirs) << entry.path();
    ++tests;
  }
  EXPECT_EQ(tests, 7u);
}

INSTANTIATE_TEST_SUITE_P(Languages, PublishedClams, ::testing::Values("de", "fr"));

}  // namespace
}  // namespace minpair::stimuli
