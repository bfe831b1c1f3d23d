#pragma once
// Reads outputs as they are asked for in models, and holds them to the whole matrix of logits.

#include <gtest/gtest.h>

#include <cmath>

#include "nn/random_layer.h"

namespace minpair::nn {

// Of every row the targets; of all but every `apart`-th the sum. A row alone must give the same
// bits.
inline void expect_outputs_where_asked(const Runtime& runtime, const Runtime& alone,
                                       const Linear& output, const Matrix& in,
                                       const std::vector<int32_t>& targets, size_t apart) {
  Matrix logits;
  linear(runtime, in, output, logits);
  std::vector<float> values(in.rows() * targets.size());
  std::vector<double> sums(in.rows(), -1);
  std::vector<OutputRead> reads;
  for (size_t i = 0; i < in.rows(); ++i)
    reads.push_back({i, targets, i % apart != 0, values.data() + i * targets.size(), &sums[i]});
  read_outputs(runtime, in, output, reads);
  for (size_t i = 0; i < in.rows(); ++i) {
    for (size_t t = 0; t < targets.size(); ++t)
      ASSERT_EQ(values[i * targets.size() + t], logits.row(i)[targets[t]]) << "other bits";
    double sum = 0;
    for (size_t c = 0; c < logits.columns(); ++c) sum += std::exp(double(logits.row(i)[c]));
    if (i % apart == 0)
      ASSERT_EQ(sums[i], -1);
    else
      ASSERT_NEAR(sums[i], std::log(sum), 1e-6);
  }
  for (size_t i = 1; i < in.rows(); i += apart) {
    double single = 0;
    std::vector<float> value(1);
    OutputRead read{i, std::span(targets).first(1), true, value.data(), &single};
    read_outputs(alone, in, output, {&read, 1});
    ASSERT_EQ(single, sums[i]);
    ASSERT_EQ(value[0], values[i * targets.size()]);
  }
}

}  // namespace minpair::nn
