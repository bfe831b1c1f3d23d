#pragma once
// Rotary frequencies as configurations ask for them.

#include <vector>

#include "checkpoint/checkpoint.h"
#include "model/config.h"
#include "nn/nn.h"

namespace minpair::model {

struct Rope {
  std::vector<float> frequencies;  // theta^(-2i/width), scaled
  double scores = 1;               // attention's scores are multiplied by it
  size_t most_tokens = SIZE_MAX;   // beyond them the frequencies would be others
};

// As "rope_theta" and "rope_scaling" say it, or the newer "rope_parameters", which may differ by
// the kind of layer ("full_attention", ...): default, linear, dynamic, llama3, yarn, longrope.
// Others are refused by name.
Rope rope_of(const Config& config, double usual_theta, size_t width,
             const std::string& layers = "full_attention");

// GGUF files of Llama 3.1 and later scale by a tensor of factors instead.
void divide_by_stored(const checkpoint::Checkpoint& checkpoint, std::vector<float>& frequencies);

}  // namespace minpair::model
