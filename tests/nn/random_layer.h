#pragma once
// Random matrices and layers, whose plain weights are kept beside the packed ones.

#include <cstring>

#include "base/random.h"
#include "nn/nn.h"

namespace minpair::nn {

inline float number(Random& random) { return static_cast<float>(random.uniform() * 2 - 1); }

inline Matrix random_matrix(Random& random, size_t rows, size_t columns, float size = 1) {
  Matrix m(rows, columns);
  for (size_t i = 0; i < rows * columns; ++i) m.data()[i] = size * number(random);
  return m;
}

struct Layer {
  Matrix plain;  // [outputs × inputs]
  Linear linear;
};

inline Layer random_layer(const Runtime& runtime, Random& random, size_t outputs, size_t inputs) {
  Layer layer{random_matrix(random, outputs, inputs), {}};
  layer.linear.weights =
      Weights(runtime, outputs, inputs, [&](size_t begin, size_t end, float* to) {
        std::memcpy(to, layer.plain.row(begin), (end - begin) * inputs * sizeof(float));
      });
  for (size_t i = 0; i < outputs; ++i) layer.linear.bias.push_back(number(random));
  return layer;
}

inline bool same_bits(const float* a, const float* b, size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

}  // namespace minpair::nn
