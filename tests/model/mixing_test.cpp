// What tokens say to the output by way of attention: the parts sum to the difference of the logits
// in every decoder, and are what the formulas of Ferrando et al. (2022, 2023) give for GPT-2,
// computed from its stored weights.

#include "model/mixing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "model/causal.h"
#include "model/direct.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using Ids = std::vector<tokenizer::TokenId>;
using Row = std::vector<double>;
using Rows = std::vector<Row>;

const Ids kIds{5, 17, 33, 8, 17, 60, 21};
constexpr tokenizer::TokenId kGood = 40, kBad = 41;

double sum(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

class EveryDecoder : public ::testing::TestWithParam<std::string> {
 protected:
  EveryDecoder() : model_(load_golden(GetParam())) {}
  std::unique_ptr<query::Model> model_;
  const uint32_t last_ = uint32_t(kIds.size() - 1);
};

TEST_P(EveryDecoder, TokensAndTheRestAreTheMargin) {
  const TokenEffects effects = token_effects(*model_, kIds, last_, kGood, kBad);
  const query::Query query{kIds, {{last_, query::Targets{{kGood, kBad}, false}}}, {}};
  const query::Answer answer = model_->answer({&query, 1})[0];
  double margin = 0, sign = 1;
  for (float x : query::logits_of(answer[0]).logits) {
    margin += sign * (GetParam() == "gemma2" ? 3.0 * std::atanh(double(x) / 3.0) : double(x));
    sign = -1;
  }
  ASSERT_EQ(effects.tokens.size(), kIds.size());
  EXPECT_NEAR(sum(effects.tokens) + effects.rest, margin, 1e-4 * (1 + std::abs(margin)));
}

// Rows of shares sum to 1: nothing that attention takes is lost on the way back to the input.
TEST_P(EveryDecoder, SharesAreShares) {
  Mixing mixing(last_);
  auto& causal = dynamic_cast<CausalModel&>(*model_);
  const std::vector<std::vector<float>> parts = causal.parts_at(kIds, last_, mixing);
  const size_t n = kIds.size();
  ASSERT_EQ(mixing.layers().size(), model_->info().layers);
  ASSERT_EQ(parts.size(), 1 + 2 * model_->info().layers);
  double mixed = 0;
  for (const Mixing::Layer& layer : mixing.layers())
    for (size_t t = 0; t < n; ++t) {
      double whole = 0;
      for (size_t s = 0; s < n; ++s) {
        const double share = layer.shares[t * n + s];
        EXPECT_GE(share, 0);
        if (s > t) {
          EXPECT_EQ(share, 0) << "a later token";
        } else if (s < t) {
          mixed += share;
        }
        whole += share;
      }
      EXPECT_NEAR(whole, 1, 1e-12);
    }
  EXPECT_GT(mixed, 0.1);
  // Nobody listens any more.
  const query::Query query{kIds, {{last_, query::Targets{{kGood}, false}}}, {}};
  model_->answer({&query, 1});
  EXPECT_EQ(mixing.layers().size(), model_->info().layers);
}

// What tokens give is all that attention adds, but for biases.
TEST_P(EveryDecoder, TokensGiveWhatAttentionAdds) {
  Mixing mixing(last_);
  const std::vector<std::vector<float>> parts =
      dynamic_cast<CausalModel&>(*model_).parts_at(kIds, last_, mixing);
  Ids others = kIds;
  others[1] = 90, others[3] = 71;
  Mixing other(last_);
  const std::vector<std::vector<float>> elsewhere =
      dynamic_cast<CausalModel&>(*model_).parts_at(others, last_, other);
  for (size_t l = 0; l < mixing.layers().size(); ++l) {
    for (size_t d = 0; d < parts[0].size(); ++d) {
      auto rest = [&](const Mixing& of, const std::vector<std::vector<float>>& added) {
        double left = added[1 + 2 * l][d];
        for (size_t s = 0; s < kIds.size(); ++s) left -= of.layers()[l].given.row(s)[d];
        return left;
      };
      EXPECT_NEAR(rest(mixing, parts), rest(other, elsewhere), 1e-5) << l << ' ' << d;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mixing, EveryDecoder,
                         ::testing::Values("bigcode", "bloom", "codegen", "cohere", "falcon",
                                           "falcon-new", "gemma", "gemma2", "gemma3", "gpt-neo",
                                           "gpt-neox", "gpt-neox-serial", "gpt2", "gptj", "granite",
                                           "llama", "llama3", "mistral", "mixtral", "mpt", "olmo2",
                                           "opt", "phi", "phi3", "qwen2", "qwen2-moe", "qwen3",
                                           "stablelm-parallel", "starcoder2", "xglm"),
                         [](const auto& tested) { return identifier(tested.param); });

TEST(Mixing, OtherModelsAreRefused) {
  for (const char* name : {"bert", "opt-after", "mamba", "rwkv", "rwkv7", "xlstm"})
    EXPECT_THROW(token_effects(*load_golden(name), {5, 6}, 1, kGood, kBad), Error) << name;
}

// --- GPT-2 as its papers write it, in double, a loop for every sum ---

class ByHand {
 public:
  explicit ByHand(const std::string& name) : file_(checkpoint::open_checkpoint(golden(name))) {}

  std::vector<double> effects(const Ids& ids) {
    const size_t n = ids.size();
    Rows x(n);
    const Rows words = table("wte.weight"), places = table("wpe.weight");
    for (size_t t = 0; t < n; ++t)
      for (size_t d = 0; d < kWidth; ++d) x[t].push_back(words[size_t(ids[t])][d] + places[t][d]);
    std::vector<Rows> said;  // of each layer: what token s gives to the last
    std::vector<Rows> shares;
    for (size_t l = 0; l < kLayers; ++l) layer(l, x, said, shares);
    // The last norm, its scale as it is.
    const double scale = 1 / deviation(x[n - 1]);
    const Row gamma = table("ln_f.weight")[0];
    std::vector<double> effects(n);
    Rows of_input(n, Row(n));
    for (size_t t = 0; t < n; ++t) of_input[t][t] = 1;
    for (size_t l = 0; l < kLayers; ++l) {
      for (size_t k = 0; k < n; ++k) {
        double logit = 0;
        const double mean = sum(said[l][k]) / kWidth;
        for (size_t d = 0; d < kWidth; ++d)
          logit += (said[l][k][d] - mean) * scale * gamma[d] * (words[kGood][d] - words[kBad][d]);
        for (size_t s = 0; s < n; ++s) effects[s] += logit * of_input[k][s];
      }
      Rows next(n, Row(n));
      for (size_t t = 0; t < n; ++t)
        for (size_t k = 0; k < n; ++k)
          for (size_t s = 0; s < n; ++s) next[t][s] += shares[l][t][k] * of_input[k][s];
      of_input = next;
    }
    return effects;
  }

 private:
  static constexpr size_t kWidth = 32, kLayers = 2, kHeads = 4, kHead = kWidth / kHeads;

  // Rows of a stored tensor; a vector is one.
  Rows table(const std::string& name) const {
    const checkpoint::TensorView* t = file_->find(name);
    if (!t) t = file_->find("transformer." + name);
    std::vector<float> all(size_t(t->elements()));
    checkpoint::to_float(*t, all.data());
    const size_t width = size_t(t->shape.back());
    Rows rows;
    for (size_t i = 0; i < all.size(); i += width)
      rows.emplace_back(all.begin() + ptrdiff_t(i), all.begin() + ptrdiff_t(i + width));
    return rows;
  }

  static double deviation(const Row& x) {
    const double mean = sum(x) / double(x.size());
    double squares = 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    return std::sqrt(squares / double(x.size()) + 1e-5);
  }

  Row normed(const Row& x, const std::string& name) const {
    const Row weight = table(name + ".weight")[0], bias = table(name + ".bias")[0];
    const double mean = sum(x) / double(x.size()), spread = deviation(x);
    Row out;
    for (size_t d = 0; d < x.size(); ++d)
      out.push_back((x[d] - mean) / spread * weight[d] + bias[d]);
    return out;
  }

  // GPT-2 stores inputs × outputs.
  Row linear(const Row& x, const std::string& name) const {
    const Rows weights = table(name + ".weight");
    Row out = table(name + ".bias")[0];
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t o = 0; o < out.size(); ++o) out[o] += x[i] * weights[i][o];
    return out;
  }

  void layer(size_t l, Rows& x, std::vector<Rows>& said, std::vector<Rows>& shares) const {
    const std::string p = fmt::format("h.{}.", l);
    const size_t n = x.size();
    const Rows mix = table(p + "attn.c_proj.weight");
    const Row bias = table(p + "attn.c_proj.bias")[0];
    Rows qkv;
    for (const Row& row : x) qkv.push_back(linear(normed(row, p + "ln_1"), p + "attn.c_attn"));
    Rows attended = x;
    shares.emplace_back(n, Row(n));
    for (size_t t = 0; t < n; ++t) {
      Rows given(n, Row(kWidth));
      for (size_t h = 0; h < kHeads; ++h) {
        Row weight(n);
        for (size_t s = 0; s <= t; ++s) {
          for (size_t d = h * kHead; d < (h + 1) * kHead; ++d)
            weight[s] += qkv[t][d] * qkv[s][kWidth + d];
          weight[s] = std::exp(weight[s] / std::sqrt(double(kHead)));
        }
        const double all = sum(weight);
        for (size_t s = 0; s <= t; ++s)
          for (size_t d = h * kHead; d < (h + 1) * kHead; ++d)
            for (size_t o = 0; o < kWidth; ++o)
              given[s][o] += weight[s] / all * qkv[s][2 * kWidth + d] * mix[d][o];
      }
      for (size_t d = 0; d < kWidth; ++d) {
        attended[t][d] += bias[d];
        for (size_t s = 0; s <= t; ++s) attended[t][d] += given[s][d];
      }
      double size = 0, all = 0;
      for (double v : attended[t]) size += std::abs(v);
      for (size_t s = 0; s <= t; ++s) {
        double far = 0;
        for (size_t d = 0; d < kWidth; ++d)
          far += std::abs(attended[t][d] - given[s][d] - (s == t ? x[t][d] : 0));
        all += shares.back()[t][s] = std::max(0.0, size - far);
      }
      for (double& share : shares.back()[t]) share /= all;
      if (t + 1 == n) said.push_back(given);
    }
    for (size_t t = 0; t < n; ++t) {
      Row inner = linear(normed(attended[t], p + "ln_2"), p + "mlp.c_fc");
      for (double& v : inner)
        v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
      const Row out = linear(inner, p + "mlp.c_proj");
      for (size_t d = 0; d < kWidth; ++d) x[t][d] = attended[t][d] + out[d];
    }
  }

  std::unique_ptr<checkpoint::Checkpoint> file_;
};

TEST(Mixing, AsComputedByHand) {
  const std::vector<double> expected = ByHand("gpt2").effects(kIds);
  const TokenEffects effects =
      token_effects(*load_golden("gpt2"), kIds, uint32_t(kIds.size() - 1), kGood, kBad);
  for (size_t s = 0; s < kIds.size(); ++s)
    EXPECT_NEAR(effects.tokens[s], expected[s], 1e-4 * (1 + std::abs(expected[s]))) << s;
}

}  // namespace
}  // namespace minpair::model
