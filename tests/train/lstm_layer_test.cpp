#include "train/lstm_layer.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "train/lstm_cell.h"

namespace minpair::train {
namespace {

struct Problem {
  torch::Tensor x, h, c, target;
  LayerWeights weights;

  explicit Problem(double scale) {
    at::manual_seed(3);
    const int64_t time = 7, batch = 5, in = 6, width = 19;  // not a multiple of any vector's length
    const auto made = [&](std::vector<int64_t> size) {
      return (torch::randn(size) * scale).set_requires_grad(true);
    };
    x = made({time, batch, in});
    weights = {made({4 * width, in}), made({4 * width, width}), made({4 * width}),
               made({4 * width})};
    h = torch::randn({batch, width}) * 0.5;
    c = torch::randn({batch, width});
    target = torch::randn({time, batch, width});
  }

  std::vector<torch::Tensor> leaves() const {
    return {x, weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias};
  }

  // What flows back from a loss over all words.
  std::vector<torch::Tensor> gradients(const torch::Tensor& hidden) const {
    (hidden * target).sum().backward();
    std::vector<torch::Tensor> out;
    for (torch::Tensor leaf : leaves()) {
      out.push_back(leaf.grad().clone());
      leaf.mutable_grad().reset();
    }
    return out;
  }

  LayerPass of_the_library() const {
    const auto [y, last_h, last_c] =
        torch::lstm(x, {h.unsqueeze(0), c.unsqueeze(0)},
                    {weights.input, weights.recurrent, weights.input_bias, weights.recurrent_bias},
                    true, 1, 0, false, false, false);
    return {y, last_h[0], last_c[0]};
  }
};

double farthest(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs().max() / (b.abs().max() + 1e-6)).item<double>();
}

void expect_near_the_library(double scale, bool bf16, double tolerance) {
  const Problem problem(scale);
  const LayerPass expected = problem.of_the_library();
  const LayerPass pass = lstm_layer(problem.x, problem.h, problem.c, problem.weights, bf16);
  EXPECT_LT(farthest(pass.hidden, expected.hidden), tolerance);
  EXPECT_LT(farthest(pass.h, expected.h), tolerance);
  EXPECT_LT(farthest(pass.c, expected.c), tolerance);
  const auto theirs = problem.gradients(expected.hidden), ours = problem.gradients(pass.hidden);
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_LT(farthest(ours[i], theirs[i]), tolerance) << "of leaf " << i;
}

}  // namespace

TEST(LstmLayer, ValuesAndGradientsAreTheLibrarys) {
  expect_near_the_library(0.3, false, 1e-5);
  expect_near_the_library(3, false, 1e-4);  // gates that are shut
}

TEST(LstmLayer, InBfloat16TheyAreNear) { expect_near_the_library(0.3, true, 0.03); }

TEST(LstmLayer, NoLearningNoGradients) {
  const Problem problem(0.3);
  torch::NoGradGuard no_grad;
  const LayerPass pass = lstm_layer(problem.x, problem.h, problem.c, problem.weights, false);
  EXPECT_FALSE(pass.hidden.requires_grad());
  EXPECT_LT(farthest(pass.hidden, problem.of_the_library().hidden), 1e-5);
}

TEST(LstmCell, SumsOutOfRangeShutOrOpenAGate) {
  for (const float sum : {-1e30f, -200.0f, 200.0f, 1e30f}) {
    float gates[4] = {sum, sum, sum, sum}, before = 1, c = 0, h = 0;
    lstm_cell(gates, &before, &c, &h, 1, 1);
    const float open = sum > 0 ? 1 : 0;
    EXPECT_NEAR(gates[0], open, 1e-6);
    EXPECT_NEAR(gates[2], sum > 0 ? 1 : -1, 1e-6);
    EXPECT_NEAR(c, 2 * open, 1e-6);
  }
}

}  // namespace minpair::train
