// Pseudo-log-likelihood (Salazar et al. 2020): every token of the sentence is masked in turn. Two
// others mask more of the token's own word, so that a word of several pieces does not give itself
// away (Kauf and Ivanova 2023); the last one masks all that follows, so that the sentence is scored
// from left to right. T5 and BART, which read masks in a row as one gap, then continue a prefix.

#include "method/methods.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

enum class Within { token, word_left_to_right, whole_word, sentence_left_to_right };

void ask_word(Questions& questions, const SentenceTokens& tokens, size_t begin, size_t end,
              Within within, tokenizer::TokenId mask) {
  if (within == Within::whole_word)
    return ask_masked(questions, tokens, begin, end, begin, end, mask);
  size_t last = end;
  if (within == Within::sentence_left_to_right)
    for (size_t i = end; i < tokens.ids.size(); ++i)
      if (!tokens.tokens[i].special) last = i + 1;
  for (size_t i = begin; i < end; ++i)
    ask_masked(questions, tokens, i, within == Within::token ? i + 1 : last, i, i + 1, mask);
}

class PseudoLikelihood : public Method {
 public:
  PseudoLikelihood(Within within, judge::MethodInfo info)
      : within_(within), info_(std::move(info)) {}
  const judge::MethodInfo& info() const override { return info_; }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind == query::ModelInfo::Kind::masked &&
           (within_ != Within::whole_word || !model.fills_gaps);
  }

  Questions questions(const suite::Item&, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override {
    Questions questions;
    tokenizer::TokenId mask = mask_of(context);
    for (const SentenceTokens& tokens : sentences) {
      if (unknown_locus(tokens, context.tokenizer)) return excluded(Reason::unknown_locus);
      if (too_long(tokens, context)) return excluded(Reason::too_long);
      questions.sentences.emplace_back();
      for (size_t i = 0; i < tokens.ids.size();) {
        if (tokens.tokens[i].special || tokens.in_context(i)) {
          ++i;
          continue;
        }
        size_t end = word_end(tokens, i);
        ask_word(questions, tokens, i, end, within_, mask);
        i = end;
      }
    }
    return questions;
  }

 private:
  Within within_;
  judge::MethodInfo info_;
};

}  // namespace

MINPAIR_METHOD(pseudo_likelihood, PseudoLikelihood, Within::token,
               {"pll",
                "pseudo-log-likelihood: each token masked in turn",
                "Salazar, Liang, Nguyen and Kirchhoff 2020, Masked Language Model Scoring",
                {judge::Unit::sum},
                judge::Ties::half})

MINPAIR_METHOD(pseudo_likelihood_word_left_to_right, PseudoLikelihood, Within::word_left_to_right,
               {"pll-word-l2r",
                "pseudo-log-likelihood: each token masked in turn, with the rest of its word",
                "Kauf and Ivanova 2023, A Better Way to Do Masked Language Model Scoring",
                {judge::Unit::sum},
                judge::Ties::half})

MINPAIR_METHOD(
    pseudo_likelihood_sentence_left_to_right, PseudoLikelihood, Within::sentence_left_to_right,
    {"pll-sentence-l2r",
     "the same, with all that follows the token masked too; T5 and BART continue a prefix",
     "Kauf and Ivanova 2023, A Better Way to Do Masked Language Model Scoring; of "
     "encoder-decoders "
     "Tay and others 2023, UL2: Unifying Language Learning Paradigms (sequential denoising)",
     {judge::Unit::sum},
     judge::Ties::half})

MINPAIR_METHOD(pseudo_likelihood_whole_word, PseudoLikelihood, Within::whole_word,
               {"pll-whole-word",
                "pseudo-log-likelihood: each token masked in turn, with its whole word",
                "Kauf and Ivanova 2023, A Better Way to Do Masked Language Model Scoring",
                {judge::Unit::sum},
                judge::Ties::half})

}  // namespace minpair::method
