// None is left out: every tiny model is among those whose insides are tested, every architecture
// has one, and of each either the parts sum to the margin, or it is refused for a reason that is
// known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "model/architectures.h"
#include "model/causal.h"
#include "model/direct.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using query::Hidden;
using Ids = std::vector<tokenizer::TokenId>;

// Folders and single files; those with a reference.json are in parity_test.cpp, the others, by
// name, in interventions_test.cpp and lens_test.cpp.
std::vector<std::string> all_goldens() {
  std::vector<std::string> all = kRecurrentModels;
  for (const auto& entry : std::filesystem::directory_iterator(golden("")))
    if (entry.is_directory() && entry.path().filename() != "gguf")  // the same ones once more
      all.push_back(entry.path().filename().string());
  std::ranges::sort(all);
  return all;
}

TEST(EveryGolden, IsLookedInto) {
  const std::vector<std::string> by_name = every_model();
  for (const std::string& name : all_goldens())
    EXPECT_TRUE(std::filesystem::exists(golden(name) / "reference.json") ||
                std::ranges::count(by_name, name))
        << name;
  for (const std::string& name : by_name)
    EXPECT_TRUE(std::ranges::count(all_goldens(), name)) << name;
}

TEST(EveryGolden, IsOfAnArchitectureAndEachHasOne) {
  std::map<std::string, std::string> golden_of;
  for (const std::string& name : all_goldens())
    golden_of[load_golden(name)->info().architecture] = name;
  for (const Architecture& known : architectures())
    // NorBERT 3 is an LTG-BERT in all but its name.
    EXPECT_TRUE(golden_of.contains(known.type) || known.type == "norbert3") << known.type;
}

// By which methods are chosen before any weights are read.
TEST(EveryGolden, IsDescribedWithoutItsWeightsAsItIs) {
  for (const std::string& name : all_goldens()) {
    const std::unique_ptr<query::Model> model = load_golden(name);
    const query::ModelInfo& loaded = model->info();
    const query::ModelInfo described = describe_model(loaded.name);
    EXPECT_EQ(described.name, loaded.name);
    EXPECT_EQ(described.kind, loaded.kind) << name;
    EXPECT_EQ(described.fills_gaps, loaded.encoder_layers > 0) << name;
    EXPECT_EQ(described.fills_gaps, loaded.fills_gaps) << name;
    EXPECT_EQ(described.answers_before, loaded.answers_before) << name;
    if (loaded.kind != query::ModelInfo::Kind::recurrent) {
      EXPECT_EQ(described.architecture, loaded.architecture) << name;
    }
  }
}

class Summed : public ::testing::TestWithParam<std::string> {
 protected:
  Summed() : model_(load_golden(GetParam())) {}
  double uncapped(float logit) const {
    const auto cap = double(dynamic_cast<CausalModel&>(*model_).decoder().logit_cap());
    return cap > 0 ? cap * std::atanh(double(logit) / cap) : double(logit);
  }
  std::unique_ptr<query::Model> model_;
};

TEST_P(Summed, PartsAreTheMarginOrThereIsNoSuchSum) {
  const Ids ids{5, 17, 33, 8, 17, 21};
  const auto last = uint32_t(ids.size() - 1);
  const tokenizer::TokenId good = 30, bad = 31;
  const auto* causal = dynamic_cast<const CausalModel*>(model_.get());
  if (!causal || !causal->decoder().stream_is_sum()) {
    EXPECT_THROW(check_direct_effects(*model_), Error);
    // Norms after the layers, a head with layers of its own, or no last norm.
    const std::set<std::string> known{"gpt_bert", "modernbert-decoder", "openai-gpt", "opt"};
    EXPECT_TRUE(!causal || known.contains(model_->info().architecture))
        << model_->info().architecture;
    return;
  }
  query::Query parts{ids, {{last, Hidden{0}}}, {}};
  for (uint32_t l = 1; l <= model_->info().layers; ++l)
    for (query::Site site : {query::Site::attention, query::Site::mlp})
      if (model_->sites().test(size_t(site)))
        parts.asks.push_back({last, Hidden{uint16_t(l), site}});
  std::vector<std::vector<float>> values;
  query::Answer inside = std::move(model_->answer({&parts, 1})[0]);
  for (query::Record& record : inside)
    values.push_back(std::move(std::get<query::State>(record).values));
  const std::vector<double> effects = direct_effects(*model_, values, good, bad);
  ASSERT_EQ(effects.size(), values.size() + 1);
  double sum = 0, size = 0;
  for (double effect : effects) sum += effect, size += std::abs(effect);
  const query::Query whole{ids, {{last, query::Targets{{good, bad}, false}}}, {}};
  const query::Answer answer = model_->answer({&whole, 1})[0];
  const std::vector<float>& logits = query::logits_of(answer[0]).logits;
  const double margin = uncapped(logits[0]) - uncapped(logits[1]);
  EXPECT_GT(size, 0);
  EXPECT_NEAR(sum, margin, 1e-4 * std::min(size, 1 + std::abs(margin)));
}

INSTANTIATE_TEST_SUITE_P(Goldens, Summed, ::testing::ValuesIn(all_goldens()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(uint8_t(c)); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace minpair::model
