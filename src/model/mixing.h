#pragma once
// How attention mixes the tokens of one input, layer by layer: what each token is given by each
// other one, and how large a share of it that is (ALTI, Ferrando et al. 2022).
//
//   Mixing mixing(position);
//   decoder.listen(&mixing), decoder.forward(...), decoder.listen(nullptr);
//   ... mixing.layers() ...

#include <span>
#include <vector>

#include "nn/nn.h"

namespace minpair::model {

// What the parts of a row are after a norm that keeps the scale it has for the whole row; without
// the norm's bias.
class HeldNorm {
 public:
  HeldNorm(const nn::Norm& norm, std::span<const float> whole);
  void apply(std::span<float> part) const;

 private:
  double mean_of(std::span<const float> row) const;

  const nn::Norm& norm_;
  double scale_ = 1;
};

// Listens to a decoder that reads one input.
class Mixing {
 public:
  explicit Mixing(uint32_t position) : position_(position) {}

  // As attention is computed: the values are one token's after the other's, the rest stays.
  void attend(const nn::AttentionShape& shape, const nn::View& queries, const nn::View& keys,
              const nn::View& values);
  // As it is added to the stream: out = before + times · [norm of] layer(context).
  void add(const nn::Runtime& runtime, const nn::View& context, const nn::Linear& layer,
           const nn::View& before, const nn::Norm& after, float times);

  struct Layer {
    nn::Matrix given;            // row s: what token s gives to the one that is asked
    std::vector<double> shares;  // row t, column s: of what t has after it; rows sum to 1
  };
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  const nn::Matrix& context_of(const nn::Runtime& runtime, size_t source);

  uint32_t position_;
  nn::AttentionShape shape_;
  nn::Matrix queries_, keys_, values_, one_, context_;
  std::vector<Layer> layers_;
};

}  // namespace minpair::model
