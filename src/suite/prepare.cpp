#include "suite/prepare.h"

namespace minpair::suite {
namespace {

size_t first_letter_size(const std::string& text) {
  size_t end = 0;
  if (!text.empty()) next_character(text, end);
  return end;
}

// A letter may be longer in bytes than the one it replaces; what stands behind it moves.
void replace_first(Sentence& s, const std::string& letter) {
  const size_t old = first_letter_size(s.text);
  s.text.replace(0, old, letter);
  const auto moved = [&](size_t at) { return at >= old ? at - old + letter.size() : at; };
  s.locus = {moved(s.locus.begin), moved(s.locus.end)};
  for (Region& r : s.regions) r.span = {moved(r.span.begin), moved(r.span.end)};
}

void add_period(Sentence& s) {
  char32_t last = 0;
  for (size_t at = 0; at < s.text.size();) last = next_character(s.text, at);
  if (last == 0 || is_punctuation(last)) return;
  if (!s.regions.empty() && s.regions.back().span.end == s.text.size()) ++s.regions.back().span.end;
  s.text += ".";
}

}  // namespace

void prepare(const Preparation& preparation, Item& item) {
  for (Sentence& s : item.sentences) {
    const std::string first = s.text.substr(0, first_letter_size(s.text));
    if (preparation.capitalize) replace_first(s, capitalize_first(first));
    if (preparation.lower_first) replace_first(s, lower(first));
    if (preparation.period) add_period(s);
  }
}

}  // namespace minpair::suite
