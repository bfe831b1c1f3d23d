#include "introspect/word.h"

#include <algorithm>

#include "base/text.h"

namespace minpair::introspect {
namespace {

bool has_letters(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (char32_t c = next_character(text, at); is_letter(c) || is_digit(c)) return true;
  return false;
}

}  // namespace

std::vector<Word> words_of(const suite::Sentence& sentence, const std::vector<Span>& spans) {
  std::vector<Word> words;
  bool open = false;
  for (uint32_t i = 0; i < spans.size(); ++i) {
    const Span s = spans[i];
    const bool counts = !s.empty() && has_letters(slice(sentence.text, s)) &&
                        (s.end <= sentence.locus.begin || s.begin >= sentence.locus.end);
    if (counts && open && words.back().span.end >= s.begin) {
      words.back().span.end = s.end;
      words.back().positions.push_back(i);
    } else if (counts) {
      words.push_back({s, {i}});
    }
    open = counts;
  }
  return words;
}

bool fills_gap(const query::Model& model) { return model.info().encoder_layers > 0; }

tokenizer::TokenId stand_in(const query::Model& model) {
  const bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  return masked && !fills_gap(model) ? model.tokenizer().special().mask : -1;
}

query::Query without(const Word& word, Contrast contrast, tokenizer::TokenId mask) {
  if (mask >= 0) {
    for (uint32_t p : word.positions) contrast.ids[p] = mask;
  } else {
    // The last token that a causal model reads may be among them: then the one before is asked.
    const auto before = uint32_t(
        std::ranges::count_if(word.positions, [&](uint32_t p) { return p <= contrast.position; }));
    for (auto p = word.positions.rbegin(); p != word.positions.rend(); ++p)
      contrast.ids.erase(contrast.ids.begin() + ptrdiff_t(*p));
    contrast.position -= before;
  }
  return margin_question(contrast);
}

}  // namespace minpair::introspect
