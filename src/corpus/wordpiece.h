#pragma once
// Trains a WordPiece vocabulary for a small masked language model.
//
// Pieces grow by merging the most frequent neighbours, as in byte-pair encoding. One thing is
// special: verbs are first cut into stem and ending (`lach|t`, `lach|en`), wherever the corpus
// itself shows the alternation, and no piece may cross that cut. Both numbers of a verb then have
// the same stem and the same number of pieces, and what the model learns about an ending it
// learns from all verbs at once.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minpair::corpus {

using WordCounts = std::map<std::string, uint64_t, std::less<>>;

// For a word that is cut, the byte where its ending begins.
using StemCuts = std::unordered_map<std::string, size_t>;

// The endings that are cut off: e, en, t, ...
const std::vector<std::string>& verb_endings();

// Words that alternate with another form of the same stem, with the byte where the ending begins.
StemCuts find_verb_endings(const WordCounts& counts, uint64_t min_count = 3);

struct WordPieceOptions {
  size_t size = 12000;
  uint64_t min_character_count = 50;
  uint64_t min_word_count = 2;
  bool cut_verb_endings = true;
};

// The special tokens come first ([PAD] [UNK] [CLS] [SEP] [MASK]), then characters, then merges in
// the order they were made.
std::vector<std::string> train_wordpiece(const WordCounts& counts, const WordPieceOptions& options);

// Greedy longest-match segmentation of one word; a word that cannot be spelled is [UNK].
class WordPieceEncoder {
 public:
  explicit WordPieceEncoder(const std::vector<std::string>& vocab);
  void encode(std::string_view word, std::vector<int32_t>& out) const;
  int32_t unknown() const { return unknown_; }

 private:
  std::unordered_map<std::string, int32_t> ids_;
  size_t longest_ = 0;
  int32_t unknown_ = 1;
};

}  // namespace minpair::corpus
