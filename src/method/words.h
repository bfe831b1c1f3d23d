#pragma once
// The words of a language that are single pieces of a vocabulary, with what each can be: for
// methods that judge a cloze over many words at once.
//
//   VocabularyWords words("de-cloze/lexicon.tsv", tokenizer, outputs);
//   if (VocabularyWords::Question q = words.feature_class("de", "NOUN", bundle)) ...

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/hash.h"
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
// only the figures of two sides are, the right words first. No answer needs the sum over the
// vocabulary.
class WordQuestion : public query::Reducer {
 public:
  Hash128 identity() const override { return identity_; }
  std::span<const tokenizer::TokenId> ids() const override { return part_->targets; }
  // Parallel to the sides.
  std::vector<judge::WordScore> score(const query::ClassRecords& sides) const;
  uint32_t smaller_side() const { return std::min(counts_[0], counts_[1]); }

 protected:
  WordQuestion(std::shared_ptr<const WordsOfPart> part, Hash128 identity,
               judge::WordScore::Kind kind)
      : part_(std::move(part)), identity_(identity), kind_(kind) {}
  bool can_be(uint32_t word, const stimuli::Bundle& bundle) const;
  bool can_be_any(uint32_t word, const std::vector<stimuli::Bundle>& bundles) const;

  std::shared_ptr<const WordsOfPart> part_;
  Hash128 identity_;
  judge::WordScore::Kind kind_;
  uint32_t counts_[2] = {0, 0};  // words or lemmas on each side
};

std::shared_ptr<const WordQuestion> make_feature_class(std::shared_ptr<const WordsOfPart> part,
                                                       Hash128 identity,
                                                       const stimuli::Bundle& bundle);
std::shared_ptr<const WordQuestion> make_lemma_pairs(std::shared_ptr<const WordsOfPart> part,
                                                     Hash128 identity,
                                                     const stimuli::Bundle& bundle);

// The words that can be one of `first` against those that can be one of `second`.
std::shared_ptr<const WordQuestion> make_lemma_pairs(std::shared_ptr<const WordsOfPart> part,
                                                     Hash128 identity,
                                                     const std::vector<stimuli::Bundle>& first,
                                                     const std::vector<stimuli::Bundle>& second);

// How much of the probability, counted from the most probable piece of the vocabulary or from the
// least, the words asked about must lie in.
struct Cut {
  bool bottom = false;
  double mass = 1;
  auto operator<=>(const Cut&) const = default;
};
// `lemmas` was made by make_lemma_pairs; `ids` is the whole vocabulary, in order.
std::shared_ptr<const WordQuestion> make_cut(
    const WordQuestion& lemmas, Cut cut,
    std::shared_ptr<const std::vector<tokenizer::TokenId>> ids);

// Answers the same after it was made.
class VocabularyWords {
 public:
  // `lexicon`: a file as `minpair extract` writes. `outputs`: the ids that the model can score.
  // `minimum`: how many words a cloze needs on each side to be judged.
  VocabularyWords(const std::filesystem::path& lexicon, const tokenizer::Tokenizer& tokenizer,
                  uint32_t outputs, uint32_t minimum = 10);

  using Question = std::shared_ptr<const WordQuestion>;
  // nullptr: no word can be that.
  Question feature_class(const std::string& language, const std::string& pos,
                         const stimuli::Bundle& bundle) const;
  Question lemma_pairs(const std::string& language, const std::string& pos,
                       const stimuli::Bundle& bundle) const;
  // The same for a pair, by the words that stand in its sentences: all lemmas with forms of the one
  // kind and of the other, the first word's kind first. `pos` may be empty: the words are then
  // taken for verbs, if they can be. nullptr: the list does not tell the two apart.
  Question lemma_pairs_like(const std::string& language, const std::string& pos,
                            std::string_view first, std::string_view second) const;
  // The same, of the lemmas that lie within the cut.
  Question cut(const Question& lemmas, Cut cut) const;
  const WordsOfPart* part(const std::string& language, const std::string& pos) const;

  uint32_t minimum() const { return minimum_; }
  // Changes whenever a score could.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  using Key = std::pair<std::string, std::string>;  // language, part of speech
  void make_questions();

  uint32_t minimum_;
  std::map<Key, std::shared_ptr<const WordsOfPart>> parts_;
  std::map<std::pair<Key, stimuli::Bundle>, Question> feature_classes_, lemma_pairs_;
  std::string fingerprint_;

  // What each form of the list can be, also where the vocabulary lacks it.
  using Bundles = std::vector<stimuli::Bundle>;
  std::map<Key, std::map<std::string, Bundles>> forms_;
  // Made when somebody asks: the kinds that stand against each other are the items' choice.
  struct Asked {
    std::mutex turn;
    std::map<std::tuple<Key, Bundles, Bundles>, Question> questions;
    std::map<std::pair<Question, Cut>, Question> cuts;
  };
  std::shared_ptr<const std::vector<tokenizer::TokenId>> ids_;  // of the vocabulary
  std::unique_ptr<Asked> asked_ = std::make_unique<Asked>();
  Question question_like(const Key& key, const std::string& first, const std::string& second) const;
};

}  // namespace minpair::method
