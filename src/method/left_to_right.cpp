// Causal, recurrent and n-gram models: what comes next, from left to right.

#include <algorithm>

#include "method/methods.h"
#include "method/tokens.h"
#include "tokenizer/word_ends.h"

namespace minpair::method {
namespace {

// Asks about tokens [begin, end), each given all before it. What comes after is never read by the
// model; `behind` also reads the last of them, to ask what may follow it.
void ask_next(Questions& questions, const SentenceTokens& s, size_t begin, size_t end,
              bool behind) {
  query::Query query;
  query.ids.assign(s.ids.begin(), s.ids.begin() + ptrdiff_t(end) - (behind ? 0 : 1));
  SentenceQuestions& sentence = questions.sentences.back();
  for (size_t i = begin; i < end; ++i) {
    sentence.tokens.push_back(s.tokens[i]);
    sentence.asked.push_back({uint32_t(questions.queries.size()), uint32_t(query.asks.size()), 0});
    query.asks.push_back({uint32_t(i - 1), query::Targets{{s.ids[i]}}});
  }
  questions.queries.push_back(std::move(query));
}

// One past the last token of the word that begins at `at`, or of the words up to `until`.
size_t end_of_word(const SentenceTokens& s, size_t at) {
  return at < s.tokens.size() ? word_end(s, at) : at;
}

// A word of whole pieces is over only when the next piece begins another one: where pieces begin
// with a space, their probability says nothing about that. So the pieces are given that a word was
// complete before them, and are followed by the probability that one is complete after them
// (Pimentel and Meister 2024, equation for beginning-of-word marks; Oh and Schuler 2024).
void ask_about_word_ends(Questions& questions, const MethodContext& context) {
  query::Query& query = questions.queries.back();
  const SentenceQuestions& sentence = questions.sentences.back();
  for (size_t i = 0; i < sentence.tokens.size(); ++i)
    if (tokenizer::completes_word(context.tokenizer, sentence.tokens[i].id))
      std::get<query::Targets>(query.asks[sentence.asked[i].ask].what)
          .ids.push_back(query::kWordEnd);
  // Behind the end of a text nothing follows.
  if (!sentence.tokens.back().special)
    query.asks.push_back({query.asks.back().position + 1, query::Targets{{query::kWordEnd}}});
}

enum class Part { sentence, locus, after_locus };

class LeftToRight : public Method {
 public:
  LeftToRight(Part part, judge::MethodInfo info, bool by_words = false)
      : part_(part), by_words_(by_words), info_(std::move(info)) {}
  const judge::MethodInfo& info() const override { return info_; }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind != query::ModelInfo::Kind::masked;
  }

  Questions questions(const suite::Item&, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override {
    Questions questions;
    for (const SentenceTokens& s : sentences) {
      size_t begin = 0, end = s.ids.size();
      if (unknown_locus(s, context.tokenizer)) return excluded(Reason::unknown_locus);
      if (part_ != Part::sentence && s.locus_size() == 0) return excluded(Reason::empty_locus);
      if (part_ == Part::locus) {
        begin = s.locus_begin, end = s.locus_end;
      } else if (part_ == Part::after_locus) {
        begin = s.locus_end, end = end_of_word(s, begin);
        if (begin >= s.ids.size() || s.tokens[begin].special)
          return excluded(Reason::nothing_after_locus);
      }
      // The first token of all has nothing before it.
      begin = std::max<size_t>({begin, s.context_end, 1});
      if (begin >= end) return excluded(Reason::nothing_to_score);
      bool behind = by_words_ && !s.tokens[end - 1].special;
      if (context.model.max_tokens > 0 && end - !behind > context.model.max_tokens)
        return excluded(Reason::too_long);
      questions.sentences.emplace_back();
      ask_next(questions, s, begin, end, behind);
      if (by_words_) ask_about_word_ends(questions, context);
    }
    return questions;
  }

  std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const override {
    std::vector<judge::SentenceScore> scores = Method::score(questions, answers);
    if (!by_words_) return scores;
    for (size_t s = 0; s < scores.size(); ++s) {
      std::vector<judge::TokenScore>& tokens = scores[s].tokens;
      const std::vector<query::Ask>& asks = questions.queries[s].asks;
      // Ask i is about token i; the last one, if there is one more, about what follows.
      for (size_t i = 0; i < asks.size(); ++i) {
        const std::vector<tokenizer::TokenId>& ids = std::get<query::Targets>(asks[i].what).ids;
        if (ids.back() != query::kWordEnd) continue;
        double complete = logits_of((*answers[s])[i]).logprob(ids.size() - 1);
        if (i > 0) tokens[i - 1].logprob += complete;
        if (i < tokens.size()) tokens[i].logprob -= complete;
      }
    }
    return scores;
  }

 private:
  Part part_;
  bool by_words_;
  judge::MethodInfo info_;
};

}  // namespace

MINPAIR_METHOD(
    sentence_probability, LeftToRight, Part::sentence,
    {"lp",
     "log-probability of the whole sentence, token by token",
     "Marvin and Linzen 2018; Mueller, Nicolai, Petrou-Zeniou, Talmina and Linzen 2020 (CLAMS)",
     {judge::Unit::sum},
     judge::Ties::wrong})

MINPAIR_METHOD(word_probability, LeftToRight, Part::locus,
               {"word-lp",
                "log-probability of the locus given what stands before it",
                "Linzen, Dupoux and Goldberg 2016; Gulordava, Bojanowski, Grave, Linzen and "
                "Baroni 2018; BLiMP's one-prefix method",
                {judge::Unit::sum},
                judge::Ties::wrong,
                judge::MethodInfo::Scope::locus})

MINPAIR_METHOD(
    after_prefix_probability, LeftToRight, Part::after_locus,
    {"prefix-lp",
     "log-probability of the word after the locus, the same in all sentences, given each prefix",
     "BLiMP's two-prefix method (Warstadt et al. 2020)",
     {judge::Unit::sum},
     judge::Ties::wrong,
     judge::MethodInfo::Scope::locus})

MINPAIR_METHOD(sentence_probability_by_words, LeftToRight, Part::sentence,
               {"lp-by-words",
                "log-probability of the whole sentence as words, not as pieces",
                "Pimentel and Meister 2024; Oh and Schuler 2024",
                {judge::Unit::sum},
                judge::Ties::half},
               true)

MINPAIR_METHOD(whole_word_probability, LeftToRight, Part::locus,
               {"whole-word-lp",
                "log-probability that the locus is the next word, and no longer one",
                "Pimentel and Meister 2024; Oh and Schuler 2024",
                {judge::Unit::sum},
                judge::Ties::half,
                judge::MethodInfo::Scope::locus},
               true)

}  // namespace minpair::method
