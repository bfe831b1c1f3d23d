#pragma once
// What models with an encoder and a decoder read: sentences with one gap each.

#include <span>
#include <string>
#include <vector>

#include "model/architecture.h"

namespace minpair::model {

// Tokens that are masked in a row are one gap, and one mask stands for it. Only its first token can
// be asked for.
struct Gaps {
  std::vector<tokenizer::TokenId> ids;  // as the encoder reads them
  std::vector<nn::Sequence> sentences;  // of them
  std::vector<size_t> sentence_of;      // of each row that is asked for
  std::vector<size_t> gap_of;           // and where its gap stands among `ids`

  Gaps() = default;
  // `rows`: of the batch, ascending. `kind` is for messages.
  Gaps(const Batch& batch, std::span<const uint32_t> rows, tokenizer::TokenId mask,
       const std::string& kind);
};

}  // namespace minpair::model
