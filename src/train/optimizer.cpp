#include "train/optimizer.h"

#include <cmath>

#include "train/bfloat16.h"
#include "train/train.h"

namespace minpair::train {
namespace {

bool inner_matrix(const std::string& name) {
  return name.rfind("layer", 0) == 0 && name.size() > 2 && name.substr(name.size() - 2) == "_w" &&
         name.find("ln") == std::string::npos;
}

struct AdamStep {
  float rate, decay, beta1, beta2, correct1, correct2, epsilon;
};

__attribute__((target_clones("avx2", "default"))) void adam_loop(float* p, float* m, float* v,
                                                                 const float* g, int64_t n,
                                                                 const AdamStep& s) {
  for (int64_t i = 0; i < n; ++i) {
    m[i] = s.beta1 * m[i] + (1.0f - s.beta1) * g[i];
    v[i] = s.beta2 * v[i] + (1.0f - s.beta2) * g[i] * g[i];
    const float direction = m[i] * s.correct1 / (std::sqrt(v[i] * s.correct2) + s.epsilon);
    p[i] -= s.rate * (direction + s.decay * p[i]);
  }
}

}  // namespace

torch::Tensor orthogonalise(const torch::Tensor& matrix, int steps, bool bf16) {
  constexpr float a = 3.4445f, b = -4.7750f, c = 2.0315f;
  const bool tall = matrix.size(0) > matrix.size(1);
  torch::Tensor x = tall ? matrix.t().contiguous() : matrix;
  x = x / (x.norm() + 1e-7);
  // Where the processor has no such products, libtorch rounds every sum on its way: there they are
  // single, and only what comes out is rounded.
  const bool rounds = bf16 && !has_fast_bf16();
  auto rounded = [&](const torch::Tensor& y) {
    return rounds ? y.to(torch::kBFloat16).to(torch::kFloat32) : y;
  };
  x = rounds ? rounded(x) : factor(x, bf16);
  for (int i = 0; i < steps; ++i) {
    const auto gram = rounded(torch::mm(x, x.t()));
    const auto poly = rounded(torch::addmm(gram, gram, gram, b, c));
    x = rounded(torch::addmm(x, poly, x, a));
  }
  x = x.to(torch::kFloat32);
  return tall ? x.t() : x;
}

Optimizer::Optimizer(std::map<std::string, torch::Tensor> parameters, OptimizerOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const auto& [name, parameter] : parameters_) {
    state_[name + ".m"] = torch::zeros_like(parameter).detach();
    if (!inner_matrix(name)) state_[name + ".v"] = torch::zeros_like(parameter).detach();
  }
}

void Optimizer::step(double scale) {
  torch::NoGradGuard no_grad;
  ++steps_;
  for (auto& [name, parameter] : parameters_) {
    if (!parameter.grad().defined()) continue;
    if (inner_matrix(name))
      muon(name, parameter, options_.muon_rate * scale);
    else
      adam(name, parameter, options_.adam_rate * scale);
    parameter.mutable_grad().reset();
  }
}

void Optimizer::plain_step(double rate) {
  torch::NoGradGuard no_grad;
  ++steps_;
  for (auto& [name, parameter] : parameters_) {
    if (!parameter.grad().defined()) continue;
    parameter.add_(parameter.grad(), -rate);
    parameter.mutable_grad().reset();
  }
}

void Optimizer::adam(const std::string& name, torch::Tensor& parameter, double rate) {
  const auto grad = parameter.grad().contiguous();
  const double n = static_cast<double>(steps_);
  const AdamStep step{static_cast<float>(rate),
                      parameter.dim() > 1 ? static_cast<float>(options_.decay) : 0.0f,
                      static_cast<float>(options_.beta1),
                      static_cast<float>(options_.beta2),
                      static_cast<float>(1.0 / (1.0 - std::pow(options_.beta1, n))),
                      static_cast<float>(1.0 / (1.0 - std::pow(options_.beta2, n))),
                      static_cast<float>(options_.epsilon)};
  adam_loop(parameter.data_ptr<float>(), state_[name + ".m"].data_ptr<float>(),
            state_[name + ".v"].data_ptr<float>(), grad.data_ptr<float>(), parameter.numel(), step);
}

void Optimizer::muon(const std::string& name, torch::Tensor& parameter, double rate) {
  auto& momentum = state_[name + ".m"];
  const auto grad = parameter.grad();
  momentum.mul_(options_.momentum).add_(grad, 1.0 - options_.momentum);
  const auto ahead = grad * (1.0 - options_.momentum) + momentum * options_.momentum;
  // Query, key and value are stacked but are three maps, each with its own geometry.
  const bool stacked = name.find("qkv") != std::string::npos;
  const int64_t parts = stacked ? 3 : 1;
  const int64_t rows = parameter.size(0) / parts;
  parameter.mul_(1.0 - rate * options_.decay);
  for (int64_t k = 0; k < parts; ++k) {
    const auto update =
        orthogonalise(ahead.narrow(0, k * rows, rows), options_.newton_steps, options_.bf16);
    const double shape = std::sqrt(
        std::max(1.0, static_cast<double>(rows) / static_cast<double>(parameter.size(1))));
    parameter.narrow(0, k * rows, rows).add_(update, -rate * shape);
  }
}

}  // namespace minpair::train
