#pragma once
// A tokenizer put together from its parts, as tokenizer.json describes it: normalise, cut into
// words, cut words into pieces.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/make.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/piece_model.h"
#include "tokenizer/pre_tokenizer.h"

namespace minpair::tokenizer {

// How a piece shows that it begins a word.
enum class WordMark {
  none,        // every piece is a word
  before,      // "▁Haus", "ĠHaus": the mark begins the piece
  continuing,  // "##en": the mark begins pieces that do not
};

struct PipelineParts {
  std::vector<std::string> pieces;
  Surroundings around;
  NormalizerPtr normalizer;       // may be null
  PreTokenizerPtr pre_tokenizer;  // may be null
  // Makes the model for the vocabulary that the tokenizer holds.
  std::function<PieceModelPtr(const Vocabulary&)> model;
  std::string kind;
  bool byte_level = false;
  WordMark mark = WordMark::none;
  std::vector<std::string> marks;
  std::string word_end;     // see common.h
  std::string description;  // of the normalizer and pre-tokenizer, for the fingerprint
};

std::unique_ptr<Tokenizer> make_pipeline(PipelineParts parts);

}  // namespace minpair::tokenizer
