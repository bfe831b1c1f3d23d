#include "model/direct.h"

#include <fmt/format.h>

#include "base/error.h"
#include "model/causal.h"

namespace minpair::model {

void check_direct_effects(const query::Model& model) {
  const auto* causal = dynamic_cast<const CausalModel*>(&model);
  if (causal && causal->decoder().stream_is_sum()) return;
  throw wrong_call(
      fmt::format("the logits of '{}' are no sum of what its layers add: norms or other "
                  "layers stand in between",
                  model.info().name))
      .hint(
          "decoders with norms before their layers (GPT-2, Llama) have such sums; erasure works "
          "with all models");
}

std::vector<double> direct_effects(query::Model& model, std::span<const std::vector<float>> parts,
                                   tokenizer::TokenId good, tokenizer::TokenId bad) {
  check_direct_effects(model);
  return dynamic_cast<CausalModel&>(model).direct_effects(parts, good, bad);
}

}  // namespace minpair::model
