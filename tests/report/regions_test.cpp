// Region means of published surprisals, as `minpair regions` shows them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "base/file.h"
#include "method/method.h"
#include "report/views.h"
#include "store/store.h"
#include "support.h"

namespace minpair::report {
namespace {

using testing::data_dir;
using testing::no_data;
using testing::TemporaryFolder;
using Json = nlohmann::json;

// A token for each region that has words, with the bits that were published for it.
judge::SentenceScore scored(const suite::Sentence& sentence, const Json& bits) {
  judge::SentenceScore score;
  for (size_t r = 0; r < sentence.regions.size(); ++r) {
    judge::TokenScore t;
    t.span = sentence.regions[r].span;
    t.logprob = -bits[r].get<double>() * std::numbers::ln2;
    if (!t.span.empty()) score.tokens.push_back(t);
  }
  score.words = score.characters = score.bytes = uint32_t(score.tokens.size());
  return score;
}

void add_run(store::Store& store, const std::string& name, const Json& released) {
  suite::Suite suite =
      suite::find_suite((data_dir() / "syntaxgym/suites-brainscore" / (name + ".json")).string());
  store::Store::Transaction t(store);
  int64_t id = store.add_suite({0, name, "f", released.size(), suite.manifest});
  int64_t model = store.add_model({0, "distilgpt2", "w", "t", "fp32", "causal", "gpt2", 1, {}});
  int64_t run = store.add_run(id, model, method::find_method("lp").info());
  auto items = suite::read_items(suite.path);
  suite::Item item;
  for (size_t i = 0; i < released.size(); ++i) {
    ASSERT_TRUE(items->next(item));
    std::vector<judge::SentenceScore> scores;
    for (const suite::Sentence& s : item.sentences)
      scores.push_back(scored(s, released[i]["conditions"][s.name]));
    store.add_score(run, i, item, judge::Reason::none, scores);
  }
  store.finish_run(run);
  t.commit();
}

TEST(RegionMeans, AreThoseOfTheReleasedSurprisals) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  const Json released =
      Json::parse(read_file(data_dir() / "syntaxgym/distilgpt2_region_surprisals.json"))["suites"];
  size_t compared = 0;
  for (const auto& [name, items] : released.items()) {
    TemporaryFolder folder;
    store::Store store(folder / "r.db", store::Store::Mode::write);
    add_run(store, name, items);
    const std::vector<Grid> grids = region_grids(store, {});
    ASSERT_EQ(grids.size(), 1u);
    for (const std::vector<GridValue>& row : grids[0].rows) {
      const std::string& sentence = std::get<std::string>(row[1]);
      const auto region = size_t(std::get<double>(row[2]));
      double sum = 0;
      for (const Json& item : items) sum += item["conditions"][sentence][region - 1].get<double>();
      EXPECT_EQ(std::get<double>(row[4]), double(items.size()));
      EXPECT_NEAR(std::get<double>(row[5]), sum / double(items.size()), 5e-5)
          << name << ": " << sentence << ", region " << region;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 132u);
}

}  // namespace
}  // namespace minpair::report
