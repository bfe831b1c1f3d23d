#include "base/text.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/natural.h"

namespace minpair::inline base {
namespace {

const icu::Normalizer2& nfc_instance() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* n = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status)) throw cannot("the Unicode library has no normalisation data");
  return *n;
}

icu::UnicodeString to_utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), int32_t(text.size())));
}

std::string to_utf8(const icu::UnicodeString& text) {
  std::string s;
  text.toUTF8String(s);
  return s;
}

void pass_character(std::string_view text, size_t& at) {
  if (static_cast<signed char>(text[at]) >= 0)
    ++at;
  else
    next_character(text, at);
}

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

char32_t next_character(std::string_view text, size_t& at) {
  auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  const auto* s = reinterpret_cast<const uint8_t*>(text.data());
  auto i = int64_t(at);
  UChar32 c;
  U8_NEXT(s, i, int64_t(text.size()), c);
  if (c < 0) {
    ++at;
    return 0xFFFD;
  }
  at = size_t(i);
  return char32_t(c);
}

bool valid_utf8(std::string_view text) {
  const auto* s = reinterpret_cast<const uint8_t*>(text.data());
  auto n = int64_t(text.size());
  for (int64_t i = 0; i < n;) {
    UChar32 c;
    U8_NEXT(s, i, n, c);
    if (c < 0) return false;
  }
  return true;
}

void append_utf8(std::string& to, char32_t c) {
  if (c < 0x80) {
    to += char(c);
  } else if (c < 0x800) {
    to += char(0xC0 | (c >> 6));
    to += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to += char(0xE0 | (c >> 12));
    to += char(0x80 | ((c >> 6) & 0x3F));
    to += char(0x80 | (c & 0x3F));
  } else {
    to += char(0xF0 | (c >> 18));
    to += char(0x80 | ((c >> 12) & 0x3F));
    to += char(0x80 | ((c >> 6) & 0x3F));
    to += char(0x80 | (c & 0x3F));
  }
}

size_t count_characters(std::string_view text) { return character_of_byte(text, text.size()); }

size_t byte_of_character(std::string_view text, size_t character) {
  size_t at = 0;
  for (; character > 0 && at < text.size(); --character) pass_character(text, at);
  return at;
}

size_t character_of_byte(std::string_view text, size_t byte) {
  const size_t end = std::min(byte, text.size());
  size_t at = 0, n = 0;
  while (at < end) {
    uint64_t eight = ~uint64_t{0};
    if (at + 8 <= end) std::memcpy(&eight, text.data() + at, 8);
    if ((eight & 0x8080808080808080) == 0) {  // ASCII
      at += 8, n += 8;
    } else {
      pass_character(text, at);
      ++n;
    }
  }
  return n;
}

bool is_space(char32_t c) { return u_isUWhiteSpace(UChar32(c)); }
bool is_punctuation(char32_t c) { return u_ispunct(UChar32(c)); }
bool is_letter(char32_t c) { return u_isalpha(UChar32(c)); }
bool is_digit(char32_t c) { return u_isdigit(UChar32(c)); }

std::string nfc(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString out = nfc_instance().normalize(to_utf16(text), status);
  if (U_FAILURE(status)) throw bad_input("the text cannot be normalised");
  return to_utf8(out);
}

bool is_nfc(std::string_view text) {
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return true;
  UErrorCode status = U_ZERO_ERROR;
  bool yes = nfc_instance().isNormalized(to_utf16(text), status);
  return U_SUCCESS(status) && yes;
}

std::string lower(std::string_view text) {
  return to_utf8(to_utf16(text).toLower(icu::Locale::getRoot()));
}

std::string capitalize_first(std::string_view text) { return capitalized(text, {}); }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t i = text.find(separator);
    parts.push_back(text.substr(0, i));
    if (i == std::string_view::npos) return parts;
    text.remove_prefix(i + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_ascii_space(text[i])) ++i;
    size_t begin = i;
    while (i < text.size() && !is_ascii_space(text[i])) ++i;
    if (i > begin) parts.push_back(text.substr(begin, i - begin));
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string s;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) s += separator;
    s += parts[i];
  }
  return s;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string closest(std::string_view word, const std::vector<std::string>& known) {
  size_t best = word.size() / 3 + 2;
  std::string hit;
  for (const std::string& k : known) {
    size_t d = edit_distance(word, k);
    if (d < best) {
      best = d;
      hit = k;
    }
  }
  return hit;
}

}  // namespace minpair::inline base
