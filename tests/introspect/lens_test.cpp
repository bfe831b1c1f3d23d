// The lens over a suite: where it asks, what it counts, what it leaves out.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "checkpoint/checkpoint.h"
#include "engine/made_up.h"
#include "introspect/contrast.h"
#include "introspect/introspect.h"
#include "introspect/states_at.h"
#include "introspect/states_file.h"
#include "introspect/sweep_cache.h"
#include "stats/stats.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
constexpr double kNone = NAN;

suite::Item pair(const std::string& good, const std::string& bad, const std::string& id = "1") {
  suite::Item item;
  item.id = id;
  item.test = "agreement";
  item.condition = "sg";
  item.sentences = {{{bad}, {}, false}, {{good}, {}, true}};
  suite::align_loci(item.sentences);
  return item;
}

// The tiny BERT, whose words 20 to 24 are in pieces.
class Pieces : public ::testing::Test {
 protected:
  Pieces() {
    std::filesystem::copy(source_dir() / "tests/model/golden/bert", folder_.path());
    std::string vocabulary = read_file(folder_ / "vocab.txt"), changed;
    size_t id = 0;
    const std::string pieces[] = {"lach", "##t", "##en", "##st", "##e"};
    for (std::string_view line : split(vocabulary, '\n')) {
      if (!line.empty())
        changed += (id >= 20 && id < 25 ? pieces[id - 20] : std::string(line)) + "\n";
      ++id;
    }
    write_file(folder_ / "vocab.txt", changed);
    model_ = model::load_model(folder_.path().string());
  }
  std::string why_not(const suite::Item& item) {
    return text_of(contrast_of(item, *model_).excluded);
  }

  TemporaryFolder folder_;
  std::unique_ptr<query::Model> model_;
};

TEST_F(Pieces, TheFirstThatDifferIsMaskedWithTheRestOfTheLocus) {
  Contrast c = contrast_of(pair("wort7 lacht wort8", "wort7 lachen wort8"), *model_);
  EXPECT_EQ(c.excluded, Reason::none);
  EXPECT_THAT(c.ids, ElementsAre(2, 7, 20, 4, 8, 3));
  EXPECT_EQ(c.position, 3u);
  EXPECT_EQ(c.good, 21);
  EXPECT_EQ(c.bad, 22);
  c = contrast_of(pair("wort7 lachten wort8", "wort7 lachene wort8"), *model_);
  EXPECT_THAT(c.ids, ElementsAre(2, 7, 20, 4, 4, 8, 3));
}

TEST_F(Pieces, UnaskableItemsHaveReasons) {
  EXPECT_EQ(why_not(pair("wort7 lacht wort8", "wort7 lachtst wort8")),
            "of which one form begins with the other");
  EXPECT_EQ(why_not(pair("wort7 lachten wort8", "wort7 lachen wort8")),
            "whose forms have different numbers of pieces");
  EXPECT_EQ(why_not(pair("wort7 nie wort8", "wort7 lachen wort8")),
            "with a locus unknown to the vocabulary");
  EXPECT_EQ(why_not(pair("wort7 lacht", "lacht")), "with an empty locus");
  suite::Item item = pair("wort7 lacht", "wort7 lachen");
  item.cloze = true;
  EXPECT_EQ(why_not(item), "clozes");
  item.cloze = false;
  item.sentences.push_back(item.sentences[0]);
  EXPECT_EQ(why_not(item), "that are not minimal pairs");
  item = pair("wort7 lacht wort8", "wort7 lachen wort9");
  for (suite::Sentence& s : item.sentences) s.locus = {6, s.text.rfind(' ')};
  EXPECT_EQ(why_not(item), "whose sentences differ outside the locus");
}

TEST_F(Pieces, ExcludedItemsAreCountedByReason) {
  std::vector<suite::Item> items{pair("wort7 lacht wort8", "wort7 lachen wort8", "1"),
                                 pair("wort9 nie wort8", "wort9 lachen wort8", "2"),
                                 pair("wort9 nie wort8", "wort9 lachen wort7", "3")};
  LensReadings read = read_lens(*model_, source_of(items), {});
  ASSERT_EQ(read.readings.size(), 3u);
  EXPECT_EQ(read.readings[0].good, "##t");
  report::Grid table = lens_table(read, By::test);
  EXPECT_EQ(table.rows.size(), model_->info().layers + 1);
  EXPECT_THAT(table.notes, Contains("excluded: 2 with a locus unknown to the vocabulary"));
  EXPECT_EQ(effect_rows(read).rows(), model_->info().layers + 1 + 2);
  EXPECT_EQ(lens_table(read, By::condition).columns.size(), table.columns.size() + 1);
}

// The last layer says what the methods say: at a locus of one piece, the margin is theirs.
class LastLayer : public ::testing::TestWithParam<std::string> {};

TEST_P(LastLayer, IsTheMethodsMargin) {
  const bool recurrent = GetParam().ends_with(".pt");
  const std::filesystem::path tests = source_dir() / "tests";
  model::LoadOptions options;
  if (recurrent) options.vocabulary = tests / "golden/recurrent/vocab.txt";
  auto model = model::load_model(
      (tests / (recurrent ? "golden/recurrent" : "model/golden") / GetParam()).string(), options);
  std::vector<suite::Item> items;
  const std::string w = recurrent ? "w" : "wort";
  for (int i = 5; i < 30; ++i) {
    const std::string before = w + std::to_string(i) + " " + w + std::to_string(35 - i) + " ";
    items.push_back(
        pair(before + w + "7 " + w + "9", before + w + "8 " + w + "9", std::to_string(i)));
    items.back().cluster = items.back().id;
  }
  const bool masked = model->info().kind == query::ModelInfo::Kind::masked;
  const method::Method& method = method::find_method(masked ? "masked" : "word-lp");
  auto scores = engine::score_items(*model, {&method}, items);
  LensReadings read = read_lens(*model, source_of(items), {});
  ASSERT_EQ(read.readings.size(), items.size());
  std::vector<double> margins;
  double right = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(read.readings[i].excluded, Reason::none);
    const auto& sentences = scores[i][0].sentences;
    double margin = sentences[1].tokens[0].logprob - sentences[0].tokens[0].logprob;
    EXPECT_NEAR(read.readings[i].margins.back(), margin, 1e-9);
    EXPECT_EQ(read.readings[i].margins.size(), model->info().layers + 1);
    margins.push_back(margin);
    right += margin > 0;
  }
  report::Grid table = lens_table(read, By::test);
  auto cell = [&](size_t column) { return std::get<double>(table.rows.back()[column]); };
  EXPECT_EQ(cell(3), right / double(items.size()));
  // Every item is a cluster of its own here: Student's interval of a mean.
  const double mean = stats::mean(margins),
               half = stats::student_quantile(0.975, 24) * stats::standard_deviation(margins) / 5;
  EXPECT_NEAR(cell(6), mean, 1e-9);
  EXPECT_NEAR(cell(7), mean - half, 1e-9);
  EXPECT_NEAR(cell(8), mean + half, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Lens, LastLayer,
                         ::testing::Values("bert", "modernbert", "gpt2", "gemma2", "lstm0.pt",
                                           "gru2.pt"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find('.'));
                         });

TEST(Lens, ItemsSettleWhereTheirSignStays) {
  EXPECT_EQ(settling_layer({1, 2, 3}), 0u);
  EXPECT_EQ(settling_layer({1, -2, 3}), 2u);
  EXPECT_EQ(settling_layer({1, -2, -3, -4}), 1u);
  EXPECT_EQ(settling_layer({1, 0, 1}), 2u);
  EXPECT_EQ(settling_layer({kNone, 2, 3}), 1u);
}

TEST(Lens, ASelectionWithoutItemsIsAnError) {
  std::vector<suite::Item> items{pair("w5 w6", "w5 w7")};
  auto model = model::load_model((source_dir() / "tests/model/golden/bert").string());
  EXPECT_THROW(read_lens(*model, source_of(items), {.tests = {"agrement"}}), Error);
}

TEST_F(Pieces, StatesAreWrittenAsTheyAre) {
  write_file(folder_ / "texts", "wort7 lacht\n\nwort8 wort9 wort10\n");
  StatesDone done = write_states(*model_, folder_ / "texts", find_layers("2,0", model_->info()),
                                 folder_ / "states.safetensors");
  EXPECT_EQ(done.texts, 2u);
  EXPECT_EQ(done.tokens, 10u);
  auto file = checkpoint::open_checkpoint(folder_ / "states.safetensors");
  ASSERT_EQ(file->tensors().size(), 4u);
  for (uint32_t layer : {0u, 2u}) {
    const checkpoint::TensorView* tensor = file->find(fmt::format("text.3.layer.{}", layer));
    ASSERT_TRUE(tensor);
    EXPECT_THAT(tensor->shape, ElementsAre(5, model_->info().hidden));
    std::vector<float> values(size_t(tensor->elements()));
    checkpoint::to_float(*tensor, values.data());
    EXPECT_EQ(values, states_at(*model_, {2, 8, 9, 10, 3}, layer));
  }
  EXPECT_THAT(read_file(folder_ / "states.safetensors"),
              HasSubstr(R"(\"tokens\":[\"[CLS]\",\"wort7\",\"lach\",\"##t\",\"[SEP]\"])"));
  EXPECT_EQ(find_layers("all", model_->info()).size(), model_->info().layers + 1);
  for (const char* wrong : {"", "3", "x", "1,", "-1", "1 2"})
    EXPECT_THROW(find_layers(wrong, model_->info()), Error) << wrong;
}

}  // namespace
}  // namespace minpair::introspect
