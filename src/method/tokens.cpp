#include "method/tokens.h"

#include <algorithm>

#include "base/error.h"

namespace minpair::method {
namespace {

// The sentence tokenized around a mask, with the tokens of the locus in the mask's place.
bool tokens_around_mask(SentenceTokens& s, const suite::Sentence& sentence,
                        const MethodContext& context) {
  const tokenizer::Tokenizer& tokenizer = context.tokenizer;
  const std::string mask = tokenizer.piece(tokenizer.special().mask);
  const std::string locus(slice(sentence.text, sentence.locus));
  const Encoded around =
      encoded({suite::masked_text(sentence, mask), sentence.context}, tokenizer, context.model);
  const auto at = std::find(around.ids.begin() + ptrdiff_t(around.context_end), around.ids.end(),
                            tokenizer.special().mask);
  if (at == around.ids.end()) return false;
  const Encoded own = encoded({locus}, tokenizer, {.kind = query::ModelInfo::Kind::causal});
  const size_t place = size_t(at - around.ids.begin());
  s = {around};
  s.tokens.resize(place);
  s.locus_begin = place;
  for (judge::TokenScore t : own.tokens) {
    t.span = {t.span.begin + sentence.locus.begin, t.span.end + sentence.locus.begin};
    t.in_locus = true;
    s.tokens.push_back(t);
  }
  s.locus_end = s.tokens.size();
  for (size_t i = place + 1; i < around.tokens.size(); ++i) {
    judge::TokenScore t = around.tokens[i];
    if (!t.span.empty())
      t.span = {t.span.begin - mask.size() + locus.size(), t.span.end - mask.size() + locus.size()};
    s.tokens.push_back(t);
  }
  s.ids.clear();
  for (const judge::TokenScore& t : s.tokens) s.ids.push_back(t.id);
  mark_words(s, tokenizer);
  return true;
}

}  // namespace

SentenceTokens tokens_of(const suite::Sentence& sentence, const MethodContext& context) {
  SentenceTokens s{encoded(sentence, context.tokenizer, context.model)};
  s.locus_is_whole = mark_locus(s.tokens, sentence);
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    if (!s.tokens[i].in_locus) continue;
    if (s.locus_end == 0) s.locus_begin = i;
    s.locus_end = i + 1;
  }
  return s;
}

Reason require_locus(SentenceTokens& s, const suite::Sentence& sentence,
                     const MethodContext& context) {
  if (sentence.locus.empty()) return Reason::empty_locus;
  if (!s.locus_is_whole && !tokens_around_mask(s, sentence, context))
    return Reason::locus_inside_token;
  if (s.locus_size() == 0) return Reason::empty_locus;
  return unknown_locus(s, context.tokenizer) ? Reason::unknown_locus : Reason::none;
}

void ask_masked(Questions& questions, const SentenceTokens& tokens, size_t masked_begin,
                size_t masked_end, size_t read_begin, size_t read_end, tokenizer::TokenId mask) {
  query::Query query;
  query.ids = tokens.ids;
  std::fill(query.ids.begin() + ptrdiff_t(masked_begin), query.ids.begin() + ptrdiff_t(masked_end),
            mask);
  SentenceQuestions& sentence = questions.sentences.back();
  for (size_t i = read_begin; i < read_end; ++i) {
    if (tokens.in_context(i)) continue;
    sentence.tokens.push_back(tokens.tokens[i]);
    sentence.asked.push_back({uint32_t(questions.queries.size()), uint32_t(query.asks.size()), 0});
    query.asks.push_back({uint32_t(i), query::Targets{{tokens.ids[i]}}});
  }
  questions.queries.push_back(std::move(query));
}

tokenizer::TokenId mask_of(const MethodContext& context) {
  tokenizer::TokenId mask = context.tokenizer.special().mask;
  if (mask < 0)
    throw bad_input("this model's tokenizer has no mask token")
        .hint("use a method that does not mask, such as 'ce'");
  return mask;
}

bool too_long(const SentenceTokens& tokens, const MethodContext& context) {
  return context.model.max_tokens > 0 && tokens.ids.size() > context.model.max_tokens;
}

bool unknown_locus(const SentenceTokens& s, const tokenizer::Tokenizer& tokenizer) {
  const tokenizer::TokenId unk = tokenizer.special().unk;
  const auto end = s.ids.begin() + ptrdiff_t(s.locus_end);
  return unk >= 0 && std::find(s.ids.begin() + ptrdiff_t(s.locus_begin), end, unk) != end;
}

size_t word_end(const SentenceTokens& tokens, size_t at) {
  size_t end = at + 1;
  while (end < tokens.tokens.size() && !tokens.tokens[end].special &&
         !tokens.tokens[end].begins_word)
    ++end;
  return end;
}

}  // namespace minpair::method
