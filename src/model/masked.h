#pragma once
// What all masked language models share: packing queries, reading answers.

#include <memory>
#include <span>
#include <vector>

#include "model/architecture.h"
#include "query/logits.h"

namespace minpair::model {

using query::Input;
using query::Logits;
using query::Read;

class MaskedModel : public query::Model, public Watchable {
 public:
  MaskedModel(const Source& source, MakeEncoder make_encoder, bool with_head = true);
  // From parts that were found elsewhere (GGUF).
  MaskedModel(const Source& source, MakeEncoder make_encoder, std::unique_ptr<Config> config,
              std::unique_ptr<checkpoint::Checkpoint> checkpoint,
              std::unique_ptr<tokenizer::Tokenizer> tokenizer);

  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return *tokenizer_; }
  query::AskSet asks() const override { return query::AskSet().set(); }
  query::SiteSet sites() const override { return encoder_->sites(); }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

  const nn::Matrix& watch(const std::vector<tokenizer::TokenId>& ids, const Watch& watch) override;

 private:
  void load(const Source& source, MakeEncoder make_encoder, const Config& config, bool with_head,
            bool check_keys);
  std::vector<std::vector<Logits>> compute(std::span<const Input> asked);

  query::ModelInfo info_;
  nn::Runtime runtime_;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace minpair::model
