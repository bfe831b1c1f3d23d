#include "method/tokens.h"

#include <algorithm>

#include "base/error.h"
#include "tokenizer/word_ends.h"

namespace minpair::method {
namespace {

// A piece like " Haus" may own the space before it: that space never decides where a locus is.
Span without_space(std::string_view text, Span span) {
  while (span.begin < span.end && (text[span.begin] == ' ' || text[span.begin] == '\t'))
    ++span.begin;
  return span;
}

bool touches(Span a, Span b) { return a.begin < b.end && b.begin < a.end; }
bool inside(Span a, Span b) { return b.begin <= a.begin && a.end <= b.end; }

void mark_words(SentenceTokens& s, const tokenizer::Tokenizer& tokenizer) {
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    judge::TokenScore& t = s.tokens[i];
    t.begins_word =
        !t.special && (i == 0 || i == s.context_end || s.tokens[i - 1].special ||
                       tokenizer::begins_word_after(tokenizer, s.tokens[i - 1].id, t.id));
  }
}

SentenceTokens from_encoding(const tokenizer::Encoding& encoding) {
  SentenceTokens s;
  s.ids.reserve(encoding.tokens.size());
  s.tokens.reserve(encoding.tokens.size());
  for (const tokenizer::Token& token : encoding.tokens) {
    judge::TokenScore t;
    t.id = token.id;
    t.span = token.span;
    t.special = token.special;
    s.ids.push_back(token.id);
    s.tokens.push_back(t);
  }
  return s;
}

// The pieces of the context put before the sentence, behind what opens it ([CLS]).
SentenceTokens tokenized_apart(const tokenizer::Tokenizer& tokenizer, std::string_view context,
                               std::string_view text, bool with_special) {
  std::string_view space = suite::joint(context, text);
  SentenceTokens s =
      from_encoding(tokenizer.encode(std::string(space) + std::string(text), with_special));
  for (judge::TokenScore& t : s.tokens)
    if (!t.span.empty())
      t.span = {std::max(t.span.begin, space.size()) - space.size(), t.span.end - space.size()};
  SentenceTokens before = from_encoding(tokenizer.encode(context, false));
  for (judge::TokenScore& t : before.tokens) t.span = {};
  while (s.context_begin < s.tokens.size() && s.tokens[s.context_begin].special &&
         s.tokens[s.context_begin].span.empty())
    ++s.context_begin;
  s.context_end = s.context_begin + before.ids.size();
  auto at = ptrdiff_t(s.context_begin);
  s.ids.insert(s.ids.begin() + at, before.ids.begin(), before.ids.end());
  s.tokens.insert(s.tokens.begin() + at, before.tokens.begin(), before.tokens.end());
  return s;
}

// Marks the tokens in the locus. False when one of them reaches over its edge.
bool mark_locus(SentenceTokens& s, const suite::Sentence& sentence) {
  bool whole = true, found = false;
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    judge::TokenScore& t = s.tokens[i];
    Span span = without_space(sentence.text, t.span);
    if (span.empty() || !touches(span, sentence.locus)) continue;
    if (!inside(span, sentence.locus)) whole = false;
    t.in_locus = true;
    if (!found) s.locus_begin = i;
    found = true;
    s.locus_end = i + 1;
  }
  return whole;
}

// The sentence tokenized around a mask, with the pieces of the locus in the mask's place.
bool tokens_around_mask(const suite::Sentence& sentence, const tokenizer::Tokenizer& tokenizer,
                        SentenceTokens& s) {
  std::string mask = tokenizer.piece(tokenizer.special().mask);
  std::string_view locus = slice(sentence.text, sentence.locus);
  SentenceTokens around =
      encoded(tokenizer, sentence.context, suite::masked_text(sentence, mask), true);
  SentenceTokens pieces = from_encoding(tokenizer.encode(locus, false));
  auto at = std::find(around.ids.begin() + ptrdiff_t(around.context_end), around.ids.end(),
                      tokenizer.special().mask);
  if (at == around.ids.end()) return false;
  size_t place = size_t(at - around.ids.begin());
  s = {};
  s.context_begin = around.context_begin;
  s.context_end = around.context_end;
  for (size_t i = 0; i < place; ++i) s.tokens.push_back(around.tokens[i]);
  s.locus_begin = place;
  for (judge::TokenScore t : pieces.tokens) {
    t.span = {t.span.begin + sentence.locus.begin, t.span.end + sentence.locus.begin};
    t.in_locus = true;
    s.tokens.push_back(t);
  }
  s.locus_end = s.tokens.size();
  for (size_t i = place + 1; i < around.tokens.size(); ++i) {
    judge::TokenScore t = around.tokens[i];
    if (!t.span.empty()) {
      t.span.begin = t.span.begin - mask.size() + locus.size();
      t.span.end = t.span.end - mask.size() + locus.size();
    }
    s.tokens.push_back(t);
  }
  for (const judge::TokenScore& t : s.tokens) s.ids.push_back(t.id);
  return true;
}

}  // namespace

SentenceTokens encoded(const tokenizer::Tokenizer& tokenizer, std::string_view context,
                       std::string_view text, bool with_special) {
  if (context.empty()) return from_encoding(tokenizer.encode(text, with_special));
  std::string whole(context);
  whole += suite::joint(context, text);
  size_t begin = whole.size();
  whole += text;
  SentenceTokens s = from_encoding(tokenizer.encode(whole, with_special));
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    judge::TokenScore& t = s.tokens[i];
    if (t.span.empty() && t.special) continue;
    Span seen = without_space(whole, t.span);
    bool in_context = seen.begin < begin;
    if (in_context && (seen.end > begin || (s.context_end > 0 && s.context_end != i)))
      return tokenized_apart(tokenizer, context, text, with_special);
    if (in_context) {
      if (s.context_end == 0) s.context_begin = i;
      s.context_end = i + 1;
      t.span = {};
    } else {
      t.span = {std::max(t.span.begin, begin) - begin, t.span.end - std::min(begin, t.span.end)};
    }
  }
  return s;
}

bool cut_otherwise(const suite::Item& item, const tokenizer::Tokenizer& tokenizer) {
  auto cuts = [&](const suite::Sentence& sentence, std::string_view context) {
    const SentenceTokens s = encoded(tokenizer, context, sentence.text, false);
    std::vector<size_t> begins;
    for (size_t i = s.context_end; i < s.tokens.size(); ++i)
      begins.push_back(without_space(sentence.text, s.tokens[i].span).begin);
    return begins;
  };
  return std::ranges::any_of(item.sentences, [&](const suite::Sentence& s) {
    return !s.context.empty() && cuts(s, s.context) != cuts(s, {});
  });
}

SentenceTokens tokens_of(const suite::Sentence& sentence, const tokenizer::Tokenizer& tokenizer) {
  SentenceTokens s = encoded(tokenizer, sentence.context, sentence.text, true);
  mark_locus(s, sentence);
  mark_words(s, tokenizer);
  return s;
}

SentenceTokens plain_tokens_of(const suite::Sentence& sentence,
                               const tokenizer::Tokenizer& tokenizer) {
  SentenceTokens s = encoded(tokenizer, sentence.context, sentence.text, false);
  mark_locus(s, sentence);
  mark_words(s, tokenizer);
  return s;
}

Reason locus_tokens_of(const suite::Sentence& sentence, const tokenizer::Tokenizer& tokenizer,
                       SentenceTokens& s) {
  if (sentence.locus.empty()) return Reason::empty_locus;
  s = encoded(tokenizer, sentence.context, sentence.text, true);
  bool whole = mark_locus(s, sentence);
  if (!whole && !tokens_around_mask(sentence, tokenizer, s)) return Reason::locus_inside_token;
  mark_words(s, tokenizer);
  if (s.locus_size() == 0) return Reason::empty_locus;
  return unknown_locus(s, tokenizer) ? Reason::unknown_locus : Reason::none;
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
  return context.max_tokens > 0 && tokens.ids.size() > context.max_tokens;
}

bool unknown_locus(const SentenceTokens& s, const tokenizer::Tokenizer& tokenizer) {
  const tokenizer::TokenId unk = tokenizer.special().unk;
  return unk >= 0 &&
         std::find(s.ids.begin() + ptrdiff_t(s.locus_begin), s.ids.begin() + ptrdiff_t(s.locus_end),
                   unk) != s.ids.begin() + ptrdiff_t(s.locus_end);
}

size_t word_end(const SentenceTokens& tokens, size_t at) {
  size_t end = at + 1;
  while (end < tokens.tokens.size() && !tokens.tokens[end].special &&
         !tokens.tokens[end].begins_word)
    ++end;
  return end;
}

}  // namespace minpair::method
