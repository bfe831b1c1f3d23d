// Causal, recurrent and n-gram models: what comes next, from left to right.

#include <algorithm>

#include "method/methods.h"
#include "method/tokens.h"

namespace minpair {
namespace {

// The sentence as such a model reads it: what stands before the first token, the tokens, what ends
// it.
SentenceTokens read_order(const Sentence& sentence, const MethodContext& context) {
  SentenceTokens s = plain_tokens_of(sentence, context.tokenizer);
  auto edge = [](TokenId id) {
    TokenScore t;
    t.id = id;
    t.special = true;
    return t;
  };
  if (context.start >= 0) {
    s.ids.insert(s.ids.begin(), context.start);
    s.tokens.insert(s.tokens.begin(), edge(context.start));
    ++s.locus_begin;
    ++s.locus_end;
  }
  if (context.end >= 0) {
    s.ids.push_back(context.end);
    s.tokens.push_back(edge(context.end));
  }
  return s;
}

// Asks about tokens [begin, end), each given all before it. What comes after is never read by the
// model.
void ask_next(Plan& plan, const SentenceTokens& s, size_t begin, size_t end) {
  Query query;
  query.ids.assign(s.ids.begin(), s.ids.begin() + ptrdiff_t(end) - 1);
  SentencePlan& sentence = plan.sentences.back();
  for (size_t i = begin; i < end; ++i) {
    sentence.tokens.push_back(s.tokens[i]);
    sentence.asked.push_back({uint32_t(plan.queries.size()), uint32_t(query.reads.size()), 0});
    query.reads.push_back({uint32_t(i - 1), {s.ids[i]}, true});
  }
  plan.queries.push_back(std::move(query));
}

bool unknown(const SentenceTokens& s, size_t begin, size_t end, const MethodContext& context) {
  TokenId unk = context.tokenizer.special().unk;
  return unk >= 0 && std::find(s.ids.begin() + ptrdiff_t(begin), s.ids.begin() + ptrdiff_t(end),
                               unk) != s.ids.begin() + ptrdiff_t(end);
}

// One past the last token of the word that begins at `at`, or of the words up to `until`.
size_t end_of_word(const SentenceTokens& s, size_t at) {
  return at < s.tokens.size() ? word_end(s, at) : at;
}

enum class What { sentence, locus, after_locus };

class LeftToRight : public Method {
 public:
  LeftToRight(What what, MethodInfo info) : what_(what), info_(std::move(info)) {}
  const MethodInfo& info() const override { return info_; }
  bool supports(ModelInfo::Kind kind) const override { return kind != ModelInfo::Kind::masked; }

  Plan plan(const Item& item, const MethodContext& context) const override {
    Plan plan;
    for (const Sentence& sentence : item.sentences) {
      SentenceTokens s = read_order(sentence, context);
      size_t begin = 0, end = s.ids.size();
      if (s.locus_size() > 0 && unknown(s, s.locus_begin, s.locus_end, context))
        return {{}, {}, "unknown_locus"};
      if (what_ == What::locus) {
        if (s.locus_size() == 0) return {{}, {}, "empty_locus"};
        begin = s.locus_begin, end = s.locus_end;
      } else if (what_ == What::after_locus) {
        if (s.locus_size() == 0) return {{}, {}, "empty_locus"};
        begin = s.locus_end, end = end_of_word(s, begin);
        if (begin >= s.ids.size() || s.tokens[begin].special)
          return {{}, {}, "nothing_after_locus"};
      }
      // The first token of all has nothing before it.
      begin = std::max<size_t>(begin, 1);
      if (begin >= end) return {{}, {}, "nothing_to_score"};
      if (context.max_tokens > 0 && end - 1 > context.max_tokens) return {{}, {}, "too_long"};
      plan.sentences.emplace_back();
      ask_next(plan, s, begin, end);
    }
    return plan;
  }

 private:
  What what_;
  MethodInfo info_;
};

}  // namespace

const Method& sentence_probability() {
  static const LeftToRight method(
      What::sentence,
      {"lp", "log-probability of the whole sentence, token by token",
       "Marvin and Linzen 2018; Mueller, Nicolai, Petrou-Zeniou, Talmina and Linzen 2020 (CLAMS)",
       "sum", "wrong"});
  return method;
}

const Method& word_probability() {
  static const LeftToRight method(
      What::locus, {"word-lp", "log-probability of the locus given what stands before it",
                    "Linzen, Dupoux and Goldberg 2016; Gulordava, Bojanowski, Grave, Linzen and "
                    "Baroni 2018; BLiMP's one-prefix method",
                    "sum", "wrong", MethodInfo::Scope::locus});
  return method;
}

const Method& after_prefix_probability() {
  static const LeftToRight method(
      What::after_locus,
      {"prefix-lp",
       "log-probability of the word after the locus, the same in all sentences, given each prefix",
       "BLiMP's two-prefix method (Warstadt et al. 2020)", "sum", "wrong",
       MethodInfo::Scope::locus});
  return method;
}

}  // namespace minpair
