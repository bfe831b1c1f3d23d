// Newman et al. 2021: in the place of the masked word, over all lemmas of which the vocabulary has
// forms with its features and others. Equally weighted: for how many lemmas does the right form
// win? Weighted by the model: how much of the probability goes to right forms?

#include <algorithm>
#include <cmath>

#include "method/cloze.h"
#include "method/methods.h"

namespace minpair::method {
namespace {

class LemmaQuestion : public WordQuestion {
 public:
  LemmaQuestion(std::shared_ptr<const WordsOfPart> part, Hash128 identity,
                const stimuli::Bundle& bundle)
      : WordQuestion(std::move(part), identity, judge::WordScore::Kind::lemmas) {
    std::vector<bool> right(part_->words.size()), used(part_->words.size());
    for (uint32_t w = 0; w < part_->words.size(); ++w) right[w] = can_be(w, bundle);
    for (const auto& [name, words] : part_->lemmas) {
      Lemma lemma;
      for (uint32_t w : words) (right[w] ? lemma.right : lemma.wrong).push_back(w);
      if (lemma.right.empty() || lemma.wrong.empty()) continue;
      for (uint32_t w : words) used[w] = true;
      lemmas_.push_back(std::move(lemma));
    }
    // A form may belong to several lemmas; its probability counts once.
    for (uint32_t w = 0; w < used.size(); ++w)
      if (used[w]) forms_[right[w] ? 0 : 1].push_back(w);
    counts_[0] = counts_[1] = uint32_t(lemmas_.size());
  }

  query::ClassRecords reduce(std::span<const float> logits) const override {
    WordProbabilities p(*part_, logits);
    double mass[2] = {0, 0}, wins[2] = {0, 0};
    for (const Lemma& lemma : lemmas_) {
      double right = best_of(p, lemma.right), wrong = best_of(p, lemma.wrong);
      wins[0] += right > wrong;
      wins[1] += wrong > right;
    }
    for (size_t side = 0; side < 2; ++side)
      for (uint32_t w : forms_[side]) mass[side] += p.sum(w);
    query::ClassRecords sides;
    for (size_t side = 0; side < 2; ++side) {
      BestWords best;
      for (uint32_t w : forms_[side]) best.see(w, p.sum(w));
      sides.push_back({{float(std::log(mass[side] / (mass[0] + mass[1]))),
                        float(wins[side] / double(lemmas_.size()))},
                       best.words()});
    }
    return sides;
  }

 private:
  struct Lemma {
    std::vector<uint32_t> right, wrong;
  };

  static double best_of(const WordProbabilities& p, const std::vector<uint32_t>& words) {
    double best = 0;
    for (uint32_t w : words) best = std::max(best, p.sum(w));
    return best;
  }

  std::vector<Lemma> lemmas_;
  std::vector<uint32_t> forms_[2];
};

}  // namespace

std::shared_ptr<const WordQuestion> make_lemma_pairs(std::shared_ptr<const WordsOfPart> part,
                                                     Hash128 identity,
                                                     const stimuli::Bundle& bundle) {
  return std::make_shared<LemmaQuestion>(std::move(part), identity, bundle);
}

const Method& lemma_pairs() {
  static const WordMethod method(
      &VocabularyWords::lemma_pairs,
      {"lemma-pairs",
       "a cloze: the right forms of all lemmas against their other forms, lemmas weighted equally "
       "or by the model",
       "Newman, Ang, Gong and Hewitt 2021, Refining Targeted Syntactic Evaluation of Language "
       "Models",
       {judge::Unit::equal_weight},
       judge::Ties::wrong,
       judge::MethodInfo::Scope::locus,
       true});
  return method;
}

}  // namespace minpair::method
