// Grammars with one mistake each: a letter, a bracket, a feature, a lemma. Each is refused, with the
// file, or makes the very sentences of the grammar without it; none loses agreement or half of its
// sentences without a word.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "stimuli/stimuli.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using Files = std::map<std::string, std::string>;

const Files& spanish() {
  static const Files files = {
      {"words.tsv",
       "el\tel\tDET;MASC;SG\nel\tla\tDET;FEM;SG\nel\tlos\tDET;MASC;PL\nel\tlas\tDET;FEM;PL\n"
       "médico\tmédico\tN;MASC;SG\nmédico\tmédicos\tN;MASC;PL\n"
       "enfermera\tenfermera\tN;FEM;SG\nenfermera\tenfermeras\tN;FEM;PL\n"
       "cansado\tcansado\tADJ;MASC;SG\ncansado\tcansada\tADJ;FEM;SG\n"
       "cansado\tcansados\tADJ;MASC;PL\ncansado\tcansadas\tADJ;FEM;PL\n"
       "dormir\tduerme\tV;PRS;3;SG\ndormir\tduermen\tV;PRS;3;PL\n"
       "dormir\tdurmió\tV;PST;3;SG\ndormir\tdurmieron\tV;PST;3;PL\n"
       "estar\testá\tV;PRS;3;SG\nestar\testán\tV;PRS;3;PL\n"},
      {"t.cfg",
       "% lexicon words.tsv\n% vary number\n% condition subject.number other.number\n% language es\n"
       "% include common.cfg\n"
       "S -> subject:NP[number=?n] PP locus:V[number=?n] '.'\n"
       "S -> subject:NP[number=?n, gender=?g] PP locus:<estar>[number=?n, person=3] "
       "Adj[number=?n, gender=?g] '.'\n"
       "PP -> 'con' other:NP[number=?m]\n"
       "V[tense=prs, person=3] -> <dormir>\nAdj -> <cansado>\n"},
      {"common.cfg",
       "NP[number=?n, gender=?g] -> Art[number=?n, gender=?g] N[number=?n, gender=?g]\n"
       "Art -> <el>\nN -> <médico> | <enfermera>\n"},
      {"manifest.json", "{\"name\": \"s\", \"tests\": [{\"name\": \"t\", \"title\": \"T\"}]}\n"}};
  return files;
}

const Files& dutch() {
  static const Files files = {
      {"common.avg",
       "language: nl\ntext: natural\nsubject: NP_1\ndistractor: NP_2\n"
       "NP_1[s] de arts | de bakker\nNP_1[p] de artsen | de bakkers\n"
       "NP_2[s] de gast | de buurman\nNP_2[p] de gasten | de buren\n"
       "VP[s] lacht | is moe\nVP[p] lachen | zijn moe\nTo[] op | naar\n"
       "V[s] wacht | kijkt\nV[p] wachten | kijken\n"},
      {"t.avg",
       "vary: VP[]\ntied: To V\n"
       "S[sg,sg] NP_1[s] die To[] NP_2[s] V[s] , VP[s]\n"
       "S[sg,pl] NP_1[s] die To[] NP_2[p] V[s] , VP[s]\n"
       "S[pl,sg] NP_1[p] die To[] NP_2[s] V[p] , VP[p]\n"
       "S[pl,pl] NP_1[p] die To[] NP_2[p] V[p] , VP[p]\n"},
      {"manifest.json", "{\"name\": \"s\", \"tests\": [{\"name\": \"t\", \"title\": \"T\"}]}\n"}};
  return files;
}

// Every item as its condition and its sentences, stars before the wrong ones; or the error.
std::string made_by(const Files& files) {
  testing::TemporaryFolder folder;
  for (const auto& [name, text] : files) write_file(folder / name, text);
  std::string all;
  try {
    auto items = open_items(suite::find_suite(folder.path().string()));
    for (suite::Item item; items->next(item);) {
      all += item.condition + ":";
      for (const suite::Sentence& s : item.sentences) all += (s.grammatical ? " " : " *") + s.text;
      all += "\n";
    }
  } catch (const Error& e) {
    return std::string("error: ") + e.what();
  }
  return all;
}

struct Mistake {
  const char *file, *right, *wrong;
};

void expect_noticed(const Files& files, const std::vector<Mistake>& mistakes) {
  const std::string right = made_by(files);
  ASSERT_FALSE(right.starts_with("error")) << right;
  for (const Mistake& m : mistakes) {
    Files changed = files;
    std::string& text = changed.at(m.file);
    const size_t at = text.find(m.right);
    ASSERT_NE(at, text.npos) << m.right;
    text.replace(at, std::string_view(m.right).size(), m.wrong);
    const std::string made = made_by(changed);
    const bool refused = made.starts_with("error");
    EXPECT_TRUE(refused || made == right) << m.right << " became " << m.wrong << "\n" << made;
    if (refused) {
      EXPECT_TRUE(made.find(".cfg") != made.npos || made.find(".avg") != made.npos ||
                  made.find(".tsv") != made.npos || made.find(".json") != made.npos)
          << m.wrong << ": " << made;
    }
  }
}

}  // namespace

TEST(Mistakes, OfContextFreeGrammars) {
  expect_noticed(
      spanish(),
      {
          // a variable that stands alone
          {"t.cfg", "S -> subject:NP[number=?n] PP locus:V[number=?n]",
           "S -> subject:NP[number=?n] PP locus:V[number=?m]"},
          {"t.cfg", "S -> subject:NP[number=?n] PP", "S -> subject:NP[number=?m] PP"},
          {"t.cfg", "locus:V[number=?n]", "locus:V"},
          {"t.cfg", "S -> subject:NP[number=?n] PP", "S -> subject:NP PP"},
          {"t.cfg", "Adj[number=?n, gender=?g]", "Adj[number=?n, gender=?h]"},
          {"t.cfg", "Adj[number=?n, gender=?g]", "Adj[number=?n]"},
          {"t.cfg", "Adj[number=?n, gender=?g]", "Adj[gender=?g]"},
          {"t.cfg", "Adj[number=?n, gender=?g]", "Adj"},
          {"t.cfg", "locus:<estar>[number=?n, person=3]", "locus:<estar>[number=?k, person=3]"},
          {"t.cfg", "locus:<estar>[number=?n, person=3]", "locus:<estar>[person=3]"},
          {"t.cfg", "locus:<estar>[number=?n, person=3]", "locus:<estar>"},
          {"common.cfg", "-> Art[number=?n, gender=?g]", "-> Art[number=?n]"},
          {"common.cfg", "-> Art[number=?n, gender=?g]", "-> Art[gender=?g]"},
          {"common.cfg", "-> Art[number=?n, gender=?g]", "-> Art"},
          {"common.cfg", "-> Art[number=?n, gender=?g]", "-> Art[number=?m, gender=?g]"},
          {"common.cfg", "N[number=?n, gender=?g]\n", "N[number=?n, gender=?f]\n"},
          {"common.cfg", "N[number=?n, gender=?g]\n", "N[number=?n]\n"},
          {"common.cfg", "N[number=?n, gender=?g]\n", "N[gender=?g]\n"},
          {"common.cfg", "N[number=?n, gender=?g]\n", "N\n"},
          {"common.cfg", "NP[number=?n, gender=?g] ->", "NP[gender=?g] ->"},
          {"common.cfg", "NP[number=?n, gender=?g] ->", "NP[number=?n] ->"},
          {"common.cfg", "NP[number=?n, gender=?g] ->", "NP[number=?n, gender=?x] ->"},
          {"common.cfg", "NP[number=?n, gender=?g] ->", "NP ->"},
          // brackets
          {"common.cfg", "Art -> <el>", "Art[gender=?g] -> <el>[number=sg]"},
          {"common.cfg", "Art -> <el>", "Art -> <el>[number=sg]"},
          {"common.cfg", "Art -> <el>", "Art[gender=masc] -> <el>"},
          {"common.cfg", "Art -> <el>", "Art[number=pl] -> <el>[number=sg]"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V[tense=prs] -> <dormir>[person=3]"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V -> <dormir>[tense=prs, person=3]"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V[tense=prs, person=3 -> <dormir>"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V[person=3] -> <dormir>"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V[tense=prs, person=1] -> <dormir>"},
          {"t.cfg", "V[tense=prs, person=3] -> <dormir>", "V[tense=prs, person=3] -> 'duerme'"},
          // letters
          {"t.cfg", "% vary number", "% vary nubmer"},
          {"t.cfg", "% condition subject.number", "% condition subject.numbr"},
          {"t.cfg", "% condition subject.number", "% condition sbject.number"},
          {"t.cfg", "PP locus:V", "PP locs:V"},
          {"t.cfg", "S -> subject:NP[number=?n] PP", "S -> subjct:NP[number=?n] PP"},
          {"t.cfg", "Adj -> <cansado>", "Adj -> <cansdo>"},
          {"t.cfg", "Adj -> <cansado>", "Ajd -> <cansado>"},
          {"t.cfg", "% include common.cfg", "% include comon.cfg"},
          {"t.cfg", "number=?n, gender=?g] PP", "number=?n, gendre=?g] PP"},
          // the lexicon
          {"words.tsv", "médico\tmédicos\tN;MASC;PL\n", ""},
          {"words.tsv", "médico\tmédicos\tN;MASC;PL", "médico\tmédicos\tN;MASC;PLU"},
          {"words.tsv", "médico\tmédicos\tN;MASC;PL", "medico\tmédicos\tN;MASC;PL"},
          {"words.tsv", "dormir\tduermen\tV;PRS;3;PL\n", ""},
          {"words.tsv", "dormir\tduermen\tV", "dormir\tduerme\tV"},
          {"words.tsv", "el\tlos\tDET;MASC;PL\n", ""},
          {"words.tsv", "estar\testá\t", "\xEF\xBB\xBFstar\testá\t"},
          {"words.tsv", "el\tel\t", "\xEF\xBB\xBF" "el\tel\t"},
          {"words.tsv", "estar\testá\tV;PRS;3;SG", "estar está V;PRS;3;SG"},
          {"common.cfg", "NP[number=?n", "\xEF\xBB\xBFNP[number=?n"},
          {"t.cfg", "% lexicon", "\xEF\xBB\xBF% lexicon"},
          {"manifest.json", "\"t\"", "\"tt\""},
          {"manifest.json", "{", "\xEF\xBB\xBF{"},
      });
}

TEST(Mistakes, OfAttributeVaryingGrammars) {
  expect_noticed(dutch(),
                 {
                     {"common.avg", "VP[p] lachen | zijn moe\n", ""},
                     {"common.avg", "VP[p] lachen | zijn moe", "VP[pl] lachen | zijn moe"},
                     {"common.avg", "VP[p] lachen | zijn moe", "VP[p] lachen"},
                     {"common.avg", "VP[p] lachen | zijn moe", "VP[p] lachen / zijn moe"},
                     {"common.avg", "VP[p] lachen | zijn moe", "VP[p] lachen || zijn moe"},
                     {"common.avg", "VP[p] lachen |", "VP[p lachen |"},
                     {"common.avg", "VP[p] lachen |", "V[p] lachen |"},
                     {"common.avg", "VP[p] lachen |", "VP[p] lacht |"},
                     {"common.avg", "V[p] wachten | kijken", "V[p] wachten"},
                     {"common.avg", "V[p] wachten | kijken", "V[p] wachten kijken"},
                     {"common.avg", "To[] op | naar", "To[] op"},
                     {"common.avg", "subject: NP_1", "subject: NP_3"},
                     {"common.avg", "language: nl", "langauge: nl"},
                     {"common.avg", "text: natural", "text: natual"},
                     {"common.avg", "language", "\xEF\xBB\xBFlanguage"},
                     {"t.avg", "vary: VP[]", "vary: VB[]"},
                     {"t.avg", "vary: VP[]", "vary VP[]"},
                     {"t.avg", "vary: VP[]", "vary: VP[x]"},
                     {"t.avg", "vary: VP[]", "\xEF\xBB\xBFvary: VP[]"},
                     {"t.avg", "tied: To V", "tied: To W"},
                     {"t.avg", "S[sg,sg] NP_1[s]", "S[sg,sg] NP_1[p]"},
                     {"t.avg", "S[pl,sg] NP_1[p]", "S[pl,sg] NP_1[s]"},
                     {"t.avg", "S[pl,pl] NP_1[p]", "S[sg,pl] NP_1[p]"},
                     {"t.avg", "S[pl,pl] NP_1[p]", "S[pl,pl] NP_1"},
                     {"t.avg", "S[pl,pl] NP_1[p]", "S[pl,pl] NP_1[sg]"},
                     {"t.avg", "NP_2[s] V[s] , VP[s]", "NP_2[s] V[s] , VP"},
                     {"manifest.json", "\"t\"", "\"T\""},
                 });
}

}  // namespace minpair::stimuli
