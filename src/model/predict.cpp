#include "model/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

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

std::vector<Prediction> best(const query::Model& model, const query::ReadAnswer& answer,
                             size_t count) {
  std::vector<tokenizer::TokenId> order(answer.logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + count, order.end(),
      [&](tokenizer::TokenId a, tokenizer::TokenId b) {
        return answer.logits[a] != answer.logits[b] ? answer.logits[a] > answer.logits[b] : a < b;
      });
  std::vector<Prediction> predictions;
  for (size_t i = 0; i < count; ++i) {
    tokenizer::TokenId id = order[i];
    bool named = static_cast<size_t>(id) < model.tokenizer().vocabulary_size();
    predictions.push_back({id, named ? model.tokenizer().piece(id) : fmt::format("#{}", id),
                           answer.logits[id] - answer.log_sum_exp});
  }
  return predictions;
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
  tokenizer::Encoding encoding = tokenizer.encode(text);
  if (encoding.tokens.empty()) throw wrong_call("there is no text to continue");
  query::Query query;
  for (const tokenizer::Token& token : encoding.tokens) query.ids.push_back(token.id);
  std::vector<tokenizer::TokenId> vocabulary(model.info().vocabulary);
  std::iota(vocabulary.begin(), vocabulary.end(), 0);
  for (uint32_t position : positions(model, encoding))
    query.reads.push_back({position, vocabulary, true});
  std::vector<std::vector<Prediction>> all;
  std::vector<query::Answer> answers = model.answer({&query, 1});
  for (const query::ReadAnswer& answer : answers[0]) all.push_back(best(model, answer, count));
  return all;
}

}  // namespace minpair::model
