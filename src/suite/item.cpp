#include "suite/item.h"

#include <algorithm>

namespace minpair {
namespace {

// Word boundaries of a text as byte spans.
std::vector<Span> word_spans(std::string_view text) {
  std::vector<Span> spans;
  for (std::string_view w : words(text)) {
    size_t begin = size_t(w.data() - text.data());
    spans.push_back({begin, begin + w.size()});
  }
  return spans;
}

}  // namespace

std::string masked_text(const Sentence& sentence, std::string_view mask) {
  std::string s = sentence.text.substr(0, sentence.locus.begin);
  s += mask;
  s += std::string_view(sentence.text).substr(sentence.locus.end);
  return s;
}

void align_loci(std::vector<Sentence>& sentences) {
  std::vector<std::vector<Span>> spans;
  size_t shortest = SIZE_MAX;
  for (const Sentence& s : sentences) {
    spans.push_back(word_spans(s.text));
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

}  // namespace minpair
