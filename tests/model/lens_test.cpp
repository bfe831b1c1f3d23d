// Hidden states and lenses are what a network has inside: of every architecture, in any batch.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/golden.h"
#include "model/states.h"

namespace minpair::model {
namespace {

using namespace testing;
using query::Answer;
using query::Query;
using Ids = std::vector<tokenizer::TokenId>;

const Ids kIds{5, 9, 2, 30, 36, 7}, kOthers{5, 9, 2, 31, 35, 3, 8};
const Ids kTargets{3, 17, 36};

// At every position, every layer: the lens and the state.
Query everything(const Ids& ids, uint32_t layers) {
  Query query{ids, {}, {}};
  for (uint32_t p = 0; p < ids.size(); ++p)
    for (uint32_t l = 0; l <= layers; ++l) {
      query.asks.push_back({p, query::Lens{uint16_t(l), kTargets}});
      query.asks.push_back({p, query::Hidden{uint16_t(l)}});
    }
  return query;
}

Query targets(const Ids& ids) {
  Query query{ids, {}, {}};
  for (uint32_t p = 0; p < ids.size(); ++p)
    query.asks.push_back({p, query::Targets{kTargets, false}});
  return query;
}

class Inside : public ::testing::TestWithParam<std::string> {
 protected:
  Inside() : model_(load_golden(GetParam())), layers_(model_->info().layers) {}

  Answer answer(query::Model& model, const Query& query) {
    return std::move(model.answer({&query, 1})[0]);
  }
  const query::Record& lens(const Answer& all, uint32_t position, uint32_t layer) const {
    return all[2 * (position * (layers_ + 1) + layer)];
  }

  std::unique_ptr<query::Model> model_;
  uint32_t layers_;
};

TEST_P(Inside, TheLensAfterTheLastLayerIsTheAnswer) {
  for (const Ids& ids : {kIds, kOthers}) {
    Answer seen = answer(*model_, everything(ids, layers_));
    Answer scores = answer(*model_, targets(ids));
    for (uint32_t p = 0; p < ids.size(); ++p) EXPECT_EQ(lens(seen, p, layers_), scores[p]) << p;
    if (layers_ > 1) {
      EXPECT_NE(lens(seen, 1, layers_ - 1), scores[1]);
    }
  }
}

// What the head would say if a layer were the last: the same weights under a configuration that
// ends there.
TEST_P(Inside, TheLensOfALayerIsTheAnswerOfTheModelThatEndsThere) {
  // A file has no configuration; where layers are shared, another number shares them otherwise.
  if (GetParam().ends_with(".pt") || GetParam() == "albert") return;
  Answer seen = answer(*model_, everything(kIds, layers_));
  for (uint32_t l = 1; l < layers_; ++l) {
    TemporaryFolder folder;
    std::filesystem::copy(golden(GetParam()), folder.path());
    auto config = nlohmann::json::parse(read_file(folder / "config.json"));
    for (const char* key : {"num_hidden_layers", "n_layer", "n_layers"})
      if (config.contains(key)) config[key] = l;
    if (config.contains("layer_types"))
      config["layer_types"].erase(config["layer_types"].begin() + l, config["layer_types"].end());
    write_file(folder / "config.json", config.dump());
    std::unique_ptr<query::Model> shorter = load_model(folder.path().string(), {.threads = 2});
    ASSERT_EQ(shorter->info().layers, l);
    Answer scores = answer(*shorter, targets(kIds));
    for (uint32_t p = 0; p < kIds.size(); ++p) EXPECT_EQ(lens(seen, p, l), scores[p]) << l;
  }
}

TEST_P(Inside, AnswersAreTheSameInAnyBatch) {
  Query both[] = {everything(kIds, layers_), targets(kIds), everything(kOthers, layers_)};
  std::vector<Answer> together = model_->answer(both);
  for (size_t i = 0; i < std::size(both); ++i) EXPECT_EQ(together[i], answer(*model_, both[i]));
}

TEST_P(Inside, StatesAreWhatAWatchSees) {
  auto watched = [&](uint32_t layer) {
    std::vector<std::vector<float>> rows(kIds.size());
    dynamic_cast<Watchable&>(*model_).watch(kIds, [&](const Value& value) {
      bool here = layer == 0 ? value.site == Site::embeddings
                             : value.layer + 1 == layer &&
                                   (value.site == Site::residual || value.site == Site::hidden);
      for (size_t i = 0; here && i < value.tokens.size(); ++i)
        rows[value.tokens[i]].assign(value.rows.row(i), value.rows.row(i) + value.rows.columns());
    });
    std::vector<float> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
  };
  std::vector<uint32_t> layers;
  for (uint32_t l = 0; l <= layers_; ++l) layers.push_back(l);
  auto hidden_states = [&](const std::vector<uint32_t>& wanted) {
    const query::Query question = states_question(*model_, kIds, wanted);
    check(question, *model_);
    return states_of(model_->answer({&question, 1})[0], wanted.size());
  };
  std::vector<States> states = hidden_states(layers);
  for (uint32_t l : layers) {
    EXPECT_EQ(states[l].tokens, kIds.size());
    EXPECT_EQ(states[l].values, watched(l)) << l;
    EXPECT_EQ(states[l].values, hidden_states({l})[0].values);
  }
  EXPECT_THROW(hidden_states({layers_ + 1}), Error);
  EXPECT_THROW(hidden_states({65536}), Error);
}

// An encoder answers nothing. From its last layer on, a lens is what a shorter decoder answers.
TEST(LensOfTwoSides, IsTheAnswerOfAShorterDecoder) {
  for (const char* name : {"t5", "t5-v1.1", "bart", "mbart"}) {
    std::unique_ptr<query::Model> whole = load_golden(name);
    const query::ModelInfo& info = whole->info();
    ASSERT_EQ(info.encoder_layers, 2u);
    ASSERT_EQ(info.layers, 5u);
    Ids ids = kIds;
    ids[3] = whole->tokenizer().special().mask;
    Query lens{ids, {}, {}};
    for (uint16_t l = 0; l <= info.layers; ++l) lens.asks.push_back({3, query::Lens{l, kTargets}});
    const Answer seen = std::move(whole->answer({&lens, 1})[0]);
    for (uint16_t l = 0; l < 2; ++l) EXPECT_TRUE(query::logits_of(seen[l]).logits.empty());
    EXPECT_EQ(query::logits_of(seen[2]).logits.size(), kTargets.size());
    for (uint16_t l = 3; l <= info.layers; ++l) {
      TemporaryFolder folder;
      std::filesystem::copy(golden(name), folder.path());
      auto config = nlohmann::json::parse(read_file(folder / "config.json"));
      config[config.contains("decoder_layers") ? "decoder_layers" : "num_decoder_layers"] = l - 2;
      write_file(folder / "config.json", config.dump());
      std::unique_ptr<query::Model> shorter = load_model(folder.path().string(), {.threads = 2});
      const Query query{ids, {{3, query::Targets{kTargets, false}}}, {}};
      EXPECT_EQ(seen[l], shorter->answer({&query, 1})[0][0]) << name << ", layer " << l;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Model, Inside, ::testing::ValuesIn(every_model()),
                         [](const auto& tested) { return identifier(tested.param); });

}  // namespace
}  // namespace minpair::model
