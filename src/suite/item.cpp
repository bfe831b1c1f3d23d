#include "suite/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/natural.h"

namespace minpair::suite {
namespace {

// Whether a script without spaces stands on one side of the joint; its full-width marks have no
// space either.
bool without_spaces(std::string_view before, std::string_view after) {
  auto spaceless = [](char32_t c) { return stands_alone(c) || (c >= 0xFF01 && c <= 0xFF65); };
  size_t at = 0, last = before.size() - 1;
  while (last > 0 && (static_cast<unsigned char>(before[last]) & 0xC0) == 0x80) --last;
  return spaceless(next_character(after, at)) || spaceless(next_character(before, last));
}

bool joins_words(char32_t c) { return c == '\'' || c == '-' || c == 0x2019 || c == 0x2010; }

enum class Kind { space, word, mark, alone };

Kind kind_of(char32_t c) {
  if (c < 0x80) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) return Kind::space;
    bool alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return alphanumeric || !is_punctuation(c) ? Kind::word : Kind::mark;
  }
  if (is_space(c)) return Kind::space;
  if (is_punctuation(c)) return Kind::mark;
  return stands_alone(c) && is_letter(c) ? Kind::alone : Kind::word;
}

// What is compared when sentences are aligned: words, punctuation marks, and single letters in
// scripts without spaces. An apostrophe or hyphen between letters belongs to the word.
std::vector<Span> units(std::string_view text) {
  std::vector<Span> spans;
  Kind last = Kind::space;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    char32_t c = next_character(text, at);
    Kind kind = kind_of(c);
    if (kind == Kind::mark && last == Kind::word && joins_words(c) && at < text.size()) {
      size_t ahead = at;
      if (kind_of(next_character(text, ahead)) == Kind::word) kind = Kind::word;
    }
    // Combining marks, which are no letters, stay with the letter before them.
    bool goes_on =
        kind == Kind::word && (last == Kind::word || (last == Kind::alone && stands_alone(c)));
    if (goes_on)
      spans.back().end = at;
    else if (kind != Kind::space)
      spans.push_back({begin, at});
    if (!goes_on || last != Kind::alone) last = kind;
  }
  return spans;
}

}  // namespace

bool is_pair(const Item& item) {
  return item.sentences.size() == 2 &&
         item.sentences[0].grammatical != item.sentences[1].grammatical;
}

const FeatureValue* find_feature(const Item& item, std::string_view name) {
  for (const auto& [key, value] : item.features)
    if (key == name) return &value;
  return nullptr;
}

std::string feature_text(const Item& item, std::string_view name) {
  const FeatureValue* value = find_feature(item, name);
  if (!value) return {};
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  return fmt::format("{}", std::get<double>(*value));
}

const Sentence* find_sentence(const Item& item, std::string_view name) {
  for (const Sentence& s : item.sentences)
    if (s.name == name) return &s;
  return nullptr;
}

const Region* find_region(const Sentence& sentence, std::string_view name_or_number) {
  for (const Region& r : sentence.regions)
    if (r.name == name_or_number) return &r;
  size_t number = 0;
  auto [end, error] =
      std::from_chars(name_or_number.data(), name_or_number.data() + name_or_number.size(), number);
  bool is_number = error == std::errc() && end == name_or_number.data() + name_or_number.size();
  return is_number && number >= 1 && number <= sentence.regions.size()
             ? &sentence.regions[number - 1]
             : nullptr;
}

void set_regions(Sentence& sentence,
                 const std::vector<std::pair<std::string, std::string>>& names_and_words) {
  sentence.text.clear();
  sentence.regions.clear();
  for (const auto& [name, words] : names_and_words) {
    if (!words.empty() && !sentence.text.empty() && !without_spaces(sentence.text, words))
      sentence.text += ' ';
    size_t begin = sentence.text.size();
    sentence.text += words;
    sentence.regions.push_back({name, {begin, sentence.text.size()}});
  }
}

std::string_view joint(std::string_view context, std::string_view text) {
  if (context.empty() || text.empty()) return "";
  size_t at = 0;
  char32_t first = next_character(text, at);
  bool apart = is_space(static_cast<unsigned char>(context.back())) || is_space(first) ||
               (stands_alone(first) && is_letter(first));
  return apart ? "" : " ";
}

std::string masked_text(const Sentence& sentence, std::string_view mask) {
  std::string s = sentence.text.substr(0, sentence.locus.begin);
  s += mask;
  s += std::string_view(sentence.text).substr(sentence.locus.end);
  return s;
}

bool differs_outside_locus(const Item& item) {
  bool any_empty = std::any_of(item.sentences.begin(), item.sentences.end(),
                               [](const Sentence& s) { return s.locus.empty(); });
  auto front = [&](const Sentence& s) {
    std::string_view text = std::string_view(s.text).substr(0, s.locus.begin);
    while (any_empty && text.ends_with(' ')) text.remove_suffix(1);
    return text;
  };
  auto back = [&](const Sentence& s) {
    std::string_view text = std::string_view(s.text).substr(s.locus.end);
    while (any_empty && text.starts_with(' ')) text.remove_prefix(1);
    return text;
  };
  return std::any_of(item.sentences.begin(), item.sentences.end(), [&](const Sentence& s) {
    return front(s) != front(item.sentences[0]) || back(s) != back(item.sentences[0]);
  });
}

void align_loci(std::vector<Sentence>& sentences) {
  if (sentences.empty()) return;
  std::vector<std::vector<Span>> spans;
  size_t shortest = SIZE_MAX;
  for (const Sentence& s : sentences) {
    spans.push_back(units(s.text));
    shortest = std::min(shortest, spans.back().size());
  }
  auto word = [&](size_t s, size_t w) { return slice(sentences[s].text, spans[s][w]); };
  auto same_everywhere = [&](auto word_of) {
    for (size_t s = 1; s < sentences.size(); ++s)
      if (word_of(s) != word_of(0)) return false;
    return true;
  };
  size_t front = 0, back = 0;
  while (front < shortest && same_everywhere([&](size_t s) { return word(s, front); })) ++front;
  while (front + back < shortest &&
         same_everywhere([&](size_t s) { return word(s, spans[s].size() - 1 - back); }))
    ++back;
  for (size_t s = 0; s < sentences.size(); ++s) {
    size_t first = front, last = spans[s].size() - back;
    Span& locus = sentences[s].locus;
    if (first < last) {
      locus = {spans[s][first].begin, spans[s][last - 1].end};
    } else {
      size_t at = first < spans[s].size() ? spans[s][first].begin : sentences[s].text.size();
      locus = {at, at};
    }
  }
}

}  // namespace minpair::suite
