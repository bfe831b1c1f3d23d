// Stored weights times whole numbers: held to a slow, obvious product, and the same bits on every
// instruction set, in any batch and on any number of threads.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "nn/coded_weights.h"
#include "nn/integers.h"
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

// Each instruction set, without a matrix unit; and what a user gets who asks for nothing.
class Integers : public ::testing::TestWithParam<std::optional<Isa>> {};

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

TEST_P(Integers, NanStaysNan) {
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

std::vector<std::optional<Isa>> every_way() {
  std::vector<std::optional<Isa>> all{std::nullopt};
  for (Isa isa : available_isas()) all.emplace_back(isa);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Nn, Integers, ::testing::ValuesIn(every_way()), [](const auto& tested) {
  return tested.param ? std::string(name_of(*tested.param)) : "unasked";
});

// Units of which this machine can run all.
std::vector<const IntegerTiles*> units() {
  std::vector<const IntegerTiles*> all{&emulated_integer_tiles()};
  if (lacking_for_integer_amx().empty()) all.push_back(amx_integer_tiles());
  return all;
}

class IntegerUnits : public ::testing::TestWithParam<const IntegerTiles*> {};

// The largest codes and numbers are where a byte could overflow.
CodePanel random_panel(Random& random, size_t depth, size_t group, bool offsets) {
  CodePanel panel;
  panel.depth = depth;
  panel.group = group;
  panel.has_offsets = offsets;
  for (auto& words : panel.words)
    for (uint32_t& word : words) {
      word = uint32_t(random.below(uint64_t{1} << 32));
      if (random.below(4) == 0) word = random.below(2) ? 0x80808080 : 0x7f7f7f7f;
    }
  for (auto* all : {&panel.scales, &panel.offsets})
    for (auto& of_group : *all)
      for (float& x : of_group) x = number(random);
  return panel;
}

TEST_P(IntegerUnits, GiveTheBitsOfVectors) {
  Random random(27);
  const IntegerKernels& generic = generic_integers();
  for (size_t depth : {32, 96, 256})
    for (size_t group : {32, 64})
      for (bool offsets : {false, true})
        for (size_t rows : {1, 2, 3, 5, 7, 8, 9, 11, 14, 16, 19, 40}) {
          std::vector<IntegerInputs> inputs(rows);
          for (IntegerInputs& row : inputs) {
            float numbers[kCodeDepth];
            const int shape = int(random.below(3));
            for (float& x : numbers) x = shape == 0 ? 1.0f : shape == 1 ? -1.0f : number(random);
            generic.to_integers(numbers, depth, row);
          }
          std::vector<TileInputs> tiles(strip_count(rows));
          const size_t height = strip_height(rows);
          for (size_t strip = 0, row = 0; row < rows; ++strip, row += height)
            GetParam()->arrange(&inputs[row], std::min(height, rows - row), tiles[strip]);
          const std::vector<CodePanel> panels{random_panel(random, depth, group, offsets),
                                              random_panel(random, depth, group, !offsets)};
          std::vector<float> expected(2 * rows * kPanel), given(expected.size(), NAN);
          for (bool first : {true, false}) {
            generic.multiply({inputs.data(), panels.data(), expected.data(), rows, 1, first});
            generic.multiply({inputs.data(), &panels[1], &expected[rows * kPanel], rows, 1, first});
            GetParam()->begin(rows);
            GetParam()->multiply({tiles.data(), panels.data(), given.data(), rows, 2, first});
            GetParam()->end();
            ASSERT_TRUE(same_bits(given.data(), expected.data(), given.size()))
                << depth << " deep, groups of " << group << ", " << rows << " rows";
          }
        }
}

TEST_P(IntegerUnits, PassTheirSelfTest) { EXPECT_EQ(self_test(*GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(Nn, IntegerUnits, ::testing::ValuesIn(units()),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(IntegerUnit, ThatCannotBeTrustedIsNotUsed) {
  static IntegerTiles wrong = emulated_integer_tiles();
  wrong.multiply = [](const IntegerTileProduct& p) {
    emulated_integer_tiles().multiply(p);
    p.sums[17] += 1;
  };
  EXPECT_NE(self_test(wrong), "");
  wrong.multiply = [](const IntegerTileProduct&) { __builtin_trap(); };
  EXPECT_NE(self_test(wrong), "");
}

TEST(IntegerUnit, IsWhatTheEnvironmentSays) {
  ASSERT_EQ(setenv("MINPAIR_MATRIX_UNIT", "none", 1), 0);
  EXPECT_EQ(Runtime(1, std::nullopt, integers()).integers().tiles, nullptr);
  ASSERT_EQ(setenv("MINPAIR_MATRIX_UNIT", "emulated", 1), 0);
  EXPECT_EQ(Runtime(1, std::nullopt, integers()).integers().tiles, &emulated_integer_tiles());
  EXPECT_EQ(Runtime(1, Isa::generic, integers()).integers().tiles, nullptr);
  EXPECT_EQ(Runtime(1).integers().tiles, nullptr) << "products in fp32 have no use for it";
  ASSERT_EQ(unsetenv("MINPAIR_MATRIX_UNIT"), 0);
}

}  // namespace
}  // namespace minpair::nn
