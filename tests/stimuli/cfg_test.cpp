#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/file.h"
#include "stimuli/stimuli.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using minpair::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr const char* kLexicon =
    "der\tder\tDET;NOM;SG;MASC\n"
    "der\tdie\tDET;NOM;SG;FEM\n"
    "der\tdie\tDET;NOM;PL\n"
    "der\tdem\tDET;DAT;SG;MASC\n"
    "der\tden\tDET;DAT;PL\n"
    "Koch\tKoch\tN;NOM;SG;MASC\n"
    "Koch\tKöche\tN;NOM;PL;MASC\n"
    "Koch\tKoch\tN;DAT;SG;MASC\n"
    "Koch\tKöchen\tN;DAT;PL;MASC\n"
    "Frau\tFrau\tN;NOM;SG;FEM\n"
    "Frau\tFrauen\tN;NOM;PL;FEM\n"
    "Leute\tLeute\tN;NOM;PL\n"
    "rufen\trufen\tV;NFIN\n"
    "rufen\truft\tV;IND;PRS;3;SG\n"
    "rufen\trufen\tV;IND;PRS;3;PL\n"
    "gehen\tgeht\tV;IND;PRS;3;SG\n"
    "gehen\tgehen\tV;IND;PRS;3;PL\n"
    "rennen\trennt\tV;IND;PRS;3;SG\n"
    "gibt\tgibt\tV;IND;PRS;3;SG/PL\n"
    "sich\tmich\tPRO;ACC;1;SG\n"
    "sich\tdich\tPRO;ACC;2;SG\n"
    "sich\tsich\tPRO;ACC;3;SG\n";

class Cfg : public ::testing::Test {
 protected:
  Cfg() { write_file(folder_ / "words.tsv", kLexicon); }

  Derivations read(const std::string& grammar, std::optional<unsigned> depth = {}) {
    GrammarOptions options;
    options.depth = depth;
    return read_cfg(grammar, "my.cfg", folder_.path(), options);
  }
  std::string text(const std::string& grammar, std::optional<unsigned> depth = {}) {
    std::string out;
    read(grammar, depth).write_text([&](std::string_view s) { out += s; });
    return out;
  }
  // "my.cfg:3:14: message\n  hint"
  std::string error(const std::string& grammar) {
    try {
      read(grammar);
    } catch (const Error& e) {
      EXPECT_EQ(e.exit_status(), 1);
      return e.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(Cfg, ReadsNltkNotation) {
  EXPECT_EQ(text("# a comment\n"
                 "% start S\n"
                 "NP -> Det N | \"we\"\n"
                 "  Det -> 'the' | 'a'\n"
                 "S -> NP V-x/y^<z> '.'\n\n"
                 "N -> 'cat' | \\\n  'dog'\n"
                 "V-x/y^<z> -> 'sees' NP | \n"),
            "The cat sees the cat.\nThe cat sees the dog.\nThe cat sees a cat.\n"
            "The cat sees a dog.\nThe cat sees we.\nThe cat.\n"
            "The dog sees the cat.\nThe dog sees the dog.\nThe dog sees a cat.\n"
            "The dog sees a dog.\nThe dog sees we.\nThe dog.\n"
            "A cat sees the cat.\nA cat sees the dog.\nA cat sees a cat.\n"
            "A cat sees a dog.\nA cat sees we.\nA cat.\n"
            "A dog sees the cat.\nA dog sees the dog.\nA dog sees a cat.\n"
            "A dog sees a dog.\nA dog sees we.\nA dog.\n"
            "We sees the cat.\nWe sees the dog.\nWe sees a cat.\nWe sees a dog.\nWe sees we.\n"
            "We.\n");
}

TEST_F(Cfg, StartsWithTheFirstRule) {
  EXPECT_EQ(text("A -> 'x' B\nB -> 'y'"), "X y\n");
  EXPECT_EQ(text("A->'x'"), "X\n");
  EXPECT_EQ(text("\xC3\x84->'\xC3\xA4'  # why not\r\n"), "\xC3\x84\n");
}

// As nltk.parse.generate.generate(grammar, depth=d) has it.
TEST_F(Cfg, DepthIsNltks) {
  std::string g = "S -> 'a' S | 'b' |";
  EXPECT_EQ(text(g, 1), "\n");
  EXPECT_EQ(text(g, 2), "A\nB\n\n");
  EXPECT_EQ(text(g, 3), "A a\nA b\nA\nB\n\n");
}

TEST_F(Cfg, RightsAndWrongsComeFromTheParadigm) {
  EXPECT_EQ(text("% lexicon words.tsv\n"
                 "% vary number\n"
                 "S -> Art[number=?n, case=nom, gender=?g] N[number=?n, case=nom, gender=?g] "
                 "locus:V[number=?n, person=3] '.'\n"
                 "Art -> <der>\nN -> <Koch> | <Frau>\nV -> <rufen> | <gehen>\n"),
            "Der Koch ruft.\n*Der Koch rufen.\nDer Koch geht.\n*Der Koch gehen.\n"
            "Die Frau ruft.\n*Die Frau rufen.\nDie Frau geht.\n*Die Frau gehen.\n"
            "Die Köche rufen.\n*Die Köche ruft.\nDie Köche gehen.\n*Die Köche geht.\n"
            "Die Frauen rufen.\n*Die Frauen ruft.\nDie Frauen gehen.\n*Die Frauen geht.\n");
}

constexpr const char* kAcross =
    "% lexicon words.tsv\n% language de\n% test across\n"
    "% vary number\n"
    "% condition subject.number distractor.number\n"
    "S -> subject:NP[number=?n, case=nom] 'neben' distractor:NP[number=?d, case=dat] "
    "locus:V[number=?n] '.'\n"
    "NP[number=?n, case=?c, lemma=?l] -> Art[number=?n, case=?c, gender=?g] "
    "N[number=?n, case=?c, gender=?g, lemma=?l]\n"
    "Art -> <der>\nN -> <Koch>\nV[tense=prs] -> <rufen>\n";

TEST_F(Cfg, OneGrammarIsOneTestWithAllItsConditions) {
  std::vector<suite::Item> items;
  read(kAcross).expand([&](const suite::Item& i) { items.push_back(i); });
  ASSERT_EQ(items.size(), 4u);
  const suite::Item& i = items[1];
  EXPECT_EQ(i.id, "across/sg_pl/0001");
  EXPECT_EQ(i.test, "across");
  EXPECT_EQ(i.condition, "sg_pl");
  EXPECT_EQ(i.language, "de");
  EXPECT_EQ(i.cluster, "across/Koch");
  EXPECT_EQ(i.sentences[0].text, "Der Koch neben den Köchen ruft.");
  EXPECT_EQ(i.sentences[1].text, "Der Koch neben den Köchen rufen.");
  EXPECT_EQ(slice(i.sentences[1].text, i.sentences[1].locus), "rufen");
  using F = std::pair<std::string, suite::FeatureValue>;
  EXPECT_EQ(i.features, (std::vector<F>{{"subject.number", "sg"},
                                        {"distractor.number", "pl"},
                                        {"match", "no"},
                                        {"distance", 3.0},
                                        {"attractors", 1.0}}));
  EXPECT_EQ(items[0].features.back(), (F{"attractors", 0.0}));
}

TEST_F(Cfg, VariesToNamedValuesOrAllOthers) {
  std::string g = "S -> 'x' locus:R[person=1] '.'\nR -> <sich>\n% lexicon words.tsv\n";
  EXPECT_EQ(text(g + "% vary person\n"), "X mich.\n*X dich.\n*X sich.\n");
  EXPECT_EQ(text(g + "% vary person 1:3\n"), "X mich.\n*X sich.\n");
}

TEST_F(Cfg, ValuesCanBeAlternativesAndFormsAreNotRepeated) {
  EXPECT_EQ(text("S -> P[person=1|2] '.'\nP -> <sich>\n% lexicon words.tsv\n"), "Mich.\nDich.\n");
  // Masculine and feminine are the same word: one sentence, not two.
  EXPECT_EQ(text("S -> A '.'\nA -> B[gender=masc|fem]\nB[gender=masc|fem] -> 'ich'\n"), "Ich.\n");
}

TEST_F(Cfg, ALabelUsedTwiceAgreesWithItself) {
  std::string g =
      "% lexicon words.tsv\n% vary number\n% condition distractor.number\n"
      "S -> distractor:N[number=?a, case=nom] distractor:N[number=?b, case=nom] "
      "locus:V[number=sg]\nN -> <Frau>\nV[person=3] -> <gehen>\n";
  EXPECT_EQ(text(g),
            "Frau Frau geht\n*Frau Frau gehen\nFrauen Frauen geht\n*Frauen Frauen gehen\n");
}

TEST_F(Cfg, IncludesSharedRules) {
  write_file(folder_ / "common.cfg", "% lexicon words.tsv\nN -> <Koch>\nSpare -> 'x'\n");
  EXPECT_EQ(text("% include common.cfg\nS -> N[number=sg, case=nom]\n"), "Koch\n");
  EXPECT_THAT(error("% include nothing.cfg\nS -> 'a'\n"),
              HasSubstr("my.cfg:1:11: there is no file"));
  write_file(folder_ / "self.cfg", "% include self.cfg\n");
  EXPECT_THAT(error("% include self.cfg\nS -> 'a'\n"), HasSubstr("self.cfg:1:11: too many files"));
  write_file(folder_ / "bad.cfg", "N -> <Kuchen>\n");
  EXPECT_THAT(error("% include bad.cfg\nS -> N\n% lexicon words.tsv\n"),
              HasSubstr("bad.cfg:1:6: there is no paradigm for 'Kuchen'"));
}

TEST_F(Cfg, SaysWhereTheNotationIsBroken) {
  EXPECT_EQ(error("S -> 'a\n"),
            "my.cfg:1:6: the closing ' is missing\n  put words between two of them: 'the' 'cat'");
  EXPECT_EQ(error("S 'a'\n"), "my.cfg:1:3: '->' is missing here\n  a rule is written S -> NP VP");
  EXPECT_EQ(error("\nS -> 'a' ]\n"), "my.cfg:2:10: a symbol is missing here, there is ']'");
  EXPECT_EQ(error("S -> A[number]\n"),
            "my.cfg:1:14: '=' is missing here\n  write feature=value or feature=?variable");
  EXPECT_EQ(error("S -> A[number=sg, num=pl]\n"), "my.cfg:1:22: number is given twice");
  EXPECT_EQ(error("% strat S\nS -> 'a'"),
            "my.cfg:1:1: there is no statement 'strat'\n  did you mean 'start'?");
  EXPECT_THAT(error("# nothing\n"), HasSubstr("my.cfg: there are no rules"));
  EXPECT_THAT(error("S -> '\xff'\n"), HasSubstr("not UTF-8"));
}

TEST_F(Cfg, RefusesUndefinedUnreachableAndEndless) {
  EXPECT_EQ(error("S -> 'a' Nuon\nNoun -> 'b'\n"),
            "my.cfg:1:10: there is no rule for Nuon\n  a word of the language is written in "
            "quotes: 'Nuon'; "
            "or did you mean Noun?");
  EXPECT_THAT(error("% start T\nS -> 'a'\n"), HasSubstr("my.cfg:1:9: there is no rule for T"));
  EXPECT_THAT(error("S -> mit\n"), HasSubstr("written in quotes: 'mit'"));
  EXPECT_EQ(error("S -> 'a'\nÄN -> 'b'\n"),
            "my.cfg:2:1: ÄN cannot be reached from S\n  use it in a rule, or take its rules out");
  EXPECT_EQ(error("S -> 'a' A\nA -> 'b' A\n"),
            "my.cfg:2:1: A never ends: all its rules lead back to it\n  add a rule for A that ends "
            "in words");
}

TEST_F(Cfg, AnInfiniteGrammarNeedsADepth) {
  std::string g = "S -> NP 'x'\nNP -> 'a' | NP PP\nPP -> 'of' NP\n";
  EXPECT_EQ(error(g),
            "my.cfg:2:1: NP contains itself, so the language is infinite\n"
            "  give the depth of the trees: --depth 6");
  EXPECT_EQ(text(g, 3), "A x\n");
  EXPECT_EQ(text(g, 5), "A x\nA of a x\n");
}

TEST_F(Cfg, FindsHolesInParadigms) {
  std::string head = "% lexicon words.tsv\n% vary number\n";
  EXPECT_THAT(error(head + "S -> locus:V[person=3, number=sg]\nV -> <rufen> | <rennen>\n"),
              HasSubstr("my.cfg:4:16: 'rennen' has no other number than 'rennt'"));
  EXPECT_THAT(error(head + "S -> locus:V[person=3, number=sg]\nV -> <gibt>\n"),
              HasSubstr("my.cfg:4:6: 'gibt' is right and wrong here"));
  EXPECT_THAT(error("% lexicon words.tsv\nS -> N[number=sg, case=dat]\nN -> <Koch> | <Frau>\n"),
              HasSubstr("my.cfg:3:15: 'Frau' has no form for case=dat, number=sg"));
  EXPECT_THAT(
      error("% lexicon words.tsv\nS -> N[number=?n, case=nom] 'und' N[number=?n, case=nom]\n"
            "N -> <Koch> | <Leute>\n"),
      HasSubstr("my.cfg:3:15: 'Leute' has no form for case=nom, number=sg, but 'Koch' has"));
  EXPECT_THAT(error("S -> <Koch>\n"),
              HasSubstr("my.cfg:1:6: there is no paradigm for 'Koch'\n  name the table"));
  EXPECT_THAT(error("% lexicon words.tsv\nS -> <Koc>\n"), HasSubstr("did you mean 'Koch'?"));
  EXPECT_THAT(error("% lexicon none.tsv\nS -> 'a'\n"), HasSubstr("my.cfg:1:11: there is no table"));
}

TEST_F(Cfg, FormsThatAreRightAndWrongAtOnceCanBeSkipped) {
  const std::string g =
      "% lexicon words.tsv\n% vary number\n% syncretic skip\n"
      "S -> locus:V[person=3, number=sg|pl]\nV -> <gibt> | <rufen>\n";
  EXPECT_EQ(text(g), "Ruft\n*Rufen\nRufen\n*Ruft\n");
  EXPECT_EQ(read(g).syncretic(), std::set<std::string>{"gibt"});
  EXPECT_THAT(error("% syncretic all\nS -> 'a'\n"), HasSubstr("my.cfg:1:13: '% syncretic all'"));
}

// Another gender is no hole.
TEST_F(Cfg, AWordOfAnotherKindIsLeftOut) {
  EXPECT_EQ(text("% lexicon words.tsv\nS -> N[number=sg, case=nom, gender=fem]\n"
                 "N -> <Koch> | <Frau>\n"),
            "Frau\n");
}

// The infinitive has no number; it must not pass for a singular.
TEST_F(Cfg, AFormWithoutAFeatureTheLemmaInflectsForDoesNotAgree) {
  EXPECT_EQ(text("% lexicon words.tsv\nS -> V[number=sg]\nV -> <rufen>\n"), "Ruft\n");
}

TEST_F(Cfg, AgreementCannotGetLostOnTheWay) {
  EXPECT_EQ(error("S -> NP[number=?n] VP[number=?n]\nNP[number=sg] -> 'he'\nVP -> V 'x'\n"
                  "V -> 'goes'\n"),
            "my.cfg:3:1: VP has no number here, but line 1 asks for it\n  write VP[number=...] ->");
}

TEST_F(Cfg, StatementsAndLabelsMustFit) {
  EXPECT_THAT(error("% vary number\nS -> 'a'\n"), HasSubstr("1:1: no symbol is labelled"));
  EXPECT_THAT(error("S -> locus:V\nV -> 'a'\n"), HasSubstr("nothing says how the locus"));
  EXPECT_THAT(error("% vary number\nS -> locus:V\nV -> 'a'\n"),
              HasSubstr("3:6: the locus needs a paradigm"));
  EXPECT_THAT(error("% vary number\n% lexicon words.tsv\nS -> locus:V\nV -> <rufen> 'a'\n"),
              HasSubstr("4:1: the locus must be one word"));
  EXPECT_THAT(error("% vary numbr\n% lexicon words.tsv\nS -> locus:V[number=sg]\nV[person=3] -> "
                    "<rufen>\n"),
              HasSubstr("1:1: the forms of 'rufen' have no numbr\n  did you mean 'number'?"));
  EXPECT_THAT(error("% condition subject.number\nS -> 'a'\n"),
              HasSubstr("1:13: nothing is labelled 'subject:'\n  write subject: before"));
  EXPECT_THAT(error("S -> sbject:V\nV -> 'a'\n"), HasSubstr("did you mean 'subject'?"));
  EXPECT_THAT(error("% condition kind\nS[kind=a] -> 'a'\nS -> 'b' T\nT -> 'c'"),
              HasSubstr("3:1: S has no kind here"));
  EXPECT_THAT(error("% vary number\n% vary person\nS -> 'a'\n"),
              HasSubstr("my.cfg:2:1: the locus varies in one feature"));
}

TEST_F(Cfg, DeepAndLargeGrammarsAreRefusedNotRun) {
  std::string chain = "S -> A0\n";
  for (int i = 0; i < 3000; ++i)
    chain += "A" + std::to_string(i) + " -> A" + std::to_string(i + 1) + "\n";
  EXPECT_THAT(error(chain + "A3000 -> 'a'\n"), HasSubstr("symbols inside each other"));
  auto many = [](int n, const std::string& symbol) {
    std::string all;
    for (int i = 0; i < n; ++i) all += " " + symbol;
    return all;
  };
  EXPECT_THAT(error("S ->" + many(1001, "'a'")), HasSubstr("1000 symbols at most"));
  EXPECT_THAT(error("S ->" + many(100, "A") + "\nA ->" + many(100, "'a'")),
              HasSubstr("more than 4000 words and rules"));
  EXPECT_THAT(error("S ->" + many(900, "A") + " B\nB ->" + many(900, "A") + "\nA -> 'a'"),
              HasSubstr("more than 1500 symbols in one sentence"));
}

// 2 nouns, 2 verbs, and adverbs enough for a sample of each condition.
constexpr const char* kWide =
    "% lexicon words.tsv\n% vary number\n% condition subject.number\n"
    "S -> Adv subject:NP[number=?n] locus:V[number=?n]\n"
    "NP[number=?n, lemma=?l] -> <der>[number=?n, case=nom, gender=?g] N[number=?n, gender=?g, "
    "lemma=?l]\n"
    "N[case=nom] -> <Koch> | <Frau>\n"
    "V -> <rufen> | <gehen>\n"
    "Adv -> 'a' | 'b' | 'c' | 'd' | 'e'\n";

TEST_F(Cfg, AGrammarCanAskForASampleOfEachCondition) {
  write_file(folder_ / "wide.cfg", kWide + std::string("% sample 7 3\n"));
  auto texts = [&](const GrammarOptions& options) {
    std::vector<std::string> all;
    for (const Derivations& d : load_derivations(folder_ / "wide.cfg", options))
      d.expand([&](const suite::Item& i) { all.push_back(i.id + " " + i.sentences[0].text); });
    return all;
  };
  std::vector<std::string> drawn = texts({});
  ASSERT_EQ(drawn.size(), 14u);
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 14u);
  EXPECT_TRUE(drawn[0].starts_with("wide/sg/0001 ") && drawn[13].starts_with("wide/pl/0007 "));
  EXPECT_EQ(texts({}), drawn);
  GrammarOptions plural;
  plural.conditions = {"pl"};
  EXPECT_EQ(texts(plural), std::vector(drawn.begin() + 7, drawn.end()));
  GrammarOptions whole;
  whole.whole = true;
  EXPECT_EQ(texts(whole).size(), 40u);
  write_file(folder_ / "wide.cfg", kWide + std::string("% sample 7 4\n"));
  EXPECT_NE(texts({}), drawn);
  write_file(folder_ / "wide.cfg", kWide + std::string("% sample 99\n"));
  EXPECT_EQ(texts({}), texts(whole));
  EXPECT_THAT(error(kWide + std::string("% sample\n")), HasSubstr("my.cfg:9:9: a sample has one"));
  EXPECT_THAT(error(kWide + std::string("% sample 1 2 3\n")),
              HasSubstr("not the size of a sample"));
}

TEST_F(Cfg, FeaturesThatNameNoConditionAreSaidAllTheSame) {
  std::string own = kWide;
  own.replace(own.find("condition subject.number"), 24, "feature subject.number");
  Derivations d = read(own);
  EXPECT_EQ(d.count_by_condition().size(), 1u);
  std::set<std::string> numbers;
  d.expand([&](const suite::Item& i) {
    EXPECT_EQ(i.condition, "");
    numbers.insert(std::get<std::string>(i.features.at(0).second));
  });
  EXPECT_EQ(numbers, (std::set<std::string>{"pl", "sg"}));
}

TEST_F(Cfg, DistanceIsCountedToTheBeginningOfASubjectThatFollows) {
  std::string after = kWide;
  after.replace(after.find("S -> Adv subject:NP[number=?n] locus:V[number=?n]"), 49,
                "S -> locus:V[number=?n] Adv subject:NP[number=?n]");
  read(after).expand([&](const suite::Item& i) {
    EXPECT_EQ(i.features.at(1), (std::pair<std::string, suite::FeatureValue>("distance", 1.0)));
  });
}

TEST_F(Cfg, LoadsAFolderInTheOrderOfItsManifest) {
  write_file(folder_ / "a.cfg", "S -> 'a'");
  write_file(folder_ / "b.cfg", "S -> 'b'");
  write_file(folder_ / "common.cfg", "N -> 'c'");
  write_file(folder_ / "manifest.json",
             R"({"languages": ["de"], "tests": [{"name": "b"}, {"name": "a"}]})");
  std::vector<Derivations> languages = load_derivations(folder_.path());
  ASSERT_EQ(languages.size(), 2u);
  EXPECT_EQ(languages[0].test(), "b");
  EXPECT_EQ(languages[1].test(), "a");
  EXPECT_EQ(languages[0].language(), "de");
  GrammarOptions options;
  options.tests = {"a"};
  EXPECT_EQ(load_derivations(folder_.path(), options).size(), 1u);
  options.tests = {"c"};
  EXPECT_THROW(load_derivations(folder_.path(), options), Error);
  EXPECT_THROW(load_derivations(folder_ / "nothing"), Error);
}

TEST_F(Cfg, OpensTheItemsOfGrammarsLikeThoseOfFiles) {
  write_file(folder_ / "across.cfg", kAcross);
  suite::Suite suite = suite::find_suite(folder_.path().string());
  auto items = open_items(suite);
  std::vector<std::string> ids;
  for (suite::Item item; items->next(item);) ids.push_back(item.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"across/sg_sg/0001", "across/sg_pl/0001",
                                           "across/pl_sg/0001", "across/pl_pl/0001"}));
}

TEST_F(Cfg, OpensWhatHasNoGrammarAsWhatItIs) {
  testing::TemporaryFolder folder;
  fs::create_directory(folder / "x");
  write_file(folder / "x/y.tsv", "He runs .\tHe run .\n");
  suite::Item item;
  EXPECT_TRUE(open_items(suite::find_suite(folder.path().string()))->next(item));
  EXPECT_EQ(item.test, "y");
  write_file(folder / "z.jsonl",
             R"({"id":"1","test":"z","sentences":[{"text":"a b","grammatical":true},)"
             R"({"text":"a c","grammatical":false}]})");
  EXPECT_TRUE(open_items(suite::find_suite(folder.path().string()))->next(item));
  EXPECT_EQ(item.test, "z");
}

constexpr const char* kDesign =
    "% design verb.kind comma\n"
    "% criterion path: noun in ambiguous_plain > \\\n  noun in ambiguous_comma  # as published\n"
    "S[comma=?c] -> start:Start verb:V[kind=?k] comma:C[comma=?c] noun:N '.'\n"
    "Start -> 'while' 'she' | 'when' 'he'\n"
    "V[kind=ambiguous] -> 'watched' | 'called'\nV[kind=unambiguous] -> 'slept' | 'smiled'\n"
    "C[comma=plain] ->\nC[comma=comma] -> ','\n"
    "N -> 'Ann' | 'Bob'\n";

std::vector<std::string> texts_of(const suite::Item& item) {
  std::vector<std::string> texts;
  for (const suite::Sentence& s : item.sentences) texts.push_back(s.name + ": " + s.text);
  return texts;
}

TEST_F(Cfg, DesignsHaveASentenceForEachValueAndRegionsByLabels) {
  Derivations d = read(kDesign);
  EXPECT_EQ(d.count(), 8u);
  std::vector<suite::Item> items;
  d.expand([&](const suite::Item& item) { items.push_back(item); });
  ASSERT_EQ(items.size(), 8u);
  EXPECT_TRUE(items[0].design);
  EXPECT_THAT(texts_of(items[7]),
              ::testing::ElementsAre("ambiguous_plain: When he called Bob.",
                                     "ambiguous_comma: When he called, Bob.",
                                     "unambiguous_plain: When he smiled Bob.",
                                     "unambiguous_comma: When he smiled, Bob."));
  const suite::Sentence& comma = items[7].sentences[1];
  std::string regions;
  for (const suite::Region& r : comma.regions)
    regions += r.name + "=" + std::string(slice(comma.text, r.span)) + ";";
  EXPECT_EQ(regions, "start=When he;verb=called;comma=,;noun=Bob.;");
  suite::check_item(items[7]);
  // The same items, whichever way they are made.
  Random random(3);
  d.sample(3, random, [&](const suite::Item& item) {
    auto same = std::find_if(items.begin(), items.end(),
                             [&](const suite::Item& other) { return other.id == item.id; });
    ASSERT_NE(same, items.end());
    EXPECT_EQ(*same, item);
  });
}

TEST_F(Cfg, DesignsGoByCountAndNotByExpanding) {
  std::string wide = kDesign;
  wide += "N -> M M M M M M M M\nM -> 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i'\n";
  wide += "Start -> M M M M M M M M M M\n";
  Derivations d = read(wide);
  EXPECT_GT(d.count(), Count{1} << 50);
  Random random(1);
  int sampled = 0;
  d.sample(5, random, [&](const suite::Item& item) {
    suite::check_item(item);
    EXPECT_EQ(slice(item.sentences[0].text, item.sentences[0].regions[3].span),
              slice(item.sentences[3].text, item.sentences[3].regions[3].span));
    ++sampled;
  });
  EXPECT_EQ(sampled, 5);
}

// "." has nothing to choose, and goes with every second clause.
TEST_F(Cfg, ARegionWithoutAChoiceGoesWithEveryOther) {
  Derivations d = read(
      "% design rest\nS[rest=?r] -> verb:V rest:R[rest=?r]\nV -> 'go' | 'run'\n"
      "R[rest=end] -> '.'\nR[rest=more] -> 'and' W '.'\nW -> 'sing' | 'laugh' | 'talk'\n");
  std::vector<std::string> all;
  d.expand([&](const suite::Item& item) {
    all.push_back(item.sentences[0].text + " " + item.sentences[1].text);
  });
  EXPECT_THAT(all, ::testing::ElementsAre("Go. Go and sing.", "Go. Go and laugh.",
                                          "Go. Go and talk.", "Run. Run and sing.",
                                          "Run. Run and laugh.", "Run. Run and talk."));
  d.keep_words([](std::string_view w) { return w != "laugh"; });
  EXPECT_EQ(d.count(), 4u);
  d.expand([&](const suite::Item& item) {
    EXPECT_EQ(item.sentences[0].text.substr(0, 2), item.sentences[1].text.substr(0, 2));
    EXPECT_EQ(item.sentences[1].text.find("laugh"), std::string::npos);
  });
}

TEST_F(Cfg, DesignsAgreeAndClusterLikeOtherGrammars) {
  Derivations d = read(
      "% lexicon words.tsv\n% design verb.number\n% cluster subject.lemma\n% sample 1 2\n"
      "S -> subject:N[number=sg, case=nom, lemma=?l] verb:V[number=?n, person=3] '.'\n"
      "N -> <Koch> | <Frau>\nV[tense=prs] -> <rufen> | <gehen>\n");
  EXPECT_EQ(d.count(), 4u);
  d.expand([&](const suite::Item& item) {
    EXPECT_EQ(item.cluster,
              slice(item.sentences[0].text, {0, 4}) == "Koch" ? "my/Koch" : "my/Frau");
    EXPECT_EQ(item.sentences[0].name, "sg");
    EXPECT_EQ(item.sentences[1].name, "pl");
  });
  d.keep_sample();
  EXPECT_EQ(d.count(), 1u);
  d.expand([&](const suite::Item& item) {
    EXPECT_EQ(item.sentences[0].text.substr(0, 6), item.sentences[1].text.substr(0, 6));
  });
}

TEST_F(Cfg, DesignsThatCannotBeAreRefused) {
  auto with = [](std::string from, const std::string& what, const std::string& by) {
    size_t at = from.find(what);
    EXPECT_NE(at, std::string::npos);
    return from.replace(at, what.size(), by);
  };
  EXPECT_THAT(error(with(kDesign, "'slept' | 'smiled'", "'slept' | 'smiled' | 'ran'")),
              HasSubstr("my.cfg:1:10: 'verb' can be 3 ways in 'unambiguous_plain', but 2 in "
                        "'ambiguous_plain'"));
  EXPECT_THAT(error(with(kDesign, "noun in ambiguous_comma", "noun in ambiguous_coma")),
              HasSubstr("my.cfg:2:13: the criterion 'path' names 'ambiguous_coma'"));
  EXPECT_THAT(error(with(kDesign, "> \\\n", "> (")),
              HasSubstr("my.cfg:2:13: in the formula 'noun in ambiguous_plain > (  noun"));
  EXPECT_THAT(error(with(kDesign, "path:", "path")),
              HasSubstr("a criterion has a name, a colon and a formula"));
  EXPECT_THAT(error(with(kDesign, "noun:N", "locus:N")),
              HasSubstr("a design has regions, and no locus"));
  EXPECT_THAT(error("% vary number\n" + std::string(kDesign)),
              HasSubstr("a design has no '% vary'"));
  EXPECT_THAT(error("% design verb.kind\nS -> verb:V\nV[kind=a] -> 'x'\n"),
              HasSubstr("a design has two sentences or more"));
  EXPECT_THAT(error("% design a\nS[a=x] -> one:'x' two:'y'\nS[a=y] -> one:'x'\n"),
              HasSubstr("'x' and 'y' have different regions"));
  EXPECT_THAT(error("% design a b\nS[a=x, b=y_z] -> 'x'\nS[a=x_y, b=z] -> 'y'\n"),
              HasSubstr("two sentences of an item are called 'x_y_z'"));
  EXPECT_THAT(error("% design a\n% condition b\nS[a=x, b=u] -> 'x'\nS[a=y, b=u] -> 'y'\n"
                    "S[a=x, b=v] -> 'x'\n"),
              HasSubstr("some items have no sentence 'y'"));
  EXPECT_THAT(error("% criterion c: x in a > x in b\nS -> 'x'\n"),
              HasSubstr("criteria judge designs, and this grammar makes none"));
  EXPECT_THAT(error("% desgin a\nS[a=x] -> 'x'\n"), HasSubstr("did you mean 'design'?"));
  EXPECT_THAT(error("S -> '\x01x'\n"), HasSubstr("control character"));
}

TEST_F(Cfg, CriteriaOfGrammarsJoinTheManifest) {
  TemporaryFolder folder;
  write_file(folder / "gp.cfg", kDesign);
  std::vector<suite::Criterion> criteria =
      manifest_of(suite::find_suite((folder / "gp.cfg").string())).criteria;
  ASSERT_EQ(criteria.size(), 1u);
  EXPECT_EQ(
      criteria[0],
      (suite::Criterion{"path", "gp", "noun in ambiguous_plain > noun in ambiguous_comma", ""}));
  write_file(folder / "gp.cfg", std::string("% test other\n") + kDesign);
  write_file(folder / "manifest.json", R"({"criteria":[{"name":"first","formula":"a > b"}]})");
  criteria = manifest_of(suite::find_suite(folder.path().string())).criteria;
  ASSERT_EQ(criteria.size(), 2u);
  EXPECT_EQ(criteria[0].name, "first");
  EXPECT_EQ(criteria[1].test, "other");
}

}  // namespace
}  // namespace minpair::stimuli
