// Stored weights times whole numbers: held to a slow, obvious product, and the same bits on every
// instruction set, in any batch and on any number of threads.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "nn/coded_weights.h"
#include "nn/outputs_check.h"

namespace minpair::nn {
namespace {

Arithmetic integers() { return choose_arithmetic("fast", true); }

// Inputs of very different sizes, as those of language models are.
Matrix uneven_matrix(Random& random, size_t rows, size_t columns) {
  Matrix m = random_matrix(random, rows, columns);
  for (size_t i = 0; i < rows * columns; ++i)
    if (random.below(50) == 0) m.data()[i] *= 40;
  return m;
}

// Inputs as they are rounded: to multiples of the 32767th part of the largest of each 256.
std::vector<double> rounded(const float* row, size_t inputs) {
  std::vector<double> all(inputs);
  for (size_t begin = 0; begin < inputs; begin += 256) {
    const size_t end = std::min(inputs, begin + 256);
    float largest = 0;
    for (size_t k = begin; k < end; ++k) largest = std::max(largest, std::fabs(row[k]));
    for (size_t k = begin; k < end && largest > 0; ++k)
      all[k] = std::nearbyint(row[k] * (32767.0f / largest)) * double(largest / 32767.0f);
  }
  return all;
}

struct Expected {
  double sum, size, exact;  // of rounded inputs; of absolute values; of the inputs themselves
};
Expected expected(const Coded& coded, const float* row, const std::vector<double>& inputs,
                  size_t output) {
  Expected e{};
  for (size_t k = 0; k < coded.inputs; ++k) {
    const double weight = coded.weight(output, k);
    e.sum += weight * inputs[k];
    e.size += std::fabs(weight * inputs[k]);
    e.exact += weight * row[k];
  }
  return e;
}

class Integers : public ::testing::TestWithParam<Isa> {};

const std::initializer_list<std::array<size_t, 3>> kShapes = {
    {1, 16, 16}, {77, 32, 32}, {130, 288, 16}, {64, 768, 32}, {33, 1056, 32}, {40, 512, 64}};

TEST_P(Integers, AreTheProductOfRoundedInputs) {
  Random random(21);
  const Runtime runtime(2, GetParam(), integers());
  for (auto [outputs, inputs, group] : kShapes)
    for (bool offsets : {false, true}) {
      const Coded coded(random, outputs, inputs, group, offsets);
      const Linear layer{Weights::as_stored(outputs, inputs, coded.floats(), coded.reader()), {}};
      const Matrix in = uneven_matrix(random, 7, inputs);
      Matrix out;
      linear(runtime, in, layer, out);
      for (size_t row = 0; row < in.rows(); ++row) {
        const std::vector<double> whole = rounded(in.row(row), inputs);
        for (size_t o = 0; o < outputs; ++o) {
          const Expected e = expected(coded, in.row(row), whole, o);
          ASSERT_NEAR(out.row(row)[o], e.sum, 1e-6 * e.size + 1e-12) << inputs << " " << group;
          ASSERT_NEAR(out.row(row)[o], e.exact, 2e-3 * e.size + 1e-12) << inputs << " " << group;
        }
      }
    }
}

TEST_P(Integers, TheSameBitsHoweverTheWorkIsCut) {
  Random random(22);
  const Runtime one(1, GetParam(), integers()), three(3, GetParam(), integers());
  const Runtime generic(2, Isa::generic, integers());
  for (auto [outputs, inputs, group] : kShapes)
    for (bool offsets : {false, true}) {
      const Coded coded(random, outputs, inputs, group, offsets);
      const Linear layer{Weights::as_stored(outputs, inputs, coded.floats(), coded.reader()), {}};
      for (size_t rows : {1, 2, 6, 7, 19, 101}) {
        const Matrix in = uneven_matrix(random, rows, inputs);
        Matrix together, alone, everywhere;
        linear(three, in, layer, together);
        linear(generic, in, layer, everywhere);
        ASSERT_TRUE(same_bits(together.data(), everywhere.data(), rows * outputs))
            << rows << " rows, " << inputs << " inputs";
        for (size_t row : {size_t{0}, rows / 2, rows - 1}) {
          linear(one, View(in.row(row), 1, inputs), layer, alone);
          ASSERT_TRUE(same_bits(together.row(row), alone.data(), outputs)) << row << " of " << rows;
        }
      }
    }
}

TEST_P(Integers, BiasActivationAndResidualComeAfter) {
  Random random(23);
  const Runtime runtime(2, GetParam(), integers());
  const Coded coded(random, 83, 256, 32, true);
  Linear layer{Weights::as_stored(83, 256, coded.floats(), coded.reader()), {}};
  const Matrix in = random_matrix(random, 9, 256), residual = random_matrix(random, 9, 83);
  const View more = residual;
  Matrix plain, all;
  linear(runtime, in, layer, plain);
  for (size_t i = 0; i < 83; ++i) layer.bias.push_back(number(random));
  linear(runtime, in, layer, all, Activation::relu, &more);
  for (size_t row = 0; row < 9; ++row)
    for (size_t o = 0; o < 83; ++o)
      ASSERT_EQ(all.row(row)[o],
                std::max(0.0f, plain.row(row)[o] + layer.bias[o]) + residual.row(row)[o]);
}

TEST_P(Integers, OutputsAreReadWhereAsked) {
  Random random(24);
  const Coded coded(random, 603, 96, 32, true);
  const Runtime two(2, GetParam(), integers()), one(1, GetParam(), integers());
  const Linear layer{Weights::as_stored(603, 96, coded.floats(), coded.reader()), {}};
  std::vector<int32_t> targets;
  for (int i = 0; i < 20; ++i) targets.push_back(int32_t(random.below(603)));
  expect_outputs_where_asked(two, one, layer, random_matrix(random, 120, 96), targets, 9);
}

TEST_P(Integers, WhatIsNoNumberStaysNone) {
  Random random(25);
  const Runtime runtime(1, GetParam(), integers());
  const Coded coded(random, 20, 512, 32, false);
  const Linear layer{Weights::as_stored(20, 512, coded.floats(), coded.reader()), {}};
  Matrix in = random_matrix(random, 4, 512), out;
  in.row(0)[300] = std::numeric_limits<float>::infinity();
  in.row(1)[3] = std::numeric_limits<float>::quiet_NaN();
  for (size_t k = 0; k < 512; ++k) in.row(2)[k] = 1e-38f * float(k % 3);
  linear(runtime, in, layer, out);
  for (size_t o = 0; o < 20; ++o) {
    EXPECT_TRUE(std::isnan(out.row(0)[o]));
    EXPECT_TRUE(std::isnan(out.row(1)[o]));
    EXPECT_EQ(out.row(2)[o], 0);
    EXPECT_TRUE(std::isfinite(out.row(3)[o]));
  }
}

TEST_P(Integers, WeightsWithoutCodesAreMultipliedInFp32) {
  Random random(26);
  const Runtime fast(1, GetParam(), integers()), exact(1, GetParam());
  const Coded coded(random, 20, 512, 32, false);
  const Linear layer{Weights::as_stored(20, 512, coded.floats()), {}};
  const Matrix in = random_matrix(random, 4, 512);
  Matrix a, b;
  linear(fast, in, layer, a);
  linear(exact, in, layer, b);
  EXPECT_TRUE(same_bits(a.data(), b.data(), 4 * 20));
}

INSTANTIATE_TEST_SUITE_P(Nn, Integers, ::testing::ValuesIn(available_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace minpair::nn
