// A second look at the shipped suites, by means that know nothing of their grammars: paradigms of
// all words (<language>.tsv: lemma, form, features) and what a construction is.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/file.h"
#include "base/text.h"
#include "stimuli/grammar/grammar.h"
#include "support.h"

namespace minpair::stimuli {
namespace {

// The features of one analysis of a form, as a set of bits.
using Features = uint32_t;

enum : Features {
  SG = 1,
  PL = 2,
  MASC = 4,
  FEM = 8,
  NOM = 16,
  ACC = 32,
  DAT = 64,
  GEN = 128,
  INS = 256,
  N = 512,
  V = 1024,
  DET = 2048,
  PRO = 4096,
  ADP = 8192,
  ADJ = 16384,
  CONJ = 32768,
  X = 65536,
  PRS = 1 << 17,
  PST = 1 << 18,
  REL = 1 << 19,
  REFL = 1 << 20,
  NEG = 1 << 21,
  POS = 1 << 22,
  ELIDED = 1 << 23,
  THIRD = 1 << 24,
};

Features feature(std::string_view name) {
  static const std::map<std::string_view, Features> all{
      {"SG", SG},     {"PL", PL},   {"MASC", MASC}, {"FEM", FEM},       {"NOM", NOM},
      {"ACC", ACC},   {"DAT", DAT}, {"GEN", GEN},   {"INS", INS},       {"N", N},
      {"V", V},       {"DET", DET}, {"PRO", PRO},   {"ADP", ADP},       {"ADJ", ADJ},
      {"CONJ", CONJ}, {"X", X},     {"PRS", PRS},   {"PST", PST},       {"REL", REL},
      {"REFL", REFL}, {"NEG", NEG}, {"POS", POS},   {"ELIDED", ELIDED}, {"3", THIRD}};
  return all.at(name);
}

struct Token {
  std::string_view text;
  Span span;
  std::vector<Features> analyses;
  bool definite = false;  // Hebrew: with the article

  bool can(Features wanted) const {
    return std::any_of(analyses.begin(), analyses.end(),
                       [&](Features f) { return (f & wanted) == wanted; });
  }
};

// All words of a language, and how a sentence is cut into them.
class Paradigms {
 public:
  explicit Paradigms(const std::string& language) : language_(language) {
    LineReader reader(testing::source_dir() / "tests/suites" / (language + ".tsv"));
    for (std::string_view line; reader.next(line);) {
      std::vector<std::string_view> columns = split(line, '\t');
      Features features = 0;
      for (std::string_view f : split(columns.at(2), ';')) features |= feature(f);
      forms_[std::string(columns[1])].push_back(features);
    }
  }

  std::vector<Token> read(const std::string& sentence) const {
    std::vector<Token> tokens;
    for (std::string_view word : words(sentence)) {
      size_t begin = size_t(word.data() - sentence.data());
      while (word.ends_with(',') || word.ends_with('.')) word.remove_suffix(1);
      if (size_t apostrophe = word.find('\''); apostrophe != std::string_view::npos) {
        tokens.push_back(look_up(word.substr(0, apostrophe + 1), begin));
        word.remove_prefix(apostrophe + 1);
        begin += apostrophe + 1;
      }
      tokens.push_back(look_up(word, begin));
    }
    return tokens;
  }

 private:
  Token look_up(std::string_view word, size_t begin) const {
    Token token{word, {begin, begin + word.size()}, {}, false};
    std::string key(word);
    // Only German capitalizes within a sentence, and no noun begins one.
    if (begin == 0 || language_ != "de") key = lower(key);
    if (language_ == "he") {
      strip_prefixes(key, token);
      return token;
    }
    if (auto found = forms_.find(key); found != forms_.end()) token.analyses = found->second;
    return token;
  }

  // "and", "that" and "the" are written as one word with what follows. With the article a word that
  // could be a noun or a verb is a noun; without, none of our nouns occurs.
  void strip_prefixes(std::string key, Token& token) const {
    auto found = forms_.find(key);
    for (const char* prefix : {"ו", "ש", "ה"}) {
      if (found != forms_.end() || !key.starts_with(prefix)) continue;
      key.erase(0, 2);
      token.definite = std::string(prefix) == "ה";
      found = forms_.find(key);
    }
    if (found == forms_.end()) return;
    for (Features f : found->second)
      if (((f & N) != 0) == token.definite) token.analyses.push_back(f);
  }

  std::string language_;
  std::unordered_map<std::string, std::vector<Features>> forms_;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// A sentence with its words looked up.
struct Parsed {
  std::vector<Token> tokens;
  std::vector<size_t> nouns, verbs;  // places

  Parsed(const Paradigms& paradigms, const std::string& sentence)
      : tokens(paradigms.read(sentence)) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].can(N)) nouns.push_back(i);
      // Of the past only what agrees in gender, as in Russian.
      for (Features f : {V | PRS, V | ADJ, V | PST | MASC, V | PST | FEM})
        if (tokens[i].can(f) && (verbs.empty() || verbs.back() != i)) verbs.push_back(i);
    }
  }

  // What the n-th noun can be together with its article: case, number, gender.
  std::vector<Features> phrase(size_t n) const {
    const Token& noun = tokens[nouns.at(n)];
    const Token* article = nouns[n] > 0 ? &tokens[nouns[n] - 1] : nullptr;
    if (!article || !article->can(DET)) return noun.analyses;
    std::vector<Features> both;
    for (Features a : article->analyses)
      if (a & DET)
        for (Features f : noun.analyses)
          if ((f | N | DET | ELIDED | NEG | POS) == (f | a | N | DET | ELIDED | NEG | POS))
            both.push_back(f);
    return both;
  }
  bool phrase_can(size_t n, Features wanted) const {
    std::vector<Features> all = phrase(n);
    return std::any_of(all.begin(), all.end(), [&](Features f) { return (f & wanted) == wanted; });
  }
  // What it can be as a subject.
  std::vector<Features> subject(size_t n) const {
    std::vector<Features> all = phrase(n);
    std::erase_if(all, [](Features f) { return (f & (ACC | DAT | GEN | INS)) && !(f & NOM); });
    return all;
  }
  Features number_of_subject(size_t n) const {
    Features numbers = 0;
    for (Features f : subject(n)) numbers |= f & (SG | PL);
    return numbers;
  }
};

// The noun that the n-th finite verb agrees with: what "across", "in" and so on mean.
size_t controller(const std::string& test, size_t verb) {
  if (has(test, "object_relative") || test == "reflexive_across_relative") return verb == 0 ? 1 : 0;
  if (has(test, "sentential_complement")) return 1;
  return 0;
}

// In number, and in gender where both have one.
bool agree(const std::vector<Features>& subject, const Token& t) {
  for (Features f : subject)
    for (Features a : t.analyses) {
      bool gender = !(f & (MASC | FEM)) || !(a & (MASC | FEM)) || (f & a & (MASC | FEM));
      if ((f & a & (SG | PL)) && gender) return true;
    }
  return false;
}

// The places of words that do not agree with their noun.
std::set<size_t> disagreements(const Parsed& s, const std::string& test) {
  std::set<size_t> wrong;
  for (size_t v = 0; v < s.verbs.size(); ++v) {
    size_t at = s.verbs[v];
    std::vector<Features> subject = s.subject(controller(test, v));
    if (!agree(subject, s.tokens[at])) wrong.insert(at);
    // In French the adjective agrees too.
    bool copula = s.tokens[at].text == "est" || s.tokens[at].text == "sont";
    if (copula && at + 1 < s.tokens.size() && s.tokens[at + 1].can(ADJ) &&
        !agree(subject, s.tokens[at + 1]))
      wrong.insert(at + 1);
  }
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    if (!s.tokens[i].can(REFL)) continue;
    size_t n = has(test, "sentential_complement") ? 1 : 0;
    bool gender = s.phrase_can(n, PL) || (s.phrase_can(n, MASC) && s.tokens[i].can(MASC)) ||
                  (s.phrase_can(n, FEM) && s.tokens[i].can(FEM));
    if (!agree(s.subject(n), s.tokens[i]) || !gender) wrong.insert(i);
  }
  return wrong;
}

// The relative pronoun right after the first noun: its case by its role in the clause, its number
// by that noun.
bool right_pronoun(const Parsed& s, const std::string& test) {
  if (!has(test, "relative")) return true;
  Features role = has(test, "subject_relative") ? NOM : ACC;
  return s.tokens[s.nouns[0] + 1].can(PRO | REL | role | s.number_of_subject(0));
}

// Case, in German and Russian. Empty: all is well.
std::string wrong_case(const Parsed& s, const std::string& test, Features after_preposition) {
  if (!s.phrase_can(0, NOM)) return "the subject";
  if (!right_pronoun(s, test)) return "the relative pronoun";
  if (has(test, "coordination") || s.nouns.size() < 2) return "";
  Features wanted = has(test, "prepositional")      ? after_preposition
                    : has(test, "subject_relative") ? ACC
                                                    : NOM;
  return s.phrase_can(1, wanted) ? "" : "the case of the second noun";
}

std::string wrong_article_french(const Parsed& s, const std::string& test) {
  if (has(test, "relative")) {
    Features role = has(test, "subject_relative") ? NOM : ACC;
    if (!s.tokens[s.nouns[0] + 1].can(PRO | REL | role)) return "the relative pronoun";
  }
  for (size_t n = 0; n < (has(test, "long") ? 1 : s.nouns.size()); ++n) {
    const Token &article = s.tokens[s.nouns[n] - 1], &noun = s.tokens[s.nouns[n]];
    bool vowel = noun.text.find_first_of("aeiou") == 0 || noun.text.starts_with("é");
    if (!article.can(DET) || s.phrase(n).empty()) return "the article before the noun";
    if (article.can(SG) && vowel != article.can(ELIDED)) return "the elision";
  }
  return "";
}

std::string wrong_hebrew(const Parsed& s, const std::string& test) {
  if (s.nouns.empty()) return "the article";  // without one we take no word for a noun
  for (size_t v : s.verbs)
    if (s.tokens[v].definite) return "an article before the predicate";
  bool object = std::any_of(s.tokens.begin(), s.tokens.end(),
                            [](const Token& t) { return t.can(ADP | ACC); });
  return object == has(test, "subject_relative") ? "" : "the sign of the object";
}

// "Die op de gast wacht", "op wie de gast wacht": who is the subject shows in the order alone.
std::string wrong_dutch(const Parsed& s, const std::string& test) {
  if (!has(test, "relative")) return "";
  const Token &first = s.tokens[s.nouns[0] + 1], &second = s.tokens[s.nouns[0] + 2];
  bool subject = has(test, "subject_relative");
  bool right =
      subject ? first.text == "die" && second.can(ADP) : first.can(ADP) && second.text == "wie";
  return right ? "" : "the relative pronoun";
}

std::string government(const std::string& language, const Parsed& s, const std::string& test) {
  if (language == "de") return wrong_case(s, test, DAT);
  if (language == "ru") return wrong_case(s, test, INS);
  if (language == "fr") return wrong_article_french(s, test);
  if (language == "he") return wrong_hebrew(s, test);
  if (language == "nl") return wrong_dutch(s, test);
  return "";
}

std::string check_agreement(const suite::Sentence& s, const Parsed& parsed,
                            const suite::Item& item) {
  std::set<size_t> wrong = disagreements(parsed, item.test);
  if (s.grammatical) {
    if (!wrong.empty()) return std::string(parsed.tokens[*wrong.begin()].text) + " does not agree";
    return government(item.language, parsed, item.test);
  }
  for (size_t i : wrong)
    if (parsed.tokens[i].span.begin < s.locus.begin || parsed.tokens[i].span.end > s.locus.end)
      return "something outside the locus";
  return wrong.empty() ? "nothing" : "";
}

// Empty, or what is wrong with the item.
std::string check(const suite::Item& item, const Paradigms& paradigms) {
  for (const suite::Sentence& s : item.sentences) {
    Parsed parsed(paradigms, s.text);
    for (const Token& t : parsed.tokens)
      if (t.analyses.empty()) return "unknown word " + std::string(t.text) + " in: " + s.text;
    if (item.test.starts_with("npi")) {
      if (parsed.tokens[0].can(DET | NEG) != s.grammatical) return "licensing in: " + s.text;
      continue;
    }
    if (parsed.nouns.empty()) return "no noun in: " + s.text;
    std::string problem = check_agreement(s, parsed, item);
    if (!problem.empty()) return problem + " is wrong in: " + s.text;
  }
  return "";
}

std::vector<stimuli::Derivations> shipped(const std::string& suite) {
  return stimuli::load_derivations(testing::source_dir() / "suites" / suite);
}

class ShippedSuite : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedSuite, EverySentenceAgreesByItsParadigms) {
  std::map<std::string, Paradigms> paradigms;
  for (const stimuli::Derivations& language : shipped(GetParam())) {
    const Paradigms& p =
        paradigms.try_emplace(language.language(), language.language()).first->second;
    size_t problems = 0;
    language.expand([&](const suite::Item& item) {
      std::string problem = check(item, p);
      if (!problem.empty() && ++problems <= 3)
        ADD_FAILURE() << item.language << " " << item.id << ": " << problem;
    });
  }
}

TEST_P(ShippedSuite, NothingTwiceAndNothingBothWays) {
  std::map<std::string, std::map<std::string, bool>> labels;  // language, sentence
  std::set<std::string> ids, sets;
  for (const stimuli::Derivations& language : shipped(GetParam()))
    language.expand([&](const suite::Item& item) {
      EXPECT_TRUE(ids.insert(item.id).second) << item.id;
      std::string set = item.language;
      for (const suite::Sentence& s : item.sentences) {
        set += "\n" + s.text;
        auto [label, fresh] = labels[item.language].emplace(s.text, s.grammatical);
        EXPECT_EQ(label->second, s.grammatical) << s.text;
      }
      EXPECT_TRUE(sets.insert(set).second) << set;
    });
}

// hunspell's dictionaries know every word of every grammatical sentence, and of every design.
class ShippedWords : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedWords, AreInTheDictionary) {
  const std::map<std::string, std::string> dictionaries{{"de", "de_DE"}, {"en", "en_US"},
                                                        {"fr", "fr"},    {"he", "he_IL"},
                                                        {"nl", "nl_NL"}, {"ru", "ru_RU"}};
  std::map<std::string, std::set<std::string>> forms;
  for (const stimuli::Derivations& language : shipped(GetParam()))
    language.expand([&](const suite::Item& item) {
      for (const suite::Sentence& s : item.sentences)
        if (s.grammatical || item.design)
          for (std::string_view w : words(s.text)) forms[item.language].emplace(w);
    });
  testing::TemporaryFolder folder;
  for (const auto& [language, all] : forms) {
    std::string dictionary = dictionaries.at(language), list;
    if (!fs::exists("/usr/share/hunspell/" + dictionary + ".dic"))
      GTEST_SKIP() << "no hunspell dictionary " << dictionary << "; run tools/bootstrap.sh test";
    for (const std::string& w : all) list += w + "\n";
    write_file(folder / language, list);
    auto ran = testing::run_command("hunspell -i utf-8 -l -d " + dictionary + " " +
                                    (folder / language).string());
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "") << language;
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& suite) {
  std::string name = suite.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShippedSuite,
                         ::testing::Values("clams", "en-marvin-linzen", "gender-agreement",
                                           "nl-agreement"),
                         test_name);
// The German agreement suites are judged by articles and endings in tests/stimuli, de-grammar and
// the designs in paradigms_test.cpp.
INSTANTIATE_TEST_SUITE_P(Shipped, ShippedWords,
                         ::testing::Values("clams", "de-agreement", "de-agreement-wide",
                                           "de-garden-path", "de-grammar", "en-garden-path",
                                           "en-marvin-linzen", "gender-agreement", "nl-agreement"),
                         test_name);

// The check itself must see what is wrong.
TEST(SuiteCheck, SeesWrongSentences) {
  auto problem = [](const std::string& language, const std::string& test, const std::string& right,
                    const std::string& wrong) {
    suite::Item item;
    item.id = "1";
    item.test = test;
    item.language = language;
    item.sentences = {{{right}, {}, true}, {{wrong}, {}, false}};
    suite::align_loci(item.sentences);
    return check(item, Paradigms(language));
  };
  std::string pp = "across_prepositional_phrase";
  EXPECT_EQ(
      problem("de", pp, "Der Arzt neben den Gästen lacht.", "Der Arzt neben den Gästen lachen."),
      "");
  EXPECT_NE(
      problem("de", pp, "Der Arzt neben den Gäste lacht.", "Der Arzt neben den Gäste lachen."), "");
  EXPECT_NE(
      problem("de", pp, "Der Arzt neben dem Nachbar lacht.", "Der Arzt neben dem Nachbar lachen."),
      "");
  EXPECT_NE(
      problem("de", pp, "Der Arzt neben den Gästen lachen.", "Der Arzt neben den Gästen lacht."),
      "");
  std::string relative = "across_object_relative";
  EXPECT_EQ(problem("de", relative, "Der Arzt, den die Gäste lieben, lacht.",
                    "Der Arzt, den die Gäste lieben, lachen."),
            "");
  EXPECT_NE(problem("de", relative, "Der Arzt, der die Gäste liebt, lacht.",
                    "Der Arzt, der die Gäste liebt, lachen."),
            "");
  EXPECT_EQ(problem("ru", pp, "Врач за соседями спит.", "Врач за соседями спят."), "");
  EXPECT_NE(problem("ru", pp, "Врач за соседей спит.", "Врач за соседей спят."), "");
  EXPECT_EQ(problem("fr", "simple_agreement", "L'avocat est grand.", "L'avocat sont grands."), "");
  EXPECT_NE(problem("fr", "simple_agreement", "Le avocat est grand.", "Le avocat sont grands."),
            "");
  EXPECT_NE(problem("fr", "simple_agreement", "L'avocat est grands.", "L'avocat sont grands."), "");
  EXPECT_EQ(problem("he", "simple_agreement", "הרופא צעיר.", "הרופא צעירים."), "");
  EXPECT_NE(problem("he", "simple_agreement", "הרופא הצעיר.", "הרופא הצעירים."), "");
  EXPECT_EQ(problem("nl", relative, "De arts op wie de gasten wachten, lacht.",
                    "De arts op wie de gasten wachten, lachen."),
            "");
  EXPECT_NE(problem("nl", relative, "De arts die op de gasten wacht, lacht.",
                    "De arts die op de gasten wacht, lachen."),
            "");
  EXPECT_NE(problem("nl", "across_subject_relative", "De arts die de gasten wacht, lacht.",
                    "De arts die de gasten wacht, lachen."),
            "");
  EXPECT_NE(
      problem("en", "reflexive_simple", "The king hurt herself.", "The king hurt themselves."), "");
  EXPECT_NE(problem("en", "simple_agreement", "The king snores.", "The king snore."), "");
  EXPECT_EQ(problem("ru", "simple_gender", "Сестра спала.", "Сестра спал."), "");
  EXPECT_NE(problem("ru", "simple_gender", "Сестра спал.", "Сестра спала."), "");
  EXPECT_NE(problem("fr", "simple_gender", "La vendeuse est content.", "La vendeuse est contente."),
            "");
}

}  // namespace
}  // namespace minpair::stimuli
