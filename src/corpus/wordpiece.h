#pragma once
// Trains a WordPiece vocabulary for a small language model.
//
// Pieces grow by merging the most frequent neighbours, as in byte-pair encoding. When the endings
// of the language are given, words are first cut into stem and ending (`lach|t`, `lach|en`), and no
// piece may cross that cut. Both numbers of a verb then have the same stem and the same number of
// pieces, and what the model learns about an ending it learns from all verbs at once.
//
// Words are cut into pieces by the tokenizer that scores with them later.

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/endings.h"

namespace minpair::corpus {

struct PieceOptions {
  size_t size = 12000;
  uint64_t min_character_count = 50;
  uint64_t min_word_count = 2;
  Endings endings;  // none: words are not cut
};

// The special tokens come first ([PAD] [UNK] [CLS] [SEP] [MASK]), then characters, then merges in
// the order they were made.
std::vector<std::string> train_wordpiece(const WordCounts& counts, const PieceOptions& options);

}  // namespace minpair::corpus
