#include "tokenizer/regex.h"

#include <fmt/format.h>
#include <unicode/regex.h>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

// What may be spent on one search: a hostile pattern must not hang the program.
constexpr int32_t kTimeLimit = 500;
constexpr int32_t kStackLimit = 1 << 24;
constexpr size_t kLongestPattern = 1 << 16;

Error failed(std::string_view pattern, UErrorCode status) {
  return bad_input(
      fmt::format("the pattern '{}' cannot be used: {}", pattern, u_errorName(status)));
}

// For every UTF-16 unit the byte where its character begins, and the end.
std::vector<uint32_t> byte_offsets(std::string_view text) {
  std::vector<uint32_t> offsets;
  offsets.reserve(text.size() + 1);
  for (size_t at = 0; at < text.size();) {
    auto begin = uint32_t(at);
    offsets.push_back(begin);
    if (next_character(text, at) > 0xFFFF) offsets.push_back(begin);
  }
  offsets.push_back(uint32_t(text.size()));
  return offsets;
}

}  // namespace

struct Regex::Compiled {
  std::unique_ptr<icu::RegexPattern> pattern;
};

std::string oniguruma_to_icu(std::string_view pattern) {
  std::string to;
  bool in_set = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c != '\\' || i + 1 == pattern.size()) {
      if (c == '[') in_set = true;
      if (c == ']') in_set = false;
      to += c;
      continue;
    }
    char escaped = pattern[++i];
    if (escaped == 's')
      to += "\\p{White_Space}";
    else if (escaped == 'S')
      to += "\\P{White_Space}";
    else if (escaped == 'w')
      to += in_set ? "\\p{L}\\p{M}\\p{Nd}\\p{Pc}" : "[\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
    else if (escaped == 'W')
      to += "[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
    else
      to.append({'\\', escaped});
  }
  return to;
}

Regex::Regex(std::string_view pattern)
    : pattern_(pattern), compiled_(std::make_unique<Compiled>()) {
  if (pattern.size() > kLongestPattern)
    throw bad_input(fmt::format("a pattern of {} bytes is too long", pattern.size()));
  std::string translated = oniguruma_to_icu(pattern);
  UErrorCode status = U_ZERO_ERROR;
  UParseError where;
  // Oniguruma's ^ and $ stand at every line, and only line feeds end a line.
  compiled_->pattern.reset(icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(translated),
                                                      UREGEX_MULTILINE | UREGEX_UNIX_LINES, where,
                                                      status));
  if (U_FAILURE(status) || !compiled_->pattern) throw failed(pattern, status);
}

Regex::~Regex() = default;

std::vector<std::vector<Span>> Regex::groups(std::string_view text) const {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString utf16 = icu::UnicodeString::fromUTF8({text.data(), int32_t(text.size())});
  std::vector<uint32_t> bytes = byte_offsets(text);
  std::unique_ptr<icu::RegexMatcher> matcher(compiled_->pattern->matcher(utf16, status));
  if (U_FAILURE(status) || !matcher) throw failed(pattern_, status);
  matcher->setTimeLimit(kTimeLimit, status);
  matcher->setStackLimit(kStackLimit, status);
  std::vector<std::vector<Span>> found;
  while (matcher->find(status)) {
    if (matcher->start(status) == matcher->end(status)) continue;
    std::vector<Span>& match = found.emplace_back();
    for (int32_t group = 0; group <= matcher->groupCount(); ++group) {
      const int32_t begin = matcher->start(group, status), end = matcher->end(group, status);
      match.push_back(begin < 0 ? Span{} : Span{bytes[size_t(begin)], bytes[size_t(end)]});
    }
  }
  if (U_FAILURE(status)) throw failed(pattern_, status);
  return found;
}

std::vector<Span> Regex::matches(std::string_view text) const {
  std::vector<Span> found;
  for (const std::vector<Span>& match : groups(text)) found.push_back(match.front());
  return found;
}

}  // namespace minpair::tokenizer
