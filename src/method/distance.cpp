#include <charconv>

#include "method/method.h"

namespace minpair::method {
namespace {

// The first token that reaches into the span.
std::optional<uint32_t> first_token(const Encoded& e, Span span) {
  for (uint32_t i = 0; i < e.tokens.size(); ++i)
    if (e.tokens[i].span.end > span.begin && e.tokens[i].span.begin < span.end) return i;
  return {};
}

}  // namespace

std::optional<Span> other_word(const suite::Item& item) {
  std::string text = suite::feature_text(item, "other");
  size_t begin = 0, end = 0;
  const char* last = text.data() + text.size();
  auto [dash, wrong] = std::from_chars(text.data(), last, begin);
  if (wrong != std::errc() || dash == last || *dash != '-') return {};
  if (std::from_chars(dash + 1, last, end).ptr != last || end <= begin) return {};
  std::string_view sentence = item.sentences[0].text;
  return Span{byte_of_character(sentence, begin), byte_of_character(sentence, end)};
}

std::optional<uint32_t> distance_in_pieces(const suite::Item& item,
                                           const tokenizer::Tokenizer& tokenizer) {
  std::optional<Span> other = other_word(item);
  if (!other) return {};
  const Encoded e = encoded({item.sentences[0].text}, tokenizer, {});
  std::optional<uint32_t> a = first_token(e, item.sentences[0].locus), b = first_token(e, *other);
  if (!a || !b) return {};
  return *a < *b ? *b - *a : *a - *b;
}

}  // namespace minpair::method
