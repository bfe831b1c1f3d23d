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

// Two networks have no one stream.
inline query::SiteSet sites_of_gap_fillers(std::string_view) { return {}; }

// What such models share: they are asked as masked models are.
class GapFiller : public Encoder {
 public:
  const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                            const Watch& watch) override;
  // The output layer reads the hidden states as they are.
  const nn::Matrix& head(const nn::View& hidden) override;
  query::SiteSet sites() const override { return sites_of_gap_fillers(""); }
  void use(const tokenizer::Tokenizer& tokenizer) override { mask_ = tokenizer.special().mask; }

 protected:
  GapFiller(const nn::Runtime& runtime, std::string kind)
      : Encoder(runtime), kind_(std::move(kind)) {}

  virtual void encode() = 0;             // gaps_.ids
  virtual void decode(size_t rows) = 0;  // into hidden_; where ends_ says stands what is asked for
  // Lets those rows of hidden_ be seen, and goes on with what was made of them.
  void show(Site site, size_t layer);

  Gaps gaps_;
  tokenizer::TokenId mask_ = -1;
  std::vector<size_t> ends_;  // of each row that is asked for
  nn::Matrix hidden_;

 private:
  void take();  // the rows at ends_, into out_

  std::string kind_;
  nn::Matrix out_, head_;
};

}  // namespace minpair::model
