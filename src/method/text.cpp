#include "method/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "tokenizer/word_ends.h"

namespace minpair::method {
namespace {

void check_utf8(std::string_view text, std::string_view name) {
  if (valid_utf8(text)) return;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (next_character(text, at) == 0xFFFD && !text.substr(begin).starts_with("\xEF\xBF\xBD"))
      throw bad_input(fmt::format("the {} is not UTF-8: byte {} begins no character", name, begin))
          .hint("convert it, for example with iconv -f LATIN1 -t UTF-8");
  }
}

// A token like " Haus" may own the space before it, which never decides where it stands.
Span without_space(std::string_view text, Span span) {
  while (span.begin < span.end && (text[span.begin] == ' ' || text[span.begin] == '\t'))
    ++span.begin;
  return span;
}

judge::TokenScore token_of(tokenizer::TokenId id, Span span, bool special) {
  judge::TokenScore t;
  t.id = id;
  t.span = span;
  t.special = special;
  return t;
}

Encoded tokenized(const tokenizer::Tokenizer& tokenizer, std::string_view text, bool with_special) {
  Encoded e;
  const tokenizer::Encoding encoding = tokenizer.encode(text, with_special);
  e.ids.reserve(encoding.tokens.size());
  e.tokens.reserve(encoding.tokens.size());
  for (const tokenizer::Token& t : encoding.tokens) {
    e.ids.push_back(t.id);
    e.tokens.push_back(token_of(t.id, t.span, t.special));
  }
  return e;
}

// The tokens of the context put before those of the text, behind what opens it ([CLS]).
Encoded tokenized_separately(const suite::Text& text, const tokenizer::Tokenizer& tokenizer,
                             bool with_special) {
  const std::string space(suite::joint(text.context, text.text));
  Encoded e = tokenized(tokenizer, space + text.text, with_special);
  for (judge::TokenScore& t : e.tokens)
    if (!t.span.empty())
      t.span = {std::max(t.span.begin, space.size()) - space.size(), t.span.end - space.size()};
  Encoded before = tokenized(tokenizer, text.context, false);
  for (judge::TokenScore& t : before.tokens) t.span = {};
  while (e.context_begin < e.tokens.size() && e.tokens[e.context_begin].special &&
         e.tokens[e.context_begin].span.empty())
    ++e.context_begin;
  e.context_end = e.context_begin + before.ids.size();
  const auto at = ptrdiff_t(e.context_begin);
  e.ids.insert(e.ids.begin() + at, before.ids.begin(), before.ids.end());
  e.tokens.insert(e.tokens.begin() + at, before.tokens.begin(), before.tokens.end());
  return e;
}

// Context and text as one text, unless a token reaches over the joint.
Encoded tokenized_together(const suite::Text& text, const tokenizer::Tokenizer& tokenizer,
                           bool with_special) {
  if (text.context.empty()) return tokenized(tokenizer, text.text, with_special);
  std::string whole = text.context;
  whole += suite::joint(text.context, text.text);
  const size_t begin = whole.size();
  whole += text.text;
  Encoded e = tokenized(tokenizer, whole, with_special);
  for (size_t i = 0; i < e.tokens.size(); ++i) {
    judge::TokenScore& t = e.tokens[i];
    if (t.span.empty() && t.special) continue;
    const Span seen = without_space(whole, t.span);
    const bool in_context = seen.begin < begin;
    if (in_context && (seen.end > begin || (e.context_end > 0 && e.context_end != i)))
      return tokenized_separately(text, tokenizer, with_special);
    if (in_context) {
      if (e.context_end == 0) e.context_begin = i;
      e.context_end = i + 1;
      t.span = {};
    } else {
      t.span = {std::max(t.span.begin, begin) - begin, t.span.end - std::min(begin, t.span.end)};
    }
  }
  return e;
}

void add_edges(Encoded& e, tokenizer::TokenId start, tokenizer::TokenId end) {
  if (start >= 0) {
    e.ids.insert(e.ids.begin(), start);
    e.tokens.insert(e.tokens.begin(), token_of(start, {}, true));
    e.context_begin += e.context_end > 0;
    e.context_end += e.context_end > 0;
  }
  if (end >= 0) {
    e.ids.push_back(end);
    e.tokens.push_back(token_of(end, {}, true));
  }
}

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (!is_space(next_character(text, at))) return false;
  return true;
}

Reason problem_of(const Encoded& e, std::string_view text, tokenizer::TokenId unknown) {
  Reason problem = Reason::nothing_to_score;
  for (size_t i = 0; i < e.tokens.size(); ++i) {
    if (e.tokens[i].special || e.in_context(i)) continue;
    if (unknown < 0 || e.ids[i] != unknown)
      return is_blank(text) ? Reason::empty_text : Reason::none;
    problem = Reason::unknown_text;
  }
  return is_blank(text) ? Reason::empty_text : problem;
}

}  // namespace

void require_utf8(const suite::Text& text) {
  check_utf8(text.context, "context");
  check_utf8(text.text, "text");
}

void mark_words(Encoded& e, const tokenizer::Tokenizer& tokenizer) {
  for (size_t i = 0; i < e.tokens.size(); ++i)
    e.tokens[i].begins_word =
        !e.tokens[i].special && (i == 0 || i == e.context_end || e.tokens[i - 1].special ||
                                 tokenizer::begins_word_after(tokenizer, e.ids[i - 1], e.ids[i]));
}

bool mark_locus(std::vector<judge::TokenScore>& tokens, const suite::Sentence& sentence) {
  const Span locus = sentence.locus;
  bool whole = true;
  for (judge::TokenScore& t : tokens) {
    const Span span = without_space(sentence.text, t.span);
    t.in_locus = !span.empty() && span.begin < locus.end && locus.begin < span.end;
    if (t.in_locus && (span.begin < locus.begin || locus.end < span.end)) whole = false;
  }
  return whole;
}

Encoded encoded(const suite::Text& text, const tokenizer::Tokenizer& tokenizer,
                const query::ModelInfo& model, Edges edges) {
  require_utf8(text);
  const bool masked = model.kind == query::ModelInfo::Kind::masked;
  Encoded e = tokenized_together(text, tokenizer, masked);
  if (!masked) add_edges(e, edges.start ? model.start : -1, edges.end ? model.end : -1);
  mark_words(e, tokenizer);
  e.problem = problem_of(e, text.text, tokenizer.special().unk);
  return e;
}

bool retokenized_by_context(const suite::Item& item, const tokenizer::Tokenizer& tokenizer) {
  auto begins = [&](const suite::Text& text) {
    const Encoded e = tokenized_together(text, tokenizer, false);
    std::vector<size_t> all;
    for (size_t i = e.context_end; i < e.tokens.size(); ++i)
      all.push_back(without_space(text.text, e.tokens[i].span).begin);
    return all;
  };
  return std::ranges::any_of(item.sentences, [&](const suite::Sentence& s) {
    return !s.context.empty() && begins(s) != begins({s.text});
  });
}

}  // namespace minpair::method
