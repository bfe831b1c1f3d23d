#include "suite/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/natural.h"
#include "base/text.h"

namespace minpair::suite {
namespace {

constexpr size_t kLongestMark = 24;  // what is longer is no date and no missing value

bool among(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

// #REF!, #BEZUG!, #DIV/0!, Err:502
bool is_spreadsheet_error(std::string_view text) {
  if (text.starts_with("Err:") || text.starts_with("Fehler:")) return true;
  return text.size() > 2 && text[0] == '#' && (text.back() == '!' || text.back() == '?') &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); });
}

bool is_formula(std::string_view text) {
  if (text.size() < 3 || text[0] != '=') return false;
  const std::string_view rest = trim(text.substr(1));
  return !rest.empty() &&
         (rest[0] == '"' || rest[0] == '(' || rest.find('(') != rest.npos ||
          std::any_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// 12, 1.5, 50 %, 12:30, 2024-01-05T00:00:00, 05.01.2024, 1,000 €
bool is_number_or_date(std::string_view text) {
  bool digit = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (is_digit(c)) {
      digit = true;
    } else if (c == 'T' || c == 'Z' || c == 'e' || c == 'E') {
      if (!digit) return false;
    } else if (c > 0x7F
                   ? is_letter(c)
                   : std::string_view(" .,:/-+%$'()").find(char(c)) == std::string_view::npos) {
      return false;
    }
  }
  return digit;
}

// 5-Jan, Jan-24, 05-Mär-2024, 5. Mai
bool is_date_with_month(std::string_view text) {
  static constexpr std::string_view months[] = {
      "jan", "feb",  "fév", "mar",  "mär", "mrz", "apr", "avr", "abr", "may", "mai", "jun", "juin",
      "jul", "juil", "aug", "août", "ago", "sep", "oct", "okt", "nov", "dec", "dez", "déc", "dic"};
  std::string word;
  size_t words = 0, numbers = 0;
  bool in_word = false, in_number = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_character(text, at);
    const bool letter = is_letter(c), digit = is_digit(c);
    if (!letter && !digit && std::u32string_view(U" -/.,'").find(c) == std::u32string_view::npos)
      return false;
    words += letter && !in_word;
    numbers += digit && !in_number;
    in_word = letter;
    in_number = digit;
    if (letter) word += text.substr(begin, at - begin);
  }
  if (words != 1 || numbers == 0 || numbers > 2) return false;
  word = lower(word);
  return std::any_of(std::begin(months), std::end(months), [&](std::string_view month) {
    return word == month ||
           (word.size() > month.size() && word.starts_with(month) && count_characters(word) > 3);
  });
}

// "MÃ¼ller", "â€œ": UTF-8 that was read as Windows-1252 and written again; or U+FFFD.
bool is_decoded_wrongly(std::string_view text) {
  if (std::none_of(text.begin(), text.end(), [](char c) { return c < 0; })) return false;
  char32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == 0xFFFD || (c >= 0x80 && c < 0xA0)) return true;
    if ((before == U'Ã' || before == U'Â') && c >= 0xA0 && c <= 0xBF) return true;
    if (before == U'â' && c == U'€') return true;
    before = c;
  }
  return false;
}

bool is_judgment(std::string_view text) {
  const std::string name = lower(text);
  return among(
      name, {"true", "false",        "wahr",          "falsch",     "vrai",        "faux",  "good",
             "bad",  "ok",           "yes",           "no",         "grammatical", "right", "wrong",
             "ja",   "nein",         "ungrammatical", "acceptable", "*",           "?",     "??",
             "+",    "unacceptable", "verdadero",     "falso",      "correct"});
}

bool is_date_or_number(std::string_view text) {
  return text.size() <= kLongestMark && (is_number_or_date(text) || is_date_with_month(text));
}

}  // namespace

bool is_missing(std::string_view text) {
  text = trim(text);
  return among(text, {"NA", "N/A", "n/a", "#N/A", "#NV", "#N/D", "NaN", "nan", "NAN", "-nan",
                      "<NA>", "NaT", "null", "NULL", "Null", "nil"});
}

std::string_view judgment_before(std::string_view text) {
  text = trim(text);
  const size_t end = std::min(text.find_first_not_of("*?#%"), text.size());
  return text.substr(0, end);
}

std::string why_no_sentence(std::string_view text) {
  if (text.size() > kLongestMark && text[0] != '=') return {};
  text = trim(text);
  if (text.empty()) return "there is no sentence here";
  if (is_missing(text) || among(text, {"None", "none", "-", "--", "—", "–"}))
    return fmt::format("there is no sentence here: '{}' stands for a missing value", text);
  if (is_spreadsheet_error(text))
    return fmt::format("there is no sentence here: '{}' is an error of a spreadsheet", text);
  if (is_formula(text)) return "there is a formula here, not the sentence that it makes";
  return {};
}

std::string why_no_typed_sentence(std::string_view cell) {
  if (std::string why = why_no_sentence(cell); !why.empty()) return why;
  const std::string_view text = trim(cell);
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; }))
    return "this text has a control character";
  if (is_decoded_wrongly(text)) return "this text was decoded wrongly before";
  if (text.size() > kLongestMark) return {};
  if (is_judgment(text)) return fmt::format("'{}' is a judgment, not a sentence", text);
  if (is_date_or_number(text))
    return fmt::format("'{}' is a number or a date, not a sentence", text);
  return {};
}

std::string why_no_label(std::string_view cell) {
  const std::string_view text = trim(cell);
  if (is_missing(text)) return fmt::format("'{}' stands for a missing value", text);
  if (is_spreadsheet_error(text)) return fmt::format("'{}' is an error of a spreadsheet", text);
  if (is_formula(text)) return "there is a formula here, not its value";
  if (text.size() <= kLongestMark && is_date_with_month(text))
    return fmt::format("'{}' is a date: a spreadsheet may have made it of something else", text);
  if (ends_sentence(text) && words(text).size() > 2) return fmt::format("'{}' is a sentence", text);
  return {};
}

bool is_language(std::string_view code) {
  size_t part = 0;
  for (std::string_view tag : split(code, '-')) {
    const bool first = part++ == 0;
    if (tag.size() < (first ? 2 : 1) || tag.size() > (first ? 3 : 8)) return false;
    for (char c : tag) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z' && !first);
      if (!letter && (first || c < '0' || c > '9')) return false;
    }
  }
  return true;
}

}  // namespace minpair::suite
