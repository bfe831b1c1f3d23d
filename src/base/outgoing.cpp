#include "base/outgoing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace minpair::inline base {
namespace {

constexpr char32_t kMalformed = 0xFFFD;
constexpr size_t kLongestFileName = 200;  // bytes; file systems allow 255, and endings follow

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

// Calls use(begin, end, character) for each control character and each byte that is not UTF-8.
template <typename Use>
void each_control(std::string_view text, Use use) {
  for (size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    const char32_t c = next_character(text, at);
    if (is_control(c) || c == kMalformed) use(begin, at, c);
  }
}

// Without control characters but those in `kept`; a line break or a tab that is not becomes a
// space.
void append_visible(std::string& to, std::string_view text, std::string_view kept,
                    std::string_view instead) {
  size_t done = 0;
  each_control(text, [&](size_t begin, size_t end, char32_t c) {
    if (c < 0x80 && kept.find(char(c)) != kept.npos) return;
    to += text.substr(done, begin - done);
    to += c == '\n' || c == '\r' || c == '\t' ? " " : instead;
    done = end;
  });
  to += text.substr(done);
}

void append_escaped(std::string& to, std::string_view text, std::string_view special) {
  for (char c : text) {
    if (special.find(c) != special.npos) to += '\\';
    to += c;
  }
}

void append_latex(std::string& to, std::string_view text) {
  if (text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9') {
    to += "$-$";
    text.remove_prefix(1);
  }
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    switch (const char32_t c = next_character(text, at)) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        to += '\\';
        to += char(c);
        break;
      case '~':
        to += "\\textasciitilde{}";
        break;
      case '^':
        to += "\\textasciicircum{}";
        break;
      case '\\':
        to += "\\textbackslash{}";
        break;
      case '<':
      case '>':
        to += fmt::format("${}$", char(c));
        break;
      case 0x2013:
        to += "--";
        break;
      case 0x2212:
        to += "$-$";
        break;
      case 0xb1:
        to += "$\\pm$";
        break;
      default:
        to += text.substr(begin, at - begin);
    }
  }
}

void append_html(std::string& to, std::string_view text) {
  for (char c : text) switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      case '\'':
        to += "&#39;";
        break;
      default:
        to += c;
    }
}

// A cell that a spreadsheet computes, with functions that can read files or call programs.
bool is_formula(std::string_view text) {
  if (text.size() < 2 || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos)
    return false;
  const char* end = text.data() + text.size();
  double number;
  const auto read = std::from_chars(text.data() + (text[0] == '+'), end, number);
  return read.ec != std::errc() || read.ptr != end;
}

void append_cell(std::string& to, std::string_view text, char separator) {
  std::string shown = is_formula(text) ? "'" : "";
  append_visible(shown, text, "\t\n\r", "\uFFFD");
  append_field(to, shown, separator);
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  if (name.starts_with('.')) name[0] = '_';
  if (name.size() <= kLongestFileName) return name;
  size_t end = kLongestFileName;
  while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

}  // namespace

bool has_control(std::string_view text) {
  bool found = false;
  each_control(text, [&](size_t, size_t, char32_t c) { found |= c != kMalformed && c != '\t'; });
  return found;
}

void append_outgoing(std::string& to, std::string_view text, Medium medium) {
  std::string name;
  switch (medium) {
    case Medium::name:
      return append_visible(to, text, "", "\uFFFD");
    case Medium::lines:
      return append_visible(to, text, "\t\n", "\uFFFD");
    case Medium::csv:
      return append_cell(to, text, ',');
    case Medium::tsv:
      return append_cell(to, text, '\t');
    case Medium::markdown:
      append_visible(name, text, "", "\uFFFD");
      return append_escaped(to, name, "|*_<\\");
    case Medium::latex:  // not every engine has U+FFFD
      append_visible(name, text, "", "?");
      return append_latex(to, name);
    case Medium::html:
      append_visible(name, text, "\t\n", "\uFFFD");
      return append_html(to, name);
    case Medium::file_name:
      append_visible(name, text, "", "_");
      to += file_name(std::move(name));
  }
}

std::string outgoing(std::string_view text, Medium medium) {
  std::string out;
  append_outgoing(out, text, medium);
  return out;
}

void append_field(std::string& to, std::string_view text, char separator) {
  const char special[] = {separator, '"', '\n', '\r'};
  if (text.find_first_of(std::string_view(special, sizeof special)) == text.npos) {
    to += text;
    return;
  }
  to += '"';
  for (char c : text) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

std::string json_without_controls(std::string json) {
  std::string out;
  size_t done = 0;
  each_control(json, [&](size_t begin, size_t end, char32_t c) {
    if (c < 0x20 || c == kMalformed) return;
    out.append(json, done, begin - done);
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", unsigned(c));
    done = end;
  });
  if (done == 0) return json;
  return out.append(json, done);
}

}  // namespace minpair::inline base
