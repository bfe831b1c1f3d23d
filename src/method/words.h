#pragma once
// The words of a language that are single pieces of a vocabulary, with what each can be: for
// methods that judge a cloze over many words at once.
//
//   VocabularyWords words("de-cloze/lexicon.tsv", tokenizer, outputs);
//   if (const WordQuestion* q = words.feature_class("de", "NOUN", bundle)) ...

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "method/method.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::method {

// A form of some part of speech.
struct VocabularyWord {
  std::string form;                        // in lower case
  std::vector<tokenizer::TokenId> pieces;  // its casings
  std::vector<stimuli::Bundle> bundles;    // what it can be, sorted
};

// All of one language and part of speech.
struct WordsOfPart {
  std::vector<VocabularyWord> words;        // by form
  std::vector<tokenizer::TokenId> targets;  // all pieces, word by word
  std::vector<uint32_t> begins;             // of each word's pieces; one more at the end
  std::map<std::string, std::vector<uint32_t>> lemmas;
};

// What is asked about many words at one place: too many logits to be kept for a million items, so
// only a few numbers made from them are. No answer needs the sum over the vocabulary.
class WordQuestion {
 public:
  virtual ~WordQuestion() = default;
  const std::vector<tokenizer::TokenId>& targets() const { return part_.targets; }
  // How many numbers are kept: for each side two views, and the few best words.
  static constexpr size_t kBest = 3, kSide = 2 + 2 * kBest, kKept = 2 * kSide;
  virtual void keep(std::span<const float> logits, std::span<float> kept) const = 0;
  // The right side first, then the wrong one.
  std::vector<judge::WordScore> score(std::span<const float> kept) const;
  uint32_t smaller_side() const { return std::min(counts_[0], counts_[1]); }

  int32_t number = -1;  // in its VocabularyWords

 protected:
  WordQuestion(const WordsOfPart& part, judge::WordScore::Kind kind) : part_(part), kind_(kind) {}
  bool can_be(uint32_t word, const stimuli::Bundle& bundle) const;

  const WordsOfPart& part_;
  judge::WordScore::Kind kind_;
  uint32_t counts_[2] = {0, 0};  // words or lemmas on each side
};

std::unique_ptr<WordQuestion> make_feature_class(const WordsOfPart& part,
                                                 const stimuli::Bundle& bundle);
std::unique_ptr<WordQuestion> make_lemma_pairs(const WordsOfPart& part,
                                               const stimuli::Bundle& bundle);

// Never changes after it was made.
class VocabularyWords {
 public:
  // `lexicon`: a file as `minpair extract` writes. `outputs`: the ids that the model can score.
  // `minimum`: how many words a cloze needs on each side to be judged.
  VocabularyWords(const std::filesystem::path& lexicon, const tokenizer::Tokenizer& tokenizer,
                  uint32_t outputs, uint32_t minimum = 10);

  // nullptr: no word can be that.
  const WordQuestion* feature_class(const std::string& language, const std::string& pos,
                                    const stimuli::Bundle& bundle) const;
  const WordQuestion* lemma_pairs(const std::string& language, const std::string& pos,
                                  const stimuli::Bundle& bundle) const;
  const WordsOfPart* part(const std::string& language, const std::string& pos) const;

  const WordQuestion& question(int32_t number) const { return *questions_[size_t(number)]; }
  uint32_t minimum() const { return minimum_; }
  // Changes whenever a score could.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  using Key = std::pair<std::string, std::string>;  // language, part of speech
  void make_questions();

  uint32_t minimum_;
  std::map<Key, WordsOfPart> parts_;
  std::vector<std::unique_ptr<WordQuestion>> questions_;
  std::map<std::pair<Key, stimuli::Bundle>, const WordQuestion*> feature_classes_, lemma_pairs_;
  std::string fingerprint_;
};

}  // namespace minpair::method
