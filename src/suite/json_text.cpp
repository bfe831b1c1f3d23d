#include "suite/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace minpair::suite {

Error not_json(std::string_view why) {
  return bad_input(fmt::format("not JSON: {}", why))
      .hint("a comma, a quote or a bracket is missing, or there is one too many");
}

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    to.append(text, plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"':
        to += "\\\"";
        break;
      case '\\':
        to += "\\\\";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\t':
        to += "\\t";
        break;
      case '\r':
        to += "\\r";
        break;
      default:
        fmt::format_to(std::back_inserter(to), FMT_STRING("\\u{:04x}"), unsigned(c));
    }
  }
  to.append(text, plain, text.size() - plain);
  to += '"';
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(to_, value);
  return *this;
}

JsonWriter& JsonWriter::whole(uint64_t value) {
  const fmt::format_int digits(value);
  return json({digits.data(), digits.size()});
}

JsonWriter& JsonWriter::rounded(double value) {
  return json(std::isfinite(value) ? fmt::format("{:.4g}", value) : "null");
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  append_json_number(to_, value);
  return *this;
}

void append_json_number(std::string& to, double number) {
  fmt::format_to(std::back_inserter(to), FMT_STRING("{}"), number);
}

}  // namespace minpair::suite
