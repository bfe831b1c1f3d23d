#include "suite/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace minpair::suite {

Error not_json(std::string_view why) {
  return bad_input(fmt::format("not JSON: {}", why))
      .hint("a comma, a quote or a bracket is missing, or there is one too many");
}

namespace {

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

// Does none of eight bytes need an escape?
bool all_plain(uint64_t bytes) {
  constexpr uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  auto has_zero = [](uint64_t x) { return (x - ones) & ~x & highs; };
  const uint64_t control = (bytes - 0x20 * ones) & ~bytes & highs;
  return !(control | has_zero(bytes ^ '"' * ones) | has_zero(bytes ^ '\\' * ones));
}

}  // namespace

void JsonWriter::put(std::string_view bytes) {
  if (size_ + bytes.size() > kRoom) {
    flush();
    if (bytes.size() > kRoom) {
      to_ += bytes;
      return;
    }
  }
  std::memcpy(buffer_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void JsonWriter::put_escaped(std::string_view text) {
  while (!text.empty()) {
    if (size_ + 8 > kRoom) flush();
    // As much as fits and needs no escape, eight bytes at a time.
    const size_t end = std::min(text.size(), kRoom - size_);
    char* const out = buffer_ + size_;
    size_t n = 0;
    for (uint64_t eight; n + 8 <= end; n += 8) {
      std::memcpy(&eight, text.data() + n, 8);
      if (!all_plain(eight)) break;
      std::memcpy(out + n, &eight, 8);
    }
    for (; n < end && is_plain(text[n]); ++n) out[n] = text[n];
    size_ += n;
    text.remove_prefix(n);
    if (n == end) continue;
    const char c = text[0];
    text.remove_prefix(1);
    constexpr std::string_view kNamed = "\"\\\n\t\r";
    if (const size_t known = kNamed.find(c); known != kNamed.npos) {
      put('\\');
      put("\"\\ntr"[known]);
    } else {
      put(fmt::format(FMT_STRING("\\u{:04x}"), unsigned(c)));
    }
  }
}

JsonWriter& JsonWriter::whole(uint64_t value) {
  const fmt::format_int digits(value);
  return json({digits.data(), digits.size()});
}

JsonWriter& JsonWriter::integer(int64_t value) {
  const fmt::format_int digits(value);
  return json({digits.data(), digits.size()});
}

JsonWriter& JsonWriter::number(float value) { return json(fmt::format("{}", value)); }

JsonWriter& JsonWriter::rounded(double value) {
  return json(std::isfinite(value) ? fmt::format("{:.4g}", value) : "null");
}

JsonWriter& JsonWriter::number(double value) {
  if (std::isnan(value)) return json("null");
  if (std::isinf(value)) return json(value < 0 ? "-1e999" : "1e999");
  // Most are counts.
  if (!std::signbit(value) && value < 1e9 && value == double(uint32_t(value)))
    return whole(uint32_t(value));
  char digits[32];
  const auto end = fmt::format_to_n(digits, sizeof digits, FMT_STRING("{}"), value);
  return json({digits, end.size});
}

void append_json_number(std::string& to, double number) {
  fmt::format_to(std::back_inserter(to), FMT_STRING("{}"), number);
}

}  // namespace minpair::suite
