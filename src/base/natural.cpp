#include "base/natural.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include "base/text.h"

namespace minpair::inline base {
namespace {

char32_t first_character(std::string_view text) {
  size_t at = 0;
  return text.empty() ? 0 : next_character(text, at);
}

std::string_view without_last(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[--at]) & 0xC0) == 0x80) {
  }
  return text.substr(0, at);
}

char32_t last_character(std::string_view text) {
  return first_character(text.substr(without_last(text).size()));
}

bool has_type(char32_t c, uint32_t mask) { return U_GET_GC_MASK(UChar32(c)) & mask; }

bool is_quote(char32_t c) {
  return c == U'"' || c == U'„' || has_type(c, U_GC_PI_MASK | U_GC_PF_MASK);
}

// A full-width mark has its space in itself.
bool is_wide_mark(char32_t c) {
  return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF01 && c <= 0xFF65);
}

// The last character that no quote or bracket closes over; 0 when there is none.
char32_t last_before_closing(std::string_view text) {
  while (!text.empty()) {
    const char32_t last = last_character(text);
    if (!is_quote(last) && last != U'\'' && !has_type(last, U_GC_PE_MASK) && !is_space(last))
      return last;
    text = without_last(text);
  }
  return 0;
}

UScriptCode script_of(char32_t c) {
  UErrorCode error = U_ZERO_ERROR;
  return uscript_getScript(UChar32(c), &error);
}

// That of the last letter.
UScriptCode script_of(std::string_view text) {
  for (; !text.empty(); text = without_last(text))
    if (const char32_t c = last_character(text); is_letter(c)) return script_of(c);
  return USCRIPT_COMMON;
}

bool is_final_mark(char32_t c) {
  return c == U'…' || c == 0x037E || c == 0x0589 ||  // Greek ; and Armenian ։
         u_hasBinaryProperty(UChar32(c), UCHAR_S_TERM);
}

}  // namespace

bool stands_alone(char32_t c) {
  return (c >= 0x0E00 && c <= 0x109F) ||  // Thai, Lao, Tibetan, Myanmar
         (c >= 0x1780 && c <= 0x17FF) ||  // Khmer
         (c >= 0x2E80 && c <= 0x312F) ||  // CJK radicals, kana, bopomofo
         (c >= 0x31A0 && c <= 0x9FFF) ||  // more of them, CJK ideographs
         (c >= 0xF900 && c <= 0xFAFF) ||  // compatibility ideographs
         (c >= 0x20000 && c <= 0x3FFFF);  // supplementary ideographs
}

bool ends_sentence(std::string_view text) {
  const char32_t last = last_before_closing(text);
  return is_final_mark(last) || (last == U';' && script_of(text) == USCRIPT_GREEK);
}

std::string_view missing_stop(std::string_view text, std::string_view language) {
  const char32_t last = last_before_closing(text);
  if (last == 0 || is_final_mark(last) || is_punctuation(last)) return "";
  if (last < 0x80) return ".";
  switch (script_of(text)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
      return "。";
    case USCRIPT_DEVANAGARI:
      return language.starts_with("mr") || language.starts_with("kok") ? "." : "।";
    case USCRIPT_BENGALI:
    case USCRIPT_GURMUKHI:
    case USCRIPT_ORIYA:
      return "।";
    case USCRIPT_ARABIC:
      return language.starts_with("ur") ? "۔" : ".";
    case USCRIPT_ARMENIAN:
      return "։";
    case USCRIPT_ETHIOPIC:
      return "።";
    case USCRIPT_TIBETAN:
      return "།";
    case USCRIPT_MYANMAR:
      return "။";
    case USCRIPT_KHMER:
      return "។";
    case USCRIPT_THAI:
    case USCRIPT_LAO:
      return "";
    default:
      return ".";
  }
}

std::string capitalized(std::string_view text, std::string_view language) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_character(text, at);
    if (!is_letter(c)) {
      if (is_punctuation(c) || is_space(c)) continue;
      break;
    }
    if (c < 0x80 && language.empty()) {
      std::string simple(text);
      simple[begin] = char(c >= 'a' && c <= 'z' ? c - 32 : c);
      return simple;
    }
    if (at < text.size()) next_character(text, at);  // the second letter of IJ
    icu::UnicodeString letters = icu::UnicodeString::fromUTF8(
        icu::StringPiece(text.data() + begin, int32_t(at - begin)));
    letters.toTitle(nullptr, icu::Locale(std::string(language).c_str()),
                    U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_LOWERCASE);
    std::string whole(text.substr(0, begin));
    letters.toUTF8String(whole);
    return whole.append(text.substr(at));
  }
  return std::string(text);
}

bool lacks_capital(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (is_letter(c)) return char32_t(u_totitle(UChar32(c))) != c && u_islower(UChar32(c));
    if (is_digit(c)) return false;
  }
  return false;
}

bool has_word(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (char32_t c = next_character(text, at); is_letter(c) || is_digit(c)) return true;
  return false;
}

Beside beside(std::string_view word, std::string_view language) {
  if (word.empty()) return {};
  const char32_t first = first_character(word), last = last_character(word);
  const bool single = without_last(word).empty();
  const bool french = language == "fr" || language.starts_with("fr-");
  if (french && single && (first == U'«' || first == U'»')) return {};  // a space on both sides
  Beside b;
  b.quote = single && is_quote(first) && first != U'’';
  const bool high = first == '?' || first == '!' || first == ':' || first == ';';
  b.closes = !b.quote && !(french && high) &&
             (is_final_mark(first) || has_type(first, U_GC_PE_MASK) ||
              u_hasBinaryProperty(UChar32(first), UCHAR_TERMINAL_PUNCTUATION) ||
              (is_punctuation(first) && is_quote(first) && !has_word(word)));
  b.opens = !b.quote && (has_type(last, U_GC_PS_MASK) || last == U'¿' || last == U'¡' ||
                         (last == U'«' && !french));
  b.alone_first = stands_alone(first) || is_wide_mark(first);
  b.alone_last = stands_alone(last) || is_wide_mark(last);
  return b;
}

bool Joiner::space_before(const Beside& word) {
  bool space = begun_ && !word.closes && !last_.opens && !last_.alone_last && !word.alone_first;
  if (word.quote && quoted_) space = false;
  if (last_.quote && quoted_) space = false;  // the word before has opened it
  begun_ = true;
  if (word.quote) quoted_ = !quoted_;
  last_ = word;
  return space;
}

}  // namespace minpair::inline base
