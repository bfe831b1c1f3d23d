// Gates, candidates, memory and state of recurrent units: changed and looked at, against plain
// loops over the stored weights and against PyTorch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using query::Change;
using query::From;
using query::Query;
using ::testing::HasSubstr;
using Ids = std::vector<tokenizer::TokenId>;
using Where = query::Site;
using Doubles = std::vector<double>;

const Ids kIds{5, 9, 2, 30, 36, 7}, kOthers{5, 8, 2, 31, 35, 3};
const Ids kTargets{3, 17, 36};

const std::map<std::string, Where> kNamed{{"input-gate", Where::input_gate},
                                          {"forget-gate", Where::forget_gate},
                                          {"candidate", Where::candidate},
                                          {"output-gate", Where::output_gate},
                                          {"update-gate", Where::update_gate},
                                          {"reset-gate", Where::reset_gate},
                                          {"cell", Where::cell},
                                          {"hidden", Where::hidden}};

Query ask(const Ids& ids, std::vector<Change> changes = {}) {
  Query query{ids, {}, std::move(changes)};
  for (uint32_t p = 0; p < ids.size(); ++p)
    query.asks.push_back({p, query::Targets{kTargets, false}});
  return query;
}

// An LSTM as a textbook has it, in double precision: lstm0.pt.
class Textbook {
 public:
  // Is given each value that has a name (site, layer from 1, position, unit) and may change it.
  using Touch = std::function<void(Where, size_t, size_t, size_t, double&)>;

  Textbook() : file_(checkpoint::open_checkpoint(recurrent("lstm0.pt"))) {}

  // The logits of the targets after every word.
  std::vector<Doubles> run(const Ids& ids, const Touch& touch) const {
    std::vector<Doubles> rows;
    const Doubles table = tensor("encoder.weight");
    for (tokenizer::TokenId id : ids)
      rows.emplace_back(table.begin() + id * 20, table.begin() + (id + 1) * 20);
    for (size_t layer = 1; layer <= 2; ++layer) {
      Doubles state(24), memory(24);
      for (size_t p = 0; p < ids.size(); ++p) {
        step(layer, p, rows[p], state, memory, touch);
        rows[p] = state;
      }
    }
    const Doubles weights = tensor("decoder.weight"), bias = tensor("decoder.bias");
    std::vector<Doubles> logits;
    for (const Doubles& row : rows) {
      Doubles& one = logits.emplace_back();
      for (tokenizer::TokenId id : kTargets)
        one.push_back(dot(weights, size_t(id), row) + bias[size_t(id)]);
    }
    return logits;
  }

 private:
  static double dot(const Doubles& matrix, size_t row, const Doubles& x) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += matrix[row * x.size() + i] * x[i];
    return sum;
  }

  void step(size_t layer, size_t p, const Doubles& x, Doubles& state, Doubles& memory,
            const Touch& touch) const {
    const std::string l = std::to_string(layer - 1);
    const Doubles wi = tensor("rnn.weight_ih_l" + l), wh = tensor("rnn.weight_hh_l" + l);
    const Doubles bi = tensor("rnn.bias_ih_l" + l), bh = tensor("rnn.bias_hh_l" + l);
    const Doubles before = state;
    auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (size_t u = 0; u < 24; ++u) {
      double v[4];
      for (size_t gate = 0; gate < 4; ++gate) {
        const size_t row = gate * 24 + u;
        v[gate] = dot(wi, row, x) + bi[row] + dot(wh, row, before) + bh[row];
        v[gate] = gate == 2 ? std::tanh(v[gate]) : sigmoid(v[gate]);
      }
      touch(Where::input_gate, layer, p, u, v[0]);
      touch(Where::forget_gate, layer, p, u, v[1]);
      touch(Where::candidate, layer, p, u, v[2]);
      touch(Where::output_gate, layer, p, u, v[3]);
      memory[u] = v[1] * memory[u] + v[0] * v[2];
      touch(Where::cell, layer, p, u, memory[u]);
      state[u] = v[3] * std::tanh(memory[u]);
      touch(Where::hidden, layer, p, u, state[u]);
    }
  }

  Doubles tensor(const std::string& name) const {
    const checkpoint::TensorView* t = file_->find(name);
    std::vector<float> values(size_t(t->elements()));
    checkpoint::to_float(*t, values.data());
    return {values.begin(), values.end()};
  }

  std::unique_ptr<checkpoint::Checkpoint> file_;
};

constexpr Where kParts[] = {Where::input_gate,  Where::forget_gate, Where::candidate,
                            Where::output_gate, Where::cell,        Where::hidden};

TEST(Gates, AreWhatATextbookHas) {
  auto model = load_golden("lstm0.pt");
  const Textbook textbook;
  for (Where part : kParts)
    for (uint16_t layer : {uint16_t(1), uint16_t(2)})
      for (uint32_t unit : {0u, 17u}) {
        // Read there, put here; and none at all.
        double theirs = 0;
        textbook.run(kOthers, [&](Where w, size_t l, size_t p, size_t u, double& v) {
          if (w == part && l == layer && p == 4 && u == unit) theirs = v;
        });
        const Query reading{kOthers, {{4, query::Hidden{layer, part}}}, {}};
        const auto values = std::get<query::State>(model->answer({&reading, 1})[0][0]).values;
        ASSERT_EQ(values.size(), 24u);
        EXPECT_NEAR(values[unit], theirs, 1e-5);
        for (bool zero : {false, true}) {
          const auto slow =
              textbook.run(kIds, [&](Where w, size_t l, size_t p, size_t u, double& v) {
                if (w == part && l == layer && p == 2 && u == unit) v = zero ? 0 : theirs;
              });
          Change change{{part, layer, unit, 2}, From{kOthers, {4}}};
          if (zero) change.how = query::Zero{};
          const Query query = ask(kIds, {change});
          const query::Answer fast = std::move(model->answer({&query, 1})[0]);
          for (size_t p = 0; p < kIds.size(); ++p)
            for (size_t t = 0; t < kTargets.size(); ++t)
              EXPECT_NEAR(query::logits_of(fast[p]).logits[t], slow[p][t], 1e-5)
                  << int(part) << ", layer " << layer << ", unit " << unit << ", position " << p;
        }
      }
}

// tools/golden/gates.py
TEST(Gates, AreWhatPyTorchHas) {
  const auto golden_file = nlohmann::json::parse(read_file(recurrent("gates.json")));
  std::map<std::string, std::unique_ptr<query::Model>> models;
  for (const auto& one : golden_file["cases"]) {
    std::unique_ptr<query::Model>& model = models[one["file"]];
    if (!model) model = load_golden(one["file"]);
    Query query = ask(golden_file["ids"].get<Ids>());
    query.changes = {{{kNamed.at(one["site"]), one["layer"], one["index"], golden_file["position"]},
                      From{golden_file["others"].get<Ids>(), {golden_file["there"]}}}};
    const query::Answer answer = std::move(model->answer({&query, 1})[0]);
    for (uint32_t p = 0; p < query.ids.size(); ++p)
      for (size_t t = 0; t < kTargets.size(); ++t)
        EXPECT_NEAR(query::logits_of(answer[p]).logits[t], one["logits"][p][t].get<float>(), 1e-5)
            << one["file"] << " " << one["site"] << " " << one["index"] << " of layer "
            << one["layer"];
  }
  EXPECT_EQ(models.size(), 2u);
  EXPECT_EQ(golden_file["cases"].size(), 36u);
}

// All gates of another input, or all of its memory and states, at every place of a layer: its
// answer.
TEST(Gates, AllOfAnotherInputGiveItsAnswer) {
  for (const char* name : {"lstm0.pt", "lstm1.pt", "gru2.pt"}) {
    auto model = load_golden(name);
    const bool lstm = model->info().architecture == "lstm";
    const std::vector<Where> gates = lstm ? std::vector{Where::input_gate, Where::forget_gate,
                                                        Where::candidate, Where::output_gate}
                                          : std::vector{Where::update_gate, Where::candidate};
    std::vector<std::vector<Where>> ways{gates};
    if (lstm) ways.push_back({Where::cell, Where::hidden});
    const Query ours = ask(kIds), theirs = ask(kOthers);
    const query::Answer expected = std::move(model->answer({&theirs, 1})[0]);
    for (const auto& way : ways)
      for (uint16_t layer = 1; layer <= model->info().layers; ++layer) {
        Query changed = ours;
        for (uint32_t p = 0; p < kIds.size(); ++p)
          for (Where site : way)
            changed.changes.push_back({{site, layer, query::kAll, p}, From{kOthers, {p}}});
        EXPECT_EQ(model->answer({&changed, 1})[0], expected) << name << ", layer " << layer;
        changed.changes.pop_back();
        EXPECT_NE(model->answer({&changed, 1})[0], expected) << name << ", layer " << layer;
      }
  }
}

TEST(Gates, MissingGatesAreErrors) {
  auto said = [](const char* name, Where site) -> std::string {
    const Query query = ask(kIds, {{{site, 1, 0, 0}, query::Zero{}}});
    try {
      load_golden(name)->answer({&query, 1});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(said("gru2.pt", Where::forget_gate), HasSubstr("has no forget gates"));
  EXPECT_THAT(said("gru2.pt", Where::cell), HasSubstr("has no memory"));
  EXPECT_THAT(said("lstm0.pt", Where::update_gate), HasSubstr("has no update gates"));
  EXPECT_THAT(said("lstm0.pt", Where::reset_gate), HasSubstr("has no reset gates"));
  EXPECT_THAT(said("tanh3.pt", Where::candidate), HasSubstr("has no candidates"));
}

}  // namespace
}  // namespace minpair::model
