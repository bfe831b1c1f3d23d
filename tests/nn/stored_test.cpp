// Weights that are unpacked for every product give the bits of those that were packed once.

#include <gtest/gtest.h>

#include <array>

#include "nn/coded_weights.h"
#include "nn/outputs_check.h"

namespace minpair::nn {
namespace {

class Stored : public ::testing::TestWithParam<Isa> {};

TEST_P(Stored, GivesTheBitsOfPackedWeights) {
  Random random(11);
  for (auto [outputs, inputs, group] : std::initializer_list<std::array<size_t, 3>>{
           {1, 16, 16}, {77, 32, 32}, {130, 288, 16}, {64, 768, 32}, {33, 1056, 32}}) {
    for (bool offsets : {false, true}) {
      const Coded coded(random, outputs, inputs, group, offsets);
      Runtime two(2, GetParam()), three(3, GetParam());
      std::vector<float> bias;
      for (size_t i = 0; i < outputs; ++i) bias.push_back(number(random));
      const Linear packed{Weights(two, outputs, inputs, coded.floats()), bias},
          stored{Weights::as_stored(outputs, inputs, coded.floats(), coded.reader()), bias},
          as_rows{Weights::as_stored(outputs, inputs, coded.floats()), bias};
      for (size_t rows : {1, 5, 12, 19, 401}) {
        Matrix in = random_matrix(random, rows, inputs), a, b, c;
        Matrix residual = random_matrix(random, rows, outputs);
        const View more = residual;
        linear(two, in, packed, a, Activation::gelu, &more);
        linear(two, in, stored, b, Activation::gelu, &more);
        ASSERT_TRUE(same_bits(a.data(), b.data(), rows * outputs)) << rows << " " << inputs;
        linear(three, in, as_rows, c, Activation::gelu, &more);
        ASSERT_TRUE(same_bits(a.data(), c.data(), rows * outputs)) << rows << " " << inputs;
        linear(three, View(in.row(rows - 1), 1, inputs), stored, b);
        linear(two, View(in.row(rows - 1), 1, inputs), packed, c);
        ASSERT_TRUE(same_bits(b.data(), c.data(), outputs)) << rows << " " << inputs;
      }
    }
  }
}

TEST_P(Stored, OutputsAreReadWhereAsked) {
  Random random(12);
  const Coded coded(random, 603, 96, 32, true);
  Runtime two(2, GetParam()), one(1, GetParam());
  const Linear stored{Weights::as_stored(603, 96, coded.floats(), coded.reader()), {}};
  Matrix in = random_matrix(random, 120, 96);
  std::vector<int32_t> targets;
  for (int i = 0; i < 20; ++i) targets.push_back(int32_t(random.below(603)));
  expect_outputs_where_asked(two, one, stored, in, targets, 9);
}

INSTANTIATE_TEST_SUITE_P(Nn, Stored, ::testing::ValuesIn(available_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace minpair::nn
