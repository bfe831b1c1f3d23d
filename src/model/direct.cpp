#include "model/direct.h"

#include <fmt/format.h>

#include <numeric>

#include "base/error.h"
#include "model/causal.h"
#include "model/mixing.h"

namespace minpair::model {
namespace {

// Shares of shares: of what token t has after a layer, how much is the input's token s.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, size_t n) {
  std::vector<double> out(n * n);
  for (size_t t = 0; t < n; ++t)
    for (size_t k = 0; k < n; ++k)
      for (size_t s = 0; s < n; ++s) out[t * n + s] += a[t * n + k] * b[k * n + s];
  return out;
}

}  // namespace

void check_direct_effects(const query::Model& model) {
  const auto* causal = dynamic_cast<const CausalModel*>(&model);
  if (causal && causal->decoder().stream_is_sum()) return;
  throw wrong_call(fmt::format("the logits of '{}' are not a sum of what its layers add: there are "
                               "norms or other layers in between",
                               model.info().name))
      .hint(
          "decoders with norms before their layers (GPT-2, Llama, Mamba) have such sums; erasure "
          "works with all models");
}

void check_token_effects(const query::Model& model) {
  check_direct_effects(model);
  if (dynamic_cast<const CausalModel&>(model).decoder().attends()) return;
  throw wrong_call(
      fmt::format("'{}' has no attention that could be split into what each token contributes",
                  model.info().name))
      .hint("its parts can be told apart (--method logit); erasure works with all models");
}

std::vector<double> direct_effects(query::Model& model, std::span<const std::vector<float>> parts,
                                   tokenizer::TokenId good, tokenizer::TokenId bad) {
  check_direct_effects(model);
  return dynamic_cast<CausalModel&>(model).direct_effects(parts, good, bad);
}

TokenEffects token_effects(query::Model& model, const std::vector<tokenizer::TokenId>& ids,
                           uint32_t position, tokenizer::TokenId good, tokenizer::TokenId bad) {
  check_token_effects(model);
  auto& causal = dynamic_cast<CausalModel&>(model);
  const size_t n = ids.size();
  Mixing mixing(position);
  // The embedding, then what attention and the feed-forward layer of every layer add. Of attention
  // only what no token gives is left, and the tokens' parts stand behind.
  std::vector<std::vector<float>> parts = causal.parts_at(ids, position, mixing);
  const size_t own = parts.size();
  for (size_t l = 0; l < mixing.layers().size(); ++l)
    for (size_t s = 0; s < n; ++s) {
      const nn::Matrix& all = mixing.layers()[l].given;
      const std::vector<float> given(all.row(s), all.row(s) + all.columns());
      for (size_t d = 0; d < given.size(); ++d) parts[1 + 2 * l][d] -= given[d];
      parts.push_back(given);
    }
  const std::vector<double> said = causal.direct_effects(parts, good, bad);
  TokenEffects effects{std::vector<double>(n),
                       std::accumulate(said.begin(), said.begin() + ptrdiff_t(own), said.back())};
  std::vector<double> shares(n * n);  // of the input's tokens in what a layer reads
  for (size_t t = 0; t < n; ++t) shares[t * n + t] = 1;
  for (size_t l = 0; l < mixing.layers().size(); ++l) {
    for (size_t k = 0; k < n; ++k)
      for (size_t s = 0; s < n; ++s) effects.tokens[s] += said[own + l * n + k] * shares[k * n + s];
    shares = product(mixing.layers()[l].shares, shares, n);
  }
  return effects;
}

}  // namespace minpair::model
