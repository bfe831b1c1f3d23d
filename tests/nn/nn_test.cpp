#include "nn/nn.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/outputs_check.h"

namespace minpair::nn {
namespace {

double reference(Activation kind, double x) {
  switch (kind) {
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::exponential:
      return std::exp(x);
    case Activation::softplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case Activation::none:
      break;
  }
  return x;
}

constexpr Activation kAll[] = {Activation::none,    Activation::gelu,    Activation::gelu_tanh,
                               Activation::relu,    Activation::silu,    Activation::tanh,
                               Activation::sigmoid, Activation::softplus};

class EveryIsa : public ::testing::TestWithParam<Isa> {};

TEST_P(EveryIsa, ActivationsAreClose) {
  Runtime runtime(1, GetParam());
  for (Activation kind : kAll) {
    std::vector<float> x;
    for (double v = -30; v < 30; v += 0.0037) x.push_back(static_cast<float>(v));
    for (float v : {-1e30f, -1000.0f, -100.0f, 0.0f, 1e-30f, 100.0f}) x.push_back(v);
    std::vector<float> y = x;
    runtime.kernels().activate(kind, y.data(), y.size());
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(y[i], reference(kind, x[i]), 4e-7 * std::max(1.0f, std::abs(x[i])))
          << "activation " << int(kind) << " of " << x[i];
  }
}

// Relative as well: the steps of a state-space model are small.
TEST_P(EveryIsa, SoftplusHasAllDigitsOfSmallNumbers) {
  Runtime runtime(1, GetParam());
  for (float x = -80; x < 0; x += 0.0173f) {
    float y = x;
    runtime.kernels().activate(Activation::softplus, &y, 1);
    const double expected = reference(Activation::softplus, x);
    ASSERT_NEAR(y, expected, 1e-6 * expected) << x;
  }
}

TEST_P(EveryIsa, ExponentialsAreCloseForTheirSize) {
  Runtime runtime(1, GetParam());
  for (float x = -80; x < 80; x += 0.0173f) {
    float y = x;
    runtime.kernels().activate(Activation::exponential, &y, 1);
    const double expected = std::exp(double(x));
    ASSERT_NEAR(y, expected, 3e-7 * expected) << x;
  }
}

TEST_P(EveryIsa, LinearIsAMatrixProduct) {
  Runtime runtime(2, GetParam());
  Random random(1);
  for (auto [rows, outputs, inputs] : std::initializer_list<std::array<size_t, 3>>{
           {1, 1, 1}, {1, 16, 3}, {7, 17, 33}, {13, 63, 1000}, {200, 49, 8}, {5, 700, 1600}}) {
    Layer layer = random_layer(runtime, random, outputs, inputs);
    Matrix in = random_matrix(random, rows, inputs),
           residual = random_matrix(random, rows, outputs);
    Matrix out;
    View view = residual;
    linear(runtime, in, layer.linear, out, Activation::gelu, &view);
    for (size_t r = 0; r < rows; ++r)
      for (size_t o = 0; o < outputs; ++o) {
        double sum = 0;
        for (size_t k = 0; k < inputs; ++k) sum += double(in.row(r)[k]) * layer.plain.row(o)[k];
        double expected =
            reference(Activation::gelu, sum + layer.linear.bias[o]) + residual.row(r)[o];
        ASSERT_NEAR(out.row(r)[o], expected, 6e-5) << rows << " " << outputs << " " << inputs;
      }
  }
}

TEST_P(EveryIsa, ARowNeverDependsOnItsNeighbours) {
  Runtime two(2, GetParam()), three(3, GetParam());
  Random random(2);
  Layer layer = random_layer(two, random, 211, 1000);
  Matrix in = random_matrix(random, 500, 1000), all, one;
  linear(two, in, layer.linear, all, Activation::gelu_tanh);
  for (int round = 0; round < 60; ++round) {
    size_t rows = 1 + random.below(round % 2 ? 20 : 400), first = random.below(500 - rows + 1);
    linear(round % 3 ? three : two, View(in.row(first), rows, 1000), layer.linear, one,
           Activation::gelu_tanh);
    ASSERT_TRUE(same_bits(one.data(), all.row(first), rows * 211)) << rows << " from " << first;
  }
}

TEST_P(EveryIsa, NormIsCloseInEveryWidth) {
  Runtime runtime(1, GetParam());
  Random random(3);
  for (size_t width : {1, 5, 16, 31, 48, 768}) {
    for (bool centered : {true, false}) {
      Matrix in = random_matrix(random, 3, width, 5), out;
      Norm norm{.epsilon = 1e-5f, .centered = centered};
      for (size_t i = 0; i < width; ++i) norm.weight.push_back(number(random));
      if (centered)
        for (size_t i = 0; i < width; ++i) norm.bias.push_back(number(random));
      normalize(runtime, in, norm, out);
      for (size_t r = 0; r < 3; ++r) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < width && centered; ++i) mean += in.row(r)[i] / double(width);
        for (size_t i = 0; i < width; ++i)
          variance += std::pow(in.row(r)[i] - mean, 2) / double(width);
        for (size_t i = 0; i < width; ++i)
          ASSERT_NEAR(out.row(r)[i],
                      (in.row(r)[i] - mean) / std::sqrt(variance + 1e-5) * norm.weight[i] +
                          (centered ? norm.bias[i] : 0),
                      1e-5);
      }
    }
  }
}

// One query, one head, in double precision.
std::vector<double> slow_attention(const float* q, const View& k, const View& v, size_t column,
                                   size_t first, size_t begin, size_t end, size_t width,
                                   double scale) {
  std::vector<double> weight, out(width);
  double sum = 0, top = -1e300;
  for (size_t j = begin; j < end; ++j) {
    double s = 0;
    for (size_t d = 0; d < width; ++d) s += double(q[d]) * k.row(first + j)[column + d];
    weight.push_back(s * scale);
    top = std::max(top, weight.back());
  }
  for (double& w : weight) sum += w = std::exp(w - top);
  for (size_t j = begin; j < end; ++j)
    for (size_t d = 0; d < width; ++d)
      out[d] += weight[j - begin] / sum * v.row(first + j)[column + d];
  return out;
}

TEST_P(EveryIsa, AttentionSeesItsWindowAndNothingElse) {
  Runtime runtime(2, GetParam());
  Random random(4);
  for (size_t width : {8, 16, 48, 64}) {
    for (size_t window : {size_t{3}, size_t{40}, SIZE_MAX}) {
      for (bool causal : {false, true}) {
        AttentionShape shape{.heads = 4,
                             .key_heads = 2,
                             .width = width,
                             .scale = 0.3f,
                             .before = window,
                             .after = causal ? 0 : window};
        std::vector<Sequence> sequences;
        size_t queries = 0, keys = 0;
        for (size_t n : {1, 5, 16, 17, 130, 2}) {
          size_t prefix = causal ? random.below(4) : 0;
          sequences.push_back({queries, n, keys, n + prefix});
          queries += n;
          keys += n + prefix;
        }
        Matrix q = random_matrix(random, queries, 4 * width, 2),
               k = random_matrix(random, keys, 2 * width, 2),
               v = random_matrix(random, keys, 2 * width, 2), out;
        attend(runtime, shape, sequences, q, k, v, out);
        for (const Sequence& s : sequences)
          for (size_t i = 0; i < s.queries; ++i)
            for (size_t h = 0; h < 4; ++h) {
              size_t p = i + s.keys - s.queries;
              size_t begin = p > window ? p - window : 0;
              size_t end = causal ? p + 1 : window >= s.keys - p ? s.keys : p + window + 1;
              auto expected = slow_attention(q.row(s.query + i) + h * width, k, v, h / 2 * width,
                                             s.key, begin, end, width, shape.scale);
              for (size_t d = 0; d < width; ++d)
                ASSERT_NEAR(out.row(s.query + i)[h * width + d], expected[d], 1e-5);
            }
      }
    }
  }
}

TEST_P(EveryIsa, ACausalPrefixKnowsNothingOfWhatFollows) {
  Runtime runtime(2, GetParam());
  Random random(5);
  AttentionShape shape{.heads = 2, .key_heads = 2, .width = 48, .scale = 0.2f, .after = 0};
  Matrix qkv = random_matrix(random, 150, 3 * 96, 2), whole, part;
  View q(qkv.data(), 150, 96, 288), k(qkv.data() + 96, 150, 96, 288),
      v(qkv.data() + 192, 150, 96, 288);
  Sequence all{0, 150, 0, 150};
  attend(runtime, shape, {&all, 1}, q, k, v, whole);
  for (size_t n : {1, 2, 15, 16, 17, 49, 149}) {
    Sequence prefix{0, n, 0, n}, last{0, 1, 0, n};
    attend(runtime, shape, {&prefix, 1}, q, k, v, part);
    ASSERT_TRUE(same_bits(part.data(), whole.data(), n * 96)) << n;
    attend(runtime, shape, {&last, 1}, View(q.row(n - 1), 1, 96, 288), k, v, part);
    ASSERT_TRUE(same_bits(part.data(), whole.row(n - 1), 96)) << n;
  }
}

// Rows that are copied, because they begin a multiple of 4 kB apart, and the same rows elsewhere.
TEST_P(EveryIsa, CrowdedRowsHaveTheSameBits) {
  Runtime runtime(2, GetParam()), alone(1, GetParam());
  Random random(11);
  for (size_t inputs : {1024, 3072}) {
    ASSERT_TRUE(crowded(inputs));
    const Layer layer = random_layer(runtime, random, 301, inputs);
    for (size_t rows : {1, 2, 12, 13, 200}) {
      const Matrix in = random_matrix(random, rows, inputs, 0.1f);
      Matrix apart(rows, inputs + 16), from_crowded, from_apart;
      for (size_t i = 0; i < rows; ++i)
        std::memcpy(apart.row(i), in.row(i), inputs * sizeof(float));
      linear(runtime, in, layer.linear, from_crowded, Activation::gelu);
      linear(alone, apart.part(0, inputs), layer.linear, from_apart, Activation::gelu);
      EXPECT_TRUE(same_bits(from_crowded.data(), from_apart.data(), rows * 301)) << rows;
    }
    expect_outputs_where_asked(runtime, alone, layer.linear,
                               random_matrix(random, 30, inputs, 0.1f), {0, 17, 300}, 3);
  }
}

TEST_P(EveryIsa, OutputsAreReadWhereAsked) {
  Runtime runtime(2, GetParam()), alone(1, GetParam());
  Random random(6);
  Layer layer = random_layer(runtime, random, 1003, 96);
  expect_outputs_where_asked(runtime, alone, layer.linear, random_matrix(random, 130, 96),
                             {0, 17, 1002, 17, 500, 501, 502, 503, 504, 900}, 3);
}

TEST_P(EveryIsa, GatesMultiply) {
  Runtime runtime(1, GetParam());
  Random random(7);
  Matrix in = random_matrix(random, 9, 2 * 37, 3), out;
  gated(runtime, in, Activation::silu, out);
  ASSERT_EQ(out.columns(), 37u);
  for (size_t r = 0; r < 9; ++r)
    for (size_t i = 0; i < 37; ++i)
      ASSERT_NEAR(out.row(r)[i], reference(Activation::silu, in.row(r)[i]) * in.row(r)[i + 37],
                  1e-5);
}

TEST_P(EveryIsa, KeepsWhatIsMarkedInOrder) {
  Runtime runtime(1, GetParam());
  for (size_t count : {0u, 1u, 16u, 37u, 200u}) {
    std::vector<float> values(count + 1, -1), expected;
    std::vector<uint8_t> marks(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = float(i);
      marks[i] = i % 3 != 1 && i % 17 != 5;
      if (marks[i]) expected.push_back(float(i));
    }
    ASSERT_EQ(runtime.kernels().keep(values.data(), marks.data(), count), expected.size());
    EXPECT_EQ(values[count], -1) << "wrote behind its end";
    values.resize(expected.size());
    EXPECT_EQ(values, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Nn, EveryIsa, ::testing::ValuesIn(available_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(Runtime, FusedInstructionSetsGiveTheSameBits) {
  std::vector<Isa> isas = available_isas();
  if (isas.size() < 3) GTEST_SKIP() << "needs a machine with AVX-512";
  Random random(8);
  Runtime narrow(1, Isa::avx2), wide(1, Isa::avx512);
  Layer layer = random_layer(narrow, random, 100, 900);
  Matrix in = random_matrix(random, 31, 900), a, b;
  linear(narrow, in, layer.linear, a, Activation::gelu);
  linear(wide, in, layer.linear, b, Activation::gelu);
  ASSERT_TRUE(same_bits(a.data(), b.data(), 31 * 100));
}

TEST(Runtime, EveryUnitRunsOnceAndErrorsComeBack) {
  for (int threads : {1, 2, 4}) {
    Runtime runtime(threads);
    std::vector<int> ran(1000);
    runtime.parallel(1000, [&](size_t unit, int) { ++ran[unit]; });
    EXPECT_EQ(ran, std::vector<int>(1000, 1));
    EXPECT_THROW(runtime.parallel(100,
                                  [&](size_t unit, int) {
                                    if (unit == 50) throw bad_input("no");
                                  }),
                 Error);
    runtime.parallel(1000, [&](size_t unit, int) { ++ran[unit]; });
    EXPECT_EQ(ran, std::vector<int>(1000, 2));
  }
}

// Once a thread that could not be started left the others waiting for ever.
TEST(Runtime, WorksWithTheThreadsThatCanBeHad) {
#ifdef MINPAIR_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
#endif
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    struct rlimit limit {};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{600} << 20;
    ::setrlimit(RLIMIT_AS, &limit);
    Runtime runtime(1024);
    std::vector<int> ran(1000);
    runtime.parallel(1000, [&](size_t unit, int) { ++ran[unit]; });
    bool fewer = runtime.threads() >= 1 && runtime.threads() < 1024;
    ::_exit(fewer && ran == std::vector<int>(1000, 1) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Runtime, WrongSettingsAreNamed) {
  setenv("MINPAIR_ISA", "mmx", 1);
  EXPECT_THROW(Runtime(1), Error);
  unsetenv("MINPAIR_ISA");
  setenv("MINPAIR_THREADS", "many", 1);
  EXPECT_THROW(Runtime(), Error);
  setenv("MINPAIR_THREADS", "3", 1);
  EXPECT_EQ(Runtime().threads(), 3);
  unsetenv("MINPAIR_THREADS");
}

TEST(Rotary, TurnsPairsHalfAHeadApart) {
  Runtime runtime(1);
  Rotary rotary(rotary_frequencies(10000, 4));
  float rows[8] = {9, 9, 9, 9, 1, 2, 3, 4};
  uint32_t positions[2] = {0, 5};
  rotary.apply(runtime, positions, 1, rows, 4);
  const float* head = rows + 4;
  EXPECT_EQ(rows[0], 9);
  EXPECT_NEAR(head[0], 1 * std::cos(5.0) - 3 * std::sin(5.0), 1e-6);
  EXPECT_NEAR(head[2], 3 * std::cos(5.0) + 1 * std::sin(5.0), 1e-6);
  EXPECT_NEAR(head[1], 2 * std::cos(0.05) - 4 * std::sin(0.05), 1e-6);
  EXPECT_NEAR(head[3], 4 * std::cos(0.05) + 2 * std::sin(0.05), 1e-6);
}

TEST(Rotary, TurnsByATable) {
  Runtime runtime(1);
  Matrix table(2, 4);
  const float numbers[] = {0, 0, 1, 1, 0.6f, 0.8f, 0.8f, 0.6f};
  std::copy_n(numbers, 8, table.data());
  Rotary rotary = Rotary::of_table(table, true);
  float rows[8] = {1, 2, 3, 4, 1, 2, 3, 4};
  const uint32_t positions[2] = {0, 1};
  rotary.apply(runtime, positions, 1, rows, 4);
  EXPECT_EQ(rows[1], 2);
  EXPECT_NEAR(rows[4], 1 * 0.8 - 2 * 0.6, 1e-6);
  EXPECT_NEAR(rows[5], 2 * 0.8 + 1 * 0.6, 1e-6);
  EXPECT_NEAR(rows[7], 4 * 0.6 + 3 * 0.8, 1e-6);
}

}  // namespace
}  // namespace minpair::nn
