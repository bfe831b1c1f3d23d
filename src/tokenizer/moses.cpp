#include "tokenizer/normalizer.h"

#include <unicode/uchar.h>

#include <deque>
#include <set>

#include "base/text.h"
#include "tokenizer/characters.h"
#include "tokenizer/regex.h"

namespace minpair::tokenizer {
namespace {

// A pattern, and what stands in its place; $1 and $2 are groups.
struct Rule {
  const char *pattern, *with;
};

// Signs of Chinese and Japanese, and quotation marks, as ASCII has them.
constexpr Rule kSigns[] = {{"[，、]", ","}, {"。\\s*", ". "}, {"[”“《》」「]", "\""},
                           {"[∶：]", ":"},  {"？", "?"},      {"）", ")"},
                           {"！", "!"},     {"（", "("},      {"；", ";"},
                           {"０", "0"},     {"１", "1"},      {"２", "2"},
                           {"３", "3"},     {"４", "4"},      {"５", "5"},
                           {"６", "6"},     {"７", "7"},      {"８", "8"},
                           {"９", "9"},     {"．\\s*", ". "}, {"～", "~"},
                           {"’", "'"},      {"…", "..."},     {"━", "-"},
                           {"〈", "<"},     {"〉", ">"},      {"【", "["},
                           {"】", "]"},     {"％", "%"}};

constexpr Rule kPunctuation[] = {
    // White space around signs.
    {"\\r", ""},
    {"\\(", " ("},
    {"\\)", ") "},
    {" +", " "},
    {"(\\)) ([.!:?;,])", "$1$2"},
    {"\\( ", "("},
    {" \\)", ")"},
    {"(\\d) (%)", "$1$2"},
    {" :", ":"},
    {" ;", ";"},
    // Quotation marks and dashes.
    {"`", "'"},
    {"''", " \" "},
    {"[„“”]", "\""},
    {"–", "-"},
    {"—", " - "},
    {" +", " "},
    {"[´‘‚’]", "'"},
    {"''", "\""},
    {"…", "..."},
    {"\\u00A0«\\u00A0", "\""},
    {"«\\u00A0", "\""},
    {"«", "\""},
    {"\\u00A0»\\u00A0", "\""},
    {"\\u00A0»", "\""},
    {"»", "\""},
    // Spaces at which no line is broken.
    {"\\u00A0%", "%"},
    {"nº\\u00A0", "nº "},
    {"\\u00A0:", ":"},
    {"\\u00A0ºC", " ºC"},
    {"\\u00A0cm", " cm"},
    {"\\u00A0\\?", "?"},
    {"\\u00A0!", "!"},
    {"\\u00A0;", ";"},
    {",\\u00A0", ", "},
    {" +", " "}};
constexpr Rule kEnglishPunctuation[] = {{"(\")([,.]+)", "$2$1"}, {"(\\d)\\u00A0(\\d)", "$1.$2"}};
constexpr Rule kFrenchPunctuation[] = {
    {"(,)(\")", "$2$1"}, {"(\\.+)(\")(\\s*[^<])", "$2$1$3"}, {"(\\d)\\u00A0(\\d)", "$1,$2"}};

// Moses's lists of letters have neither Chinese characters nor Korean syllables.
#define MINPAIR_LETTERS "[\\p{Alphabetic}--[\\p{Unified_Ideograph}\\uAC00-\\uD7A3]]"

constexpr Rule kCut[] = {
    {"\\s+", " "},
    {"([^" MINPAIR_LETTERS "\\p{Nd}\\s.'`,\\-])", " $1 "},
    // Dots in a row stay together, as characters that no text has, until all is done.
    {"(\\.{2,})(?=[^.])", " $1 "},
    {"(\\.{2,})$", " $1"}};
constexpr Rule kCommas[] = {
    {"([^\\p{N}])(,)", "$1 $2 "}, {"(,)([^\\p{N}])", " $1 $2"}, {"(\\p{N})(,)$", "$1 $2 "}};
constexpr Rule kEnglishApostrophes[] = {
    {"([^" MINPAIR_LETTERS "])(')([^" MINPAIR_LETTERS "])", "$1 $2 $3"},
    {"([^" MINPAIR_LETTERS "\\p{N}])(')(" MINPAIR_LETTERS ")", "$1 $2 $3"},
    {"(" MINPAIR_LETTERS ")(')([^" MINPAIR_LETTERS "])", "$1 $2 $3"},
    {"(" MINPAIR_LETTERS ")('" MINPAIR_LETTERS ")", "$1 $2"},
    {"(\\p{N})('s)", "$1 $2"}};
constexpr Rule kFrenchApostrophes[] = {
    {"([^" MINPAIR_LETTERS "])(')([^" MINPAIR_LETTERS "])", "$1 $2 $3"},
    {"([^" MINPAIR_LETTERS "])(')(" MINPAIR_LETTERS ")", "$1 $2 $3"},
    {"(" MINPAIR_LETTERS ")(')([^" MINPAIR_LETTERS "])", "$1 $2 $3"},
    {"(" MINPAIR_LETTERS "')(" MINPAIR_LETTERS ")", "$1 $2"}};
constexpr Rule kLast[] = {{"\\s+", " "}, {"(\\.)(') ?$", " $1 $2 "}};

// Words that keep the dot behind them, besides single letters; with "#" only before a number.
constexpr const char* kEnglishAbbreviations =
    "Adj Adm Adv Apr Art# Asst Aug Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dec Dr "
    "Drs Ens Feb Gen Gov Hon Hosp Hr Insp Jan Jul Jun Lt MM MR MRS MS Maj Mar Messrs Mlle Mme Mr "
    "Mrs Ms Msgr No# Nos Nov Nr Oct Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rs Rt Sen Sens Sep Sfc "
    "Sgt Sr St Supt Surg pp# rev v vs";
constexpr const char* kFrenchAbbreviations =
    "MM SS al ann apr art auj av boul ca cf chap contr dir env etc ex fasc fig fr fém hab ibid id "
    "inf lib masc ms n/réf pl pp sec sect sing sq sqq suiv sup suppl tél vb vol vs éd";

bool is_space(char32_t c) { return class_of(c) & kSpace; }
bool is_letter(char32_t c) {
  return u_isUAlphabetic(UChar32(c)) && !u_hasBinaryProperty(UChar32(c), UCHAR_UNIFIED_IDEOGRAPH) &&
         !(c >= 0xAC00 && c <= 0xD7A3);
}

// What a rule puts there is of the characters that it was put there for.
class Substitution {
 public:
  explicit Substitution(const Rule& rule) : regex_(rule.pattern), with_(rule.with) {}
  void apply(AlignedText& text) const {
    const std::vector<std::vector<Span>> found = regex_.groups(text.bytes);
    if (found.empty()) return;
    AlignedText to;
    size_t done = 0;
    for (const std::vector<Span>& match : found) {
      to.append(text, {done, match.front().begin});
      for (size_t i = 0; i < with_.size(); ++i)
        if (with_[i] == '$')
          to.append(text, match.at(size_t(with_[++i] - '0')));
        else
          to.append(std::string_view(with_).substr(i, 1), text.origin(match.front()));
      done = match.front().end;
    }
    to.append(text, {done, text.size()});
    text = std::move(to);
  }

 private:
  Regex regex_;
  std::string with_;
};

class Substitutions {
 public:
  template <size_t N>
  Substitutions& then(const Rule (&rules)[N]) {
    for (const Rule& rule : rules) all_.emplace_back(rule);
    return *this;
  }
  void apply(AlignedText& text) const {
    for (const Substitution& s : all_) s.apply(text);
  }

 private:
  std::deque<Substitution> all_;
};

class Abbreviations {
 public:
  Abbreviations(const char* list, bool small_letters) : small_letters_(small_letters) {
    for (std::string_view word : split(list, ' ')) {
      const bool numeric = word.ends_with('#');
      if (numeric) word.remove_suffix(1);
      (numeric ? before_numbers_ : all_).emplace(word);
    }
  }
  bool has(std::string_view word) const {
    const bool letter = word.size() == 1 && ((word[0] >= 'A' && word[0] <= 'Z') ||
                                             (small_letters_ && word[0] > 'a' && word[0] <= 'z'));
    return letter || all_.contains(word);
  }
  bool before_numbers(std::string_view word) const { return before_numbers_.contains(word); }

 private:
  bool small_letters_;  // but "a", which is a word
  std::set<std::string, std::less<>> all_, before_numbers_;
};

class Moses : public Normalizer {
 public:
  explicit Moses(bool french)
      : abbreviations_(french ? kFrenchAbbreviations : kEnglishAbbreviations, french) {
    punctuation_.then(kSigns).then(kPunctuation);
    if (french)
      punctuation_.then(kFrenchPunctuation);
    else
      punctuation_.then(kEnglishPunctuation);
    cut_.then(kCut);
    signs_.then(kCommas);
    if (french)
      signs_.then(kFrenchApostrophes);
    else
      signs_.then(kEnglishApostrophes);
    last_.then(kLast);
  }

  void apply(AlignedText& text) const override {
    punctuation_.apply(text);
    strip_->apply(text);
    drop_unprinted(text);
    cut_.apply(text);
    strip_->apply(text);
    hide_rows_of_dots(text);
    signs_.apply(text);
    cut_dots(text);
    last_.apply(text);
    map_characters(text, [](char32_t c, AlignedText::From from, AlignedText& to) {
      to.append(c == kHiddenDot ? U'.' : c, from);
    });
  }

 private:
  static constexpr char32_t kHiddenDot = 0xFDD0;  // no character, so that no text has it by now

  static void drop_unprinted(AlignedText& text) {
    map_characters(text, [](char32_t c, AlignedText::From from, AlignedText& to) {
      if (!(U_GET_GC_MASK(UChar32(c)) & U_GC_C_MASK)) to.append(c, from);
    });
  }

  static void hide_rows_of_dots(AlignedText& text) {
    AlignedText to;
    for (size_t at = 0; at < text.size();) {
      size_t begin = at;
      const char32_t c = next_character(text.bytes, at);
      const bool row = c == U'.' && (text.bytes.substr(at, 1) == "." ||
                                     (begin > 0 && text.bytes[begin - 1] == '.'));
      if (row)
        to.append(kHiddenDot, text.origin({begin, at}));
      else
        to.append(text, {begin, at});
    }
    text = std::move(to);
  }

  // The dot at the end of a word is a sign of its own, unless the word is an abbreviation or goes
  // on with a small letter.
  void cut_dots(AlignedText& text) const {
    std::vector<Span> words;
    bool inside = false;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      const bool space = is_space(next_character(text.bytes, at));
      if (!space && !inside) words.push_back({begin, begin});
      if (!space) words.back().end = at;
      inside = !space;
    }
    AlignedText to;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string_view next =
          i + 1 < words.size() ? slice(text.bytes, words[i + 1]) : std::string_view();
      Span word = words[i];
      if (i) to.append(U' ', text.origin({word.begin, word.begin + 1}));
      const bool cut = ends_sentence(slice(text.bytes, word), next);
      to.append(text, {word.begin, word.end - cut});
      if (!cut) continue;
      to.append(U' ', text.origin({word.end - 1, word.end}));
      to.append(text, {word.end - 1, word.end});
    }
    text = std::move(to);
  }

  bool ends_sentence(std::string_view word, std::string_view next) const {
    if (word.size() < 2 || !word.ends_with('.')) return false;
    word.remove_suffix(1);
    bool letters = false;
    for (size_t at = 0; at < word.size();) letters |= is_letter(next_character(word, at));
    if (word.find('.') != word.npos && letters) return false;
    if (abbreviations_.has(word)) return false;
    size_t at = 0;
    if (next.empty()) return true;
    if (u_isULowercase(UChar32(next_character(next, at)))) return false;
    return !(abbreviations_.before_numbers(word) && next[0] >= '0' && next[0] <= '9');
  }

  Substitutions punctuation_, cut_, signs_, last_;
  Abbreviations abbreviations_;
  NormalizerPtr strip_ = normalize_strip(true, true);
};

}  // namespace

NormalizerPtr normalize_moses(const std::string& language) {
  return std::make_shared<Moses>(language == "fr");
}

}  // namespace minpair::tokenizer
