// CLAMS, section 6.3 and appendix B: the printed correlations, from the printed tables.

#include "report/views.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "results.h"

namespace minpair::report {
namespace {

using testing::add_run_of;
using testing::GivenItem;
using testing::TemporaryFolder;

struct Found {
  double rho = 0, p = 0, languages = 0, tests = 0;
};

Found found(const Grid& g, const std::string& model) {
  Found f;
  for (const auto& row : g.rows) {
    if (std::get<std::string>(row[0]) != model) continue;
    f.tests = std::get<double>(row[1]);
    for (size_t i = 0; i < row.size(); ++i) {
      if (g.columns[i].key == "spearman") f.rho = std::get<double>(row[i]);
      if (g.columns[i].key == "p") f.p = std::get<double>(row[i]);
      if (g.columns[i].key == "languages") f.languages = std::get<double>(row[i]);
    }
    return f;
  }
  ADD_FAILURE() << "no row " << model;
  return f;
}

suite::Manifest clams() {
  return suite::read_manifest(testing::source_dir() / "suites/clams/manifest.json");
}

// One item per test and language; right where `right` says so.
void add_clams_run(store::Store& store, const std::function<bool(const std::string&)>& right,
                   const std::vector<std::string>& languages) {
  const suite::Manifest manifest = clams();
  std::vector<GivenItem> items;
  for (const suite::TestInfo& test : manifest.tests)
    for (const std::string& language : languages) {
      GivenItem item;
      item.test = test.name;
      item.good = right(language) ? -1 : -3;
      item.bad = -2;
      item.language = language;
      items.push_back(item);
    }
  add_run_of(store, "clams", "m", "ce", items, manifest);
}

TEST(Against, ThePapersCorrelations) {
  TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_clams_run(store, [](const std::string& l) { return l == "he" || l == "ru"; },
                {"en", "de", "fr", "ru", "he"});
  const Grid g = against_grids(store, {}, read_language_numbers("complexity")).at(0);
  const Found lstm = found(g, "LSTM, monolingual (published)");
  EXPECT_NEAR(lstm.rho, 0.4, 1e-12);
  EXPECT_NEAR(lstm.p, 62.0 / 120, 1e-12);  // R: cor.test(..., method = "spearman")
  EXPECT_EQ(lstm.tests, 7);
  // Without the tests that some language lacks, as the paper says.
  const Found bert = found(g, "mBERT (published)");
  EXPECT_NEAR(bert.rho, -0.9, 1e-12);
  EXPECT_EQ(bert.tests, 5);
  // Hebrew has no capitals; the paper's 0.2 takes its plain accuracy instead.
  const Found capitals = found(g, "LSTM, monolingual, capitalized (published)");
  EXPECT_EQ(capitals.languages, 4);
  // Ours: the two most complex are right.
  EXPECT_NEAR(found(g, "m ce mean").rho, std::sqrt(3) / 2, 1e-12);
}

TEST(Against, WithoutGermanTheOrderIsPerfect) {
  TemporaryFolder folder;
  write_file(folder / "four.tsv", "# no German\nen\t1\nfr\t3.5\nru\t4\nhe\t5\n");
  store::Store store(folder / "r.db", store::Store::Mode::write);
  add_clams_run(store, [](const std::string&) { return true; }, {"en", "de", "fr", "ru", "he"});
  const Grid g = against_grids(store, {}, read_language_numbers(folder / "four.tsv")).at(0);
  EXPECT_NEAR(found(g, "LSTM, monolingual (published)").rho, 1.0, 1e-12);
  EXPECT_EQ(g.notes.at(1), "no number is known for: de");
  EXPECT_EQ(g.notes.back(), "a tie counts one half");
}

TEST(Against, BadTables) {
  TemporaryFolder folder;
  write_file(folder / "a.tsv", "en\t1\nde\tmuch\nfr\t2\n");
  EXPECT_THROW(read_language_numbers(folder / "a.tsv"), Error);
  write_file(folder / "b.tsv", "en\t1\nde\t2\n");
  EXPECT_THROW(read_language_numbers(folder / "b.tsv"), Error);
  EXPECT_THROW(read_language_numbers("nonsense"), Error);
}

}  // namespace
}  // namespace minpair::report
