#include "base/python_json.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.h"

namespace minpair::inline base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on(char c) {
  return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at < text.size() ? at + 1 : text.size();
}

}  // namespace

std::string standard_json(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"NaN", "null"},
      {"Infinity", "1.7976931348623157e308"},
      {"-Infinity", "-1.7976931348623157e308"}};
  std::string out;
  out.reserve(text.size() + 16);
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    if (text[at] == '"') {
      at = end_of_string(text, at);
      out += text.substr(begin, at - begin);
      continue;
    }
    bool replaced = false;
    for (const auto& [theirs, ours] : words)
      if (!replaced && text.substr(at).starts_with(theirs)) {
        out += ours;
        at += theirs.size();
        replaced = true;
      }
    if (replaced) continue;
    bool whole = true;
    size_t digits = 0;
    for (; at < text.size() && goes_on(text[at]); ++at) {
      digits += is_digit(text[at]);
      whole &= is_digit(text[at]) || (text[at] == '-' && at == begin);
    }
    if (at == begin) ++at;
    out += text.substr(begin, at - begin);
    if (whole && digits > 18) out += ".0";
  }
  return out;
}

void check_json_depth(std::string_view json, const std::string& file, uint64_t line) {
  struct Open {
    bool object;
    size_t commas;
  };
  std::vector<Open> open;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = end_of_string(json, at) - 1;
    } else if (c == '[' || c == '{') {
      if (open.size() == kDeepestJson)
        throw bad_input(fmt::format("this is nested more than {} deep", kDeepestJson))
            .at(file, line);
      open.push_back({c == '{', 0});
    } else if (open.empty()) {
      continue;
    } else if (c == ']' || c == '}') {
      open.pop_back();
    } else if (c == ',' && ++open.back().commas >= kMostMembers && open.back().object) {
      throw bad_input(fmt::format("an object has more than {} members", kMostMembers))
          .at(file, line);
    }
  }
}

}  // namespace minpair::inline base
