#include "suite/prepare.h"

#include "base/natural.h"

namespace minpair::suite {
namespace {

// The beginning may become longer in bytes; what stands behind it moves.
void replace_beginning(Sentence& s, size_t old, const std::string& beginning) {
  s.text.replace(0, old, beginning);
  const auto moved = [&](size_t at) { return at >= old ? at - old + beginning.size() : at; };
  s.locus = {moved(s.locus.begin), moved(s.locus.end)};
  for (Region& r : s.regions) r.span = {moved(r.span.begin), moved(r.span.end)};
}

// As far as behind so many letters.
size_t behind_letters(const std::string& text, size_t count) {
  size_t end = 0, letters = 0;
  while (end < text.size() && letters < count) {
    size_t at = end;
    const bool letter = is_letter(next_character(text, at));
    if (!letter && letters > 0) break;
    letters += letter;
    end = at;
  }
  return end;
}

// A capital concerns the first letter, or the first two: IJs.
void capitalize(Sentence& s, const std::string& language) {
  const size_t one = behind_letters(s.text, 1), two = behind_letters(s.text, 2);
  const std::string second = s.text.substr(one, two - one);
  std::string capital = capitalized(s.text.substr(0, two), language);
  if (!capital.ends_with(second)) return replace_beginning(s, two, capital);
  capital.resize(capital.size() - second.size());
  replace_beginning(s, one, capital);
}

void add_stop(Sentence& s, const std::string& language) {
  const std::string_view stop = missing_stop(s.text, language);
  if (!s.regions.empty() && s.regions.back().span.end == s.text.size())
    s.regions.back().span.end += stop.size();
  s.text += stop;
}

}  // namespace

void prepare(const Preparation& preparation, Item& item) {
  for (Sentence& s : item.sentences) {
    if (preparation.capitalize) capitalize(s, item.language);
    if (preparation.lower_first) {
      size_t at = 0;
      if (!s.text.empty()) next_character(s.text, at);
      replace_beginning(s, at, lower(s.text.substr(0, at)));
    }
    if (preparation.period) add_stop(s, item.language);
  }
}

}  // namespace minpair::suite
