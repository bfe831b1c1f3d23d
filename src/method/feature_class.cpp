// does-bert-agree (Bacon & Regier 2019): in the place of the masked word, do the words with exactly
// its features get more than the other words of its part of speech?

#include <cmath>

#include "method/cloze.h"
#include "method/methods.h"

namespace minpair::method {
namespace {

class FeatureQuestion : public WordQuestion {
 public:
  FeatureQuestion(std::shared_ptr<const WordsOfPart> part, Hash128 identity,
                  const stimuli::Bundle& bundle)
      : WordQuestion(std::move(part), identity, judge::WordScore::Kind::features) {
    for (uint32_t w = 0; w < part_->words.size(); ++w) right_.push_back(can_be(w, bundle));
    for (bool right : right_) ++counts_[right ? 0 : 1];
  }

  query::ClassRecords reduce(std::span<const float> logits) const override {
    WordProbabilities probabilities(*part_, logits);
    double sums[2] = {0, 0}, logit_sums[2] = {0, 0};
    BestWords best[2];
    for (uint32_t w = 0; w < part_->words.size(); ++w) {
      size_t side = right_[w] ? 0 : 1;
      sums[side] += probabilities.mean(w);
      logit_sums[side] += probabilities.mean_logit(w);
      best[side].see(w, probabilities.mean(w));
    }
    query::ClassRecords sides;
    for (size_t side = 0; side < 2; ++side)
      sides.push_back(
          {{float(std::log(sums[side] / counts_[side])), float(logit_sums[side] / counts_[side])},
           best[side].words()});
    return sides;
  }

 private:
  std::vector<bool> right_;
};

}  // namespace

std::shared_ptr<const WordQuestion> make_feature_class(std::shared_ptr<const WordsOfPart> part,
                                                       Hash128 identity,
                                                       const stimuli::Bundle& bundle) {
  return std::make_shared<FeatureQuestion>(std::move(part), identity, bundle);
}

MINPAIR_METHOD(
    feature_class, WordMethod, &VocabularyWords::feature_class,
    {"feature-class",
     "a cloze: the mean over the words with the right features against the mean over the others",
     "Bacon and Regier 2019, Does BERT agree?",
     {judge::Unit::probability},
     judge::Ties::wrong,
     judge::MethodInfo::Scope::locus,
     true,
     cloze_reads()})

}  // namespace minpair::method
