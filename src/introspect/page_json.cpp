#include "introspect/page_json.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "suite/json_text.h"

namespace minpair::introspect {
namespace {

// A text cut where something begins or ends: each part with the numbers of what it belongs to.
std::string parts_json(std::string_view text, const std::vector<Span>& spans) {
  std::set<size_t> cuts{0, text.size()};
  for (const Span& s : spans)
    if (!s.empty() && s.end <= text.size()) cuts.insert({s.begin, s.end});
  std::string out;
  for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); ++from, ++to) {
    std::vector<size_t> of;
    for (size_t i = 0; i < spans.size(); ++i)
      if (spans[i].begin <= *from && *to <= spans[i].end) of.push_back(i);
    out +=
        fmt::format("{}[{},{}]", out.empty() ? "" : ",", json_of(text.substr(*from, *to - *from)),
                    json_list(of, [](size_t i) { return std::to_string(i); }));
  }
  return "[" + out + "]";
}

}  // namespace

std::string json_of(std::string_view text) {
  std::string out;
  suite::append_json_string(out, text);
  return out;
}

std::string json_of(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "null"; }

std::string json_of(const std::vector<double>& all) {
  return json_list(all, [](double x) { return json_of(x); });
}

std::string sentence_json(std::string_view id, std::string_view text, const Shown& s) {
  return fmt::format(
      "{{\"id\":{},\"margin\":{},\"names\":{},\"parts\":{},\"effects\":{}}}", json_of(id),
      json_of(s.margin), json_list(s.names, [](std::string_view name) { return json_of(name); }),
      parts_json(text, s.spans),
      json_list(s.effects, [](const std::vector<double>& of) { return json_of(of); }));
}

}  // namespace minpair::introspect
