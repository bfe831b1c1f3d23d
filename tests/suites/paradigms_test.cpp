// Words of the suites that go beyond subject and verb, looked up in paradigms that were written
// from principal parts (de-grammar.tsv, en-garden-path.tsv: lemma, form, analyses) and not from the
// grammars: every word is a form, has the features that its list in the grammar claims, and in
// right sentences goes with its article, its adjectives and its preposition.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "stimuli/grammar/grammar.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

using Analysis = std::set<std::string>;

bool has(const Analysis& a, const Analysis& wanted) {
  return std::includes(a.begin(), a.end(), wanted.begin(), wanted.end());
}

struct Token {
  std::string text;
  std::vector<const Analysis*> analyses;
  bool ends = false;  // a comma or full stop follows

  bool can(const Analysis& wanted) const {
    return std::any_of(analyses.begin(), analyses.end(),
                       [&](const Analysis* a) { return has(*a, wanted); });
  }
};

Analysis parts(std::string_view features) {
  std::vector<std::string_view> columns = split(features, ';');
  return Analysis(columns.begin(), columns.end());
}

class Paradigms {
 public:
  explicit Paradigms(const std::string& table) {
    LineReader reader(testing::source_dir() / "tests/suites" / (table + ".tsv"));
    for (std::string_view line; reader.next(line);) {
      std::vector<std::string_view> columns = split(line, '\t');
      for (std::string_view features : split(columns.at(2), ' '))
        forms_[std::string(columns[1])].push_back(parts(features));
    }
  }

  // The words of a sentence, or those of a list.
  std::vector<Token> read(const std::string& text, bool sentence = true) const {
    std::vector<Token> tokens;
    for (std::string_view word : words(text)) {
      Token token;
      while (word.ends_with(',') || word.ends_with('.')) {
        token.ends = true;
        word.remove_suffix(1);
      }
      token.text = word;
      look_up(token.text, token);
      // What begins a sentence may be a name or anything else.
      if (sentence && tokens.empty() && lower(token.text) != token.text)
        look_up(lower(token.text), token);
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

 private:
  void look_up(const std::string& word, Token& token) const {
    if (auto found = forms_.find(word); found != forms_.end())
      for (const Analysis& a : found->second) token.analyses.push_back(&a);
  }

  std::map<std::string, std::vector<Analysis>> forms_;
};

// --- Articles, adjectives, nouns, prepositions

std::string among(const Analysis& a, const std::vector<std::string>& values) {
  for (const std::string& v : values)
    if (a.contains(v)) return v;
  return "";
}
std::string case_of(const Analysis& a) { return among(a, {"NOM", "ACC", "DAT", "GEN"}); }
std::string number_of(const Analysis& a) { return among(a, {"SG", "PL"}); }
std::string gender_of(const Analysis& a) { return among(a, {"MASC", "FEM", "NEUT"}); }
std::string declension_of(const Analysis& a) { return among(a, {"STRONG", "MIXED", "WEAK"}); }

bool concord(const Analysis& a, const Analysis& noun) {
  return case_of(a) == case_of(noun) && number_of(a) == number_of(noun) &&
         (number_of(a) == "PL" || gender_of(a) == gender_of(noun));
}

bool determiner(const Token& t) {
  return std::any_of(t.analyses.begin(), t.analyses.end(), [](const Analysis* a) {
    return !a->contains("ADJ") && !declension_of(*a).empty();
  });
}

// The analyses of the noun at `at` that fit what stands before it.
std::vector<Analysis> phrase(const std::vector<Token>& tokens, size_t at) {
  std::vector<const Token*> adjectives;
  const Token *article = nullptr, *preposition = nullptr;
  for (size_t i = at; i-- > 0 && !tokens[i].ends;) {
    if (determiner(tokens[i]))
      article = &tokens[i];
    else if (tokens[i].can({"ADJ"}) && !tokens[i].can({"PRED"}))
      adjectives.push_back(&tokens[i]);
    else if (tokens[i].can({"ADP"}))
      preposition = &tokens[i];
    if (article && i > 0 && !tokens[i - 1].ends && tokens[i - 1].can({"ADP"}))
      preposition = &tokens[i - 1];
    if (article || preposition) break;
    if (!tokens[i].can({"X"}) && !tokens[i].can({"ADJ"})) break;
    // A participle can have an object with an article of its own before it.
    if (i > 2 && tokens[i].can({"PTCP"}) && tokens[i - 1].can({"N"})) i -= 2;
  }
  std::vector<Analysis> fitting;
  for (const Analysis* analysis : tokens[at].analyses) {
    const Analysis& noun = *analysis;
    if (!noun.contains("N")) continue;
    std::set<std::string> declensions;
    if (!article) declensions = {"STRONG"};
    if (article)
      for (const Analysis* a : article->analyses)
        if (!a->contains("ADJ") && !declension_of(*a).empty() && concord(*a, noun))
          declensions.insert(declension_of(*a));
    for (const Token* adjective : adjectives)
      std::erase_if(declensions, [&](const std::string& d) {
        return std::none_of(adjective->analyses.begin(), adjective->analyses.end(),
                            [&](const Analysis* a) {
                              return a->contains("ADJ") && a->contains(d) && concord(*a, noun);
                            });
      });
    bool governed = !preposition || preposition->can({"ADP", case_of(noun)});
    if (governed && !declensions.empty()) fitting.push_back(noun);
  }
  return fitting;
}

// The first noun that does not go with its article, adjectives or preposition; "" for none.
std::string clash(const std::vector<Token>& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].can({"N"}) && phrase(tokens, i).empty()) return tokens[i].text;
  return "";
}

class GermanParadigms : public ::testing::TestWithParam<const char*> {};

// Tests whose wrong sentence has a wrong phrase at its end, with the case that the verb wants
// there.
const std::map<std::string, std::string> phrase_tests{
    {"article_gender", "NOM"},   {"adjective_nominative", "NOM"}, {"adjective_plural", "NOM"},
    {"adjective_dative", "DAT"}, {"possessive_gender", "DAT"},    {"dative_plural", ""}};

// "" or what does not go with the rest of the sentence.
std::string wrong_phrase(const std::vector<Token>& tokens, const std::string& test) {
  std::string found = clash(tokens);
  auto wanted = phrase_tests.find(test);
  if (!found.empty() || wanted == phrase_tests.end() || wanted->second.empty()) return found;
  for (const Analysis& a : phrase(tokens, tokens.size() - 1))
    if (case_of(a) == wanted->second) return "";
  return tokens.back().text;
}

TEST_P(GermanParadigms, EveryWordIsAFormAndGoesWithItsNeighbours) {
  Paradigms paradigms("de-grammar");
  for (const Derivations& test : load_derivations(testing::source_dir() / "suites" / GetParam())) {
    size_t problems = 0;
    auto problem = [&](const std::string& what, const std::string& sentence) {
      if (++problems <= 3) ADD_FAILURE() << test.test() << ": " << what << ": " << sentence;
    };
    test.expand([&](const suite::Item& item) {
      for (const suite::Sentence& s : item.sentences) {
        std::vector<Token> tokens = paradigms.read(s.text);
        for (const Token& t : tokens)
          if (t.analyses.empty()) problem(t.text + " is in no paradigm", s.text);
        std::string wrong = wrong_phrase(tokens, item.test);
        if ((s.grammatical || item.design) && !wrong.empty())
          problem(wrong + " does not go with what stands before it", s.text);
        if (!s.grammatical && phrase_tests.contains(item.test) && wrong.empty())
          problem("nothing is wrong", s.text);
      }
    });
  }
}

// --- What the lists of a grammar claim

struct List {
  std::string file, name;
  Analysis attributes;
  std::vector<std::string> forms;
};

std::vector<List> lists_of(const std::string& suite) {
  std::vector<List> lists;
  for (const auto& entry : fs::directory_iterator(testing::source_dir() / "suites" / suite)) {
    if (entry.path().extension() != ".avg") continue;
    LineReader reader(entry.path());
    for (std::string_view line; reader.next(line);) {
      size_t open = line.find('['), close = line.find("] ");
      if (line.starts_with('#') || line.starts_with("S[") || line.find(':') < open ||
          close == std::string_view::npos)
        continue;
      List list{entry.path().stem().string(), std::string(line.substr(0, open)), {}, {}};
      for (std::string_view a : split(line.substr(open + 1, close - open - 1), ','))
        list.attributes.emplace(a);
      for (std::string_view form : split(line.substr(close + 2), '|'))
        list.forms.emplace_back(trim(form));
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

// What the attributes of a list demand of its verbs, or of what is declined where it has no verb.
const std::map<std::string, std::string> of_verbs{{"sg", "SG"},
                                                  {"pl", "PL"},
                                                  {"1", "1"},
                                                  {"2", "2"},
                                                  {"3", "3"},
                                                  {"zu", "ZU"},
                                                  {"bare", "NFIN"},
                                                  {"infinitive", "NFIN"},
                                                  {"participle", "V.PTCP"},
                                                  {"joined", "FINAL"},
                                                  {"split", "SPLIT"}};
const std::map<std::string, std::string> of_nouns{
    {"sg", "SG"},  {"pl", "PL"}, {"nom", "NOM"}, {"acc", "ACC"},          {"dat", "DAT"},
    {"m", "MASC"}, {"f", "FEM"}, {"n", "NEUT"},  {"nominative", "NOM"},   {"accusative", "ACC"},
    {"1", "1"},    {"2", "2"},   {"3", "3"},     {"comparative", "CMPR"}, {"positive", "POS"}};

Analysis demands(const List& list, const std::map<std::string, std::string>& meaning) {
  Analysis wanted;
  for (const std::string& a : list.attributes)
    if (auto found = meaning.find(a); found != meaning.end()) wanted.insert(found->second);
  return wanted;
}

bool verb(const Token& t) { return t.can({"V"}) || t.can({"V.PTCP"}); }

Analysis demands_on_verbs(const List& list) {
  Analysis wanted = demands(list, of_verbs);
  if (list.name == "Verb") wanted = {"IND", "PRS", "3", "SG"};
  if (list.name == "Participle") wanted = {"V.PTCP"};
  bool person = wanted.contains("1") || wanted.contains("2");
  if ((wanted.contains("SG") || wanted.contains("PL")) && !person) wanted.insert("3");
  return wanted;
}

// "" or the word that is not what the list says.
std::string false_claim(const List& list, const std::string& form, const Paradigms& paradigms,
                        size_t& checked) {
  std::vector<Token> tokens = paradigms.read(form, false);
  bool verbs = std::any_of(tokens.begin(), tokens.end(), verb);
  bool nouns =
      std::any_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.can({"N"}); });
  Analysis wanted = verbs ? demands_on_verbs(list) : demands(list, of_nouns);
  if (!verbs && list.name.starts_with("M_")) wanted.insert("MASC");
  if (!verbs && list.name.starts_with("F_")) wanted.insert("FEM");
  if (wanted.empty()) return "";
  for (const Token& t : tokens) {
    bool declined = t.can({"ADJ"}) || t.can({"DET"}) || t.can({"PRO"});
    if (verbs ? !verb(t) : nouns ? !t.can({"N"}) : !declined) continue;
    ++checked;
    if (!t.can(wanted)) return t.text;
    // These masculines show case in the article alone.
    if (list.name.starts_with("M_") && wanted.contains("SG"))
      for (const char* c : {"NOM", "ACC", "DAT"})
        if (!t.can({"N", "MASC", "SG", c})) return t.text;
  }
  return "";
}

TEST_P(GermanParadigms, TheListsOfTheGrammarSayWhatTheirWordsAre) {
  Paradigms paradigms("de-grammar");
  size_t checked = 0;
  for (const List& list : lists_of(GetParam()))
    for (const std::string& form : list.forms)
      EXPECT_EQ(false_claim(list, form, paradigms, checked), "")
          << list.file << ": " << list.name << ": " << form;
  EXPECT_GE(checked, std::string(GetParam()) == "de-grammar" ? 1200u : 20u);
}

INSTANTIATE_TEST_SUITE_P(Shipped, GermanParadigms,
                         ::testing::Values("de-grammar", "de-garden-path"), [](const auto& suite) {
                           return std::string(suite.param) == "de-grammar" ? "Grammar"
                                                                           : "GardenPath";
                         });

// "Die Lehrerin" is subject or object, "den Lehrer" an object alone, "der Koch" a subject alone.
// Genitives ("der Maler" of a plural) do not count: no verb here has one.
TEST(GermanGardenPath, CaseIsAsAmbiguousAsItsListSays) {
  Paradigms paradigms("de-grammar");
  const std::map<std::string, Analysis> expected{
      {"ambiguous", {"ACC", "NOM"}}, {"accusative", {"ACC"}}, {"nominative", {"NOM"}}};
  size_t checked = 0;
  for (const List& list : lists_of("de-garden-path"))
    for (const auto& [name, cases] : expected)
      for (const std::string& form : list.forms) {
        if (!list.attributes.contains(name)) continue;
        std::vector<Token> tokens = paradigms.read(form);
        Analysis possible;
        for (const Analysis& a : phrase(tokens, tokens.size() - 1)) possible.insert(case_of(a));
        possible.erase("GEN");
        EXPECT_EQ(possible, cases) << form;
        ++checked;
      }
  EXPECT_EQ(checked, 32u);
}

// "Sent" is a past tense and a participle, "shown" a participle alone; no other verb is anything
// but a past tense where it is finite.
TEST(EnglishGardenPath, VerbsAreAsAmbiguousAsTheirListsSay) {
  Paradigms paradigms("en-garden-path");
  size_t checked = 0;
  for (const List& list : lists_of("en-garden-path")) {
    if (list.name != "V" && list.name != "W") continue;
    bool participle = list.file == "reduced_relative" && list.name == "V";
    for (const std::string& form : list.forms) {
      Token verb = paradigms.read(form).at(0);
      EXPECT_EQ(verb.can({"V", "PST"}), !participle || list.attributes.contains("ambiguous"))
          << form;
      EXPECT_FALSE(verb.can({"PRS"})) << form;
      EXPECT_TRUE(!participle || verb.can({"V.PTCP"})) << form;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 28u);
}

TEST(EnglishGardenPath, EveryWordIsAForm) {
  Paradigms paradigms("en-garden-path");
  for (const Derivations& test : load_derivations(testing::source_dir() / "suites/en-garden-path"))
    test.expand([&](const suite::Item& item) {
      for (const suite::Sentence& s : item.sentences)
        for (const Token& t : paradigms.read(s.text))
          EXPECT_FALSE(t.analyses.empty()) << t.text << ": " << s.text;
    });
}

// The check itself must see what is wrong.
TEST(ParadigmCheck, SeesWrongPhrases) {
  Paradigms paradigms("de-grammar");
  auto wrong = [&](const std::string& sentence) { return clash(paradigms.read(sentence)); };
  EXPECT_EQ(wrong("Dem Arzt gehört ein offenbar sehr alter Wagen."), "");
  EXPECT_EQ(wrong("Dem Arzt gehört ein offenbar sehr alte Wagen."), "Wagen");
  EXPECT_EQ(wrong("Dem Arzt gehört der sehr alter Wagen."), "Wagen");
  EXPECT_EQ(wrong("Die Malerin arbeitet mit sehr dünnen Papier."), "Papier");
  EXPECT_EQ(wrong("Anna redet mit die Gäste."), "Gäste");
  EXPECT_EQ(wrong("Anna redet mit den jungen Gäste."), "Gäste");
  EXPECT_EQ(wrong("Der Arzt besucht den Nachbar."), "Nachbar");
  EXPECT_EQ(wrong("Der Arzt, den die Köche kennen, wohnt in dieser Dorf."), "Dorf");
  EXPECT_TRUE(paradigms.read("Die Köchen")[1].can({"DAT", "PL"}));
  EXPECT_TRUE(paradigms.read("er schlaft")[1].can({"2", "PL"}));
  EXPECT_FALSE(paradigms.read("er schlaft")[1].can({"3", "SG"}));
  size_t checked = 0;
  List list{"x", "M_1", {"pl", "dat"}, {}};
  EXPECT_EQ(false_claim(list, "Ärzten", paradigms, checked), "");
  EXPECT_EQ(false_claim(list, "Ärzte", paradigms, checked), "Ärzte");
  list = {"x", "Act", {"2", "sg"}, {}};
  EXPECT_EQ(false_claim(list, "früh aufstehst", paradigms, checked), "");
  EXPECT_EQ(false_claim(list, "früh aufsteht", paradigms, checked), "aufsteht");
  EXPECT_EQ(checked, 4u);
}

}  // namespace
}  // namespace minpair::stimuli
