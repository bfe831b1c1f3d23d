#pragma once
// What the methods for clozes share: the masked sentence, the features asked for, and sums over
// words.

#include <span>

#include "method/words.h"

namespace minpair::method {

// The sentence with one mask in the place of its locus, as a query that asks nothing yet; for
// models that read from left to right, what stands before the locus.
struct MaskedSentence {
  Reason excluded = Reason::none;  // why there is none
  query::Query query;
  uint32_t mask = 0;  // where the model says what stands in the locus
  std::string pos;
  stimuli::Bundle bundle;  // the features of the masked word
};
// What is read of a cloze beside its sentence.
judge::Reads cloze_reads();

MaskedSentence without_locus(const suite::Sentence& sentence, const MethodContext& context);
// That of a cloze, with what it says of the word that stood there.
MaskedSentence masked_sentence(const suite::Item& item, const MethodContext& context);

// A method that asks one question about many words.
class WordMethod : public Method {
 public:
  using Find = VocabularyWords::Question (VocabularyWords::*)(const std::string& language,
                                                              const std::string& pos,
                                                              const stimuli::Bundle& bundle) const;
  WordMethod(Find find, judge::MethodInfo info) : find_(find), info_(std::move(info)) {}
  const judge::MethodInfo& info() const override { return info_; }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind == query::ModelInfo::Kind::masked;
  }
  Questions questions(const suite::Item& item, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override;
  std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const override;

 protected:
  static Questions about(MaskedSentence sentence, VocabularyWords::Question question,
                         const MethodContext& context);

 private:
  Find find_;
  judge::MethodInfo info_;
};

// How probable words are beside each other.
class WordProbabilities {
 public:
  WordProbabilities(const WordsOfPart& part, std::span<const float> logits);
  double sum(uint32_t word) const { return sums_[word] / all_; }  // over the word's casings
  double mean(uint32_t word) const { return sum(word) / double(casings(word)); }
  double mean_logit(uint32_t word) const;

 private:
  uint32_t casings(uint32_t word) const { return part_.begins[word + 1] - part_.begins[word]; }
  const WordsOfPart& part_;
  std::span<const float> logits_;
  std::vector<double> sums_;
  double all_ = 0;
};

// The few best of one side.
class BestWords {
 public:
  void see(uint32_t word, double probability);
  std::vector<query::ClassRecord::Word> words() const;

 private:
  static constexpr size_t kBest = 3;
  struct Best {
    uint32_t word;
    double probability;
  };
  std::vector<Best> best_;
};

}  // namespace minpair::method
