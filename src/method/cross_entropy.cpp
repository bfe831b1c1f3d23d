// gevalm (Zaczynska et al. 2020): the unmasked sentence goes in, and every token, [CLS] and [SEP]
// included, is asked about itself.

#include <cmath>

#include "method/methods.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

const std::string kPaper =
    "Zaczynska, Feldhus, Schwarzenberg, Gabryszak and Möller 2020, Evaluating German Transformer "
    "Language Models with Syntactic Agreement Tests";

class CrossEntropy : public Method {
 public:
  const judge::MethodInfo& info() const override {
    static const judge::MethodInfo info{
        "ce",
        "mean cross-entropy of the unmasked sentence, as gevalm's code "
        "computes it",
        kPaper,
        {judge::Unit::token},
        judge::Ties::right};
    return info;
  }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind == query::ModelInfo::Kind::masked && !model.answers_only_masks();
  }
  Questions questions(const suite::Item&, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override {
    Questions questions;
    for (const SentenceTokens& tokens : sentences) {
      if (unknown_locus(tokens, context.tokenizer)) return excluded(Reason::unknown_locus);
      if (too_long(tokens, context)) return excluded(Reason::too_long);
      questions.sentences.emplace_back();
      ask_masked(questions, tokens, 0, 0, 0, tokens.ids.size(), -1);
    }
    return questions;
  }
};

// The paper's equation normalises over the positions of the sentence, not over the vocabulary.
class CrossEntropyAsPrinted : public CrossEntropy {
 public:
  const judge::MethodInfo& info() const override {
    static const judge::MethodInfo info{
        "ce-printed",
        "the same with the equation as the paper prints it: normalised "
        "over the sentence's own logits",
        kPaper + " (Section 2)",
        {judge::Unit::token},
        judge::Ties::right};
    return info;
  }
  std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const override {
    std::vector<judge::SentenceScore> scores = Method::score(questions, answers);
    for (judge::SentenceScore& s : scores) {
      double highest = -HUGE_VAL, sum = 0;
      for (const judge::TokenScore& t : s.tokens) highest = std::fmax(highest, double(t.logit));
      for (const judge::TokenScore& t : s.tokens) sum += std::exp(double(t.logit) - highest);
      double log_sum = highest + std::log(sum);
      for (judge::TokenScore& t : s.tokens) t.logprob = double(t.logit) - log_sum;
    }
    return scores;
  }
};

}  // namespace

MINPAIR_METHOD(cross_entropy, CrossEntropy)

MINPAIR_METHOD(cross_entropy_as_printed, CrossEntropyAsPrinted)

}  // namespace minpair::method
