#include "suite/formats/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"

namespace minpair::suite {
namespace {

using Names = std::vector<std::string>;

// Names that go together, the commonest first.
const std::vector<std::pair<std::string, std::string>>& pair_names() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"sentence_good", "sentence_bad"},
      {"good_sentence", "bad_sentence"},
      {"good", "bad"},
      {"grammatical", "ungrammatical"},
      {"grammatical_sentence", "ungrammatical_sentence"},
      {"sentence_grammatical", "sentence_ungrammatical"},
      {"acceptable", "unacceptable"},
      {"acceptable_sentence", "unacceptable_sentence"},
      {"acceptable_sent", "unacceptable_sent"},
      {"correct", "incorrect"},
      {"correct_sentence", "incorrect_sentence"},
      {"correct", "wrong"},
      {"right", "wrong"},
      {"right_sentence", "wrong_sentence"},
      {"source_sentence", "target_sentence"},
      {"sen", "wrong_sen"},
      {"expected", "unexpected"},
      {"grammatisch", "ungrammatisch"},
      {"akzeptabel", "inakzeptabel"},
      {"akzeptabel", "unakzeptabel"},
      {"richtig", "falsch"},
      {"korrekt", "inkorrekt"},
      {"gut", "schlecht"},
      {"grammatischer_satz", "ungrammatischer_satz"},
      {"akzeptabler_satz", "inakzeptabler_satz"},
      {"richtiger_satz", "falscher_satz"},
      {"korrekter_satz", "inkorrekter_satz"},
      {"guter_satz", "schlechter_satz"},
      {"satz_gut", "satz_schlecht"},
      {"satz_richtig", "satz_falsch"},
      {"satz_grammatisch", "satz_ungrammatisch"},
      {"grammatical", "agrammatical"},
      {"correct", "incorrecte"},
      {"correcte", "incorrecte"},
      {"acceptable", "inacceptable"},
      {"bonne", "mauvaise"},
      {"bon", "mauvais"},
      {"phrase_correcte", "phrase_incorrecte"},
      {"phrase_grammaticale", "phrase_agrammaticale"},
      {"phrase_acceptable", "phrase_inacceptable"},
      {"gramatical", "agramatical"},
      {"correcta", "incorrecta"},
      {"correcto", "incorrecto"},
      {"buena", "mala"},
      {"grammaticaal", "ongrammaticaal"},
      {"goed", "fout"},
      {"corretta", "scorretta"},
      {"corretto", "errato"},
      {"grammaticale", "agrammaticale"},
      {"certo", "errado"},
      {"poprawne", "niepoprawne"},
      {"správně", "špatně"},
      {"rätt", "fel"},
      {"oikein", "väärin"},
      {"doğru", "yanlış"},
      {"правильно", "неправильно"},
      {"грамматично", "неграмматично"},
      {"נכון", "שגוי"},
      {"صحيح", "خطأ"},
      {"सही", "गलत"},
      {"正确", "错误"},
      {"正しい", "誤り"}};
  return all;
}

// In the order in which they are believed.
const std::map<Role, Names>& role_names() {
  static const std::map<Role, Names> all = {
      {Role::sentence,
       {"sentence", "text", "stimulus", "satz", "beispielsatz", "beispiel", "phrase", "énoncé",
        "oración", "frase", "zin", "utterance"}},
      {Role::judgment, {"grammatical",     "grammaticality", "acceptable",     "acceptability",
                        "is_grammatical",  "is_acceptable",  "label",          "judgment",
                        "judgement",       "correct",        "correctness",    "grammatisch",
                        "grammatikalität", "akzeptabel",     "akzeptabilität", "urteil",
                        "richtig",         "grammaticalité", "acceptabilité",  "jugement",
                        "gramaticalidad",  "aceptabilidad",  "good",           "status"}},
      {Role::item,
       {"item", "item_id", "itemid", "pairid", "pair_id", "pair", "id", "set", "set_id",
        "item_number", "item_nr", "itemnummer", "nummer", "nr", "paar", "numéro", "número",
        "nummer_item", "lexicalization"}},
      {Role::test,
       {"test", "uid", "pid", "paradigm", "phenomenon", "construction", "phänomen", "konstruktion",
        "phénomène", "fenómeno", "fenomeen", "fenomeno"}},
      {Role::condition,
       {"condition", "cond", "bedingung", "kondition", "condición", "conditie", "condizione"}},
      {Role::language, {"language", "lang", "sprache", "langue", "idioma", "lengua", "taal"}},
      {Role::cluster, {"cluster", "template"}},
      {Role::context, {"context", "kontext", "contexte", "contexto"}}};
  return all;
}

// "Sentence Good", "sentence-good" and "sentence_good" are one name; so are "Nr." and "nr".
std::string plain(std::string_view name) {
  const std::string low = lower(nfc(name));
  std::string text;
  for (size_t i = 0; i < low.size(); ++i) {
    const bool hard_space = low.compare(i, 2, "\xC2\xA0") == 0;
    i += hard_space;
    if (!hard_space && std::string_view(" \t\r\n-._:").find(low[i]) == std::string_view::npos)
      text += low[i];
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  if (text.ends_with('_')) text.pop_back();
  return text;
}

// "bad_2" is another "bad".
std::string without_number(const std::string& name) {
  size_t end = name.find_last_not_of("0123456789");
  if (end == name.npos || end + 1 == name.size()) return name;
  return name.substr(0, name[end] == '_' ? end : end + 1);
}

class Columns {
 public:
  explicit Columns(const std::vector<std::string>& header) : header_(header) {
    for (const std::string& name : header) {
      plain_.push_back(plain(name));
      base_.push_back(without_number(plain_.back()));
    }
    roles_.resize(header.size(), Role::feature);
    taken_.resize(header.size());
  }

  void take_named(std::string_view named) {
    for (std::string_view part : split(named, ',')) {
      size_t equals = part.find('=');
      if (trim(part).empty()) continue;
      if (equals == part.npos)
        throw wrong_call(fmt::format("--columns needs ROLE=NAME, not '{}'", part))
            .hint("for example: --columns good=Satz,bad=Falsch,condition=Bedingung");
      take(role_called(std::string(trim(part.substr(0, equals)))),
           std::string(trim(part.substr(equals + 1))));
    }
  }

  void take_usual() {
    if (!has(Role::sentence)) take_pairs();
    for (Role role : {Role::sentence, Role::judgment, Role::item, Role::test, Role::condition,
                      Role::language, Role::cluster, Role::context})
      if (!has(role) && !(is_pairs() && (role == Role::sentence || role == Role::judgment)))
        take_first(role);
  }

  std::vector<Role> roles() && { return std::move(roles_); }

 private:
  bool has(Role role) const {
    return std::find(roles_.begin(), roles_.end(), role) != roles_.end();
  }
  bool is_pairs() const { return has(Role::good) && has(Role::bad); }

  static Role role_called(const std::string& name) {
    Names known;
    for (const auto& [said, role] : said_roles()) {
      if (said == name) return role;
      known.push_back(said);
    }
    std::string guess = closest(name, known);
    throw wrong_call(fmt::format("a column cannot be '{}'", name))
        .hint(guess.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                            : fmt::format("did you mean '{}'?", guess));
  }

  void take(Role role, const std::string& name) {
    for (size_t i = 0; i < header_.size(); ++i)
      if (plain_[i] == plain(name)) {
        roles_[i] = role;
        taken_[i] = true;
        return;
      }
    std::string guess = closest(name, header_);
    throw wrong_call(fmt::format("there is no column '{}'", name))
        .hint(guess.empty() ? fmt::format("there are: {}", fmt::join(header_, ", "))
                            : fmt::format("did you mean '{}'?", guess));
  }

  bool has_free(const std::string& name) const {
    for (size_t i = 0; i < base_.size(); ++i)
      if (!taken_[i] && base_[i] == name) return true;
    return false;
  }

  void take_all(Role role, const std::string& name) {
    for (size_t i = 0; i < base_.size(); ++i)
      if (!taken_[i] && base_[i] == name) {
        roles_[i] = role;
        taken_[i] = true;
      }
  }

  void take_pairs() {
    for (const auto& [good, bad] : pair_names())
      if ((has(Role::good) || has_free(good)) && (has(Role::bad) || has_free(bad))) {
        if (!has(Role::good)) take_all(Role::good, good);
        if (!has(Role::bad)) take_all(Role::bad, bad);
        return;
      }
  }

  void take_first(Role role) {
    for (const std::string& name : role_names().at(role))
      for (size_t i = 0; i < plain_.size(); ++i)
        if (!taken_[i] && plain_[i] == name) {
          roles_[i] = role;
          taken_[i] = true;
          return;
        }
  }

  const std::vector<std::string>& header_;
  Names plain_, base_;
  std::vector<Role> roles_;
  std::vector<bool> taken_;
};

bool has(const std::vector<Role>& roles, Role role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

const std::vector<std::pair<std::string, Role>>& said_roles() {
  static const std::vector<std::pair<std::string, Role>> all = {
      {"good", Role::good},           {"bad", Role::bad},
      {"sentence", Role::sentence},   {"grammatical", Role::judgment},
      {"item", Role::item},           {"test", Role::test},
      {"condition", Role::condition}, {"language", Role::language},
      {"cluster", Role::cluster},     {"context", Role::context},
      {"feature", Role::feature}};
  return all;
}

std::vector<Role> roles_of(const std::vector<std::string>& header, std::string_view named) {
  Columns columns(header);
  columns.take_named(named);
  columns.take_usual();
  return std::move(columns).roles();
}

bool makes_pairs(const std::vector<Role>& roles) {
  return has(roles, Role::good) && has(roles, Role::bad);
}

bool makes_long_list(const std::vector<Role>& roles) {
  return has(roles, Role::sentence) && (has(roles, Role::item) || has(roles, Role::judgment));
}

int judgment_of(std::string_view text) {
  static const Names good = {"1",          "1.0",         "true",     "yes",        "y",
                             "good",       "grammatical", "ok",       "acceptable", "correct",
                             "right",      "ja",          "wahr",     "richtig",    "grammatisch",
                             "akzeptabel", "korrekt",     "gut",      "oui",        "vrai",
                             "sí",         "verdadero",   "expected", "goed",       "+"};
  static const Names bad = {"0",
                            "0.0",
                            "false",
                            "no",
                            "n",
                            "bad",
                            "ungrammatical",
                            "*",
                            "unacceptable",
                            "incorrect",
                            "wrong",
                            "nein",
                            "falsch",
                            "ungrammatisch",
                            "inakzeptabel",
                            "unakzeptabel",
                            "inkorrekt",
                            "schlecht",
                            "non",
                            "faux",
                            "agrammatical",
                            "falso",
                            "unexpected",
                            "fout",
                            "-"};
  const std::string name = lower(nfc(trim(text)));
  if (std::find(good.begin(), good.end(), name) != good.end()) return 1;
  return std::find(bad.begin(), bad.end(), name) != bad.end() ? 0 : -1;
}

}  // namespace minpair::suite
