#include "store/judgments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "store/check.h"
#include "store/store.h"
#include "support.h"

namespace minpair::store {
namespace {

TEST(Judgments, AreReplacedBySourceAndChecked) {
  testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "r.db";
  {
    Store created(file, Store::Mode::write);
    Store::Transaction t(created);
  }
  EXPECT_TRUE(read_judgments(file).empty());
  const Judgment choice{"a", "Großväter lachen", "Großväter lacht", "annotator 1", 1};
  const Judgment rating{"b", "Sie lacht", "", "é", 6.5};
  replace_judgments(file, "a", {choice, choice});
  replace_judgments(file, "b", {rating});
  replace_judgments(file, "a", {choice});
  EXPECT_EQ(read_judgments(file), (std::vector<Judgment>{rating, choice}));
  EXPECT_TRUE(check_results(file).findings.empty());
  testing::run_command("sqlite3 " + file.string() +
                       " \"UPDATE judgments SET value = 2 WHERE source = 'a'\"");
  EXPECT_THROW(read_judgments(file), Error);
  EXPECT_FALSE(check_results(file).findings.empty());
}

TEST(Judgments, NeedAResultsFile) {
  testing::TemporaryFolder folder;
  EXPECT_THROW(read_judgments(folder / "none.db"), Error);
  EXPECT_THROW(replace_judgments(folder / "none.db", "a", {}), Error);
}

}  // namespace
}  // namespace minpair::store
