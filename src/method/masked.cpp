// bert-syntax (Goldberg 2019): the locus is masked, and the candidates are compared there.

#include "method/methods.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

const std::string kPaper = "Goldberg 2019, Assessing BERT's Syntactic Abilities";

enum class Pieces { one, together, left_to_right };

Questions mask_locus(const suite::Item& item, std::vector<SentenceTokens>& sentences,
                     const MethodContext& context, Pieces pieces) {
  Questions questions;
  tokenizer::TokenId mask = mask_of(context);
  for (size_t s = 0; s < sentences.size(); ++s) {
    SentenceTokens& tokens = sentences[s];
    if (Reason why = require_locus(tokens, item.sentences[s], context); why != Reason::none)
      return excluded(why);
    if (pieces == Pieces::one && tokens.locus_size() != 1)
      return excluded(Reason::locus_not_single_token);
    if (too_long(tokens, context)) return excluded(Reason::too_long);
    questions.sentences.emplace_back();
    size_t begin = tokens.locus_begin, end = tokens.locus_end;
    if (pieces == Pieces::left_to_right)
      for (size_t i = begin; i < end; ++i) ask_masked(questions, tokens, i, end, i, i + 1, mask);
    else
      ask_masked(questions, tokens, begin, end, begin, end, mask);
  }
  return questions;
}

class Masked : public Method {
 public:
  Masked(Pieces pieces, judge::MethodInfo info) : pieces_(pieces), info_(std::move(info)) {}
  const judge::MethodInfo& info() const override { return info_; }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind == query::ModelInfo::Kind::masked &&
           (pieces_ != Pieces::together || !model.fills_gaps);
  }
  Questions questions(const suite::Item& item, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override {
    return mask_locus(item, sentences, context, pieces_);
  }

 private:
  Pieces pieces_;
  judge::MethodInfo info_;
};

}  // namespace

MINPAIR_METHOD(masked, Masked, Pieces::one,
               {"masked",
                "mask the locus and compare the candidates there; each must be one piece",
                kPaper,
                {judge::Unit::sum},
                judge::Ties::wrong,
                judge::MethodInfo::Scope::locus})

MINPAIR_METHOD(masked_word, Masked, Pieces::together,
               {"masked-word",
                "the same for loci of several pieces, all masked together",
                kPaper + "; extended to several pieces",
                {judge::Unit::sum},
                judge::Ties::wrong,
                judge::MethodInfo::Scope::locus})

MINPAIR_METHOD(masked_word_left_to_right, Masked, Pieces::left_to_right,
               {"masked-word-l2r",
                "the same, with the pieces revealed from left to right",
                kPaper + "; pieces as in Kauf and Ivanova 2023",
                {judge::Unit::sum},
                judge::Ties::wrong,
                judge::MethodInfo::Scope::locus})

}  // namespace minpair::method
