// Patching and ablation over a suite: who is whose counterpart, where a role stands, what the
// figures are.

#include "introspect/patch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "engine/made_up.h"
#include "introspect/component.h"
#include "introspect/contrast.h"
#include "introspect/counterpart.h"
#include "introspect/made_up.h"
#include "introspect/sweep_cache.h"
#include "suite/formats/format.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// --- Counterparts

std::vector<suite::Item> german() {
  return {
      item_of("1", "sg_sg", "Der Kunde vor dem Haus lacht.", "Der Kunde vor dem Haus lachen."),
      item_of("2", "pl_sg", "Die Kunden vor dem Haus lachen.", "Die Kunden vor dem Haus lacht."),
      item_of("3", "pl_sg", "Die Kunden vor dem Auto lachen.", "Die Kunden vor dem Auto lacht."),
      item_of("4", "sg_pl", "Der Kunde vor den Autos lacht.", "Der Kunde vor den Autos lachen."),
      item_of("5", "sg_pl", "Der Kunde vor den Häusern lacht.",
              "Der Kunde vor den Häusern lachen."),
      item_of("6", "pl_pl", "Die Kunden vor den Häusern lachen.",
              "Die Kunden vor den Häusern lacht.")};
}

TEST(Counterparts, DifferInOneFeatureAndTheFewestWords) {
  const std::vector<suite::Item> items = german();
  std::vector<Counterpart> subjects = find_counterparts(items, source_of(items), Swap::subject);
  std::vector<std::string> ids;
  for (const Counterpart& c : subjects)
    ids.push_back(c.excluded == Reason::none ? c.item.id : text_of(c.excluded));
  // Where there is none for Auto, that for Haus is none: another item is nearer to it.
  const std::string none = "without a counterpart in the suite";
  EXPECT_THAT(ids, ElementsAre("2", "1", none, none, "6", "5"));
  const suite::Sentence& right = items[0].sentences[1];
  EXPECT_EQ(slice(right.text, subjects[0].here), "Der Kunde");
  EXPECT_EQ(slice(items[1].sentences[1].text, subjects[0].there), "Die Kunden");

  std::vector<Counterpart> attractors = find_counterparts(items, source_of(items), Swap::attractor);
  EXPECT_EQ(attractors[0].item.id, "5");  // Haus and Häusern are nearer than Haus and Autos
  EXPECT_EQ(slice(right.text, attractors[0].here), "dem Haus");
  EXPECT_EQ(attractors[1].item.id, "6");
}

TEST(Counterparts, MayBeStated) {
  std::vector<suite::Item> items{
      item_of("1", "plural_singular", "The men near the chair are", "The men near the chair is")};
  items[0].features.emplace_back("patch_prefix", "The man near the chair");
  const Counterpart found = find_counterparts(items, source_of(items), Swap::subject)[0];
  EXPECT_EQ(found.excluded, Reason::none);
  EXPECT_EQ(found.item.sentences[0].text, "The man near the chair is");
  EXPECT_TRUE(found.item.sentences[0].grammatical);
  EXPECT_EQ(slice(found.item.sentences[1].text, found.item.sentences[1].locus), "are");
  EXPECT_EQ(slice(items[0].sentences[1].text, found.here), "men");
  EXPECT_EQ(slice(found.item.sentences[0].text, found.there), "man");
  items[0].features.back().second = "The man";
  EXPECT_EQ(find_counterparts(items, source_of(items), Swap::subject)[0].excluded,
            Reason::stated_has_other_words);
  EXPECT_EQ(find_counterparts(items, source_of(items), Swap::attractor)[0].excluded,
            Reason::no_counterpart);
}

TEST(Counterparts, OfFeatureCircuitsAreAllThere) {
  const fs::path files = data_dir() / "counterfactuals/feature-circuits";
  if (data_dir().empty() || !fs::exists(files)) GTEST_SKIP() << no_data();
  const std::map<std::string, size_t> counts{
      {"simple_test.json", 120}, {"nounpp_test.json", 480}, {"within_rc_test.json", 2400}};
  for (const auto& [file, count] : counts) {
    std::vector<suite::Item> items;
    auto stream = suite::find_format("feature-circuits").read(files / file, {});
    for (suite::Item item; stream->next(item);) items.push_back(item);
    EXPECT_EQ(items.size(), count);
    const auto found = find_counterparts(items, source_of(items), Swap::subject);
    for (size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(found[i].excluded, Reason::none) << items[i].id;
      // One noun differs: the second word, or the fifth in relative clauses.
      const std::string before = items[i].sentences[0].text.substr(0, found[i].here.begin);
      EXPECT_EQ(std::ranges::count(before, ' '), file.starts_with("within") ? 4 : 1);
    }
  }
}

TEST(Counterparts, AreOfTheSameClusterAndTheOnlyOnes) {
  std::vector<suite::Item> items = german();
  items.resize(2);
  items[1].cluster = "d";
  auto why = [&] { return find_counterparts(items, source_of(items), Swap::subject)[0].excluded; };
  EXPECT_EQ(why(), Reason::no_counterpart);
  items[1].cluster = "c";
  EXPECT_EQ(why(), Reason::none);
  items[1].condition = "pl_pl";
  EXPECT_EQ(why(), Reason::no_counterpart);
  items[1].condition = "pl_sg";
  items.push_back(items[1]);
  EXPECT_EQ(why(), Reason::several_counterparts);
  items.pop_back();
  items[1] = item_of("2", "pl_sg", "Alle Kunden sehr weit vor dem Haus lachen.",
                     "Alle Kunden sehr weit vor dem Haus lacht.");
  EXPECT_EQ(why(), Reason::no_counterpart);
}

double cell(const report::Grid& grid, size_t row, const std::string& key) {
  for (size_t c = 0; c < grid.columns.size(); ++c)
    if (grid.columns[c].key == key) return std::get<double>(grid.rows.at(row)[c]);
  throw std::out_of_range(key);
}

class Patched : public ::testing::TestWithParam<std::string> {
 protected:
  Patched() {
    const std::filesystem::path tests = source_dir() / "tests";
    const bool recurrent = GetParam().ends_with(".pt");
    model::LoadOptions options{.threads = 2};
    if (recurrent) options.vocabulary = tests / "golden/recurrent/vocab.txt";
    model_ = model::load_model(
        (tests / (recurrent ? "golden/recurrent" : "model/golden") / GetParam()).string(), options);
    items_ = agreement(recurrent ? "w" : "wort");
    site_ = recurrent ? query::Site::unit : query::Site::head;
  }
  PatchReadings read(const PatchOptions& options) {
    return read_patches(*model_, source_of(items_), source_of(items_), {}, options);
  }
  // The margin of an item, asked by hand.
  double margin(const suite::Item& item, std::vector<query::Change> changes) {
    const Contrast c = contrast_of(item, *model_);
    const query::Query query{
        c.ids, {{c.position, query::Targets{{c.good, c.bad}, false}}}, std::move(changes)};
    return margin_of(model_->answer({&query, 1})[0]);
  }

  std::unique_ptr<query::Model> model_;
  std::vector<suite::Item> items_;
  query::Site site_;
};

TEST_P(Patched, AllOfTheCounterpartGivesItsMargin) {
  for (Swap swap : {Swap::subject, Swap::attractor}) {
    const PatchReadings all = read({.roles = {"all", "subject"}, .swap = swap});
    const size_t layers = model_->info().layers + 1;
    ASSERT_EQ(all.components.size(), layers);
    for (size_t i = 0; i < items_.size(); ++i) {
      const PatchItem& reading = all.readings[i];
      ASSERT_EQ(reading.excluded, Reason::none);
      EXPECT_NE(reading.there, reading.margin);
      EXPECT_EQ(reading.margin, margin(items_[i], {}));
      for (size_t l = 0; l < layers; ++l) EXPECT_EQ(reading.changed[l], reading.there);
    }
    const report::Grid table = patch_table(all, By::all, 20);
    EXPECT_EQ(table.rows.size(), 1 + 2 * layers);
    for (size_t l = 0; l < layers; ++l)
      EXPECT_EQ(cell(table, 1 + l, "effect"), cell(table, 0, "effect"));
  }
}

// Natural direct effects: the counterpart is read, and a part stays as it was. Where the subject
// changes, that is the counterpart's own interchange, asked about the other form.
TEST_P(Patched, DirectEffectsKeepTheItemsOwnPart) {
  const PatchReadings all = read({.roles = {"all"}, .how = How::direct});
  for (const PatchItem& reading : all.readings)
    for (double changed : reading.changed) EXPECT_EQ(changed, reading.margin);
  const PatchOptions options{.site = site_, .roles = {"subject", "locus"}, .layers = {1}};
  PatchOptions kept = options;
  kept.how = How::direct;
  const PatchReadings direct = read(kept), interchanged = read(options);
  size_t moved = 0;
  for (const PatchItem& reading : direct.readings) {
    ASSERT_EQ(reading.excluded, Reason::none);
    const PatchItem& other = interchanged.readings[std::stoul(reading.counterpart)];
    for (size_t c = 0; c < reading.changed.size(); ++c) {
      EXPECT_EQ(reading.changed[c], -other.changed[c]);
      moved += reading.changed[c] != reading.there;
    }
  }
  EXPECT_GT(moved, 0u);
  const report::Grid table = patch_table(direct, By::all, 3);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(cell(table, 0, "effect"), cell(patch_table(interchanged, By::all, 3), 0, "effect"));
}

// A causal model reads the subject first; what stands there in the embeddings is all that differs.
TEST_P(Patched, TheSubjectsEmbeddingIsTheWholeDifference) {
  const PatchReadings embeddings = read({.roles = {"subject", "attractor"}, .layers = {0}});
  for (const PatchItem& reading : embeddings.readings) {
    EXPECT_EQ(reading.changed[0], reading.there);
    EXPECT_EQ(reading.changed[1], reading.margin);  // where attractors are the same
  }
}

TEST_P(Patched, EachPartIsAskedByItself) {
  for (How how : {How::interchange, How::zero}) {
    const PatchReadings parts =
        read({.site = site_, .roles = {"subject", "locus"}, .layers = {1}, .how = how});
    ASSERT_GT(parts.components.size(), 1u);
    const suite::Item &item = items_[0], &other = items_[2];
    ASSERT_EQ(parts.readings[0].counterpart, other.id);
    const Contrast here = contrast_of(item, *model_), there = contrast_of(other, *model_);
    const bool start =
        model_->info().start >= 0 || model_->info().kind == query::ModelInfo::Kind::masked;
    for (size_t c = 0; c < parts.components.size(); ++c)
      for (size_t r = 0; r < 2; ++r) {
        const uint32_t position = r == 0 ? uint32_t(start) : here.position;
        query::Change change{{site_, 1, parts.components[c].index, position}, query::Zero{}};
        if (how == How::interchange) change.how = query::From{there.ids, {position}};
        EXPECT_EQ(parts.readings[0].changed[r * parts.components.size() + c],
                  margin(item, {change}));
      }
    const report::Grid table = patch_table(parts, By::test, 3);
    EXPECT_EQ(table.rows.size(), how == How::interchange ? 4u : 3u);
    const size_t first = table.rows.size() - 3;
    EXPECT_GE(std::abs(cell(table, first, "effect")), std::abs(cell(table, first + 1, "effect")));
    EXPECT_EQ(effect_rows(parts).rows(), items_.size() * parts.components.size() * 2);
  }
}

TEST_P(Patched, MeansAreThoseOfAllItems) {
  const PatchReadings means =
      read({.site = query::Site::residual, .roles = {"subject"}, .layers = {0}, .how = How::mean});
  std::vector<double> sum;
  for (const suite::Item& item : items_) {
    const query::Query query{contrast_of(item, *model_).ids, {{1, query::Hidden{0}}}, {}};
    const query::Answer answer = model_->answer({&query, 1})[0];
    const std::vector<float>& values = std::get<query::State>(answer[0]).values;
    sum.resize(values.size());
    for (size_t d = 0; d < values.size(); ++d) sum[d] += double(values[d]);
  }
  query::Put mean;
  for (double x : sum) mean.values.push_back(float(x / double(items_.size())));
  const bool first = contrast_of(items_[0], *model_).ids.size() == 2;
  if (first) return;  // nothing stands before the sentence
  EXPECT_NEAR(means.readings[3].changed[0],
              margin(items_[3], {{{query::Site::residual, 0, 0, 1}, mean}}), 1e-5);
}

TEST_P(Patched, WithoutEachPartOrSomeTogether) {
  const AblateReadings each =
      read_ablations(*model_, source_of(items_), {}, {.site = site_, .layers = {1}});
  ASSERT_GT(each.components.size(), 1u);
  auto without = [&](const std::vector<Component>& components) {
    std::vector<query::Change> changes;
    for (const Component& c : components)
      changes.push_back({{site_, c.layer, c.index, query::kEverywhere}, query::Zero{}});
    return margin(items_[5], changes);
  };
  for (size_t c = 0; c < each.components.size(); ++c)
    EXPECT_EQ(each.readings[5].without[c], without({each.components[c]}));
  const AblateReadings set = read_ablations(
      *model_, source_of(items_), {}, {.site = site_, .together = find_components("1:0, 1:1")});
  EXPECT_EQ(set.readings[5].without[0], without({{1, 0}, {1, 1}}));
  EXPECT_EQ(ablate_table(set, By::condition, 20).rows.size(), 5u);
  EXPECT_EQ(ablate_table(each, By::all, 2).rows.size(), 2u);
  EXPECT_EQ(effect_rows(each).rows(), items_.size() * each.components.size());
}

INSTANTIATE_TEST_SUITE_P(Model, Patched,
                         ::testing::Values("bert", "modernbert", "gpt2", "gemma2", "lstm0.pt"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find('.'));
                         });

// --- Figures

TEST(Patch, EffectsAreOddsMovedToTheOtherForm) {
  PatchReadings read{.suite = "s", .model = "m", .components = {{0, 0}}};
  read.options.roles = {"subject"};
  const double before[] = {2, 1, 3, 1, 2}, after[] = {-1, 1, -2, -3, 1};
  for (size_t i = 0; i < 5; ++i) {
    read.items.add(i, item_of(std::to_string(i), "sg", "a b", "a c", std::to_string(i)));
    read.readings.push_back(
        {Reason::none, "b", "c", "x", before[i], -2 * before[i], {after[i]}, {}, {Reason::none}});
  }
  const report::Grid table = patch_table(read, By::all, 20);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(cell(table, 0, "effect"), 3 * 9 / 5.0);
  EXPECT_DOUBLE_EQ(cell(table, 0, "interchange"), 1);
  EXPECT_DOUBLE_EQ(cell(table, 1, "effect"), 13 / 5.0);
  EXPECT_DOUBLE_EQ(cell(table, 1, "of_total"), 13 / 27.0);
  EXPECT_DOUBLE_EQ(cell(table, 1, "interchange"), 0.6);
  EXPECT_DOUBLE_EQ(
      cell(table, 1, "odds_ratio"),
      (std::exp(3.) + std::exp(0.) + std::exp(5.) + std::exp(4.) + std::exp(1.)) / 5 - 1);
  EXPECT_THAT(table.notes, Not(Contains(HasSubstr("carry no interval"))));
  EXPECT_LT(cell(table, 1, "effect_low"), 2.6);
  EXPECT_GT(cell(table, 1, "effect_high"), 2.6);
}

TEST(Patch, MissingCounterpartsAreCounted) {
  auto model = model::load_model((source_dir() / "tests/model/golden/gpt2").string());
  std::vector<suite::Item> items = agreement("wort");
  for (suite::Item& item : items)
    for (suite::Sentence& sentence : item.sentences) sentence.regions.clear();
  items.push_back(item_of("alone", "sg_sg", "wort9 wort9 wort7", "wort9 wort9 wort8"));
  const PatchReadings read = read_patches(*model, source_of(items), source_of(items), {},
                                          {.roles = {"subject", "attractor"}, .layers = {0, 1}});
  EXPECT_FALSE(std::isnan(read.readings[0].changed[0]));  // the words that differ
  EXPECT_TRUE(std::isnan(read.readings[0].changed[2]));
  const report::Grid table = patch_table(read, By::all, 20);
  EXPECT_THAT(table.notes, Contains("excluded: 1 without a counterpart in the suite"));
  EXPECT_THAT(table.notes, Contains("left out at attractor: without an attractor: 24"));
}

TEST(Patch, SitesAndIndicesThatAreNoneAreSaid) {
  auto model = model::load_model((source_dir() / "tests/model/golden/gpt2").string());
  EXPECT_EQ(find_site("neuron", *model), query::Site::neuron);
  auto said = [&](auto&& wrong) -> std::string {
    try {
      wrong();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(said([&] { find_site("unit", *model); }),
              HasSubstr("it has: residual, attention, head, mlp, neuron"));
  EXPECT_THAT(said([&] { components_of(*model, query::Site::mlp, {0}); }), HasSubstr("embeddings"));
  for (const char* wrong : {"", "1", "1:x", "1:2,", "1:-2", "1:2 3"})
    EXPECT_THAT(said([&] { find_components(wrong); }), HasSubstr("not a layer and an index"))
        << wrong;
}

}  // namespace
}  // namespace minpair::introspect
