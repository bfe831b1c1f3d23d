// Wrong orders, words that vary together, lists that are tied or kept apart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "stimuli/stimuli.h"
#include "suite/suite.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using minpair::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLexicon =
    "der\tder\tDET;SG;MASC\nder\tdie\tDET;PL\n"
    "Koch\tKoch\tN;SG;MASC\nKoch\tKöche\tN;PL;MASC\n"
    "Lehrer\tLehrer\tN;SG;MASC\nLehrer\tLehrer\tN;PL;MASC\n"
    "ihr\tihr\tDET;SG\nihr\tihr\tDET;PL\n"
    "haben\that\tV;3;SG\nhaben\thaben\tV;3;PL\n"
    "no\tno\tDET;neg=yes\nno\t''\tDET;neg=no\n"
    "gehen\tgehe\tV;1\ngehen\tgehst\tV;2\ngehen\tgeht\tV;3\n"
    "ich\tmein\tPRO;1\nich\tdein\tPRO;2\nich\tsein\tPRO;3\n";

class CfgOrder : public ::testing::Test {
 protected:
  CfgOrder() {
    std::string table = kLexicon, without;
    for (size_t at = 0; at < table.size();) {
      const size_t end = table.find('\n', at) + 1;
      if (table.substr(at, end - at).find("''") == std::string::npos)
        without += table.substr(at, end - at);
      at = end;
    }
    write_file(folder_ / "words.tsv", without);
    write_file(folder_ / "empty.tsv", kLexicon);
  }

  Derivations read(const std::string& grammar) {
    return read_cfg(grammar, "my.cfg", folder_.path(), options_);
  }
  // Each sentence with its locus in brackets, the wrong ones with a star. On the way it is seen
  // that items by rank, lines of text and lines of JSON say the same.
  std::vector<std::string> loci(const std::string& grammar) {
    Derivations d = read(grammar);
    std::vector<std::string> all;
    std::string items, plain;
    DerivedItems by_rank(d);
    Count rank = 0;
    d.expand([&](const suite::Item& item) {
      suite::check_item(item);
      suite::append_json_line(items, item);
      suite::Item again;
      by_rank.at(rank++, again);
      EXPECT_EQ(again, item);
      for (const suite::Sentence& s : item.sentences) {
        std::string text = s.text;
        plain += (s.grammatical ? "" : "*") + text + "\n";
        text.insert(s.locus.end, "]").insert(s.locus.begin, "[");
        all.push_back((s.grammatical ? "" : "*") + text);
      }
    });
    EXPECT_EQ(rank, d.count());
    std::string json, text;
    d.write_jsonl([&](std::string_view s) { json += s; });
    d.write_text([&](std::string_view s) { text += s; });
    EXPECT_EQ(json, items);
    EXPECT_EQ(text, plain);
    return all;
  }
  std::string error(const std::string& grammar) {
    try {
      read(grammar);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  GrammarOptions options_;
};

TEST_F(CfgOrder, ARuleHasWrongOrdersBehindStars) {
  EXPECT_THAT(loci("S -> 'say' ',' 'that' Final '.'\n"
                   "Final -> What Do * Do What\n"
                   "What -> 'a' 'soup' | 'a' '\"song\"'\n"
                   "Do -> 'cooks'\n"),
              ElementsAre("Say, that [a soup cooks].", "*Say, that [cooks a soup].",
                          "Say, that [a \"song\" cooks].", "*Say, that [cooks a \"song\"]."));
  // At the beginning of a sentence the capital goes to the word that stands there.
  EXPECT_THAT(
      loci("S -> 'öl' 'sieht' N '.' * N 'öl' 'sieht' '.' * 'sieht' 'öl' N '.'\nN -> 'Ann'\n"),
      ElementsAre("[Öl sieht Ann].", "*[Ann öl sieht].", "*[Sieht öl Ann]."));
}

TEST_F(CfgOrder, PartsThatKeepTheirPlaceAreNotLoci) {
  EXPECT_THAT(
      loci("S -> 'now' 'so' V N 'yes' '.' * 'now' 'so' N V 'yes' '.'\nV -> 'goes'\nN -> 'Ann'\n"),
      ElementsAre("Now so [goes Ann] yes.", "*Now so [Ann goes] yes."));
  // A word that is taken from its place is part of the locus, wherever its twin stands.
  EXPECT_THAT(loci("S -> A B '.' * A B A '.'\nA -> 'a'\nB -> 'b'\n"),
              ElementsAre("[A b].", "*[A b a]."));
}

TEST_F(CfgOrder, WordsCanBeMissingNewOrDouble) {
  EXPECT_THAT(loci("S -> 'when' 'it' W '.' * 'when' W '.' * 'when' 'there' 'it' W '.'\n"
                   "W -> 'rains'\n"),
              ElementsAre("When [it rains].", "*When [rains].", "*When [there it rains]."));
  EXPECT_THAT(
      loci("S -> 'he' 'is' A 'als' N '.' * 'he' 'is' A 'wie' N '.'\nA -> 'older'\nN -> 'Bob'\n"),
      ElementsAre("He is older [als] Bob.", "*He is older [wie] Bob."));
}

TEST_F(CfgOrder, CommasStayWithTheWordBeforeThem) {
  EXPECT_THAT(loci("S -> A ',' B 'c' '.' * A B ',' 'c' '.'\nA -> 'a'\nB -> 'b'\n"),
              ElementsAre("[A, b] c.", "*[A b,] c."));
  EXPECT_THAT(error("S -> 'x' T '.'\nT -> ',' B * B ','\nB -> 'b'\n"),
              HasSubstr("my.cfg:2:1: the locus cannot begin with a comma or the like\n"
                        "  let the rule begin with the word before it"));
}

TEST_F(CfgOrder, OrdersThatCouldBeTheSameAreRefused) {
  EXPECT_THAT(error("S -> A B * B A\nA -> 'x' 'y' | 'z'\nB -> 'z' | 'y'\n"),
              HasSubstr("my.cfg:1:1: 'z z' is right and wrong here\n"));
  // The same first and last words, but never the same sentence.
  EXPECT_EQ(loci("S -> A B * B A\nA -> 'x' 'x' 'x' 'x' 'x' 'b' 'x' 'x' 'x' 'x' 'x'\n"
                 "B -> 'x' 'x' 'x' 'x' 'x' 'c' 'x' 'x' 'x' 'x' 'x'\n")
                .size(),
            2u);
  EXPECT_THAT(error("S -> A * B\nA -> 'a'\nB -> 'b'\n"),
              HasSubstr("my.cfg:1:10: B is not among the symbols before the star"));
  EXPECT_THAT(error("S -> N V N * N N V\nN -> 'a'\nV -> 'b'\n"),
              HasSubstr("my.cfg:1:14: there are several N before the star"));
  EXPECT_THAT(error("S -> A B * B A * B A\nA -> 'a'\nB -> 'b'\n"),
              HasSubstr("my.cfg:1:16: two wrong orders are the same\n  leave one"));
  EXPECT_THAT(error("S -> A B * B A * A B\nA -> 'a'\nB -> 'b'\n"),
              HasSubstr("my.cfg:1:16: this wrong order is the right one\n  leave it out"));
  EXPECT_THAT(error("S -> 'a' *\n"), HasSubstr("nothing may be left of a sentence at the locus"));
  EXPECT_THAT(error("% design S.kind\nS -> A B * B A\nA -> 'a'\nB -> 'b'\n"),
              HasSubstr("nothing is labelled 'S:'"));
  EXPECT_THAT(error("S -> T U\nT -> A B * B A\nU -> A B * B A\nA -> 'a'\nB -> 'b'\n"),
              HasSubstr("every sentence must have exactly one locus"));
}

TEST_F(CfgOrder, SaysTheSameAsTheOtherNotation) {
  const std::string rules =
      "% tied What Do\n% apart N_1 N_2\n"
      "S -> N_1 'says' ',' 'that' N_2 Final '.'\nFinal -> What Do * Do What\n"
      "N_1 -> 'Ann' | 'Bob' | 'Cleo'\nN_2 -> 'Ann' | 'Bob' | 'Cleo'\n"
      "What -> 'a soup' | 'a song'\nDo -> 'cooks' | 'sings'\n";
  const std::string attributes =
      "vary: What[] <> Do[]\ntied: What Do\napart: N_1 N_2\ntext: natural\n"
      "S[] N_1[] says , that N_2[] What[] Do[]\nN_1[] Ann | Bob | Cleo\nN_2[] Ann | Bob | Cleo\n"
      "What[] a soup | a song\nDo[] cooks | sings\n";
  std::multiset<std::string> ours, theirs;
  read(rules).expand([&](const suite::Item& item) {
    for (const auto& s : item.sentences) ours.insert(s.text);
  });
  read_avg(attributes, "", "my.avg").expand([&](const suite::Item& item) {
    for (const auto& s : item.sentences) theirs.insert(s.text);
  });
  EXPECT_EQ(ours.size(), 24u);
  EXPECT_EQ(ours, theirs);
}

TEST_F(CfgOrder, PartsThatAreFarFromEachOtherAreTied) {
  const std::string grammar =
      "% tied N V\nS -> 'the' NP VP\nNP -> 'old' N[number=sg|pl]\nVP -> 'now' V\n"
      "N[number=sg] -> 'cook' | 'smith'\nN[number=pl] -> 'cooks' | 'smiths'\n"
      "V -> 'cooks' | 'forges'\n";
  std::string text;
  read(grammar).write_text([&](std::string_view s) { text += s; });
  EXPECT_EQ(text,
            "The old cook now cooks\nThe old cooks now cooks\n"
            "The old smith now forges\nThe old smiths now forges\n");
  EXPECT_THAT(error("% tied N V\nS -> N V\nN -> 'a' | 'b'\nV -> 'x'\n"),
              HasSubstr("my.cfg:1:10: N and V are tied, but have 2 and 1 alternatives\n"));
  EXPECT_THAT(error("% tied N W\nS -> N V\nN -> 'a'\nV -> 'x'\n"),
              HasSubstr("my.cfg:1:10: there is no rule for W"));
  EXPECT_THAT(error("% tied N\nS -> N\nN -> 'a'\n"), HasSubstr("a name is missing here"));
  EXPECT_THAT(error("% apart x.lemma y.lemma\nS -> x:N\nN -> 'a'\n"),
              HasSubstr("my.cfg:1:17: nothing is labelled 'y:'"));
}

TEST_F(CfgOrder, ApartKeepsNamesDistinct) {
  const std::string grammar =
      "% lexicon words.tsv\n% apart who.lemma\n"
      "S -> who:N[number=sg, lemma=?a] P\nP -> 'and' who:N[number=sg|pl, lemma=?b] Q\n"
      "Q -> | 'or' who:N[number=sg, lemma=?c]\nN -> <Koch> | <Lehrer>\n";
  std::string text;
  Derivations d = read(grammar);
  d.write_text([&](std::string_view s) { text += s; });
  // Two nouns cannot be three different ones; Lehrer is one form of both numbers.
  EXPECT_EQ(text, "Koch and Lehrer\nLehrer and Koch\nLehrer and Köche\n");
  EXPECT_EQ(d.count(), 3u);
  EXPECT_THAT(error("% apart who.lemma\nS -> who:N 'and' who:N\nN -> 'a'\n"),
              HasSubstr("my.cfg:2:6: nothing says what who.lemma is here"));
}

TEST_F(CfgOrder, CountsAndSamplesWithoutExpanding) {
  std::string list_a, list_b,
      grammar =
          "% apart A B\nS -> P 'x' Q R R R R R R R R R R\nP -> A\n"
          "Q -> B 'y' * 'y' B\n";
  for (int i = 0; i < 60; ++i) {
    list_a += " | 'a" + std::to_string(i) + "'";
    list_b += " | 'b" + std::to_string(i) + "'";
  }
  grammar += "A -> " + list_a.substr(3) + "\nB -> " + list_b.substr(3) + "\nR ->" +
             list_b.substr(2) + "\n";
  Derivations d = read(grammar);
  Count expected = 60 * 59;
  for (int i = 0; i < 10; ++i) expected *= 60;
  EXPECT_EQ(d.count(), expected);
  Random random(3);
  std::set<std::string> seen;
  d.sample(200, random, [&](const suite::Item& item) {
    suite::check_item(item);
    const std::string text = item.sentences[0].text;  // A17 x b4 y b0 ...
    const std::string a = text.substr(1, text.find(' ') - 1);
    const size_t b = text.find(" b") + 2;
    EXPECT_NE(a, text.substr(b, text.find(' ', b) - b)) << text;
    seen.insert(text);
  });
  EXPECT_EQ(seen.size(), 200u);
  d.ask_sample({50, 1});
  d.keep_sample();
  EXPECT_EQ(d.count(), 50u);
  d.expand([&](const suite::Item& item) { suite::check_item(item); });
}

TEST_F(CfgOrder, SeveralLociVaryTogether) {
  const std::string head = "% lexicon words.tsv\n% vary number\n";
  EXPECT_THAT(
      loci(head +
           "S -> 'nun' locus:<haben>[number=?n, person=3] 'so' locus:N[number=?n] 'Zeit' '.'\n"
           "N -> <Koch> | <Lehrer>\n"),
      ElementsAre("Nun [hat so Koch] Zeit.", "*Nun [haben so Köche] Zeit.",
                  "Nun [hat so Lehrer] Zeit.", "*Nun [haben so Lehrer] Zeit.",
                  "Nun [haben so Köche] Zeit.", "*Nun [hat so Koch] Zeit.",
                  "Nun [haben so Lehrer] Zeit.", "*Nun [hat so Lehrer] Zeit."));
  EXPECT_THAT(loci("% lexicon words.tsv\n% vary person\n"
                   "S -> locus:<gehen>[person=?p] locus:<ich>[person=?p] 'Haus' '.'\n"),
              ElementsAre("[Gehe mein] Haus.", "*[Gehst dein] Haus.", "*[Geht sein] Haus.",
                          "[Gehst dein] Haus.", "*[Gehe mein] Haus.", "*[Geht sein] Haus.",
                          "[Geht sein] Haus.", "*[Gehe mein] Haus.", "*[Gehst dein] Haus."));
  EXPECT_THAT(
      error(head + "S -> locus:N[number=?n] 'so' locus:N[number=?n]\nN -> <Lehrer> | <Koch>\n"),
      HasSubstr("my.cfg:3:1: 'Lehrer so Lehrer' is right and wrong here"));
}

TEST_F(CfgOrder, LociThatDoNotChangeTogetherAreLeftOut) {
  const std::string rest =
      "S -> locus:Art[number=sg] 'alter' locus:N[number=sg] 'da'\n"
      "Art -> <der> | <ihr>\nN[number=?n] -> Noun[number=?n]\nNoun -> <Lehrer> | <Koch>\n";
  const std::string grammar = "% lexicon words.tsv\n% vary number\n";
  EXPECT_THAT(error(grammar + rest), HasSubstr("'ihr alter Lehrer' is right and wrong here"));
  EXPECT_THAT(error(grammar + rest), HasSubstr("% syncretic skip"));
  const std::string skip = grammar + "% syncretic skip\n" + rest;
  std::vector<std::string> all = loci(skip);
  std::sort(all.begin(), all.end());
  EXPECT_THAT(
      all, ElementsAre("*[Die alter Köche] da", "*[Die alter Lehrer] da", "*[Ihr alter Köche] da",
                       "[Der alter Koch] da", "[Der alter Lehrer] da", "[Ihr alter Koch] da"));
  EXPECT_EQ(read(skip).count(), 3u);
  EXPECT_EQ(read(skip).syncretic(), std::set<std::string>{"ihr … Lehrer"});
}

TEST_F(CfgOrder, AFormCanBeNoWordAtAll) {
  EXPECT_THAT(loci("% lexicon empty.tsv\n% vary neg\n"
                   "S -> 'he' 'has' locus:<no>[neg=yes] N 'at' 'all' '.'\nN -> 'time' | 'luck'\n"),
              ElementsAre("He has [no time] at all.", "*He has [time] at all.",
                          "He has [no luck] at all.", "*He has [luck] at all."));
}

TEST_F(CfgOrder, RegionsGoWithTheirWords) {
  options_.roles = true;
  Derivations d = read(
      "S -> 'now' V subject:N 'yes' '.' * 'now' subject:N V 'yes' '.'\nV -> 'goes'\nN -> 'our' "
      "'Ann'\n");
  d.name_roles();
  std::vector<std::string> subjects;
  d.expand([&](const suite::Item& item) {
    for (const suite::Sentence& s : item.sentences)
      for (const suite::Region& r : s.regions)
        subjects.push_back(std::to_string(r.span.begin) + " " +
                           s.text.substr(r.span.begin, r.span.end - r.span.begin));
  });
  EXPECT_THAT(subjects, ElementsAre("9 our Ann", "4 our Ann"));
}

TEST_F(CfgOrder, AVocabularyCountsInNewWords) {
  Derivations d = read("S -> 'als' N * 'wie' N | 'so' N * N 'so'\nN -> 'a'\n");
  d.keep_words([](std::string_view w) { return w != "wie"; });
  EXPECT_EQ(d.count(), 1u);
  EXPECT_THAT(d.unknown_words(), ElementsAre("wie"));
}

}  // namespace
}  // namespace minpair::stimuli
