#pragma once
// What ModernBERT and its decoders share.

#include "model/config.h"
#include "nn/nn.h"

namespace minpair::model {

// Layers that see a window turn by other angles than those that see everything.
struct ModernBertRotary {
  nn::Rotary global, local;
};
ModernBertRotary modernbert_rotary(const Config& config, size_t width);

bool modernbert_local(const Config& config, size_t layer);

}  // namespace minpair::model
