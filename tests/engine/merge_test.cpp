#include "store/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/made_up.h"
#include "fake.h"
#include "support.h"

namespace minpair::engine {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::FakeModel;
using ::testing::HasSubstr;
using testing::some_items;
using testing::source_of;
using testing::TemporaryFolder;
using testing::three_methods;

using Paths = std::vector<std::filesystem::path>;

class MergeTest : public ::testing::Test {
 protected:
  // Two suites, one after the other, as one command would score them.
  void run(const std::string& file, FakeModel& model, const Shard& shard = {}) {
    store::Store store(folder / file, store::Store::Mode::write);
    RunOptions options;
    options.shard = shard;
    run_suite(&store, source_of(items, "one"), model, three_methods(), options);
    run_suite(&store, source_of(others, "two"), model, three_methods(), options);
  }

  Paths shards(uint32_t of, FakeModel& model, const std::string& stem = "part") {
    Paths files;
    for (uint32_t n = 1; n <= of; ++n) {
      std::string file = stem + std::to_string(n) + ".db";
      run(file, model, {n, of});
      files.push_back(folder / file);
    }
    return files;
  }

  std::string error_of(const Paths& files) {
    try {
      store::merge_results(files, folder / "merged.db");
    } catch (const Error& e) {
      EXPECT_FALSE(std::filesystem::exists(folder / "merged.db"));
      return e.what();
    }
    return "no error";
  }

  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(90), others = some_items(40, 7);
};

TEST_F(MergeTest, ShardsGiveTheBytesOfOneProcess) {
  FakeModel model;
  run("single.db", model);
  uint64_t passes = model.forward_passes;
  for (uint32_t of : {2u, 3u, 50u}) {
    FakeModel sharded;
    Paths files = shards(of, sharded, "of" + std::to_string(of) + "-");
    std::reverse(files.begin() + 1, files.end());
    std::filesystem::path merged = folder / ("merged" + std::to_string(of) + ".db");
    store::Merged done = store::merge_results(files, merged);
    EXPECT_EQ(done.runs, 6u);
    EXPECT_EQ(done.scores, 3 * (items.size() + others.size()));
    EXPECT_TRUE(bytes_of(merged) == bytes_of(folder / "single.db")) << of;
    if (of == 2) {
      EXPECT_LT(double(sharded.forward_passes), 1.3 * double(passes));
    }
  }
}

TEST_F(MergeTest, MergingAgainChangesNothing) {
  FakeModel model;
  Paths files = shards(3, model);
  store::merge_results(files, folder / "merged.db");
  std::string before = bytes_of(folder / "merged.db");
  store::merge_results(files, folder / "merged.db");
  EXPECT_TRUE(bytes_of(folder / "merged.db") == before);
}

TEST_F(MergeTest, SeveralShardsMayShareAFile) {
  FakeModel model;
  run("single.db", model);
  for (uint32_t n : {2, 3, 1}) run("parts.db", model, {n, 3});
  store::merge_results({folder / "parts.db"}, folder / "merged.db");
  EXPECT_TRUE(bytes_of(folder / "merged.db") == bytes_of(folder / "single.db"));
}

TEST_F(MergeTest, AShardRunAgainKeepsItsBytes) {
  FakeModel model;
  Paths files = shards(2, model);
  std::string before = bytes_of(files[1]);
  uint64_t passes = model.forward_passes;
  run("part2.db", model, {2, 2});
  EXPECT_TRUE(bytes_of(files[1]) == before);
  EXPECT_EQ(model.forward_passes, passes);
}

TEST_F(MergeTest, AMissingShardIsNamed) {
  FakeModel model;
  Paths files = shards(4, model);
  EXPECT_THAT(error_of({files[0], files[2]}),
              AllOf(HasSubstr("one × fake (ce, fp32): of 4 shards there are no 2, 4"),
                    HasSubstr("--shard 2/4")));
}

TEST_F(MergeTest, AShardGivenTwiceIsAnError) {
  FakeModel model;
  Paths files = shards(2, model);
  std::filesystem::copy_file(files[1], folder / "copy.db");
  EXPECT_THAT(error_of({files[0], files[1], folder / "copy.db"}),
              AllOf(HasSubstr("shard 2 of 2 is in"), HasSubstr("copy.db")));
  EXPECT_THAT(error_of({files[0], files[0]}), HasSubstr("is given twice"));
}

TEST_F(MergeTest, ShardsThatDoNotBelongTogether) {
  FakeModel model, other_weights(2), other_precision;
  other_precision.info().precision = "bf16";
  Paths files = shards(2, model), weights = shards(2, other_weights, "weights"),
        precision = shards(2, other_precision, "precision"), thirds = shards(3, model, "third");
  EXPECT_THAT(error_of({files[0], weights[1]}),
              AllOf(HasSubstr("there is no 2"), HasSubstr("shard 2 with another model ('fake')")));
  EXPECT_THAT(error_of({files[0], precision[1]}), HasSubstr("shard 2 with the precision bf16"));
  EXPECT_THAT(error_of({files[0], thirds[1], thirds[2]}),
              HasSubstr("not shards of the same whole: "));
  items.pop_back();
  Paths shorter = shards(2, model, "shorter");
  EXPECT_THAT(error_of({files[0], shorter[1]}),
              HasSubstr("shard 2 with other items under the same suite's name"));
}

TEST_F(MergeTest, ASelectionIsSplitLikeAnything) {
  FakeModel model;
  RunOptions some;
  some.selection = {.tests = {"hard"}, .limit = 20};
  auto run_some = [&](const std::string& file, Shard shard) {
    store::Store store(folder / file, store::Store::Mode::write);
    some.shard = shard;
    return run_suite(&store, source_of(items), model, three_methods(), some);
  };
  EXPECT_EQ(run_some("single.db", {}).counts.items, 20u);
  uint64_t first = run_some("a.db", {1, 2}).counts.items;
  RunReport second = run_some("b.db", {2, 2});
  EXPECT_EQ(first + second.counts.items, 20u);
  EXPECT_EQ(second.selected, 20u);
  store::merge_results({folder / "a.db", folder / "b.db"}, folder / "merged.db");
  EXPECT_TRUE(bytes_of(folder / "merged.db") == bytes_of(folder / "single.db"));
  some.selection.limit = 19;
  run_some("c.db", {2, 2});
  std::filesystem::remove(folder / "merged.db");
  EXPECT_THAT(error_of({folder / "a.db", folder / "c.db"}), HasSubstr("other items"));
}

TEST_F(MergeTest, ResultsOfSeveralModelsAreCollected) {
  FakeModel a(1), b(2);
  run("a.db", a);
  run("b.db", b);
  run("both.db", a);
  run("both.db", b);
  store::merge_results({folder / "a.db", folder / "b.db"}, folder / "merged.db");
  EXPECT_TRUE(bytes_of(folder / "merged.db") == bytes_of(folder / "both.db"));
}

TEST_F(MergeTest, FilesThatOverlapMustAgree) {
  FakeModel model, liar(5);
  run("whole.db", model);
  liar.info().fingerprint = model.info().fingerprint;
  {
    store::Store store(folder / "some.db", store::Store::Mode::write);
    RunOptions options;
    options.selection.limit = 10;
    run_suite(&store, source_of(items, "one"), model, three_methods(), options);
  }
  store::merge_results({folder / "some.db", folder / "whole.db"}, folder / "merged.db");
  EXPECT_TRUE(bytes_of(folder / "merged.db") == bytes_of(folder / "whole.db"));
  run("liar.db", liar);
  EXPECT_THROW(store::merge_results({folder / "whole.db", folder / "liar.db"}, folder / "no.db"),
               Error);
}

TEST_F(MergeTest, TheOutputIsNoInput) {
  FakeModel model;
  run("a.db", model);
  EXPECT_THROW(store::merge_results({folder / "a.db"}, folder / "a.db"), Error);
}

}  // namespace
}  // namespace minpair::engine
