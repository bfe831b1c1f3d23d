#pragma once
// Weights as they are stored: random codes, and the floats they stand for.

#include <cstring>
#include <vector>

#include "nn/random_layer.h"

namespace minpair::nn {

struct Coded {
  size_t outputs, inputs, group;
  bool has_offsets;
  std::vector<int8_t> codes;
  std::vector<float> scales, offsets;
  Matrix plain;

  Coded(Random& random, size_t o, size_t i, size_t g, bool with)
      : outputs(o), inputs(i), group(g), has_offsets(with), plain(o, i) {
    for (size_t at = 0; at < o * i; ++at) {
      codes.push_back(int8_t(int(random.below(256)) - 128));
      if (at % g == 0) {
        scales.push_back(number(random) / 100);
        offsets.push_back(number(random) / 10);
      }
      const float product = float(codes[at]) * scales[at / g];
      plain.data()[at] = with ? product + offsets[at / g] : product;
    }
  }

  double weight(size_t output, size_t k) const {
    const size_t at = output * inputs + k;
    return double(codes[at]) * scales[at / group] + (has_offsets ? offsets[at / group] : 0);
  }

  Weights::Reader floats() const {
    return [this](size_t begin, size_t end, float* to) {
      std::memcpy(to, plain.row(begin), (end - begin) * inputs * sizeof(float));
    };
  }

  Weights::CodeReader reader() const {
    return [this](size_t begin, size_t end, size_t k, CodePanel& to) {
      to.group = group;
      to.has_offsets = has_offsets;
      std::memset(to.pairs, 0, sizeof to.pairs);
      std::memset(to.scales, 0, sizeof to.scales);
      std::memset(to.offsets, 0, sizeof to.offsets);
      for (size_t row = begin; row < end; ++row)
        for (size_t i = 0; i < to.depth; ++i) {
          const size_t at = row * inputs + k + i, column = row - begin;
          if (to.in_pairs)
            to.pairs[i / 4 * 2 + i % 2][column] |= uint32_t(uint16_t(codes[at])) << i % 4 / 2 * 16;
          else
            to.words[i / 4][column] |= uint32_t(uint8_t(codes[at])) << i % 4 * 8;
          to.scales[i / group][column] = scales[at / group];
          to.offsets[i / group][column] = offsets[at / group];
        }
    };
  }
};

}  // namespace minpair::nn
