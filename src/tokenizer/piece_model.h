#pragma once
// A model cuts one word into pieces of the vocabulary. All are made for the id → piece table that
// the tokenizer itself holds.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tokenizer/make.h"
#include "tokenizer/vocabulary.h"

namespace minpair::tokenizer {

struct Cut {
  TokenId id;
  Span span;  // bytes of the word
};

class PieceModel {
 public:
  virtual ~PieceModel() = default;
  virtual void cut(std::string_view word, std::vector<Cut>& to) const = 0;
  // Everything besides the vocabulary that decides about the pieces, for the fingerprint.
  virtual std::string options() const = 0;
};

using PieceModelPtr = std::unique_ptr<const PieceModel>;

struct Merge {
  TokenId left, right, result;
};

struct BpeOptions {
  TokenId unk = -1;  // -1: what is unknown is dropped
  bool fuse_unk = false, byte_fallback = false, ignore_merges = false;
  std::string continuing_prefix, end_of_word_suffix;
};

// Byte-pair encoding by ranked merges; the first merge is the strongest.
PieceModelPtr make_bpe_model(const Vocabulary& vocabulary, const std::vector<Merge>& merges,
                             BpeOptions options);

// Merges given as text. A piece that the vocabulary lacks is an error; `name` is for the message.
std::vector<Merge> resolve_merges(const Vocabulary& vocabulary, const MergeList& merges,
                                  const std::string& continuing_prefix, const std::string& name);

struct ScoredOptions {
  TokenId unk = -1;
  bool byte_fallback = false;
  bool single_precision = true;  // add scores as SentencePiece does; false: as Hugging Face does
};

// SentencePiece's BPE: of all neighbours that make a piece, the one with the best score is joined.
PieceModelPtr make_score_bpe_model(const Vocabulary& vocabulary, std::vector<double> scores,
                                   std::vector<PieceType> types, ScoredOptions options);
// The sequence of pieces with the best sum of scores.
PieceModelPtr make_unigram_model(const Vocabulary& vocabulary, std::vector<double> scores,
                                 std::vector<PieceType> types, ScoredOptions options);

// The longest piece from the left, again and again. `unk` for words that cannot be cut.
PieceModelPtr make_wordpiece_model(const Vocabulary& vocabulary, TokenId unk, std::string prefix,
                                   size_t max_word_characters);
// The same without words: whatever stands there, the longest piece. Characters that begin none are
// dropped.
PieceModelPtr make_longest_model(const Vocabulary& vocabulary);
// Every word is a piece, or unknown; unknown words are dropped when `unk` is -1.
PieceModelPtr make_word_model(const Vocabulary& vocabulary, TokenId unk);

// The ids of "<0x00>" to "<0xFF>"; -1 where the vocabulary lacks one.
std::vector<TokenId> byte_pieces(const Vocabulary& vocabulary);

}  // namespace minpair::tokenizer
