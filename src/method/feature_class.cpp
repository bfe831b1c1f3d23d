// does-bert-agree (Bacon & Regier 2019): in the place of the masked word, do the words with exactly
// its features get more than the other words of its part of speech?

#include <cmath>

#include "method/cloze.h"
#include "method/methods.h"

namespace minpair::method {
namespace {

class FeatureQuestion : public WordQuestion {
 public:
  FeatureQuestion(const WordsOfPart& part, const stimuli::Bundle& bundle)
      : WordQuestion(part, judge::WordScore::Kind::features) {
    for (uint32_t w = 0; w < part.words.size(); ++w) right_.push_back(can_be(w, bundle));
    for (bool right : right_) ++counts_[right ? 0 : 1];
  }

  void keep(std::span<const float> logits, std::span<float> kept) const override {
    WordProbabilities probabilities(part_, logits);
    double sums[2] = {0, 0}, logit_sums[2] = {0, 0};
    BestWords best[2];
    for (uint32_t w = 0; w < part_.words.size(); ++w) {
      size_t side = right_[w] ? 0 : 1;
      sums[side] += probabilities.mean(w);
      logit_sums[side] += probabilities.mean_logit(w);
      best[side].see(w, probabilities.mean(w));
    }
    for (size_t side = 0; side < 2; ++side) {
      float* to = kept.data() + side * kSide;
      to[0] = float(std::log(sums[side] / counts_[side]));
      to[1] = float(logit_sums[side] / counts_[side]);
      best[side].keep(to + 2);
    }
  }

 private:
  std::vector<bool> right_;
};

}  // namespace

std::unique_ptr<WordQuestion> make_feature_class(const WordsOfPart& part,
                                                 const stimuli::Bundle& bundle) {
  return std::make_unique<FeatureQuestion>(part, bundle);
}

const Method& feature_class() {
  static const WordMethod method(
      &VocabularyWords::feature_class,
      {"feature-class",
       "a cloze: the mean over the words with the right features against the mean over the others",
       "Bacon and Regier 2019, Does BERT agree?",
       {judge::Unit::probability},
       judge::Ties::wrong,
       judge::MethodInfo::Scope::locus,
       true});
  return method;
}

}  // namespace minpair::method
