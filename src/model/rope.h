#pragma once
// Rotary frequencies as configurations ask for them.

#include <vector>

#include "checkpoint/checkpoint.h"
#include "model/config.h"
#include "nn/nn.h"

namespace minpair::model {

// theta^(-2i/width), changed by "rope_scaling" (or the newer "rope_parameters") of type default,
// linear or llama3. Other types are refused by name.
std::vector<float> scaled_frequencies(const Config& config, double theta, size_t width);

// GGUF files of Llama 3.1 and later scale by a tensor of factors instead.
void divide_by_stored(const checkpoint::Checkpoint& checkpoint, std::vector<float>& frequencies);

}  // namespace minpair::model
