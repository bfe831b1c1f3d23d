#pragma once
// What stands in some layers in place of attention (llama.cpp has the rest of the layer).

#include <memory>
#include <string>

#include "model/config.h"
#include "model/prefix_tree.h"
#include "model/weights.h"

namespace minpair::model {

class TokenMixer {
 public:
  virtual ~TokenMixer() = default;
  // From the layer's normalised input to what its output matrix multiplies.
  virtual void mix(const PrefixTree& tree, const nn::Matrix& in, nn::Matrix& out) = 0;
  virtual size_t width() const = 0;  // of a row of `out`
};

// `name` begins the names of its weights.
std::unique_ptr<TokenMixer> make_delta_net(const nn::Runtime& runtime, const Config& config,
                                           WeightLoader& load, const std::string& name,
                                           size_t hidden);
std::unique_ptr<TokenMixer> make_short_convolution(const nn::Runtime& runtime, const Config& config,
                                                   WeightLoader& load, const std::string& name,
                                                   size_t hidden);

}  // namespace minpair::model
