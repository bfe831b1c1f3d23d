#include "model/predict.h"

#include <fmt/format.h>

#include "base/error.h"
#include "model/states.h"

namespace minpair::model {

namespace {

constexpr std::string_view kMask = "[MASK]";

std::vector<uint32_t> positions(const query::Model& model, const tokenizer::Encoding& encoding) {
  if (model.info().kind != query::ModelInfo::Kind::masked)
    return {static_cast<uint32_t>(encoding.tokens.size() - 1)};
  std::vector<uint32_t> masks;
  for (uint32_t i = 0; i < encoding.tokens.size(); ++i)
    if (encoding.tokens[i].id == model.tokenizer().special().mask) masks.push_back(i);
  if (masks.empty())
    throw wrong_call("the text has no mask").hint("write [MASK] where a word is to be predicted");
  return masks;
}

std::string piece_of(const tokenizer::Tokenizer& tokenizer, tokenizer::TokenId id) {
  return size_t(id) < tokenizer.vocabulary_size() ? tokenizer.piece(id) : fmt::format("#{}", id);
}

}  // namespace

std::vector<std::vector<Prediction>> predict(query::Model& model, std::string text, size_t count) {
  const tokenizer::Tokenizer& tokenizer = model.tokenizer();
  if (tokenizer::TokenId mask = tokenizer.special().mask; mask >= 0)
    for (size_t at = 0; (at = text.find(kMask, at)) != std::string::npos;) {
      std::string piece = tokenizer.piece(mask);
      text.replace(at, kMask.size(), piece);
      at += piece.size();
    }
  tokenizer::Encoding encoding = encoded(model, text);
  if (encoding.tokens.empty()) throw wrong_call("there is no text to continue");
  query::Query query;
  for (const tokenizer::Token& token : encoding.tokens) query.ids.push_back(token.id);
  for (uint32_t position : positions(model, encoding))
    query.asks.push_back({position, query::Best{uint32_t(count)}});
  std::vector<std::vector<Prediction>> all;
  const query::Answer answer = model.answer({&query, 1})[0];
  for (const query::Record& record : answer) {
    std::vector<Prediction>& best = all.emplace_back();
    for (const auto& [id, logprob] : std::get<query::BestTokens>(record).tokens)
      best.push_back({id, piece_of(tokenizer, id), logprob});
  }
  return all;
}

}  // namespace minpair::model
