#include "nn/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <limits>

#include "base/error.h"
#include "nn/matrix_unit.h"
#include "nn/outputs_check.h"

namespace minpair::nn {
namespace {

using ::testing::HasSubstr;

// Every unit that this machine can run: the emulator always, AMX where there is one.
std::vector<const TileUnit*> units() {
  std::vector<const TileUnit*> all{&emulated_tiles()};
  if (available_isas().size() > 1) all.push_back(&emulated_tiles_avx2());
  if (lacking_for_amx().empty()) all.push_back(amx_tiles());
  return all;
}

std::string name_of_unit(const TileUnit* unit) {
  if (unit == &emulated_tiles()) return "emulated";
  return unit == &emulated_tiles_avx2() ? "emulated_avx2" : "amx";
}

float value(uint16_t bf16) {
  uint32_t bits = uint32_t{bf16} << 16;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

class EveryUnit : public ::testing::TestWithParam<const TileUnit*> {
 protected:
  const TileUnit& unit() const { return *GetParam(); }
  Arithmetic arithmetic(size_t parts) const { return {GetParam(), parts, "tested", ""}; }
};

TEST_P(EveryUnit, NumbersBecomeTheirNearestParts) {
  auto parts_of = [&](float x) {
    std::vector<uint16_t> strip(strip_size(1, 2));
    unit().split_rows(&x, 0, 1, 1, 2, strip.data());
    return std::array{value(strip[0]), value(strip[kTileNumbers])};
  };
  EXPECT_EQ(parts_of(1.5f), (std::array{1.5f, 0.0f}));
  EXPECT_EQ(parts_of(1 + 0x1p-8f)[0], 1.0f) << "a tie goes to the even neighbour, here down";
  EXPECT_EQ(parts_of(1 + 3 * 0x1p-8f)[0], 1 + 4 * 0x1p-8f) << "and here up";
  EXPECT_EQ(parts_of(1 + 0x1p-8f + 0x1p-20f)[0], 1 + 0x1p-7f);
  EXPECT_EQ(parts_of(-1 - 0x1p-8f)[1], -0x1p-8f);
  EXPECT_TRUE(std::isnan(parts_of(std::numeric_limits<float>::quiet_NaN())[0]));
  EXPECT_EQ(parts_of(-std::numeric_limits<float>::infinity())[0],
            -std::numeric_limits<float>::infinity());
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    float x = std::ldexp(number(random), int(random.below(60)) - 30);
    auto [high, low] = parts_of(x);
    ASSERT_LE(std::fabs(x - high), std::fabs(x) * 0x1p-8f);
    ASSERT_LE(std::fabs(double(x) - high - low), std::fabs(x) * 0x1p-16) << x;
  }
}

TEST_P(EveryUnit, StripsAreFilledUpWithZeroes) {
  constexpr size_t kCount = 3, kDepth = 35;
  std::vector<float> rows(kCount * kDepth, 1.0f);
  for (size_t parts : {1, 2})
    for (bool columns : {false, true}) {
      std::vector<uint16_t> strip(strip_size(kDepth, parts), 0xffff);
      if (columns)
        unit().split_columns(rows.data(), kCount, kDepth, parts, strip.data());
      else
        unit().split_rows(rows.data(), kDepth, kCount, kDepth, parts, strip.data());
      double sum = 0;
      for (uint16_t x : strip) sum += value(x);
      EXPECT_EQ(sum, kCount * kDepth) << "a number outside is not zero";
    }
}

// What Intel's manual states for TDPBF16PS, for one element.
float stated(const float* a, const float* b, float c) {
  auto flush = [](float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; };
  float even = 0, odd = 0;
  for (size_t k = 0; k < kTileDepth; k += 2) {
    even = flush(std::fma(flush(a[k]), flush(b[k]), even));
    odd = flush(std::fma(flush(a[k + 1]), flush(b[k + 1]), odd));
  }
  return flush(flush(c) + flush(even + odd));
}

float rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return value(static_cast<uint16_t>(bits >> 16));
}

// Numbers that are bf16 already, so that a single part holds them.
TEST_P(EveryUnit, SumsRunInTheStatedOrder) {
  Random random(2);
  constexpr size_t kDepth = 3 * kTileDepth;
  for (int smallest : {-4, -70}) {
    Matrix a = random_matrix(random, 16, kDepth), b = random_matrix(random, 16, kDepth);
    for (Matrix* m : {&a, &b})
      for (size_t i = 0; i < 16 * kDepth; ++i)
        m->data()[i] = rounded(std::ldexp(m->data()[i], smallest + int(random.below(8))));
    std::vector<uint16_t> rows(strip_size(kDepth, 1)), columns(rows.size());
    unit().split_rows(a.data(), kDepth, 16, kDepth, 1, rows.data());
    unit().split_columns(b.data(), 16, kDepth, 1, columns.data());
    std::vector<float> sums(kTileSums);
    unit().multiply({rows.data(), columns.data(), sums.data(), 1, 1, kDepth, 1});
    size_t flushed = 0;
    for (size_t r = 0; r < 16; ++r)
      for (size_t c = 0; c < 16; ++c) {
        float expected = 0;
        for (size_t k = 0; k < kDepth; k += kTileDepth)
          expected = stated(a.row(r) + k, b.row(c) + k, expected);
        flushed += expected == 0;
        ASSERT_EQ(sums[r * 16 + c], expected) << r << " " << c;
      }
    EXPECT_EQ(flushed > 0, smallest == -70) << "the sample has no numbers below the normal range";
  }
}

TEST_P(EveryUnit, LinearIsAMatrixProductWithinItsPrecision) {
  Random random(3);
  for (size_t parts : {1, 2}) {
    Runtime runtime(2, std::nullopt, arithmetic(parts));
    const double tolerance = parts == 1 ? 0x1p-7 : 0x1p-15;
    for (auto [rows, outputs, inputs] :
         std::initializer_list<std::array<size_t, 3>>{{1, 1, 1},
                                                      {1, 16, 3},
                                                      {7, 17, 33},
                                                      {16, 32, 32},
                                                      {33, 63, 1000},
                                                      {100, 49, 8},
                                                      {300, 70, 40},
                                                      {5, 700, 600}}) {
      Layer layer = random_layer(runtime, random, outputs, inputs);
      Matrix in = random_matrix(random, rows, inputs),
             residual = random_matrix(random, rows, outputs), out;
      View view = residual;
      linear(runtime, in, layer.linear, out, Activation::relu, &view);
      for (size_t r = 0; r < rows; ++r)
        for (size_t o = 0; o < outputs; ++o) {
          double sum = layer.linear.bias[o], size = std::fabs(sum);
          for (size_t k = 0; k < inputs; ++k) {
            double product = double(in.row(r)[k]) * layer.plain.row(o)[k];
            sum += product;
            size += std::fabs(product);
          }
          double expected = std::max(sum, 0.0) + residual.row(r)[o];
          ASSERT_NEAR(out.row(r)[o], expected, tolerance * size + 1e-6)
              << rows << " " << outputs << " " << inputs;
        }
    }
  }
}

TEST_P(EveryUnit, ARowNeverDependsOnItsNeighbours) {
  Random random(4);
  for (size_t parts : {1, 2}) {
    Runtime two(2, std::nullopt, arithmetic(parts)), three(3, std::nullopt, arithmetic(parts));
    constexpr size_t kRows = 320, kOutputs = 81, kInputs = 300;
    Layer layer = random_layer(two, random, kOutputs, kInputs);
    Matrix in = random_matrix(random, kRows, kInputs), all, one;
    linear(two, in, layer.linear, all, Activation::gelu);
    for (int round = 0; round < 12; ++round) {
      size_t rows = 1 + random.below(round % 2 ? 20 : 290), first = random.below(kRows - rows + 1);
      linear(round % 3 ? three : two, View(in.row(first), rows, kInputs), layer.linear, one,
             Activation::gelu);
      ASSERT_TRUE(same_bits(one.data(), all.row(first), rows * kOutputs)) << rows << " " << first;
    }
  }
}

TEST_P(EveryUnit, WeightsAsStoredGiveTheSameBits) {
  Random random(5);
  Runtime runtime(2, std::nullopt, arithmetic(2));
  Layer layer = random_layer(runtime, random, 77, 100);
  Linear stored{Weights::as_stored(77, 100,
                                   [&](size_t begin, size_t end, float* to) {
                                     std::memcpy(to, layer.plain.row(begin),
                                                 (end - begin) * 100 * sizeof(float));
                                   }),
                layer.linear.bias};
  Matrix in = random_matrix(random, 40, 100), a, b;
  linear(runtime, in, layer.linear, a);
  linear(runtime, in, stored, b);
  ASSERT_TRUE(same_bits(a.data(), b.data(), 40 * 77));
  const int32_t targets[] = {76, 3};
  float packed_logits[2], stored_logits[2];
  double packed_sum, stored_sum;
  OutputRead read{7, targets, true, packed_logits, &packed_sum};
  read_outputs(runtime, in, layer.linear, {&read, 1});
  read = {7, targets, true, stored_logits, &stored_sum};
  read_outputs(runtime, in, stored, {&read, 1});
  EXPECT_EQ(packed_logits[0], a.row(7)[76]);
  EXPECT_EQ(packed_logits[1], a.row(7)[3]);
  EXPECT_TRUE(same_bits(packed_logits, stored_logits, 2));
  EXPECT_EQ(packed_sum, stored_sum);
}

TEST_P(EveryUnit, OutputsAreReadWhereAsked) {
  Random random(6);
  for (size_t parts : {1, 2}) {
    Runtime runtime(2, std::nullopt, arithmetic(parts)), alone(1, std::nullopt, arithmetic(parts));
    Layer layer = random_layer(runtime, random, 603, 40);
    Matrix in = random_matrix(random, 290, 40);
    std::vector<int32_t> targets;
    for (int i = 0; i < 35; ++i) targets.push_back(int32_t(random.below(603)));
    expect_outputs_where_asked(runtime, alone, layer.linear, in, targets, 9);
  }
}

TEST_P(EveryUnit, ComputesWhatTheEmulatorComputes) {
  Random random(7);
  for (size_t parts : {1, 2}) {
    Runtime runtime(1, std::nullopt, arithmetic(parts)),
        model(1, std::nullopt, {&emulated_tiles(), parts, "tested", ""});
    Random again = random;
    Layer layer = random_layer(runtime, random, 50, 700),
          same = random_layer(model, again, 50, 700);
    Matrix in = random_matrix(random, 20, 700), a, b;
    linear(runtime, in, layer.linear, a);
    linear(model, in, same.linear, b);
    // The manual fixes every rounding. Whether a processor keeps to it bit for bit is recorded;
    // nothing depends on it.
    RecordProperty("same_bits", same_bits(a.data(), b.data(), 20 * 50) ? "yes" : "no");
    if (GetParam() != amx_tiles()) {
      ASSERT_TRUE(same_bits(a.data(), b.data(), 20 * 50));
    }
    for (size_t i = 0; i < 20 * 50; ++i) ASSERT_NEAR(a.data()[i], b.data()[i], 1e-4);
  }
}

TEST_P(EveryUnit, PassesItsSelfTest) { EXPECT_EQ(self_test(unit()), ""); }

INSTANTIATE_TEST_SUITE_P(Nn, EveryUnit, ::testing::ValuesIn(units()),
                         [](const auto& tested) { return name_of_unit(tested.param); });

// Two parts must be worth having: far nearer to fp32 than one.
TEST(Tiles, TwoPartsKeepSixteenBits) {
  Random random(8);
  Runtime fp32(1), fast(1, std::nullopt, {&emulated_tiles(), 2, "fast", ""}),
      bf16(1, std::nullopt, {&emulated_tiles(), 1, "bf16", ""});
  Matrix out[3], in = random_matrix(random, 32, 768);
  Runtime* runtimes[] = {&fp32, &fast, &bf16};
  for (int i = 0; i < 3; ++i) {
    Random same(9);
    Layer layer = random_layer(*runtimes[i], same, 64, 768);
    linear(*runtimes[i], in, layer.linear, out[i]);
  }
  double apart[3] = {};
  for (int i = 1; i < 3; ++i)
    for (size_t j = 0; j < 32 * 64; ++j)
      apart[i] += std::pow(out[i].data()[j] - out[0].data()[j], 2);
  EXPECT_LT(std::sqrt(apart[1] / (32 * 64)), 1e-4);
  EXPECT_GT(std::sqrt(apart[2]), 100 * std::sqrt(apart[1]));
}

// ---- machines that promise what they do not keep ----

std::string test_of_broken_unit(void (*multiply)(const TileProduct&)) {
  TileUnit unit = emulated_tiles();
  unit.multiply = multiply;
  return self_test(unit);
}

TEST(MatrixUnit, AMachineThatLiesIsFoundOut) {
  EXPECT_THAT(test_of_broken_unit([](const TileProduct&) { __builtin_trap(); }),
              HasSubstr("signal 4"));
  EXPECT_THAT(test_of_broken_unit([](const TileProduct&) { std::raise(SIGSEGV); }),
              HasSubstr("signal 11"));
  EXPECT_THAT(test_of_broken_unit([](const TileProduct& p) {
                emulated_tiles().multiply(p);
                p.sums[3] += 1000;
              }),
              HasSubstr("not exact enough"));
  EXPECT_THAT(test_of_broken_unit([](const TileProduct& p) {
                emulated_tiles().multiply(p);
                // Within what bf16 rounds away, but not what the parts give.
                for (size_t i = 0; p.parts == 1 && i < kTileSums; ++i) p.sums[i] *= 1.001f;
              }),
              HasSubstr("than the manual states"));
}

class ChosenArithmetic : public ::testing::Test {
 protected:
  ~ChosenArithmetic() override {
    unsetenv("MINPAIR_MATRIX_UNIT");
    unsetenv("MINPAIR_PRECISION");
  }
  static std::string error_of(const char* wanted) {
    try {
      choose_arithmetic(wanted);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(ChosenArithmetic, WithoutAUnit) {
  setenv("MINPAIR_MATRIX_UNIT", "none", 1);
  for (const char* wanted : {"fp32", "fast", "auto"}) {
    Arithmetic a = choose_arithmetic(wanted);
    EXPECT_EQ(a.unit, nullptr);
    EXPECT_EQ(a.parts, 0u);
    EXPECT_EQ(a.precision, "fp32");
  }
  EXPECT_THAT(choose_arithmetic("fast").note, HasSubstr("precision fp32 instead of fast"));
  EXPECT_THAT(error_of("bf16"), HasSubstr("needs a matrix unit"));
}

TEST_F(ChosenArithmetic, EmulatedIsNeverTakenForTheProcessorsOwn) {
  setenv("MINPAIR_MATRIX_UNIT", "emulated", 1);
  EXPECT_EQ(choose_arithmetic("auto").precision, "fast-emulated");
  EXPECT_EQ(choose_arithmetic("auto").parts, 2u);
  EXPECT_EQ(choose_arithmetic("bf16").precision, "bf16-emulated");
  EXPECT_EQ(choose_arithmetic("bf16").parts, 1u);
  EXPECT_EQ(choose_arithmetic("fp32").unit, nullptr);
  EXPECT_EQ(choose_arithmetic("fast").note, "matrix unit: emulated, precision fast");
}

TEST_F(ChosenArithmetic, WhatTheProcessorHas) {
  Arithmetic a = choose_arithmetic("auto");
  EXPECT_EQ(a.unit, lacking_for_amx().empty() ? amx_tiles() : nullptr);
  EXPECT_EQ(a.precision, a.unit ? "fast" : "fp32");
}

TEST_F(ChosenArithmetic, WrongSettingsAreNamed) {
  EXPECT_THAT(error_of("fp8"), HasSubstr("'fp8' is unknown"));
  setenv("MINPAIR_MATRIX_UNIT", "abacus", 1);
  EXPECT_THAT(error_of("fast"), HasSubstr("abacus"));
  EXPECT_EQ(error_of("fp32"), "");
  setenv("MINPAIR_PRECISION", "fp32", 1);
  EXPECT_EQ(error_of("auto"), "");
  setenv("MINPAIR_PRECISION", "double", 1);
  EXPECT_THAT(error_of("auto"), HasSubstr("'double' is unknown"));
}

}  // namespace
}  // namespace minpair::nn
