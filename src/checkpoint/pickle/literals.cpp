// The literals inside a pickle: numbers and strings in their text and binary forms.

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "checkpoint/pickle/values.h"

namespace minpair::checkpoint::pickle {

namespace {

void append_utf8(std::string& to, uint32_t c) {
  if (c < 0x80) {
    to += char(c);
  } else if (c < 0x800) {
    to += char(0xc0 | c >> 6);
    to += char(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    to += char(0xe0 | c >> 12);
    to += char(0x80 | (c >> 6 & 0x3f));
    to += char(0x80 | (c & 0x3f));
  } else {
    to += char(0xf0 | c >> 18);
    to += char(0x80 | (c >> 12 & 0x3f));
    to += char(0x80 | (c >> 6 & 0x3f));
    to += char(0x80 | (c & 0x3f));
  }
}

uint32_t hexadecimal(std::string_view digits, size_t count) {
  uint32_t value = 0;
  std::string_view d = digits.substr(0, count);
  auto [end, wrong] = std::from_chars(d.data(), d.data() + d.size(), value, 16);
  if (d.size() < count || wrong != std::errc() || end != d.data() + d.size())
    throw bad_input(fmt::format("a string has an escape that is not {} hexadecimal digits", count));
  return value;
}

// The two's complement of an arbitrary decimal number.
std::string decimal_bytes(std::string_view digits, bool negative) {
  std::string bytes;
  for (char d : digits) {
    unsigned carry = unsigned(d - '0');
    for (char& b : bytes) {
      carry += 10u * uint8_t(b);
      b = char(carry);
      carry >>= 8;
    }
    if (carry) bytes += char(carry);
  }
  bytes += '\0';
  if (negative) {
    unsigned carry = 1;
    for (char& b : bytes) {
      carry += uint8_t(~b);
      b = char(carry);
      carry >>= 8;
    }
  }
  return bytes;
}

}  // namespace

void little_endian(std::string_view bytes, Value& into) {
  bool negative = !bytes.empty() && (uint8_t(bytes.back()) & 0x80);
  char sign = negative ? '\xff' : '\0';
  // Drop what only repeats the sign.
  while (bytes.size() > 1 && bytes.back() == sign &&
         bool(uint8_t(bytes[bytes.size() - 2]) & 0x80) == negative)
    bytes.remove_suffix(1);
  if (bytes.size() > 8) {
    into.kind = Value::Kind::big_integer;
    into.text = bytes;
    return;
  }
  uint64_t value = negative ? UINT64_MAX : 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | uint8_t(bytes[i]);
  into.kind = Value::Kind::integer;
  into.integer = int64_t(value);
}

void decimal(std::string_view text, Value& into) {
  if (text.starts_with('+')) text.remove_prefix(1);
  bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    throw bad_input("an integer is not written in decimal digits");
  if (digits.size() > 1000) throw bad_input(fmt::format("an integer has {} digits", digits.size()));
  little_endian(decimal_bytes(digits, negative), into);
}

double real(std::string_view text) {
  double value = 0;
  auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Out of range still means what Python means: infinity or zero, which from_chars leaves open.
  if (wrong == std::errc::result_out_of_range && end == text.data() + text.size())
    throw bad_input("a number is out of the range of 64-bit floating point");
  if (wrong != std::errc() || end != text.data() + text.size())
    throw bad_input("a floating-point number is not written as one");
  return value;
}

std::string unquote(std::string_view repr) {
  if (repr.size() < 2 || repr.front() != repr.back() ||
      (repr.front() != '\'' && repr.front() != '"'))
    throw bad_input("a string is not in quotes");
  std::string_view s = repr.substr(1, repr.size() - 2);
  std::string to;
  while (!s.empty()) {
    char c = s.front();
    s.remove_prefix(1);
    if (c != '\\') {
      to += c;
      continue;
    }
    if (s.empty()) throw bad_input("a string ends in the middle of an escape");
    char e = s.front();
    s.remove_prefix(1);
    static constexpr std::string_view letters = "abfnrtv\\'\"", means = "\a\b\f\n\r\t\v\\'\"";
    if (size_t at = letters.find(e); at != letters.npos) {
      to += means[at];
    } else if (e == 'x') {
      to += char(hexadecimal(s, 2));
      s.remove_prefix(2);
    } else if (e >= '0' && e <= '7') {
      unsigned value = unsigned(e - '0');
      for (int i = 0; i < 2 && !s.empty() && s.front() >= '0' && s.front() <= '7'; ++i) {
        value = value * 8 + unsigned(s.front() - '0');
        s.remove_prefix(1);
      }
      to += char(value);
    } else {
      to += '\\';
      to += e;
    }
  }
  return to;
}

std::string raw_unicode_unescape(std::string_view s) {
  std::string to;
  while (!s.empty()) {
    size_t digits = s.starts_with("\\u") ? 4 : s.starts_with("\\U") ? 8 : 0;
    uint32_t c = uint8_t(s.front());
    if (digits) {
      c = hexadecimal(s.substr(2), digits);
      s.remove_prefix(2 + digits);
      // A surrogate pair, as narrow builds of Python 2 write it.
      if (c >= 0xd800 && c < 0xdc00 && s.starts_with("\\u")) {
        uint32_t low = hexadecimal(s.substr(2), 4);
        if (low >= 0xdc00 && low < 0xe000) {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          s.remove_prefix(6);
        }
      }
      if (c > 0x10ffff) throw bad_input("a string has a character past U+10FFFF");
    } else {
      s.remove_prefix(1);
    }
    append_utf8(to, c);
  }
  return to;
}

std::string to_latin1(std::string_view s) {
  std::string to;
  for (size_t i = 0; i < s.size(); ++i) {
    unsigned c = uint8_t(s[i]);
    if (c < 0x80) {
      to += char(c);
    } else if ((c == 0xc2 || c == 0xc3) && i + 1 < s.size()) {
      to += char((c & 3) << 6 | (uint8_t(s[++i]) & 0x3f));
    } else {
      throw bad_input("bytes written as text have a character past U+00FF");
    }
  }
  return to;
}

}  // namespace minpair::checkpoint::pickle
