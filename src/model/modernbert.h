#pragma once
// What ModernBERT and its decoders share.

#include "model/config.h"
#include "model/weights.h"
#include "nn/nn.h"

namespace minpair::model {

// Layers that see a window turn by other angles than those that see everything.
struct ModernBertRotary {
  nn::Rotary global, local;
};
ModernBertRotary modernbert_rotary(const Config& config, size_t width);

struct ModernBertLayer {
  bool local = false;
  nn::Norm attention_norm;  // the first layer has none
  nn::Linear qkv, attention_output;
  nn::Norm mlp_norm;
  nn::Linear up, down;  // `up` gives the input and its gate, side by side
};
// `qkv`: the names of one tensor or of three.
ModernBertLayer modernbert_layer(WeightLoader& load, const Config& config, size_t number,
                                 size_t width, const std::vector<std::string>& qkv);

}  // namespace minpair::model
