#pragma once
// From sentences to training batches for a masked model: which pieces are hidden, and how sentences
// are laid side by side in rows.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "corpus/endings.h"
#include "train/bert.h"
#include "train/options.h"

namespace minpair::train {

// Sentences as piece ids, one after the other.
struct PieceText {
  std::vector<int32_t> ids;
  std::vector<uint64_t> starts{0};
  size_t size() const { return starts.size() - 1; }
  std::span<const int32_t> sentence(size_t i) const {
    return {ids.data() + starts[i], starts[i + 1] - starts[i]};
  }
};

// How often each piece occurs, adding up to one.
std::vector<double> piece_shares(const PieceText& text, size_t vocabulary);

class Masker {
 public:
  // `endings`: those that the vocabulary was made with; none: all pieces are alike.
  Masker(const std::vector<std::string>& vocab, const PieceText& text,
         const corpus::Endings& endings, const MaskingOptions& options);

  // Places in the sentence to hide; at least one.
  void choose(std::span<const int32_t> sentence, Random& random, std::vector<size_t>& places) const;

 private:
  struct Word {
    size_t begin, end;
    double key;
  };
  std::vector<Word> words_of(std::span<const int32_t> sentence, Random& random) const;

  MaskingOptions options_;
  std::vector<bool> continues_, ending_;
  std::vector<double> weight_;
};

struct PackedBatch {
  BertBatch batch;
  int64_t pieces = 0;  // [CLS] and [SEP] included, padding not
};

// Fills rows x width with the sentences order[at], order[at + 1], ... as long as they fit.
PackedBatch pack_batch(const PieceText& text, std::span<const uint32_t> order, size_t& at,
                       int64_t rows, int64_t width, const Masker& masker, Random& random);

}  // namespace minpair::train
