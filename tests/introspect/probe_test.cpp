// Probes: what they find where something was planted, where they look, how items are split.

#include "introspect/probe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "engine/made_up.h"
#include "introspect/introspect.h"
#include "introspect/roles.h"
#include "introspect/states_at.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 20 words of 10 items each; the second layer has the label in one of its values, the first has
// nothing but which word it is.
ProbeStates planted() {
  ProbeStates states;
  states.suite = "s", states.model = "m", states.layers = {0, 1};
  ProbeStates::Role& role = states.roles.emplace_back();
  role.name = "subject";
  role.layers.resize(2);
  Random random(7);
  auto noise = [&] { return float(random.uniform() - 0.5); };
  for (uint32_t i = 0; i < 200; ++i) {
    suite::Item item;
    item.id = std::to_string(i);
    item.test = "t";
    states.items.add(i, item);
    states.excluded.emplace_back();
    states.labels.push_back(i % 2 ? "sg" : "pl");
    role.items.push_back(i);
    role.words.push_back(fmt::format("w{}", i / 10));
    role.clusters.push_back(i / 10);
    for (uint32_t d = 0; d < 24; ++d) {
      const float word = d == i / 10 ? 3.f : 0.f;
      role.layers[0].push_back(word + noise());
      role.layers[1].push_back((d == 22 ? float(i % 2) * 3 : word) + noise());
    }
  }
  return states;
}

double cell(const report::Grid& grid, size_t row, const std::string& key) {
  for (size_t c = 0; c < grid.columns.size(); ++c)
    if (grid.columns[c].key == key) return std::get<double>(grid.rows[row][c]);
  throw std::out_of_range(key);
}

class EveryKind : public ::testing::TestWithParam<stats::Classifier> {};

TEST_P(EveryKind, FindsWhatWasPlantedAndNothingElse) {
  const ProbeStates states = planted();
  ProbeOptions options;
  options.kind = GetParam();
  options.erase = true;
  const report::Grid grid = probe_table(fit_probes(states, options));
  ASSERT_EQ(grid.rows.size(), 2u);
  EXPECT_EQ(cell(grid, 0, "words"), 20);
  EXPECT_EQ(cell(grid, 0, "majority"), 0.5);
  // Which word it is says nothing about the number, but all about a label given to the word.
  EXPECT_LT(cell(grid, 0, "accuracy"), 0.65);
  EXPECT_GT(cell(grid, 0, "control"), 0.95);
  EXPECT_LT(cell(grid, 0, "selectivity"), -0.3);
  EXPECT_EQ(cell(grid, 1, "accuracy"), 1);
  EXPECT_EQ(cell(grid, 1, "seen"), 1);
  EXPECT_NEAR(cell(grid, 1, "erased"), 0.5, 0.15);
}

TEST_P(EveryKind, IsTheSameOnAnyNumberOfThreads) {
  const ProbeStates states = planted();
  ProbeOptions options;
  options.kind = GetParam();
  options.threads = 1;
  const ProbeReadings one = fit_probes(states, options);
  options.threads = 8;
  const ProbeReadings eight = fit_probes(states, options);
  for (size_t l = 0; l < 2; ++l) {
    EXPECT_EQ(one.roles[0].layers[l].guesses, eight.roles[0].layers[l].guesses);
    EXPECT_EQ(one.roles[0].layers[l].control, eight.roles[0].layers[l].control);
  }
}

INSTANTIATE_TEST_SUITE_P(Probe, EveryKind,
                         ::testing::Values(stats::Classifier::means, stats::Classifier::logistic,
                                           stats::Classifier::lda));

TEST(Probe, NoWordIsInTwoFolds) {
  const ProbeStates states = planted();
  const ProbeReadings read = fit_probes(states, {});
  std::map<std::string, std::set<uint32_t>> folds;
  std::set<uint32_t> all;
  for (size_t i = 0; i < 200; ++i) {
    folds[states.roles[0].words[i]].insert(read.roles[0].folds[i]);
    all.insert(read.roles[0].folds[i]);
  }
  for (const auto& [word, some] : folds) EXPECT_EQ(some.size(), 1u) << word;
  EXPECT_EQ(all.size(), 5u);
  std::map<std::string, std::set<uint32_t>> controls;
  for (size_t i = 0; i < 200; ++i)
    controls[states.roles[0].words[i]].insert(read.roles[0].controls[i]);
  for (const auto& [word, some] : controls) EXPECT_EQ(some.size(), 1u) << word;
}

TEST(Probe, UnprobableItemsAreReported) {
  ProbeStates states = planted();
  for (uint64_t& cluster : states.roles[0].clusters) cluster = 1;
  const report::Grid grid = probe_table(fit_probes(states, {}));
  ASSERT_EQ(grid.rows.size(), 1u);
  EXPECT_EQ(cell(grid, 0, "items"), 0);
  EXPECT_EQ(grid.rows[0].back(), report::GridValue("words_not_split=200"));
  EXPECT_THAT(grid.notes, Contains("subject: all items share words, so that they cannot be split"));
  for (std::string& label : states.labels) label = "sg";
  EXPECT_THROW(fit_probes(states, {}), Error);
}

// "wort5 wort6 [wort7 | wort8] wort9": a subject of two words, an attractor behind the locus.
suite::Item item_of(int subject, bool plural, const std::string& w = "wort") {
  suite::Item item;
  item.id = fmt::format("{}{}", subject, plural);
  item.test = "t";
  item.condition = plural ? "pl_sg" : "sg_sg";
  item.cluster = fmt::format("t/{}", subject);
  const std::string noun = fmt::format("{0}5 {0}{1}", w, subject + 20 * plural);
  for (int form : {7, 8})
    item.sentences.push_back({{fmt::format("{} {}{} {}9", noun, w, form, w)}, {}, form == 7});
  suite::align_loci(item.sentences);
  for (suite::Sentence& s : item.sentences)
    s.regions = {{"subject", {0, noun.size()}},
                 {"attractor", {s.text.size() - w.size() - 1, s.text.size()}}};
  return item;
}

TEST(Roles, AreFoundAmongTheTokens) {
  auto bert = model::load_model((source_dir() / "tests/model/golden/bert").string());
  suite::Item item = item_of(12, false);
  Contrast contrast = contrast_of(item, *bert);
  auto positions = [&](const query::Model& model, const char* role) {
    return part_of(item, contrast, model, role).positions;
  };
  EXPECT_THAT(positions(*bert, "subject"), ElementsAre(2));
  EXPECT_THAT(positions(*bert, "locus"), ElementsAre(3));
  EXPECT_THAT(positions(*bert, "last"), ElementsAre(2));
  EXPECT_THAT(positions(*bert, "attractor"), ElementsAre(4));
  EXPECT_EQ(part_of(item, contrast, *bert, "subject").word, "wort12");
  EXPECT_EQ(part_of(item, contrast, *bert, "object").missing, Reason::no_place);
  auto gpt = model::load_model((source_dir() / "tests/model/golden/gpt2").string());
  contrast = contrast_of(item, *gpt);
  const uint32_t start = gpt->info().start >= 0;
  EXPECT_THAT(positions(*gpt, "last"), ElementsAre(contrast.ids.size() - 1));
  EXPECT_THAT(positions(*gpt, "subject"), Contains(contrast.position));
  EXPECT_GE(positions(*gpt, "subject")[0], start);
  EXPECT_EQ(part_of(item, contrast, *gpt, "attractor").missing, Reason::place_after);
}

TEST(Probe, ReadsTheStatesOfEveryRole) {
  auto model = model::load_model((source_dir() / "tests/model/golden/bert").string());
  std::vector<suite::Item> items;
  for (int subject = 10; subject < 14; ++subject)
    for (bool plural : {false, true}) items.push_back(item_of(subject, plural));
  items.push_back(items[0]);
  items.back().id = "cloze";
  items.back().cloze = true;
  items.push_back(items[1]);
  items.back().id = "unlabelled";
  items.back().condition = "?";
  const ProbeStates states = read_probe_states(*model, source_of(items), {}, {});
  ASSERT_EQ(states.roles.size(), 4u);
  EXPECT_EQ(states.roles[0].items.size(), 8u);
  EXPECT_EQ(text_of(states.excluded[8]), "clozes");
  EXPECT_EQ(states.roles[0].missing[9], Reason::no_label);
  EXPECT_EQ(states.labels[1], "pl");
  const size_t width = model->info().hidden;
  const Contrast contrast = contrast_of(items[3], *model);
  for (uint32_t layer = 0; layer <= model->info().layers; ++layer) {
    const std::vector<float> all = states_at(*model, contrast.ids, layer);
    const auto at = [&](size_t position) {
      return std::vector<float>(all.begin() + ptrdiff_t(position * width),
                                all.begin() + ptrdiff_t((position + 1) * width));
    };
    const std::vector<float>& subject = states.roles[0].layers[layer];
    EXPECT_EQ(std::vector<float>(subject.begin() + ptrdiff_t(3 * width),
                                 subject.begin() + ptrdiff_t(4 * width)),
              at(2));
  }
  // Both forms of a subject are one cluster.
  EXPECT_EQ(states.roles[0].clusters[0], states.roles[0].clusters[1]);
  EXPECT_NE(states.roles[0].clusters[0], states.roles[0].clusters[2]);
  EXPECT_THROW(read_probe_states(*model, source_of(items), {}, {.label = "nuber"}), Error);
  const ProbeReadings read = fit_probes(states, {});
  // All items have the same attractor: nothing can be left out there.
  EXPECT_EQ(probe_table(read).rows.size(), 3 * (model->info().layers + 1) + 1);
  // A row says of each place that it was not probed; one, that the cloze was not asked.
  EXPECT_EQ(probe_rows(read).rows(), 8 * 3 * (model->info().layers + 1) + 8 + 4 + 1);
}

// The model reads on from the erased states.
TEST(Probe, ErasedStatesContinueThroughTheModel) {
  for (const std::string name : {"bert", "gpt2", "llama"}) {
    auto model = model::load_model((source_dir() / "tests/model/golden" / name).string());
    std::vector<suite::Item> items;
    for (int subject = 10; subject < 16; ++subject)
      for (bool plural : {false, true}) items.push_back(item_of(subject, plural));
    ProbeOptions options;
    options.roles = {"subject", "locus"};
    options.erase = true;
    const ProbeStates states = read_probe_states(*model, source_of(items), {}, options);
    ProbeReadings read = fit_probes(states, options);
    run_on(*model, read);
    const LensReadings lens = read_lens(*model, source_of(items), {});
    const size_t last = states.layers.size() - 1;
    size_t other = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      EXPECT_NEAR(read.margins[i], lens.readings[i].margins.back(), 1e-6);
      other += read.roles[1].layers[last].margins[i] != read.margins[i];
      // Behind the last layer nobody looks at the subject any more, unless it is asked there.
      if (name == "bert") {
        EXPECT_EQ(read.roles[0].layers[last].margins[i], read.margins[i]);
      }
    }
    EXPECT_EQ(other, items.size()) << name;
    // Put there by hand, the erased state gives the same.
    const Contrast contrast = contrast_of(items[3], *model);
    const size_t width = model->info().hidden;
    query::Query query = margin_question(contrast);
    std::vector<float> state(states.roles[1].layers[1].begin() + ptrdiff_t(3 * width),
                             states.roles[1].layers[1].begin() + ptrdiff_t(4 * width));
    for (size_t d = 0; d < width; ++d) state[d] += read.roles[1].layers[1].shifts[3 * width + d];
    query.changes = {{{query::Site::residual, 1, 0, contrast.position}, query::Put{state}}};
    EXPECT_NEAR(read.roles[1].layers[1].margins[3], margin_of(model->answer({&query, 1})[0]), 1e-5);
    EXPECT_EQ(probe_table(read).columns.size(), 16u);
  }
}

}  // namespace
}  // namespace minpair::introspect
