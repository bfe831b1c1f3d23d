#pragma once
// Rotary frequencies as configurations ask for them.

#include <vector>

#include "model/config.h"
#include "nn/nn.h"

namespace minpair {

// theta^(-2i/width), changed by "rope_scaling" (or the newer "rope_parameters") of type default,
// linear or llama3. Other types are refused by name.
std::vector<float> scaled_frequencies(const Config& config, double theta, size_t width);

}  // namespace minpair
