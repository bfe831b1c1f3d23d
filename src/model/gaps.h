#pragma once
// What models with an encoder and a decoder read: sentences with one gap each.
//
// Their layers are the encoder's, then the decoder's. What stands after a layer at a token is all
// that later layers know of it: what the encoder has there, and what the decoder has where it reads
// the token. So all of it, of another input, gives that input's answer.

#include <span>
#include <string>
#include <vector>

#include "model/architecture.h"

namespace minpair::model {

// Tokens that are masked in a row are one gap, and one mask stands for it. Only its first token can
// be asked for.
struct Gaps {
  std::vector<tokenizer::TokenId> ids;  // as the encoder reads them
  std::vector<uint32_t> tokens;         // of the batch: which of them each is
  std::vector<nn::Sequence> sentences;  // of them
  std::vector<size_t> gap_of;           // of each sentence, among `ids`; kNone: it has none
  std::vector<uint32_t> twin_of;        // of each sentence that comes later, from the first on
  LateRows late;

  static constexpr size_t kNone = SIZE_MAX;
  Gaps() = default;
  // `kind` is for messages.
  Gaps(const Batch& batch, tokenizer::TokenId mask, const std::string& kind);

  std::span<const nn::Sequence> sentences_of(size_t rows) const;  // of the first so many
};

// What the decoder reads for each sentence with a gap: its first row is the start, and its last
// row is asked what stands in the gap and counts as the gap's. The others stand for the tokens
// that they read, and the start goes along with the row after it.
struct Lines {
  std::vector<tokenizer::TokenId> ids;
  std::vector<uint32_t> tokens;           // of the batch
  std::vector<nn::Sequence> own, across;  // across: the rows of the encoder that it sees
  LateRows late;

  // Of the first so many rows, and the rows of the encoder that these see.
  std::span<const nn::Sequence> own_of(size_t rows) const;
  std::span<const nn::Sequence> across_of(size_t rows) const;
  nn::View seen_by(size_t rows, const nn::Matrix& encoded) const;
};

// What such models share: they are asked as masked models are.
class GapFiller : public Encoder {
 public:
  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override;
  void use(const tokenizer::Tokenizer& tokenizer) override { mask_ = tokenizer.special().mask; }
  uint32_t place_of(std::span<const tokenizer::TokenId> ids, uint32_t position) const override;
  void check_asked(std::span<const tokenizer::TokenId> ids, uint32_t position) const override;

 protected:
  GapFiller(const nn::Runtime& runtime, std::string kind)
      : Encoder(runtime), kind_(std::move(kind)) {}
  void set_layers(size_t encoders, size_t decoders, size_t decoder_heads, query::ModelInfo& info);

  // What the decoder reads of a sentence before it is asked.
  virtual std::vector<tokenizer::TokenId> read_before(size_t sentence) const = 0;
  virtual void embed() = 0;   // gaps_ into encoded_, lines_ into hidden_
  virtual void encode() = 0;  // through all layers and the last norm
  virtual void decode() = 0;

  // Before a layer, which counts from 0 on each side; of the encoder, also before its last norm.
  void join_encoder(size_t layer) { join(layer, gaps_.late, encoded_, kEncoded); }
  void join_decoder(size_t layer) { join(encoders_ + layer, lines_.late, hidden_, kDecoded); }
  // After it.
  void see_encoded(Site site, size_t layer);
  void see_decoded(size_t layer);
  size_t of_decoder(size_t layer) const { return encoders_ + layer; }

  Gaps gaps_;
  Lines lines_;
  tokenizer::TokenId mask_ = -1;
  nn::Matrix encoded_;  // hidden_ is the decoder's

 private:
  void lay_lines(const Batch& batch);
  void complete();  // encoded_, with what comes later

  std::string kind_;
  size_t encoders_ = 0, decoders_ = 0;
  nn::Matrix out_;
};

}  // namespace minpair::model
