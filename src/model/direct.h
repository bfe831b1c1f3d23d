#pragma once
// What each part of a model says directly to the output layer. Where norms stand before the layers,
// the last stream is a sum: of the embeddings, and of what attention (or what is in its place) and
// the feed-forward layer of every layer add. With the last norm's scale held fixed, so is a
// difference of two logits.
//
//   check_direct_effects(model);
//   std::vector<double> effects = direct_effects(model, parts, good, bad);

#include <span>
#include <vector>

#include "query/query.h"

namespace minpair::model {

void check_direct_effects(const query::Model& model);  // throws when its logits are no such sum
void check_token_effects(const query::Model& model);   // or nothing attends

// One number for each part and one for all biases. `parts` are the whole stream: the numbers then
// sum to the difference of the logits, before any cap on them.
std::vector<double> direct_effects(query::Model& model, std::span<const std::vector<float>> parts,
                                   tokenizer::TokenId good, tokenizer::TokenId bad);

// What every token of the input says to the output by way of attention, also through other tokens
// (ALTI-Logit, Ferrando et al. 2023), for models that have direct effects and attention.
struct TokenEffects {
  std::vector<double> tokens;
  // What the place that is asked says itself: its embedding, feed-forward layers, biases. All of it
  // together sums to the difference of the logits, before any cap on them.
  double rest = 0;
};
TokenEffects token_effects(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                           uint32_t position, tokenizer::TokenId good, tokenizer::TokenId bad);

}  // namespace minpair::model
