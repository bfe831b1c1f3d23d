// Natural pairs and nonce sentences from small treebanks of our own.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "stimuli/treebank/extract.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

// "form lemma POS features head relation" a word, separated by " | ", to CoNLL-U. A form that ends
// in an apostrophe or stands before a full stop has no space after it; a relation that ends in "!"
// is that of a part of a name.
std::string tree(const std::string& words, int times = 1) {
  std::string rows;
  std::istringstream in(words);
  std::string form, lemma, pos, feats, head, relation, bar;
  for (int i = 1; in >> form >> lemma >> pos >> feats >> head >> relation; ++i) {
    std::string misc = form.ends_with("'") ? "SpaceAfter=No" : "_";
    if (relation.ends_with("!")) {  // part of a name
      relation.pop_back();
      misc = "Proper=True";
    }
    rows += std::to_string(i) + "\t" + form + "\t" + lemma + "\t" + pos + "\t_\t" + feats + "\t" +
            head + "\t" + relation + "\t_\t" + misc + "\n";
    in >> bar;
  }
  std::string all;
  while (times-- > 0) all += rows + "\n";
  return all;
}

LanguageInfo language(const std::string& code) {
  using enum AgreementType;
  LanguageInfo info{code, code, code, false, {determiner, attributive, predicative, verb}};
  info.either_number = {"Reihe", "sie", "Fass/Fassen"};
  return info;
}

struct Options {
  std::string unimorph = {};
  ExtractOptions::Mask mask = ExtractOptions::Mask::target;
  unsigned nonce = 0;
  Feature vary = Feature::number;
};

struct Pairs {
  std::vector<suite::Item> items;
  ExtractCounts counts;

  // "right * wrong", in the order of the text.
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const suite::Item& item : items) {
      std::string text = item.sentences[0].text;
      for (size_t i = 1; i < item.sentences.size(); ++i) text += " * " + item.sentences[i].text;
      all.push_back(text);
    }
    return all;
  }
};

// Pairs of the sentence, with the paradigms of `bank` and of the sentence itself.
Pairs pairs(const std::string& sentence, const std::string& bank, const Options& o = {}) {
  testing::TemporaryFolder folder;
  write_file(folder / "sentence.conllu", sentence);
  write_file(folder / "all.conllu", sentence + bank);
  write_file(folder / "unimorph", o.unimorph);
  Inflections paradigms;
  NonceWords words;
  ConlluReader all(folder / "all.conllu");
  for (Tree t; all.next(t);) {
    paradigms.add(t);
    words.add(t);
  }
  paradigms.add_unimorph(folder / "unimorph");
  paradigms.finish(o.vary);
  words.finish();
  ExtractOptions options;
  options.mask = o.mask;
  PairExtractor extractor(language("de"), paradigms, options, o.vary);
  if (o.nonce > 0) extractor.nonce(std::move(words), 1, o.nonce);
  Pairs result;
  ConlluReader in(folder / "sentence.conllu");
  for (Tree t; in.next(t);)
    extractor.add(t, [&](const suite::Item& item) { result.items.push_back(item); });
  result.counts = extractor.counts();
  return result;
}

using Texts = std::vector<std::string>;

// French articles, one mistake among them, and nouns that show their number.
const std::string articles =
    tree(
        "les le DET Number=Plur|PronType=Art 2 det | livres livre NOUN Gender=Masc|Number=Plur 0 "
        "root",
        40) +
    tree(
        "le le DET Gender=Masc|Number=Sing|PronType=Art 2 det | livre livre NOUN "
        "Gender=Masc|Number=Sing 0 root",
        40) +
    tree(
        "l' le DET Number=Sing|PronType=Art 2 det | étude étude NOUN Gender=Fem|Number=Sing 0 root",
        30) +
    tree(
        "la le DET Gender=Fem|Number=Sing|PronType=Art 2 det | page page NOUN "
        "Gender=Fem|Number=Sing 0 root",
        30) +
    tree(
        "les le DET Number=Sing|PronType=Art 2 det | pages page NOUN Gender=Fem|Number=Plur 0 "
        "root") +
    tree(
        "le(s) le DET Number=Plur|PronType=Art 2 det | pages page NOUN Gender=Fem|Number=Plur 0 "
        "root",
        2) +
    tree("études étude NOUN Gender=Fem|Number=Plur 0 root", 2);

}  // namespace

TEST(Pairs, OneMistakeOfAnnotationNeitherTakesAFormAwayNorMakesOne) {
  EXPECT_EQ(pairs(tree("le le DET Gender=Masc|Number=Sing|PronType=Art 2 det | livre livre NOUN "
                       "Gender=Masc|Number=Sing 0 root"),
                  articles)
                .texts(),
            Texts{"le livre * les livre"});
  Pairs mistake = pairs(tree("les le DET Number=Sing|PronType=Art 2 det | livre livre NOUN "
                             "Gender=Masc|Number=Sing 0 root"),
                        articles);
  EXPECT_TRUE(mistake.items.empty());
}

// "_הם", and "hem" in "lahem": a part of a longer token need not be a word by itself.
TEST(Pairs, PartsOfLongerTokensAreFormsOnlyWhereTheyStandAlone) {
  const std::string past = " VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root";
  const std::string she = tree("hi hu PRON Number=Sing|Person=3 2 nsubj | amra amar" + past);
  const std::string alone = tree("hem hu PRON Number=Plur|Person=3 0 root", 2);
  const std::string part =
      "1-2\tlahem\t_\t_\t_\t_\t_\t_\t_\t_\n1\tla\tle\tADP\t_\t_\t2\tcase\t_\t_\n"
      "2\them\thu\tPRON\t_\tNumber=Plur|Person=3\t0\troot\t_\t_\n\n";
  std::string bank = tree("amra amar" + past, 20) + part + part + part;
  const Options controller{.mask = ExtractOptions::Mask::controller};
  EXPECT_EQ(pairs(she, bank, controller).texts(), Texts{});
  EXPECT_EQ(pairs(she, bank + alone, controller).texts(), Texts{"hi amra * hem amra"});
  const std::string marked = tree("_hem hu PRON Number=Plur|Person=3 0 root", 9);
  EXPECT_EQ(pairs(she, bank + marked, controller).texts(), Texts{});
}

// "There's times when ...", and the Hebrew verb of being before what it introduces.
TEST(Pairs, VerbsOfBeingMayStayWhatTheyAreBeforeTheirSubject) {
  const std::string are = " VERB Mood=Ind|Number=Plur|Person=3|Tense=Pres ",
                    is = " VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres ",
                    times = "times time NOUN Number=Plur ";
  std::string bank = tree("is be" + is + "0 root", 30) + tree("are be" + are + "0 root", 30) +
                     tree("time time NOUN Number=Sing 0 root", 30) + tree(times + "0 root", 30);
  EXPECT_EQ(pairs(tree(times + "2 nsubj | are be" + are + "0 root"), bank).texts(),
            Texts{"times are * times is"});
  EXPECT_EQ(
      pairs(tree("there there PRON _ 2 expl | are be" + are + "0 root | " + times + "2 nsubj"),
            bank)
          .texts(),
      Texts{});
  bank = tree("haya היה" + is + "0 root", 30) + tree("hayu היה" + are + "0 root", 30) +
         tree("time time NOUN Number=Sing 0 root", 30) + tree(times + "0 root", 30);
  const std::string hayu = "hayu היה" + are + "0 root | ";
  EXPECT_EQ(pairs(tree(hayu + times + "1 nsubj"), bank).texts(), Texts{});
  EXPECT_EQ(pairs(tree(hayu + "ha ha DET _ 3 det | " + times + "1 nsubj"), bank).texts(),
            Texts{"hayu ha times * haya ha times"});
}

TEST(Pairs, ElidedFormsStandBeforeVowelsAndHaveNoSpace) {
  EXPECT_EQ(pairs(tree("l' le DET Number=Sing|PronType=Art 2 det | étude étude NOUN "
                       "Gender=Fem|Number=Sing 0 root"),
                  articles)
                .texts(),
            Texts{"l'étude * les étude"});
  EXPECT_EQ(pairs(tree("les le DET Number=Plur|PronType=Art 2 det | études étude NOUN "
                       "Gender=Fem|Number=Plur 0 root"),
                  articles)
                .texts(),
            Texts{"les études * l'études"});
  EXPECT_EQ(pairs(tree("les le DET Number=Plur|PronType=Art 2 det | livres livre NOUN "
                       "Gender=Masc|Number=Plur 0 root"),
                  articles)
                .texts(),
            Texts{"les livres * le livres"});
}

TEST(Pairs, WordsWithoutALemmaHaveNoForms) {
  std::string bank =
      tree("les _ DET Number=Plur 2 det | livres _ NOUN Gender=Masc|Number=Plur 0 root", 30);
  Pairs none = pairs(
      tree("le _ DET Number=Sing 2 det | livre _ NOUN Gender=Masc|Number=Sing 0 root", 30), bank);
  EXPECT_TRUE(none.items.empty());
  EXPECT_EQ(none.counts.either, 30u);
}

const std::string verbs = tree(
                              "Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | war sein VERB "
                              "Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root",
                              30) +
                          tree(
                              "Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | wawr sein VERB "
                              "Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root") +
                          tree(
                              "Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | sei sein VERB "
                              "Mood=Sub|Number=Sing|Person=3|Tense=Pres 0 root",
                              9) +
                          tree(
                              "Ich ich PRON Case=Nom|Number=Sing|Person=1 2 nsubj | bin sein VERB "
                              "Mood=Ind|Number=Sing|Person=1|Tense=Pres 0 root",
                              9) +
                          tree(
                              "Sie sie PRON Case=Nom|Number=Plur|Person=3 2 nsubj | waren sein "
                              "VERB Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root",
                              20) +
                          tree(
                              "Sie sie PRON Case=Nom|Gender=Fem|Number=Sing|Person=3 2 nsubj | war "
                              "sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root",
                              20);
const std::string plural_verb =
    " | waren sein VERB Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root";

TEST(Pairs, TensePersonMoodAndTypingErrorsAreNotAnotherNumber) {
  std::string houses = tree("Haus Haus NOUN Case=Nom|Gender=Neut|Number=Sing 0 root", 2);
  Pairs p = pairs(tree("Häuser Haus NOUN Case=Nom|Gender=Neut|Number=Plur 2 nsubj" + plural_verb),
                  verbs + houses);
  EXPECT_EQ(p.texts(), Texts{"Häuser waren * Häuser war"});
  EXPECT_EQ(p.items[0].cluster, "de/Haus");
}

TEST(Pairs, TheSpellingStaysAsItIs) {
  const std::string past = " müssen VERB Mood=Ind|Number=";
  const std::string old = tree("mußten" + past + "Plur|Person=3|Tense=Past 0 root", 9),
                    recent = tree("mussten" + past + "Plur|Person=3|Tense=Past 0 root", 2);
  const std::string sentence = tree("Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | musste" +
                                    past + "Sing|Person=3|Tense=Past 0 root");
  EXPECT_EQ(pairs(sentence, verbs + old + recent).texts(), Texts{"Er musste * Er mussten"});
  EXPECT_TRUE(pairs(sentence, verbs + old).items.empty());
}

TEST(Pairs, ASubjectOfBothNumbersMakesNoPair) {
  Pairs sie =
      pairs(tree("Sie sie PRON Case=Nom|Number=Plur|Person=3 2 nsubj" + plural_verb), verbs);
  EXPECT_TRUE(sie.items.empty());
  EXPECT_EQ(sie.counts.either, 1u);
  // A noun of which the treebank knows no other form, and what UniMorph adds.
  std::string lehrer =
      tree("Lehrer Lehrer NOUN Case=Nom|Gender=Masc|Number=Plur 2 nsubj" + plural_verb);
  EXPECT_EQ(pairs(lehrer, verbs).counts.either, 1u);
  EXPECT_EQ(
      pairs(lehrer, verbs, {"Lehrer\tLehrer\tN;NOM;SG\nLehrer\tLehrer\tN;NOM;PL\n"}).counts.either,
      1u);
  std::string gast = tree("Gäste Gast NOUN Case=Nom|Gender=Masc|Number=Plur 2 nsubj" + plural_verb);
  EXPECT_EQ(pairs(gast, verbs, {"Gast\tGast\tN;NOM;SG\nGast\tGäste\tN;NOM;PL\n"}).items.size(), 1u);
}

TEST(Pairs, AnArticleShowsTheNumberOfItsNoun) {
  std::string die = tree(
      "die der DET Case=Nom|Gender=Masc|Number=Plur 2 det | Gäste Gast NOUN "
      "Case=Nom|Gender=Masc|Number=Plur 0 root",
      30);
  EXPECT_EQ(pairs(tree("die der DET Case=Nom|Gender=Masc|Number=Plur 2 det | Lehrer Lehrer NOUN "
                       "Case=Nom|Gender=Masc|Number=Plur 3 nsubj" +
                       plural_verb),
                  verbs + die)
                .texts(),
            Texts{"die Lehrer waren * die Lehrer war"});
}

TEST(Pairs, ANounThatIsDeclinedLikeAnAdjectiveMayHaveAnyGender) {
  std::string bank =
      tree(
          "die der DET Case=Nom|Gender=Masc|Number=Plur 2 det | Männer Mann NOUN "
          "Case=Nom|Gender=Masc|Number=Plur 0 root",
          30) +
      tree(
          "die der DET Case=Nom|Gender=Fem|Number=Sing 2 det | Katze Katze NOUN "
          "Case=Nom|Gender=Fem|Number=Sing 0 root",
          30) +
      tree(
          "kranke krank ADJ Case=Nom|Gender=Fem|Number=Sing 2 amod | Katze Katze NOUN "
          "Case=Nom|Gender=Fem|Number=Sing 0 root",
          30);
  auto texts = [&](const std::string& noun) {
    return pairs(tree("der der DET Case=Nom|Gender=Masc|Number=Sing 2 det | " + noun +
                          " NOUN Case=Nom|Gender=Masc|Number=Sing 3 nsubj | war sein VERB "
                          "Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root",
                      30),
                 verbs + bank)
        .texts();
  };
  auto has_article = [](const Texts& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const std::string& t) { return t.find("* die") != std::string::npos; });
  };
  EXPECT_TRUE(has_article(texts("Mann Mann")));
  EXPECT_FALSE(has_article(texts("Kranke Kranke")));
  EXPECT_FALSE(has_article(texts("32jährige 32jährige")));
  // "Hunde" and "Stunde" end as "Vorsitzende" does.
  bank += tree("Hunde Hund NOUN Case=Nom|Gender=Masc|Number=Plur 0 root", 2) +
          tree("Stunde Stunde NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 2);
  EXPECT_FALSE(has_article(texts("Vorsitzende Vorsitzende")));
}

TEST(Pairs, AFormThatIsAlsoASingularOrAnAdjectiveIsNotWrong) {
  const std::string dem = "dem der DET Case=Dat|Gender=Neut|Number=Sing ";
  auto wrong = [&](const std::string& lemma, const std::string& form, const std::string& bank) {
    const std::string rest = " " + lemma + " NOUN Case=Dat|Gender=Neut|Number=";
    return pairs(tree(dem + "2 det | " + lemma + rest + "Sing 0 root", 30),
                 tree(form + rest + "Plur 0 root", 30) + bank,
                 {.mask = ExtractOptions::Mask::controller})
        .texts();
  };
  const std::string adjective =
      tree(dem +
               "3 det | reichen reich ADJ Case=Dat|Gender=Neut|Number=Sing 3 amod | Kind Kind "
               "NOUN Case=Dat|Gender=Neut|Number=Sing 0 root",
           2);
  EXPECT_EQ(wrong("Land", "Ländern", adjective), Texts{"dem Land * dem Ländern"});
  EXPECT_EQ(wrong("Reich", "Reichen", ""), Texts{"dem Reich * dem Reichen"});
  EXPECT_TRUE(wrong("Reich", "Reichen", adjective).empty());
  EXPECT_TRUE(wrong("Fass", "Fassen", "").empty());  // on the list
}

TEST(Pairs, ConstructionsThatAllowBothMakeNoPair) {
  std::string nouns = tree("Reihe Reihe NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 30) +
                      tree("Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 30);
  std::string verb = " | war sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root";
  std::string katze = "Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing ";
  EXPECT_EQ(pairs(tree(katze + "2 nsubj" + verb), verbs + nouns).items.size(), 1u);
  EXPECT_EQ(
      pairs(tree("Reihe Reihe NOUN Case=Nom|Gender=Fem|Number=Sing 2 nsubj" + verb), verbs + nouns)
          .counts.either,
      1u);
  EXPECT_EQ(pairs(tree(katze +
                       "4 nsubj | oder oder CCONJ _ 3 cc | Maus Maus NOUN "
                       "Case=Nom|Gender=Fem|Number=Sing 1 conj" +
                       verb),
                  verbs + nouns)
                .counts.either,
            1u);
}

TEST(Pairs, TheVerbOfACoordinatedSubjectShowsNoNumberOfItsNouns) {
  const std::string die = "die der DET Case=Nom|Gender=Masc|Number=Plur 2 det | ";
  const std::string rest =
      " | und und CCONJ _ 4 cc | Gäste Gast NOUN Case=Nom|Gender=Masc|Number=Plur 2 conj" +
      plural_verb;
  std::string bank =
      verbs + tree(
                  "der der DET Case=Nom|Gender=Masc|Number=Sing 2 det | Gast Gast NOUN "
                  "Case=Nom|Gender=Masc|Number=Sing 0 root",
                  30);
  auto sentence = [&](const std::string& noun) {
    return tree(die + noun + " NOUN Case=Nom|Gender=Masc|Number=Plur 5 nsubj" + rest);
  };
  EXPECT_TRUE(pairs(sentence("Fahrer Fahrer"), bank).items.empty());
  EXPECT_EQ(pairs(sentence("Gäste Gast"), bank).items.size(), 1u);  // a noun that shows it itself
}

// "Gute Bedienung und das Essen war/waren gut": the beginning may be part of the subject.
TEST(Pairs, ConjunctsOfFragmentsMayShareASubject) {
  const std::string nouns = tree("Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 30);
  auto joined = [&](const std::string& first, const std::string& relation) {
    return pairs(tree(first +
                      " 0 root | und und CCONJ _ 4 cc | Katze Katze NOUN "
                      "Case=Nom|Gender=Fem|Number=Sing 4 nsubj | war sein VERB "
                      "Mood=Ind|Number=Sing|Person=3|Tense=Past 1 " +
                      relation),
                 verbs + nouns);
  };
  const std::string maus = "Maus Maus NOUN Case=Nom|Gender=Fem|Number=Sing";
  EXPECT_EQ(joined(maus, "conj").counts.either, 1u);
  EXPECT_EQ(joined(maus, "parataxis").texts(), Texts{"Maus und Katze war * Maus und Katze waren"});
  EXPECT_EQ(joined("kam kommen VERB Mood=Ind|Number=Sing|Person=3|Tense=Past", "conj").texts(),
            Texts{"kam und Katze war * kam und Katze waren"});
}

// "Gründe/Grund sind die Kosten": with a plural as predicate the subject may be a singular.
TEST(Pairs, ThePredicateMayBeWhatTheVerbAgreesWith) {
  auto texts = [&](const std::string& predicate) {
    return pairs(tree("Gründe Grund NOUN Case=Nom|Gender=Masc|Number=Plur 3 nsubj | waren sein AUX "
                      "Mood=Ind|Number=Plur|Person=3|Tense=Past 3 cop | " +
                      predicate + " 0 root"),
                 verbs + tree("Grund Grund NOUN Case=Nom|Gender=Masc|Number=Sing 0 root", 2),
                 {.mask = ExtractOptions::Mask::controller})
        .texts();
  };
  EXPECT_EQ(texts("alt alt ADV _"), Texts{"Gründe waren alt * Grund waren alt"});
  EXPECT_TRUE(texts("Kosten Kosten NOUN Case=Nom|Gender=Masc|Number=Plur").empty());
}

// "in hohem/hohen Maße": with an article it is the second, whatever the treebank wrote.
TEST(Pairs, AnotherDeclensionIsNoMistake) {
  const std::string dative = " Case=Dat|Gender=Neut|Number=",
                    haus = " | Haus Haus NOUN" + dative + "Sing 0 root";
  const std::string bank =
      tree("Haus Haus NOUN" + dative + "Sing 0 root", 30) +
      tree("hohen hoch ADJ" + dative + "Plur 2 amod | Häusern Haus NOUN" + dative + "Plur 0 root",
           9);
  const std::string sentence = tree("hohem hoch ADJ" + dative + "Sing 2 amod" + haus);
  EXPECT_EQ(pairs(sentence, bank).texts(), Texts{"hohem Haus * hohen Haus"});
  EXPECT_TRUE(pairs(sentence, bank + tree("neuen neu ADJ" + dative + "Sing 2 amod" + haus, 20))
                  .items.empty());
}

// "das Boot, das die Leute verließen/verließ": it may have left them.
TEST(Pairs, CaseSyncretismMakesSubjectAndObjectAmbiguous) {
  std::string bank;
  for (const char* which : {"Nom", "Acc"})
    for (const char* number : {"Sing", "Plur"}) {
      const std::string same = std::string("Case=") + which + "|Number=" + number;
      const std::string article = number == std::string("Sing") ? "das" : "die";
      bank +=
          tree(article + " der DET " + same + "|Gender=Neut 2 det | Kind Kind NOUN " + same +
                   "|Gender=Neut 0 root",
               30) +
          tree("das das PRON Case=" + std::string(which) + "|Gender=Neut|Number=Sing 0 root", 30);
    }
  bank += tree("den der PRON Case=Acc|Gender=Masc|Number=Sing 0 root", 30) +
          tree("sahen sehen VERB Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root", 30) +
          tree("sah sehen VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root", 30) +
          tree("wir wir PRON Case=Nom|Number=Plur|Person=1 0 root", 30) +
          tree("Leute Leute NOUN Case=Nom|Gender=Neut|Number=Plur 0 root", 10) +
          tree("Leute Leute NOUN Case=Acc|Gender=Neut|Number=Plur 0 root", 30);
  const std::string leute =
      "die der DET Case=Nom|Gender=Neut|Number=Plur 3 det | Leute Leute NOUN "
      "Case=Nom|Gender=Neut|Number=Plur 4 nsubj | sahen sehen VERB "
      "Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root";
  auto verb_pairs = [&](const std::string& object) {
    Texts texts;
    for (const std::string& t : pairs(tree(object + leute), bank).texts())
      if (t.find("sah\n") != t.npos || t.ends_with("sah")) texts.push_back(t);
    return texts;
  };
  EXPECT_TRUE(verb_pairs("das das PRON Case=Acc|Gender=Neut|Number=Sing 4 obj | ").empty());
  EXPECT_EQ(verb_pairs("den der PRON Case=Acc|Gender=Masc|Number=Sing 4 obj | "),
            Texts{"den die Leute sahen * den die Leute sah"});
  EXPECT_EQ(verb_pairs("die der PRON Case=Acc|Gender=Neut|Number=Plur 4 obj | "),
            Texts{"die die Leute sahen * die die Leute sah"});
}

// "der/die Malleus" may be somebody's name, and "Investors" is one.
TEST(Pairs, PartsOfNamesShowNoGenderAndAreNoForms) {
  const std::string bank =
      tree(
          "die der DET Case=Nom|Gender=Masc|Number=Plur 2 det | Gäste Gast NOUN "
          "Case=Nom|Gender=Masc|Number=Plur 0 root",
          30) +
      tree(
          "die der DET Case=Nom|Gender=Fem|Number=Sing 2 det | Katze Katze NOUN "
          "Case=Nom|Gender=Fem|Number=Sing 0 root",
          30) +
      tree("der der DET Case=Nom|Gender=Masc|Number=Sing 0 root", 30);
  auto texts = [&](const std::string& name) {
    return pairs(tree("der der DET Case=Nom|Gender=Masc|Number=Sing 2 det | Gast Gast NOUN "
                      "Case=Nom|Gender=Masc|Number=Sing 0 root" +
                          name,
                      30),
                 bank)
        .texts();
  };
  EXPECT_EQ(texts(""), Texts{"der Gast * die Gast"});
  EXPECT_TRUE(texts("!").empty());
  auto wrong = [&](const std::string& name) {
    return pairs(tree("Gäste Gast NOUN Case=Nom|Gender=Masc|Number=Plur 2 nsubj" + plural_verb),
                 verbs + tree("Gasts Gast NOUN Case=Nom|Gender=Masc|Number=Sing 0 root" + name, 3),
                 {.mask = ExtractOptions::Mask::controller})
        .texts();
  };
  EXPECT_EQ(wrong(""), Texts{"Gäste waren * Gasts waren"});
  EXPECT_TRUE(wrong("!").empty());
}

TEST(Pairs, AnotherCaseIsNoMistake) {
  // "in den Wald" is right where "in dem Wald" is.
  std::string bank = tree(
                         "dem der DET Case=Dat|Gender=Masc|Number=Sing 2 det | Wald Wald NOUN "
                         "Case=Dat|Gender=Masc|Number=Sing 0 root",
                         30) +
                     tree(
                         "den der DET Case=Acc|Gender=Masc|Number=Sing 2 det | Wald Wald NOUN "
                         "Case=Acc|Gender=Masc|Number=Sing 0 root",
                         30) +
                     tree(
                         "den der DET Case=Dat|Gender=Masc|Number=Plur 2 det | Wäldern Wald NOUN "
                         "Case=Dat|Gender=Masc|Number=Plur 0 root",
                         30);
  Pairs p = pairs(tree("in in ADP _ 3 case | dem der DET Case=Dat|Gender=Masc|Number=Sing 3 det | "
                       "Wald Wald NOUN Case=Dat|Gender=Masc|Number=Sing 0 root"),
                  bank);
  EXPECT_TRUE(p.items.empty());
  EXPECT_EQ(p.counts.no_other_form, 1u);
}

TEST(Pairs, DegreesOfAnAdjectiveAreDifferentWords) {
  std::string trend = tree("Trends Trend NOUN Case=Gen|Gender=Masc|Number=Sing 0 root", 30);
  std::string bank = trend + tree("größten groß ADJ Case=Gen|Gender=Masc|Number=Plur 0 root", 9) +
                     tree("große groß ADJ Case=Gen|Gender=Masc|Number=Plur 0 root", 2);
  Pairs p = pairs(tree("größeren groß ADJ Case=Gen|Gender=Masc|Number=Sing 2 amod | Trends Trend "
                       "NOUN Case=Gen|Gender=Masc|Number=Sing 0 root",
                       2),
                  bank);
  EXPECT_TRUE(p.items.empty());
  bank += tree("größerer groß ADJ Case=Gen|Gender=Masc|Number=Plur 0 root", 9);
  p = pairs(tree("größeren groß ADJ Case=Gen|Gender=Masc|Number=Sing 2 amod | Trends Trend NOUN "
                 "Case=Gen|Gender=Masc|Number=Sing 0 root",
                 2),
            bank);
  EXPECT_EQ(p.texts(), Texts{"größeren Trends * größerer Trends"});
  EXPECT_EQ(p.counts.duplicates, 1u);
}

TEST(Pairs, WithheldWordsAreCounted) {
  Pairs p = pairs(tree("Le le DET Number=Sing 2 det | _ _ NOUN Gender=Masc|Number=Sing 3 nsubj | _ "
                       "_ VERB Number=Sing|Person=3 0 root"),
                  articles);
  EXPECT_TRUE(p.items.empty());
  EXPECT_EQ(p.counts.withheld, 2u);
}

namespace {

std::string nonce_of(const std::string& sentence, const std::string& bank) {
  Pairs p = pairs(tree(sentence), bank + verbs, {.nonce = 20});
  std::string all;
  for (const suite::Item& item : p.items) all += item.sentences[0].text + "\n";
  return all;
}

}  // namespace

TEST(Nonce, AdjectivesKeepTheirEnding) {
  const std::string sing =
      " ADJ Case=Nom|Gender=Masc|Number=Sing 3 amod | Mann Mann NOUN "
      "Case=Nom|Gender=Masc|Number=Sing 0 root";
  std::string bank = tree("Männer Mann NOUN Case=Nom|Gender=Masc|Number=Plur 0 root", 2);
  for (const char* a : {"alte alt", "alter alt", "guter gut", "gute gut", "neue neu", "neuer neu"})
    bank += tree("der der DET Case=Nom|Gender=Masc|Number=Sing 3 det | " + (a + sing), 15);
  std::string texts = nonce_of(
      "der der DET Case=Nom|Gender=Masc|Number=Sing 3 det | alte alt ADJ "
      "Case=Nom|Gender=Masc|Number=Sing 3 amod | Mann Mann NOUN Case=Nom|Gender=Masc|Number=Sing 4 "
      "nsubj | war sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root",
      bank);
  EXPECT_NE(texts.find("der neue Mann war"), std::string::npos) << texts;
  EXPECT_NE(texts.find("der gute Mann war"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("er Mann"), std::string::npos) << texts;
}

TEST(Nonce, SeparableVerbsStaySeparated) {
  const std::string past = " VERB Mood=Ind|Number=Sing|Person=3|Tense=Past ";
  std::string bank = tree("zog ziehen" + past + "0 root | ab ab ADP _ 1 compound:prt", 2) +
                     tree("abzog abziehen" + past + "0 root", 2) +
                     tree("abging abgehen" + past + "0 root", 2);
  for (const char* v : {"ging gehen", "lief laufen", "sang singen"})
    bank += tree(v + past + "0 root", 2);
  std::string texts =
      nonce_of("Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | ging gehen" + past +
                   "0 root | als als SCONJ _ 5 mark | er er PRON Case=Nom|Number=Sing|Person=3 5 "
                   "nsubj | war sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 2 advcl",
               bank);
  EXPECT_NE(texts.find("Er sang als er war"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("Er ab"), std::string::npos) << texts;
}

TEST(Nonce, VerbsMatchTheirArguments) {
  const std::string past = " VERB Mood=Ind|Number=Sing|Person=3|Tense=Past ";
  const std::string object = "0 root | es es PRON Case=Acc|Number=Sing|Person=3 1 obj";
  std::string bank = tree("schlief schlafen" + past + "0 root", 4) +
                     tree("lachte lachen" + past + "0 root", 4) +
                     tree("sah sehen" + past + object, 4) + tree("nahm nehmen" + past + object, 4) +
                     tree("fand finden" + past + object, 4) +
                     tree("nahm nehmen" + past + "0 root | sich sich PRON Reflex=Yes 1 iobj", 3) +
                     tree("sah sehen" + past + "0 root") +
                     tree("hing hängen" + past + "0 root | daran daran ADV _ 1 obl", 4) +
                     tree("hing hängen" + past + "0 root");
  const std::string er = "Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | ";
  auto when = [](int first) {
    std::string verb = std::to_string(first + 2);
    return " | als als SCONJ _ " + verb + " mark | er er PRON Case=Nom|Number=Sing|Person=3 " +
           verb + " nsubj | war sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 2 advcl";
  };
  std::string texts = nonce_of(er + "lachte lachen" + past + "0 root" + when(3), bank);
  EXPECT_NE(texts.find("Er schlief"), std::string::npos) << texts;
  for (const char* no : {"sah", "hing", "nahm"})
    EXPECT_EQ(texts.find(no), std::string::npos) << texts;
  texts = nonce_of(er + "fand finden" + past +
                       "0 root | es es PRON Case=Acc|Number=Sing|Person=3 2 obj" + when(4),
                   bank);
  EXPECT_NE(texts.find("Er sah es"), std::string::npos) << texts;
  for (const char* no : {"schlief", "lachte", "nahm"})
    EXPECT_EQ(texts.find(no), std::string::npos) << texts;
}

TEST(Nonce, UninflectedFormsDoNotReplaceInflectedOnes) {
  std::string bank = tree("Männer Mann NOUN Case=Nom|Gender=Masc|Number=Plur 0 root", 2) +
                     tree("Mann Mann NOUN Case=Nom|Gender=Masc|Number=Sing 0 root", 2);
  for (const char* n : {"Hauses Haus", "Bildes Bild", "Team Team"})
    bank += tree(std::string("des der DET Case=Gen|Gender=Neut|Number=Sing 2 det | ") + n +
                     " NOUN Case=Gen|Gender=Neut|Number=Sing 0 root",
                 15);
  std::string texts = nonce_of(
      "Männer Mann NOUN Case=Nom|Gender=Masc|Number=Plur 4 nsubj | des der DET "
      "Case=Gen|Gender=Neut|Number=Sing 3 det | Hauses Haus NOUN Case=Gen|Gender=Neut|Number=Sing "
      "1 "
      "nmod | waren sein VERB Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root",
      bank);
  EXPECT_NE(texts.find("des Bildes"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("Team"), std::string::npos) << texts;
}

// "des Fahrer" is a mistake of the source, and no place for another noun without an ending.
TEST(Nonce, GenitivesWithoutTheirEndingStay) {
  const std::string genitive = " NOUN Case=Gen|Gender=Masc|Number=Sing ",
                    des = "des der DET Case=Gen|Gender=Masc|Number=Sing 2 det | ";
  std::string bank = tree("Männer Mann NOUN Case=Nom|Gender=Masc|Number=Plur 0 root", 2) +
                     tree("Mann Mann NOUN Case=Nom|Gender=Masc|Number=Sing 0 root", 2);
  bank += tree("Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 200);
  for (const char* n : {"Tages Tag", "Weges Weg", "Krieges Krieg"})
    bank += tree(des + n + genitive + "0 root", 15);
  for (const char* n : {"Kampf Kampf", "Griff Griff"})
    bank += tree(des + n + genitive + "0 root") +
            tree(n + std::string(" NOUN Case=Nom|Gender=Masc|Number=Sing 0 root"), 2);
  std::string texts = nonce_of(
      "Männer Mann NOUN Case=Nom|Gender=Masc|Number=Plur 4 nsubj | des der DET "
      "Case=Gen|Gender=Masc|Number=Sing 3 det | Fahrer Fahrer" +
          genitive + "1 nmod | waren sein VERB Mood=Ind|Number=Plur|Person=3|Tense=Past 0 root",
      bank);
  EXPECT_EQ(texts.find("Kampf"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("Griff"), std::string::npos) << texts;
}

TEST(Nonce, ElisionAndNumeralsStay) {
  const std::string feats = " NOUN Gender=Fem|Number=Sing ";
  std::string bank = articles;
  for (const char* n : {"étude étude", "idée idée", "page page", "table table", "herbe herbe"}) {
    bool vowel = std::string(n)[0] != 'p' && std::string(n)[0] != 't';
    bank += tree((vowel ? "l' le DET Number=Sing|PronType=Art 2 det | "
                        : "la le DET Gender=Fem|Number=Sing|PronType=Art 2 det | ") +
                     std::string(n) + feats + "0 root",
                 30);
  }
  std::string verb = " | war sein VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root";
  std::string texts = nonce_of(
      "l' le DET Number=Sing|PronType=Art 2 det | étude étude" + feats + "3 nsubj" + verb, bank);
  EXPECT_NE(texts.find("l'idée"), std::string::npos) << texts;
  EXPECT_NE(texts.find("l'herbe"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("l'page"), std::string::npos) << texts;
  EXPECT_EQ(texts.find("l'table"), std::string::npos) << texts;
  texts = nonce_of(
      "la le DET Gender=Fem|Number=Sing|PronType=Art 3 det | 2 2 NUM NumType=Card 3 nummod | page "
      "page" +
          feats + "0 root",
      bank);
  EXPECT_EQ(texts.find("table"), std::string::npos) << texts;
}

// "die Hoffnung, dass", "ihrer Meinung nach", "im Mai": other nouns do not fit there, nor these
// elsewhere.
TEST(Nonce, NounsStayWhereOthersDoNotFit) {
  const std::string feats = " NOUN Case=Dat|Gender=Fem|Number=Sing ";
  std::string bank = tree("Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 30);
  for (const char* n : {"Seite Seite", "Idee Idee", "Frage Frage"})
    bank +=
        tree("der der DET Case=Dat|Gender=Fem|Number=Sing 2 det | " + (n + feats) + "0 root", 30);
  bank += tree("zu zu ADP _ 3 case | der der DET Case=Dat|Gender=Fem|Number=Sing 3 det | Not Not" +
                   feats + "0 root",
               30);
  const std::string war =
      "Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 2 nsubj | war sein VERB "
      "Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root | ";
  auto changes = [&](const std::string& rest) {
    const std::string texts = nonce_of(war + rest, bank);
    EXPECT_EQ(texts.find(" Not"), texts.npos) << texts;
    return texts.find("Seite") != texts.npos || texts.find("Frage") != texts.npos;
  };
  const std::string der = "der der DET Case=Dat|Gender=Fem|Number=Sing 5 det | ";
  const std::string idee = der + "Idee Idee" + feats + "2 obl";
  EXPECT_TRUE(changes("bei bei ADP _ 5 case | " + idee));
  EXPECT_FALSE(changes("bei bei ADP _ 5 case | " + idee +
                       " | , , PUNCT _ 2 punct | dass dass SCONJ _ 2 mark"));
  EXPECT_FALSE(changes("ja ja ADV _ 2 advmod | " + idee + " | nach nach ADP _ 5 case"));
  // The clause may belong to the noun, whatever the tree says: "es war die Idee da, dass ...".
  EXPECT_FALSE(changes("bei bei ADP _ 5 case | " + idee +
                       " | da da ADV _ 2 advmod | , , PUNCT _ 2 punct | dass dass SCONJ _ 9 mark | "
                       "sah sehen VERB Mood=Ind|Number=Sing|Person=3|Tense=Past 2 ccomp"));
  EXPECT_FALSE(changes("zu zu ADP _ 5 case | " + der + "Not Not" + feats + "2 obl"));
}

// What stands beside a verb of many uses may belong to one of them: "aufmerksam machen".
TEST(Nonce, VerbsOfManyUsesStay) {
  const std::string past = " VERB Mood=Ind|Number=Sing|Person=3|Tense=Past ";
  const std::string object = "0 root | es es PRON Case=Acc|Number=Sing|Person=3 1 obj";
  std::string bank = tree("sah sehen" + past + object, 6) + tree("fand finden" + past + object, 6) +
                     tree("machte machen" + past + object, 6) +
                     tree("machte machen" + past + object + " | klar klar ADJ _ 1 xcomp", 6);
  auto texts = [&](const std::string& verb) {
    return nonce_of("Er er PRON Case=Nom|Number=Sing|Person=3 2 nsubj | " + verb + past +
                        "0 root | es es PRON Case=Acc|Number=Sing|Person=3 2 obj | als als SCONJ _ "
                        "6 mark | er er PRON Case=Nom|Number=Sing|Person=3 6 nsubj | war sein VERB "
                        "Mood=Ind|Number=Sing|Person=3|Tense=Past 2 advcl",
                    bank);
  };
  EXPECT_NE(texts("fand finden").find("Er sah es"), std::string::npos);
  EXPECT_EQ(texts("machte machen").find("Er sah es"), std::string::npos);
  EXPECT_EQ(texts("fand finden").find("machte"), std::string::npos);
}

// "Zeitungs- und Illustriertenseiten": without its second half the first is no word.
TEST(Nonce, HalvesOfACompoundStay) {
  const std::string feats = " NOUN Case=Acc|Gender=Fem|Number=Plur ";
  std::string bank = tree("Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 0 root", 30);
  for (const char* n : {"Seiten Seite", "Ideen Idee", "Fragen Frage"})
    bank +=
        tree("die der DET Case=Acc|Gender=Fem|Number=Plur 2 det | " + (n + feats) + "0 root", 30);
  auto texts = [&](const std::string& first) {
    return nonce_of(
        "Katze Katze NOUN Case=Nom|Gender=Fem|Number=Sing 2 nsubj | war sein VERB "
        "Mood=Ind|Number=Sing|Person=3|Tense=Past 0 root | " +
            first + feats + "2 obj | und und CCONJ _ 5 cc | Seiten Seite" + feats + "3 conj",
        bank);
  };
  EXPECT_NE(texts("Fragen Frage").find("und Ideen"), std::string::npos) << texts("Fragen Frage");
  EXPECT_EQ(texts("Zeitungs- Zeitung").find("und Ideen"), std::string::npos);
}

}  // namespace minpair::stimuli
