// Every value inside every architecture has a name, is what PyTorch computes there, and can be
// replaced.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using Json = nlohmann::json;
using Ids = std::vector<tokenizer::TokenId>;
using Rows = std::vector<std::vector<float>>;
using Place = std::pair<Site, uint32_t>;  // and the layer

constexpr Site kLayerSites[] = {
    Site::attention_input, Site::heads,      Site::attention_output, Site::attention_residual,
    Site::mlp_inner,       Site::mlp_output, Site::residual};

Rows copied(const nn::Matrix& from) {
  Rows rows;
  for (size_t i = 0; i < from.rows(); ++i)
    rows.emplace_back(from.row(i), from.row(i) + from.columns());
  return rows;
}

// What was seen in one pass: a row for every token. A recurrent network shows a place word by word.
struct Pass {
  std::vector<Place> order;
  std::map<Place, Rows> values;
  Rows output;
};

// Values to put in place of the network's own.
using Changes = std::map<Place, Rows>;

Pass pass(query::Model& model, const Ids& ids, const Changes& changes = {}) {
  Pass seen;
  Watch watch = [&](const Value& value) {
    const Place place{value.site, value.layer};
    if (!seen.values.contains(place)) seen.order.push_back(place);
    ASSERT_EQ(value.tokens.size(), value.rows.rows());
    if (auto change = changes.find(place); change != changes.end())
      for (size_t i = 0; i < value.tokens.size(); ++i)
        std::ranges::copy(change->second[value.tokens[i]], value.rows.row(i));
    for (std::vector<float>& row : copied(value.rows)) seen.values[place].push_back(std::move(row));
  };
  seen.output = copied(dynamic_cast<Watchable&>(model).watch(ids, watch));
  return seen;
}

class Watched : public ::testing::TestWithParam<std::string> {
 protected:
  Watched() : is_recurrent_(GetParam().ends_with(".pt")), model_(load_golden(GetParam())) {}
  Pass pass(const Ids& ids, const Changes& changes = {}) {
    return model::pass(*model_, ids, changes);
  }
  bool is_lstm() const { return model_->info().architecture == "lstm"; }

  bool is_recurrent_;
  std::unique_ptr<query::Model> model_;
  Ids ids_{5, 9, 2, 30, 36, 7}, others_{6, 8, 2, 31, 35, 3};
};

TEST_P(Watched, EverySiteIsSeenOnceInOrder) {
  std::vector<Place> expected{{Site::embeddings, 0}};
  const uint32_t layers = model_->info().layers;
  for (uint32_t l = 0; l < layers; ++l) {
    if (!is_recurrent_)
      for (Site site : kLayerSites) expected.emplace_back(site, l);
    if (model_->info().architecture == "gru") expected.emplace_back(Site::reset, l);
    if (is_recurrent_) expected.emplace_back(Site::gates, l);
    if (is_lstm()) expected.emplace_back(Site::cell, l);
    if (is_recurrent_) expected.emplace_back(Site::hidden, l);
  }
  if (!is_recurrent_) expected.emplace_back(Site::output, 0);
  Pass seen = pass(ids_);
  EXPECT_EQ(seen.order, expected);
  for (const auto& [place, rows] : seen.values)
    EXPECT_EQ(rows.size(), ids_.size()) << name_of(place.first);
}

TEST_P(Watched, LookingChangesNoBit) {
  Pass seen = pass(ids_);
  EXPECT_EQ(seen.output, copied(dynamic_cast<Watchable&>(*model_).watch(ids_, {})));
  EXPECT_EQ(seen.output, pass(ids_, seen.values).output);
}

TEST_P(Watched, EveryValueMatters) {
  Pass seen = pass(ids_);
  for (const Place& place : seen.order) {
    Rows zeros = seen.values[place];
    for (std::vector<float>& row : zeros) std::ranges::fill(row, 0.0f);
    EXPECT_NE(pass(ids_, {{place, zeros}}).output, seen.output)
        << name_of(place.first) << ", layer " << place.second;
  }
}

TEST_P(Watched, TheStreamOfAnotherInputGivesItsOutput) {
  Pass theirs = pass(others_);
  EXPECT_NE(theirs.output, pass(ids_).output);
  for (const Place& place : theirs.order)
    if (place.first == Site::embeddings || place.first == Site::residual ||
        place.first == Site::hidden) {
      EXPECT_EQ(pass(ids_, {{place, theirs.values[place]}}).output, theirs.output)
          << name_of(place.first) << ", layer " << place.second;
    }
}

// A part of a layer acts only through what it adds.
TEST_P(Watched, SumsDoNotRevealTheirParts) {
  if (is_recurrent_) return;
  Pass ours = pass(ids_), theirs = pass(others_);
  for (auto [inside, added] : {std::pair{Site::attention_input, Site::attention_output},
                               std::pair{Site::heads, Site::attention_output},
                               std::pair{Site::mlp_inner, Site::mlp_output}}) {
    Changes changes{{{inside, 0}, theirs.values[{inside, 0}]}};
    EXPECT_NE(pass(ids_, changes).output, ours.output) << name_of(inside);
    changes[{added, 0}] = ours.values[{added, 0}];
    EXPECT_EQ(pass(ids_, changes).output, ours.output) << name_of(inside);
  }
}

void expect_near(const Rows& rows, std::span<const float> expected, const std::string& what) {
  ASSERT_FALSE(rows.empty());
  ASSERT_EQ(rows.size() * rows[0].size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(rows[i / rows[0].size()][i % rows[0].size()], expected[i], 1e-4)
        << what << ", token " << i / rows[0].size() << ", column " << i % rows[0].size();
}

TEST_P(Watched, AgreesWithPyTorch) {
  if (is_recurrent_) return;  // RecurrentStates
  Expected expected(GetParam());
  auto file = checkpoint::open_checkpoint(golden(GetParam()) / "expected.safetensors");
  const bool masked = model_->info().kind == query::ModelInfo::Kind::masked;
  const size_t width = model_->info().hidden, stage = expected.tokens * width;
  const auto layers = uint32_t(expected.hidden.size() / stage - 1);
  size_t first = 0;
  for (size_t n = 0; n < expected.inputs.size(); first += expected.inputs[n++].size() * width) {
    Pass seen = pass(expected.inputs[n]);
    for (uint32_t s = 0; s <= layers; ++s) {
      // Hugging Face's last hidden states of a masked model are after its last norm.
      Place place{s == 0 ? Site::embeddings : Site::residual, s ? s - 1 : 0};
      if (masked && s == layers) place = {Site::output, 0};
      expect_near(
          seen.values[place],
          std::span(expected.hidden).subspan(s * stage + first, expected.inputs[n].size() * width),
          fmt::format("stage {}", s));
    }
    if (n != 1) continue;
    size_t compared = 0;
    for (const auto& [place, rows] : seen.values) {
      std::string name = fmt::format("{} {}", name_of(place.first), place.second);
      const checkpoint::TensorView* tensor = file->find(name);
      if (!tensor) continue;
      std::vector<float> values(size_t(tensor->elements()));
      checkpoint::to_float(*tensor, values.data());
      expect_near(rows, values, name);
      ++compared;
    }
    EXPECT_EQ(compared, layers * std::size(kLayerSites) + (masked ? 0 : 1));
  }
}

TEST_P(Watched, RecurrentStates) {
  if (!is_recurrent_) return;  // AgreesWithPyTorch
  for (const Json& golden : Json::parse(read_file(recurrent("expected.json")))) {
    if (golden["file"] != GetParam()) continue;
    Pass seen = pass(golden["inputs"][1].get<Ids>());
    for (auto [site, name] : {std::pair{Site::hidden, "hidden"}, std::pair{Site::cell, "cell"}})
      for (size_t t = 0; t < golden[name].size(); ++t)
        for (uint32_t l = 0; l < model_->info().layers; ++l)
          expect_near({seen.values[{site, l}].at(t)}, golden[name][t][l].get<std::vector<float>>(),
                      fmt::format("{} of layer {}, word {}", name, l, t));
    EXPECT_EQ(golden["cell"].size(), is_lstm() ? 4u : 0u);
    EXPECT_EQ(golden["hidden"].size(), 4u);
  }
}

INSTANTIATE_TEST_SUITE_P(Model, Watched, ::testing::ValuesIn(every_model()),
                         [](const auto& tested) { return identifier(tested.param); });

// Where not all tokens are read, the rows say whose they are.
TEST(Encoder, TheLastLayerKeepsOnlyRowsThatAreRead) {
  nn::Runtime runtime(2);
  Config config(golden("bert") / "config.json");
  auto checkpoint = checkpoint::open_checkpoint(golden("bert"));
  query::ModelInfo info{.architecture = "bert"};
  auto make = std::get<MakeEncoder>(families().front().make);
  std::unique_ptr<Encoder> bert = make({runtime, config, *checkpoint, info});
  Batch batch{{5, 9, 2, 30, 36, 7}, {0, 1, 2, 3, 4, 5}, {{0, 6, 0, 6}}};
  const std::vector<uint32_t> every{0, 1, 2, 3, 4, 5}, read{2, 5};
  Rows all = copied(bert->forward(batch, every, {}));
  Watch watch = [&](const Value& value) {
    bool whole = value.layer == 0 && value.site != Site::output;
    whole |= value.site == Site::attention_input || value.site == Site::heads;
    EXPECT_EQ(std::vector(value.tokens.begin(), value.tokens.end()), whole ? every : read)
        << name_of(value.site) << ", layer " << value.layer;
  };
  EXPECT_EQ(copied(bert->forward(batch, read, watch)), (Rows{all[2], all[5]}));
}

}  // namespace
}  // namespace minpair::model
