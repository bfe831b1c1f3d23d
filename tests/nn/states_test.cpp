// States and memories of models without attention, one kernel at a time, against sums in double
// precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/kernels.h"
#include "nn/random_layer.h"

namespace minpair::nn {
namespace {

class States : public ::testing::TestWithParam<Isa> {};

// A state that takes nothing up, and answers with what is left of it.
TEST_P(States, StatesFadeByPowersOfTwo) {
  Runtime runtime(1, GetParam());
  for (float x = -140; x <= 126; x += 0.0171f) {
    std::vector<float> state(kPanel, 1), decay(kPanel, x);
    const float one = 1, none = 0;
    float out = 0;
    StateStep step{.states = state.data(),
                   .count = 1,
                   .decays = decay.data(),
                   .lengths = &one,
                   .input = &none,
                   .b = &none,
                   .c = &one,
                   .out = &out,
                   .channels = 1};
    runtime.kernels().advance(&step, 1);
    const double expected = std::exp2(std::max(double(x), -126.0));
    ASSERT_NEAR(out, expected, 1.2e-7 * expected) << x;
    ASSERT_EQ(state[0], out);
  }
}

// Some channels, more and fewer states than lanes; what is beyond the channels is neither read nor
// written.
TEST_P(States, StatesAdvance) {
  Runtime runtime(1, GetParam());
  Random random(3);
  for (size_t channels : {1, 5, 16})
    for (size_t count : {1, 16, 23}) {
      Matrix before = random_matrix(random, count, kPanel),
             decays = random_matrix(random, count, kPanel), in = random_matrix(random, 2, channels),
             bc = random_matrix(random, 2, count);
      std::vector<float> states(before.data(), before.data() + count * kPanel),
          out(channels + 1, 77);
      StateStep step{.states = states.data(),
                     .count = count,
                     .decays = decays.row(0),
                     .lengths = in.row(0),
                     .input = in.row(1),
                     .b = bc.row(0),
                     .c = bc.row(1),
                     .out = out.data(),
                     .channels = channels};
      runtime.kernels().advance(&step, 1);
      EXPECT_EQ(out[channels], 77);
      for (size_t c = 0; c < channels; ++c) {
        double answer = 0;
        const double length = in.row(0)[c];
        for (size_t n = 0; n < count; ++n) {
          const double state = std::exp2(length * decays.row(n)[c]) * before.row(n)[c] +
                               length * in.row(1)[c] * bc.row(0)[n];
          EXPECT_NEAR(states[n * kPanel + c], state, 1e-6 * (1 + std::abs(state)));
          answer += state * bc.row(1)[n];
        }
        EXPECT_NEAR(out[c], answer, 1e-5 * (1 + std::abs(answer))) << channels << " " << count;
      }
    }
}

// Four at once, two, and a last one: the same bits as one by one.
TEST_P(States, StatesAdvanceSeveralStepsAtOnce) {
  Runtime runtime(1, GetParam());
  Random random(4);
  constexpr size_t kSteps = 7, kCount = 19;
  for (size_t channels : {7, 16}) {
    Matrix before = random_matrix(random, kCount, kPanel),
           decays = random_matrix(random, kCount, kPanel),
           in = random_matrix(random, 2 * kSteps, channels),
           bc = random_matrix(random, 2 * kSteps, kCount);
    std::vector<float> states[2], out[2];
    for (size_t how = 0; how < 2; ++how) {
      states[how].assign(before.data(), before.data() + kCount * kPanel);
      out[how].resize(kSteps * channels);
      std::vector<StateStep> steps;
      for (size_t t = 0; t < kSteps; ++t)
        steps.push_back({.states = states[how].data(),
                         .count = kCount,
                         .decays = decays.row(0),
                         .lengths = in.row(2 * t),
                         .input = in.row(2 * t + 1),
                         .b = bc.row(2 * t),
                         .c = bc.row(2 * t + 1),
                         .out = out[how].data() + t * channels,
                         .channels = channels});
      if (how == 0)
        runtime.kernels().advance(steps.data(), kSteps);
      else
        for (const StateStep& step : steps) runtime.kernels().advance(&step, 1);
    }
    EXPECT_EQ(states[0], states[1]);
    EXPECT_EQ(out[0], out[1]);
  }
}

// Against products one by one. Steps that came before give no answer, and change none.
TEST_P(States, InputsFadeStepByStep) {
  Runtime runtime(1, GetParam());
  Random random(5);
  for (size_t before : {0, 3, 20})
    for (size_t steps : {1, 17, 44}) {
      const size_t all = before + steps;
      Matrix shares = random_matrix(random, 2, all),
             dots = random_matrix(random, steps, kFadingRun);
      std::vector<float> left(steps), weights(steps * kFadingRun), ends(kFadingRun), taken(all);
      runtime.kernels().fade({.before = before,
                              .steps = steps,
                              .kept = shares.row(0),
                              .taken = shares.row(1),
                              .dots = dots.row(0),
                              .stride = kFadingRun,
                              .left = left.data(),
                              .weights = weights.data(),
                              .ends = ends.data()});
      float kept = 1;
      for (size_t i = 0; i < all; ++i) {
        for (size_t j = 0; j < i; ++j) taken[j] *= shares.row(0)[i];
        taken[i] = shares.row(1)[i];
        kept *= shares.row(0)[i];
        if (i < before) continue;
        EXPECT_EQ(left[i - before], kept);
        for (size_t j = 0; j <= i; ++j)
          EXPECT_EQ(weights[(i - before) * kFadingRun + j], taken[j] * dots.row(i - before)[j])
              << before << " " << i << " " << j;
      }
      for (size_t j = 0; j < all; ++j) EXPECT_EQ(ends[j], taken[j]);
    }
}

// What is beyond the channels is neither read nor written, and a step has no inputs after its own.
// Where nothing is in the answers yet, what stands there is not read. A step has the same bits
// alone.
TEST_P(States, InputsAreBlended) {
  Runtime runtime(1, GetParam());
  Random random(6);
  constexpr size_t kSteps = 17, kBefore = 3;
  for (bool fresh : {false, true})
    for (size_t channels : {1, 16, 37, 70}) {
      Matrix in = random_matrix(random, kBefore + kSteps, channels),
             weights = random_matrix(random, kSteps, kFadingRun),
             before = random_matrix(random, kSteps, channels + 1),
             left = random_matrix(random, 1, kSteps);
      std::vector<float> out(before.data(), before.data() + kSteps * (channels + 1)), alone = out;
      const float* inputs[kBefore + kSteps];
      for (size_t i = 0; i < kBefore + kSteps; ++i) inputs[i] = in.row(i);
      auto blend = [&](size_t first, size_t steps, float* to) {
        runtime.kernels().blend({.inputs = inputs,
                                 .before = kBefore + first,
                                 .steps = steps,
                                 .left = fresh ? nullptr : left.row(0) + first,
                                 .weights = weights.row(first),
                                 .out = to + first * (channels + 1),
                                 .stride = channels + 1,
                                 .channels = channels});
      };
      blend(0, kSteps, out.data());
      for (size_t t = 0; t < kSteps; ++t) blend(t, 1, alone.data());
      EXPECT_EQ(out, alone);
      for (size_t t = 0; t < kSteps; ++t) {
        EXPECT_EQ(out[t * (channels + 1) + channels], before.row(t)[channels]);
        for (size_t c = 0; c < channels; ++c) {
          double sum = fresh ? 0 : double(left.row(0)[t]) * before.row(t)[c];
          for (size_t i = 0; i <= kBefore + t; ++i) sum += double(weights.row(t)[i]) * in.row(i)[c];
          EXPECT_NEAR(out[t * (channels + 1) + c], sum, 2e-5) << channels << " " << t;
        }
      }
    }
}

TEST_P(States, StatesTakeUpInputs) {
  Runtime runtime(1, GetParam());
  Random random(7);
  for (size_t channels : {1, 16})
    for (size_t count : {1, 23}) {
      Matrix before = random_matrix(random, count, kPanel),
             keys = random_matrix(random, kFadingRun / kPanel * count, kPanel),
             in = random_matrix(random, kFadingRun, channels),
             taken = random_matrix(random, 1, kFadingRun);
      std::vector<float> states(before.data(), before.data() + count * kPanel);
      const float* inputs[kFadingRun];
      for (size_t i = 0; i < kFadingRun; ++i) inputs[i] = in.row(i);
      runtime.kernels().take_up({.states = states.data(),
                                 .count = count,
                                 .left = 0.75f,
                                 .keys = keys.row(0),
                                 .inputs = inputs,
                                 .taken = taken.row(0),
                                 .channels = channels});
      for (size_t n = 0; n < count; ++n)
        for (size_t c = 0; c < channels; ++c) {
          double state = 0.75 * before.row(n)[c];
          for (size_t i = 0; i < kFadingRun; ++i)
            state += double(taken.row(0)[i]) * keys.row(i / kPanel * count + n)[i % kPanel] *
                     in.row(i)[c];
          EXPECT_NEAR(states[n * kPanel + c], state, 2e-5) << channels << " " << count;
        }
    }
}

// With and without something that is taken away, asked before and after; an odd number of keys.
TEST_P(States, MemoriesAreWrittenAndAsked) {
  Runtime runtime(1, GetParam());
  Random random(8);
  constexpr size_t kKeys = 7;
  for (size_t channels : {1, 5, 16})
    for (bool removes : {false, true})
      for (bool first : {false, true}) {
        Matrix before = random_matrix(random, kKeys, kPanel), of = random_matrix(random, 5, kKeys),
               value = random_matrix(random, 1, channels);
        std::vector<float> memory(before.data(), before.data() + kKeys * kPanel),
            out(channels + 1, 77);
        const MemoryStep step{.memory = memory.data(),
                              .keys = kKeys,
                              .kept = of.row(0),
                              .key = of.row(1),
                              .asked = of.row(2),
                              .removed = removes ? of.row(3) : nullptr,
                              .rates = removes ? of.row(4) : nullptr,
                              .asks_first = first,
                              .own = 0.5f,
                              .value = value.row(0),
                              .out = out.data(),
                              .channels = channels};
        runtime.kernels().remember(&step, 1);
        EXPECT_EQ(out[channels], 77);
        for (size_t c = 0; c < channels; ++c) {
          double old = 0, answer = first ? 0.5 * value.row(0)[c] : 0;
          for (size_t k = 0; removes && k < kKeys; ++k)
            old += double(of.row(3)[k]) * before.row(k)[c];
          for (size_t k = 0; k < kKeys; ++k) {
            const double row = double(of.row(0)[k]) * before.row(k)[c] +
                               double(of.row(1)[k]) * value.row(0)[c] -
                               (removes ? of.row(4)[k] * old : 0);
            EXPECT_NEAR(memory[k * kPanel + c], row, 1e-5);
            answer += of.row(2)[k] * (first ? double(before.row(k)[c]) : row);
          }
          EXPECT_NEAR(out[c], answer, 1e-5) << channels << " " << removes << " " << first;
        }
      }
}

// Steps that go together have the bits of steps one by one.
TEST_P(States, MemoriesTakeManySteps) {
  Runtime runtime(1, GetParam());
  Random random(10);
  constexpr size_t kSteps = 5, kKeys = 7, kChannels = 13;
  for (bool removes : {false, true})
    for (bool first : {false, true}) {
      Matrix before = random_matrix(random, kKeys, kPanel),
             of = random_matrix(random, 5 * kSteps, kKeys),
             value = random_matrix(random, kSteps, kChannels);
      std::vector<float> memory[2], out[2];
      for (size_t how = 0; how < 2; ++how) {
        memory[how].assign(before.data(), before.data() + kKeys * kPanel);
        out[how].resize(kSteps * kChannels);
        std::vector<MemoryStep> steps;
        for (size_t t = 0; t < kSteps; ++t)
          steps.push_back({.memory = memory[how].data(),
                           .keys = kKeys,
                           .kept = of.row(5 * t),
                           .key = of.row(5 * t + 1),
                           .asked = of.row(5 * t + 2),
                           .removed = removes ? of.row(5 * t + 3) : nullptr,
                           .rates = removes ? of.row(5 * t + 4) : nullptr,
                           .asks_first = first,
                           .own = 0.5f,
                           .value = value.row(t),
                           .out = out[how].data() + t * kChannels,
                           .channels = kChannels});
        if (how == 0)
          runtime.kernels().remember(steps.data(), kSteps);
        else
          for (const MemoryStep& step : steps) runtime.kernels().remember(&step, 1);
      }
      EXPECT_EQ(memory[0], memory[1]);
      EXPECT_EQ(out[0], out[1]);
    }
}

// With and without a bias, in parts; fewer rows than taps at the beginning of a text.
TEST_P(States, RowsAreConvolved) {
  Runtime runtime(1, GetParam());
  Random random(11);
  constexpr size_t kReach = 4;
  for (size_t channels : {1, 16, 37})
    for (size_t count : {size_t(1), kReach})
      for (bool biased : {false, true}) {
        Matrix in = random_matrix(random, kReach, channels),
               taps = random_matrix(random, kReach, channels),
               bias = random_matrix(random, 1, channels);
        std::vector<float> out(channels + 1, 77);
        const float* rows[kReach];
        for (size_t i = 0; i < kReach; ++i) rows[i] = in.row(i);
        for (size_t begin = 0; begin < channels; begin += kPanel)
          runtime.kernels().convolve({.rows = rows,
                                      .count = count,
                                      .taps = taps.row(kReach - 1),
                                      .bias = biased ? bias.row(0) : nullptr,
                                      .activation = Activation::relu,
                                      .out = out.data(),
                                      .channels = channels,
                                      .begin = begin,
                                      .end = std::min(channels, begin + kPanel)});
        EXPECT_EQ(out[channels], 77);
        for (size_t c = 0; c < channels; ++c) {
          double sum = biased ? bias.row(0)[c] : 0;
          for (size_t i = 0; i < count; ++i)
            sum += double(taps.row(kReach - 1 - i)[c]) * in.row(i)[c];
          EXPECT_NEAR(out[c], std::max(sum, 0.0), 1e-5) << channels << count << biased;
        }
      }
}

// With and without a row before it, and something that is added to the share.
TEST_P(States, RowsAreMixed) {
  Runtime runtime(1, GetParam());
  Random random(9);
  for (size_t channels : {1, 16, 37})
    for (bool first : {false, true})
      for (bool more : {false, true}) {
        Matrix in = random_matrix(random, 4, channels);
        std::vector<float> out(channels + 1, 77);
        runtime.kernels().mix({.now = in.row(0),
                               .before = first ? nullptr : in.row(1),
                               .share = in.row(2),
                               .more = more ? in.row(3) : nullptr,
                               .out = out.data(),
                               .channels = channels});
        EXPECT_EQ(out[channels], 77);
        for (size_t c = 0; c < channels; ++c) {
          const double now = in.row(0)[c], before = first ? 0 : in.row(1)[c],
                       share = double(in.row(2)[c]) + (more ? in.row(3)[c] : 0);
          EXPECT_NEAR(out[c], now + (before - now) * share, 1e-6) << channels << first << more;
        }
      }
}

// Against the mean itself, with all weights of the past at once.
TEST_P(States, MeansFade) {
  Runtime runtime(1, GetParam());
  Random random(5);
  constexpr size_t kSteps = 30;
  for (size_t channels : {1, 7, 16}) {
    Matrix key = random_matrix(random, kSteps, channels, 30),
           value = random_matrix(random, kSteps, channels),
           more = random_matrix(random, 2, channels);
    std::vector<float> sum(kPanel), weights(kPanel), largest(kPanel, -1e38f), out(channels + 1, 77);
    for (size_t c = 0; c < channels; ++c) more.row(1)[c] = -std::abs(more.row(1)[c]);
    for (size_t t = 0; t < kSteps; ++t) {
      runtime.kernels().take_mean({.sum = sum.data(),
                                   .weights = weights.data(),
                                   .largest = largest.data(),
                                   .key = key.row(t),
                                   .value = value.row(t),
                                   .bonus = more.row(0),
                                   .decay = more.row(1),
                                   .out = out.data(),
                                   .channels = channels});
      EXPECT_EQ(out[channels], 77);
      for (size_t c = 0; c < channels; ++c) {
        double top = std::exp(double(key.row(t)[c]) + more.row(0)[c]), all = top;
        top *= value.row(t)[c];
        for (size_t past = 0; past < t; ++past) {
          const double weight =
              std::exp(double(key.row(past)[c]) + double(t - 1 - past) * more.row(1)[c]);
          top += weight * value.row(past)[c];
          all += weight;
        }
        ASSERT_NEAR(out[c], top / all, 1e-5) << channels << " step " << t;
      }
    }
  }
}

TEST_P(States, ProductsOfThreeAreSummed) {
  Runtime runtime(1, GetParam());
  Random random(6);
  for (size_t count : {1, 15, 16, 17, 64, 100}) {
    Matrix rows = random_matrix(random, 3, count);
    double expected = 0;
    for (size_t i = 0; i < count; ++i)
      expected += double(rows.row(0)[i]) * rows.row(1)[i] * rows.row(2)[i];
    EXPECT_NEAR(runtime.kernels().sum_products(rows.row(0), rows.row(1), rows.row(2), count),
                expected, 1e-5)
        << count;
  }
}

// Keys that are nothing have no length to be divided by.
TEST_P(States, KeysOfAHeadAreSet) {
  Runtime runtime(1, GetParam());
  Random random(7);
  for (size_t count : {1, 15, 16, 40, 64})
    for (float size : {1.0f, 0.0f}) {
      Matrix in = random_matrix(random, 4, count);
      for (size_t i = 0; i < count; ++i) in.row(0)[i] *= size;
      std::vector<float> key(in.row(0), in.row(0) + count), rate(in.row(1), in.row(1) + count),
          removed(count + 1, 77);
      key.push_back(77), rate.push_back(77);
      runtime.kernels().set_keys({.key = key.data(),
                                  .rate = rate.data(),
                                  .removed = removed.data(),
                                  .removing = in.row(2),
                                  .slowing = in.row(3),
                                  .count = count});
      for (const auto* row : {&key, &rate, &removed}) EXPECT_EQ((*row)[count], 77);
      double squares = 0;
      for (size_t i = 0; i < count; ++i)
        squares += std::pow(double(in.row(0)[i]) * in.row(2)[i], 2);
      for (size_t i = 0; i < count; ++i) {
        const double before = in.row(0)[i], goes = in.row(1)[i],
                     takes = before * in.row(2)[i] / std::max(std::sqrt(squares), 1e-12);
        EXPECT_NEAR(removed[i], takes, 1e-6) << count;
        EXPECT_NEAR(rate[i], goes * takes, 1e-6) << count;
        EXPECT_NEAR(key[i], before + (goes - 1) * before * in.row(3)[i], 1e-6) << count;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Nn, States, ::testing::ValuesIn(available_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace minpair::nn
