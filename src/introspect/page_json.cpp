#include "introspect/page_json.h"

#include <set>

namespace minpair::introspect {
namespace {

// A text cut where something begins or ends: each part with the numbers of what it belongs to.
void write_parts(suite::JsonWriter& json, std::string_view text, const std::vector<Span>& spans) {
  std::set<size_t> cuts{0, text.size()};
  for (const Span& s : spans)
    if (!s.empty() && s.end <= text.size()) cuts.insert({s.begin, s.end});
  json.open('[');
  for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); ++from, ++to) {
    json.open('[').text(text.substr(*from, *to - *from)).open('[');
    for (size_t i = 0; i < spans.size(); ++i)
      if (spans[i].begin <= *from && *to <= spans[i].end) json.whole(i);
    json.close(']').close(']');
  }
  json.close(']');
}

}  // namespace

void write_list(suite::JsonWriter& json, const std::vector<double>& all) {
  json.open('[');
  for (double x : all) json.rounded(x);
  json.close(']');
}

void write_sentence(suite::JsonWriter& json, std::string_view id, std::string_view text,
                    const Shown& s) {
  json.open('{').key("id").text(id).key("margin").rounded(s.margin).key("names").open('[');
  for (const std::string& name : s.names) json.text(name);
  write_parts(json.close(']').key("parts"), text, s.spans);
  json.key("effects").open('[');
  for (const std::vector<double>& of : s.effects) write_list(json, of);
  json.close(']').close('}');
}

}  // namespace minpair::introspect
