// What is changed inside a network: of every architecture, at every site, in any batch, against a
// pass over one input whose values are overwritten on the way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/golden.h"
#include "model/interventions.h"

namespace minpair::model {
namespace {

using namespace testing;
using query::Answer;
using query::Change;
using query::From;
using query::Place;
using query::Query;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Ids = std::vector<tokenizer::TokenId>;
using Floats = std::vector<float>;
using Where = query::Site;

const Ids kTargets{3, 17, 36};

// Whether a site is something of one unit alone.
bool is_part_of_unit(Where site) { return site > Where::unit; }

// Every kind of network of its own; the folders of all architectures: parity_test.cpp.
std::vector<std::string> changed_models() {
  std::vector<std::string> all = every_model();
  for (const char* name : {"gpt-bert", "gpt-bert-causal", "t5", "t5-v1.1", "umt5", "bart",
                           "bart-scaled", "mbart", "ltg-bert", "rwkv", "rwkv-halved", "rwkv5-heads",
                           "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7", "xlstm", "mamba", "mamba2"})
    all.emplace_back(name);
  return all;
}

class Changing : public ::testing::TestWithParam<std::string> {
 protected:
  Changing() : model_(load_golden(GetParam())), layers_(uint16_t(model_->info().layers)) {
    if (!fills_gaps()) return;
    const tokenizer::TokenId mask = model_->tokenizer().special().mask;
    ids_[3] = others_[3] = longer_[6] = mask;
    longer_[0] = 10;  // it was a mask
  }

  // With an encoder and a decoder.
  bool fills_gaps() const { return model_->info().encoder_layers > 0; }

  // About every token; about the gap.
  bool can_be_asked(const Ids& ids, uint32_t p) const {
    if (fills_gaps()) return ids[p] == model_->tokenizer().special().mask;
    return p > 0 || !model_->info().answers_before;
  }
  Query ask(const Ids& ids, std::vector<Change> changes = {}) {
    Query query{ids, {}, std::move(changes)};
    for (uint32_t p = 0; p < ids.size(); ++p)
      if (can_be_asked(ids, p)) query.asks.push_back({p, query::Targets{kTargets, true}});
    return query;
  }

  // To a token of ids_, from one of longer_: the gap's among them.
  std::vector<std::pair<uint32_t, uint32_t>> moves() const {
    if (fills_gaps()) return {{3, 6}, {1, 2}, {2, 1}, {5, 7}, {2, 7}};
    return {{4, 6}};
  }

  Answer answer(const Query& query) { return std::move(model_->answer({&query, 1})[0]); }

  // Whole rows at a site, of an LSTM's units with their memory.
  Floats inside(const Ids& ids, Where site, uint16_t layer, uint32_t position) {
    Query query{ids, {{position, query::Hidden{layer, site}}}, {}};
    return std::get<query::State>(answer(query)[0]).values;
  }

  // Every place of a layer that a change can name; first and last of many.
  std::vector<Place> places(uint16_t layer, uint32_t position) {
    std::vector<Place> all;
    for (size_t number = 0; number < query::kSites; ++number) {
      const Where site = Where(number);
      if (!model_->sites().test(size_t(site)) || (layer == 0 && site != Where::residual)) continue;
      all.push_back({site, layer, 0, position});
      uint32_t count = site == Where::head     ? model_->info().heads_in(layer)
                       : site == Where::neuron ? uint32_t(inside(ids_, site, layer, 3).size())
                       : site >= Where::unit   ? model_->info().hidden
                                               : 1;
      if (count > 1) all.push_back({site, layer, count - 1, position});
    }
    return all;
  }

  // The slow way: one input goes through alone, and a watch overwrites what it sees. Gives the last
  // hidden states.
  std::vector<Floats> overwritten(const Ids& ids, const Place& at, const Ids& source,
                                  uint32_t source_position) {
    auto& watched = dynamic_cast<Watchable&>(*model_);
    std::map<std::pair<Site, uint32_t>, Floats> theirs;
    auto is_here = [&](const Value& value) { return shows(value, at.site, at.layer); };
    watched.watch(source, [&](const Value& value) {
      for (size_t i = 0; is_here(value) && i < value.tokens.size(); ++i)
        if (value.tokens[i] == source_position)
          theirs[{value.site, value.part.number}] = {value.rows.row(i),
                                                     value.rows.row(i) + value.rows.columns()};
    });
    std::vector<Floats> rows(ids.size());
    watched.watch(ids, [&](const Value& value) {
      const size_t columns = value.rows.columns();
      // In a decoder the heads that look at the encoder follow the others.
      const bool decodes = model_->info().is_of_decoder(at.layer);
      const uint32_t heads = decodes ? model_->info().decoder_heads : model_->info().heads;
      const bool second = decodes && value.part.number % 2 == 1;
      const bool is_head = at.site == Where::head;
      const size_t width = is_head ? columns / heads : at.site >= Where::neuron ? 1 : columns;
      const size_t index = is_head ? at.index % heads : at.index;
      const bool changes = is_here(value) && theirs.contains({value.site, value.part.number}) &&
                           (!is_head || (at.index >= heads) == second);
      const size_t first = is_here(value) ? slice_of(value, at.site, model_->info()).first : 0;
      for (size_t i = 0; i < value.tokens.size(); ++i) {
        // Of rows with the same token the last one is meant; the other is a part of its own.
        if (i + 1 < value.tokens.size() && value.tokens[i] == value.tokens[i + 1]) continue;
        float* row = value.rows.row(i);
        for (size_t d = first + index * width; d < first + (index + 1) * width; ++d)
          if (changes && value.tokens[i] == at.position)
            row[d] = theirs[{value.site, value.part.number}][d];
        if (shows(value, Where::residual, layers_) && value.part.is_state)
          rows[value.tokens[i]].assign(row, row + columns);
      }
    });
    return rows;
  }

  std::unique_ptr<query::Model> model_;
  uint16_t layers_;
  Ids ids_{5, 9, 2, 30, 36, 7}, others_{5, 8, 2, 31, 35, 3}, longer_{4, 8, 2, 31, 6, 35, 3, 9};
};

TEST_P(Changing, TheWholeStreamOfAnotherInputGivesItsAnswer) {
  const Answer ours = answer(ask(ids_)), theirs = answer(ask(others_));
  EXPECT_NE(ours, theirs);
  for (uint16_t layer = 0; layer <= layers_; ++layer) {
    std::vector<Change> changes;
    for (uint32_t p = 0; p < ids_.size(); ++p)
      changes.push_back({{Where::residual, layer, 0, p}, From{others_, {p}}});
    EXPECT_EQ(answer(ask(ids_, changes)), theirs) << layer;
    // One that matters: the gap, whose embedding all have; the last that anything is asked at.
    const size_t needed = !fills_gaps() ? ids_.size() - 1 - model_->info().answers_before
                          : layer > 0   ? 3
                                        : 1;
    changes.erase(changes.begin() + ptrdiff_t(needed));
    EXPECT_NE(answer(ask(ids_, changes)), theirs) << layer;
  }
}

TEST_P(Changing, ReplacingAValueByItselfChangesNoBit) {
  const Answer ours = answer(ask(ids_));
  for (uint16_t layer = 0; layer <= layers_; ++layer)
    for (const Place& place : places(layer, fills_gaps() ? 3 : 2)) {
      EXPECT_EQ(answer(ask(ids_, {{place, From{ids_, {place.position}}}})), ours);
      if (place.index > 0 || place.site == Where::head || place.site == Where::neuron) continue;
      Floats own = inside(ids_, place.site, layer, place.position);
      if (place.site == Where::unit) own = {own[0], own[own.size() / 2]};
      if (place.site == Where::unit && model_->info().architecture != "lstm") own.pop_back();
      if (is_part_of_unit(place.site)) own.resize(1);
      EXPECT_EQ(answer(ask(ids_, {{place, query::Put{own}}})), ours);
      EXPECT_EQ(answer(ask(ids_, {{place, query::Add{own, 0}}})), ours);
    }
}

TEST_P(Changing, EveryPlaceIsWhatOverwritingItGives) {
  const Answer plain = answer(ask(ids_));
  for (auto [to, from] : moves())
    for (uint16_t layer = 0; layer <= layers_; ++layer)
      for (const Place& place : places(layer, to)) {
        const std::vector<Change> changes{{place, From{longer_, {from}}}};
        Query states{ids_, {}, changes}, lenses{ids_, {}, changes};
        for (uint32_t p = 0; p < ids_.size(); ++p) {
          states.asks.push_back({p, query::Hidden{layers_}});
          if (can_be_asked(ids_, p)) lenses.asks.push_back({p, query::Lens{layers_, kTargets}});
        }
        const std::vector<Floats> slow = overwritten(ids_, place, longer_, from);
        const Answer fast = answer(states), lens = answer(lenses);
        const Answer scores = answer(ask(ids_, changes));
        // One neuron may be silent in both. All gaps have one embedding, and T5's decoder has read
        // nothing else when its own tokens look at each other first.
        const bool as_all = fills_gaps() && (layer == 0 || place.site == Where::head);
        if (place.site < Where::neuron && can_be_asked(ids_, to) && !as_all) {
          EXPECT_NE(scores, plain) << int(place.site) << ", layer " << layer;
        }
        for (uint32_t p = 0; p < ids_.size(); ++p)
          EXPECT_EQ(std::get<query::State>(fast[p]).values, slow[p])
              << int(place.site) << ", layer " << layer << ", index " << place.index << ", " << p;
        for (size_t i = 0; i < lens.size(); ++i)
          EXPECT_EQ(query::logits_of(lens[i]).logits, query::logits_of(scores[i]).logits);
      }
}

TEST_P(Changing, AnswersAreTheSameInAnyBatch) {
  std::vector<Query> batch{ask(longer_)};
  for (uint16_t layer = 0; layer <= layers_; ++layer)
    for (const Place& place : places(layer, (layers_ - layer) % 3)) {
      batch.push_back(ask(ids_, {{place, From{others_, {1}}}}));
      batch.push_back(
          ask(longer_, {{place, query::Zero{}}, {places(layers_, 5)[0], query::Zero{}}}));
      if (batch.size() % 3 == 0) batch.push_back(ask(ids_));
      batch.back().asks.push_back({uint32_t(batch.back().ids.size() - 1), query::Hidden{layer}});
    }
  std::vector<Answer> together = model_->answer(batch);
  for (size_t i = 0; i < batch.size(); ++i) EXPECT_EQ(together[i], answer(batch[i])) << i;
}

TEST_P(Changing, EverywhereIsEachPlace) {
  for (uint16_t layer = 0; layer <= layers_; ++layer)
    for (Place place : places(layer, query::kEverywhere)) {
      std::vector<Change> each;
      for (place.position = 0; place.position < ids_.size(); ++place.position)
        each.push_back({place, query::Zero{}});
      place.position = query::kEverywhere;
      EXPECT_EQ(answer(ask(ids_, {{place, query::Zero{}}})), answer(ask(ids_, each)));
    }
}

TEST_P(Changing, SeveralPositionsGiveTheirMean) {
  Floats mean = inside(others_, Where::residual, 1, 2);
  const Floats other = inside(others_, Where::residual, 1, 4);
  for (size_t d = 0; d < mean.size(); ++d) mean[d] = (mean[d] + other[d]) / 2;
  const Place place{Where::residual, 1, 0, 3};
  Query taken{ids_, {{3, query::Hidden{1}}}, {{place, From{others_, {2, 4}}}}};
  EXPECT_EQ(std::get<query::State>(answer(taken)[0]).values, mean);
}

TEST_P(Changing, AddsTimesAFactor) {
  Floats own = inside(ids_, Where::residual, 1, 3), v(own.size());
  for (size_t d = 0; d < v.size(); ++d) v[d] = float(d) / 16, own[d] += -2 * v[d];
  Query query{ids_, {{3, query::Hidden{1}}}, {{{Where::residual, 1, 0, 3}, query::Add{v, -2}}}};
  EXPECT_EQ(std::get<query::State>(answer(query)[0]).values, own);
}

TEST_P(Changing, MissingSitesAreErrors) {
  auto said = [&](const Change& change) -> std::string {
    try {
      answer(ask(ids_, {change}));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const bool recurrent = model_->info().kind == query::ModelInfo::Kind::recurrent;
  const Where small = recurrent                                     ? Where::unit
                      : model_->sites().test(size_t(Where::neuron)) ? Where::neuron
                                                                    : Where::attention;
  if (small != Where::attention) {
    EXPECT_THAT(said({{small, 1, 5000, 0}, query::Zero{}}), HasSubstr("not a number 5000"));
  }
  EXPECT_THAT(said({{small, 0, 0, 0}, query::Zero{}}), HasSubstr("the embeddings have no"));
  EXPECT_THAT(said({{small, 99, 0, 0}, query::Zero{}}), ContainsRegex("layers?, not 99"));
  EXPECT_THAT(said({{small, 1, 0, 0}, query::Put{{1, 2, 3}}}), HasSubstr("3 values were given"));
  EXPECT_THAT(said({{small, 1, 0, 6}, query::Zero{}}), HasSubstr("position 6 of 6"));
  EXPECT_THAT(said({{small, 1, 0, 0}, From{others_, {6}}}), HasSubstr("position 6 of 6"));
  EXPECT_THAT(said({{small, 1, 0, 0}, From{others_, {}}}), HasSubstr("a position there"));
  EXPECT_THAT(said({{small, 1, 0, query::kEverywhere}, From{others_, {1}}}),
              HasSubstr("a position there"));
  EXPECT_THAT(said({{small, 1, 0, 0}, From{{-7}, {0}}}), HasSubstr("-7 is outside"));
  EXPECT_THAT(said({{recurrent ? Where::mlp : Where::unit, 1, 0, 0}, query::Zero{}}),
              HasSubstr("that can be looked at or changed"));
  if (model_->sites().test(size_t(Where::head))) {
    EXPECT_THAT(said({{Where::head, layers_, model_->info().heads_in(layers_), 0}, query::Zero{}}),
                ContainsRegex("heads?, not a number"));
    EXPECT_THAT(said({{Where::head, 1, 99, 0}, query::Zero{}}),
                ContainsRegex("heads?, not a number"));
  }
}

// Hugging Face's transformers with one head or neuron replaced (tools/golden/patched.py).
TEST(Changed, HeadsAndNeuronsAsTransformersHaveThem) {
  const auto golden_file = nlohmann::json::parse(read_file(golden("patched.json")));
  std::map<std::string, std::unique_ptr<query::Model>> models;
  for (const auto& one : golden_file["cases"]) {
    std::unique_ptr<query::Model>& model = models[one["model"]];
    if (!model) model = load_golden(one["model"]);
    Query query{golden_file["ids"].get<Ids>(), {}, {}};
    query.changes = {{{one["site"] == "head" ? Where::head : Where::neuron, one["layer"],
                       one["index"], golden_file["position"]},
                      From{golden_file["others"].get<Ids>(), {golden_file["there"]}}}};
    for (uint32_t p = 0; p < query.ids.size(); ++p)
      query.asks.push_back({p, query::Targets{golden_file["targets"].get<Ids>(), false}});
    ASSERT_GT(one["moved"], 2e-3);
    const Answer answer = std::move(model->answer({&query, 1})[0]);
    for (uint32_t p = 0; p < query.ids.size(); ++p)
      for (size_t t = 0; t < 3; ++t)
        EXPECT_NEAR(query::logits_of(answer[p]).logits[t], one["logits"][p][t].get<float>(), 1e-4)
            << one["model"] << ", " << one["site"] << " " << one["index"] << " of layer "
            << one["layer"];
  }
  EXPECT_EQ(models.size(), 8u);
}

// The same of an encoder and a decoder, asked about the gap.
TEST(Changed, HeadsAndNeuronsOnBothSidesAsTransformersHaveThem) {
  const auto golden_file = nlohmann::json::parse(read_file(golden("patched.json")));
  std::map<std::string, std::unique_ptr<query::Model>> models;
  size_t moved = 0;
  for (const auto& one : golden_file["gap_cases"]) {
    std::unique_ptr<query::Model>& model = models[one["model"]];
    if (!model) model = load_golden(one["model"]);
    const Query query{golden_file["gap_ids"].get<Ids>(),
                      {{4, query::Targets{golden_file["targets"].get<Ids>(), false}}},
                      {{{one["site"] == "head" ? Where::head : Where::neuron, one["layer"],
                         one["index"], one["position"]},
                        From{golden_file["gap_others"].get<Ids>(), {one["there"]}}}}};
    moved += one["moved"] > 2e-3;
    const Answer answer = std::move(model->answer({&query, 1})[0]);
    for (size_t t = 0; t < 3; ++t)
      EXPECT_NEAR(query::logits_of(answer[0]).logits[t], one["logits"][t].get<float>(), 1e-4)
          << one["model"] << ", " << one["site"] << " " << one["index"] << " of layer "
          << one["layer"] << " at " << one["position"];
  }
  EXPECT_EQ(models.size(), 2u);
  EXPECT_GT(moved, 60u);
}

INSTANTIATE_TEST_SUITE_P(Model, Changing, ::testing::ValuesIn(changed_models()),
                         [](const auto& tested) { return identifier(tested.param); });

}  // namespace
}  // namespace minpair::model
