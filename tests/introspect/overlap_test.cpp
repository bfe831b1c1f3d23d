// Which heads serve several tests: the strongest of each layer, what they share, and what the same
// items would share with themselves.

#include "introspect/overlap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "engine/made_up.h"
#include "introspect/made_up.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;

class Overlap : public ::testing::Test {
 protected:
  Overlap() : items_(agreement("wort")) {
    model_ = model::load_model((source_dir() / "tests/model/golden/bert").string(), {.threads = 2});
    // Every other noun is another test, so that each has several clusters.
    for (suite::Item& item : items_) item.test = (item.cluster.back() - '0') % 2 ? "odd" : "even";
  }
  SweepRequest request() {
    const engine::SuiteSource source = source_of(items_);
    return {store_, {source, source, source}, {}, {}};
  }
  static double number(const report::Grid& grid, size_t row, const std::string& key) {
    return std::get<double>(cell(grid, row, key));
  }
  static std::string text(const report::Grid& grid, size_t row, const std::string& key) {
    return std::get<std::string>(cell(grid, row, key));
  }
  static report::GridValue cell(const report::Grid& grid, size_t row, const std::string& key) {
    for (size_t c = 0; c < grid.columns.size(); ++c)
      if (grid.columns[c].key == key) return grid.rows.at(row)[c];
    throw std::out_of_range(key);
  }
  // The strongest head of each layer at a place, for the items of a test, found by hand.
  static std::set<std::pair<size_t, size_t>> best(const PatchReadings& read, size_t role,
                                                  const std::string& test, size_t many) {
    std::set<std::pair<size_t, size_t>> found;
    const size_t n = read.components.size();
    for (size_t layer : {1u, 2u}) {
      std::vector<std::pair<double, size_t>> order;
      for (size_t c = 0; c < n; ++c) {
        if (read.components[c].layer != layer) continue;
        double sum = 0;
        for (size_t i = 0; i < read.readings.size(); ++i)
          if (read.items.items[i].test == test)
            sum += read.readings[i].margin - read.readings[i].changed[role * n + c];
        order.emplace_back(-sum, read.components[c].index);
      }
      std::ranges::sort(order);
      for (size_t k = 0; k < many; ++k) found.insert({layer, order[k].second});
    }
    return found;
  }

  TemporaryFolder folder_;
  store::Store store_{folder_ / "a.db", store::Store::Mode::write};
  std::vector<suite::Item> items_;
  std::unique_ptr<query::Model> model_;
};

TEST_F(Overlap, IsWhatTheStrongestOfEachLayerShare) {
  const PatchReadings read = cached_patches(
      *model_, request(), {.site = query::Site::head, .roles = {"subject", "locus"}});
  const size_t heads = read.components.size() / 2;
  const std::vector<report::Grid> tables = overlap_tables(store_, {}, 0.5);
  ASSERT_EQ(tables.size(), 1u);
  const report::Grid& table = tables[0];
  // At each place: even with itself, even with odd, odd with itself.
  ASSERT_EQ(table.rows.size(), 6u);
  for (size_t role : {0u, 1u}) {
    const size_t row = 3 * role + 1, many = (heads + 1) / 2;
    EXPECT_EQ(text(table, row, "at"), read.options.roles[role]);
    EXPECT_EQ(text(table, row, "first"), "even");
    EXPECT_EQ(text(table, row, "second"), "odd");
    EXPECT_EQ(text(table, row - 1, "second"), "itself, halves");
    const auto even = best(read, role, "even", many), odd = best(read, role, "odd", many);
    const auto both = std::ranges::count_if(even, [&](const auto& c) { return odd.contains(c); });
    EXPECT_EQ(number(table, row, "parts"), double(2 * heads));
    EXPECT_EQ(number(table, row, "top"), double(2 * many));
    EXPECT_EQ(number(table, row, "shared"), double(both));
    EXPECT_DOUBLE_EQ(number(table, row, "overlap"), double(both) / double(2 * many));
    EXPECT_DOUBLE_EQ(number(table, row, "expected"), double(many) / double(heads));
  }
  EXPECT_EQ(overlap_tables(store_, {.tests = {"odd"}}, 0.5)[0].rows.size(), 2u);
  EXPECT_EQ(overlap_tables(store_, {.by = "all"}, 0.5)[0].rows.size(), 2u);
}

// What serves a test serves it again: a copy of the model under another name shares everything.
TEST_F(Overlap, IsWholeWithTheSameEffects) {
  const AblateOptions options{.site = query::Site::head};
  cached_ablations(*model_, request(), options);
  const engine::SuiteSource other = source_of(items_, "other");
  cached_ablations(*model_, {store_, {other, other, other}, {}, {}}, options);
  const report::Grid table = overlap_tables(store_, {.by = "all"}, 0.25)[0];
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(number(table, 1, "overlap"), 1);
  EXPECT_LT(number(table, 1, "p"), 0.2);
  EXPECT_EQ(text(table, 1, "second"), "other");
}

TEST_F(Overlap, WholeSitesHaveNoPartsToCompare) {
  cached_lens(*model_, request());
  cached_patches(*model_, request(), {});
  try {
    overlap_tables(store_, {}, 0.05);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--site neuron"));
  }
}

}  // namespace
}  // namespace minpair::introspect
