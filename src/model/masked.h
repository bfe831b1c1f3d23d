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

class MaskedModel : public NetworkModel {
 public:
  MaskedModel(const Source& source, MakeEncoder make_encoder, Parts parts);

  query::SiteSet sites() const override { return encoder_->sites(); }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

  const nn::Matrix& watch(const std::vector<tokenizer::TokenId>& ids, const Watch& watch) override;

 private:
  std::vector<std::vector<Logits>> compute(std::span<const Input> asked);

  std::unique_ptr<Encoder> encoder_;
};

}  // namespace minpair::model
