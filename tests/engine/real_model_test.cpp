// The planner against one question at a time, with real (tiny) models: the same bits.

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/plan.h"
#include "support.h"

namespace minpair::engine {
namespace {

std::vector<suite::Item> random_items(size_t n) {
  Random random(3);
  std::vector<suite::Item> items;
  for (size_t i = 0; i < n; ++i) {
    suite::Item item;
    item.id = std::to_string(i);
    item.test = "t";
    std::string start;
    for (uint64_t w = random.below(5); w > 0; --w)
      start += "wort" + std::to_string(7 + random.below(6)) + " ";
    std::string end = " wort" + std::to_string(7 + random.below(3));
    item.sentences = {{{start + "wort20" + end}, {}, true}, {{start + "wort21" + end}, {}, false}};
    suite::align_loci(item.sentences);
    items.push_back(item);
  }
  return items;
}

class RealModel : public ::testing::TestWithParam<const char*> {};

TEST_P(RealModel, PlannedAndOneByOneAreTheSameBits) {
  auto model =
      model::load_model((testing::source_dir() / "tests/model/golden" / GetParam()).string());
  self_test(*model);
  std::vector<suite::Item> items = random_items(40);
  std::vector<const method::Method*> methods = method::find_methods("all", model->info());
  std::vector<std::vector<ItemScores>> planned = score_items(*model, methods, items);
  size_t scored = 0;
  for (size_t i = 0; i < items.size(); ++i)
    for (size_t m = 0; m < methods.size(); ++m) {
      ItemScores alone = score_items(*model, {methods[m]}, {&items[i], 1})[0][0];
      ASSERT_EQ(alone.excluded, planned[i][m].excluded);
      ASSERT_EQ(alone.sentences.size(), planned[i][m].sentences.size());
      for (size_t s = 0; s < alone.sentences.size(); ++s)
        for (size_t t = 0; t < alone.sentences[s].tokens.size(); ++t, ++scored)
          ASSERT_EQ(alone.sentences[s].tokens[t].logprob,
                    planned[i][m].sentences[s].tokens[t].logprob)
              << methods[m]->name() << ": " << items[i].sentences[s].text;
    }
  EXPECT_GT(scored, 1000u);
}

// Some say nothing about the first token, some only what stands in a gap: a run begins with any.
TEST(EveryModel, PassesTheSelfTest) {
  const std::filesystem::path golden = testing::source_dir() / "tests/model/golden";
  size_t tested = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden)) {
    const std::filesystem::path folder = entry.path(), gguf = folder / "model.gguf";
    if (!entry.is_directory() || folder.filename() == "gguf") continue;
    const std::filesystem::path file = std::filesystem::exists(gguf) ? gguf : folder;
    auto model = model::load_model(file.string(), {.threads = 1});
    EXPECT_NO_THROW(self_test(*model)) << folder.filename();
    ++tested;
  }
  EXPECT_GT(tested, 150u);
}

INSTANTIATE_TEST_SUITE_P(Golden, RealModel, ::testing::Values("bert", "roberta", "distilbert"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace minpair::engine
