// Why items are not in a figure: every reason has a key and a text of its own, and every row of
// every table accounts for all items of its group.

#include "introspect/reason.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "engine/made_up.h"
#include "introspect/attribute.h"
#include "introspect/made_up.h"
#include "introspect/patch.h"
#include "introspect/probe.h"
#include "introspect/sweep_cache.h"
#include "model/model.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reasons, HaveAKeyAndATextEach) {
  std::set<std::string_view> keys;
  for (size_t i = 0; i < kReasons; ++i) {
    const Reason reason = Reason(i);
    EXPECT_TRUE(keys.insert(key_of(reason)).second) << i;
    EXPECT_EQ(key_of(reason).empty(), reason == Reason::none);
    EXPECT_EQ(find_reason(key_of(reason)), reason) << key_of(reason);
  }
  EXPECT_EQ(text_of(reason_of(judge::Reason::too_long)), "too long for the model");
  EXPECT_EQ(text_of(Reason::no_place, "subject"), "without a subject");
  EXPECT_EQ(text_of(Reason::no_place, "object"), "without the region 'object'");
  EXPECT_THROW(find_reason("because"), Error);
  EXPECT_EQ(reasons_text({{Reason::no_counterpart, 3}, {reason_of(judge::Reason::cloze), 1}}),
            "cloze=1;no_counterpart=3");
}

// Pairs that can be asked, and all kinds that cannot.
std::vector<suite::Item> mixed_items() {
  std::vector<suite::Item> items = agreement("wort");
  items[0].cloze = true;
  items[1].sentences.pop_back();
  items[2].sentences[0].text = items[2].sentences[1].text + " wort7";
  items[11].sentences[1].regions.pop_back();  // no attractor
  items[4].cluster = "alone";                 // no counterpart
  items[5].test = "other", items[5].cloze = true;
  return items;
}

// In every row: items that count, and all others with their reason.
void expect_all(const report::Grid& grid, const std::vector<suite::Item>& items, bool by_test) {
  size_t count = 0;
  while (grid.columns.at(count).key != "items") ++count;
  ASSERT_EQ(grid.columns.back().key, "excluded");
  ASSERT_FALSE(grid.rows.empty()) << grid.key;
  for (const auto& row : grid.rows) {
    ASSERT_EQ(row.size(), grid.columns.size()) << grid.key;
    auto sum = uint64_t(std::get<double>(row[count]));
    for (std::string_view one : split(std::get<std::string>(row.back()), ';'))
      if (!one.empty()) sum += std::stoull(std::string(one.substr(one.find('=') + 1)));
    const std::string test = by_test ? std::get<std::string>(row[0]) : "all";
    const size_t all =
        test == "all" ? items.size() : size_t(std::ranges::count(items, test, &suite::Item::test));
    EXPECT_EQ(sum, all) << grid.key << ": " << std::get<std::string>(row.back());
  }
  for (const char* format : {"table", "markdown", "json"})
    EXPECT_THAT(report::render_grids({grid}, format), HasSubstr("excluded: 2 clozes")) << format;
  EXPECT_THAT(report::render_grids({grid}, "latex"), HasSubstr("Excluded: 2 clozes"));
  EXPECT_THAT(report::render_grids({grid}, "csv"), HasSubstr("cloze="));
  EXPECT_THAT(report::render_grids({grid}, "table"), Not(HasSubstr("cloze=")));
}

TEST(Reasons, EveryRowOfEveryTableAccountsForAllItems) {
  const std::vector<suite::Item> items = mixed_items();
  const engine::SuiteSource suite = source_of(items);
  for (const std::string name : {"bert", "gpt2", "t5"}) {
    SCOPED_TRACE(name);
    auto model = model::load_model((source_dir() / "tests/model/golden" / name).string());
    expect_all(lens_table(read_lens(*model, suite, {}), By::test), items, true);
    expect_all(word_table(read_erasure(*model, suite, {}, "attractor"), By::test), items, true);
    expect_all(patch_table(read_patches(*model, suite, suite, {}, {}), By::test, 20), items, true);
    PatchOptions heads;
    heads.site = query::Site::head, heads.roles = {"attractor"};
    expect_all(patch_table(read_patches(*model, suite, suite, {}, heads), By::all, 2), items,
               false);
    AblateOptions one;
    one.site = query::Site::head, one.together = {{1, 0}};
    expect_all(ablate_table(read_ablations(*model, suite, {}, one), By::test, 20), items, true);
    const ProbeOptions options;
    const ProbeStates states = read_probe_states(*model, suite, {}, options);
    expect_all(probe_table(fit_probes(states, options)), items, false);
    if (name == "gpt2")
      expect_all(direct_table(read_direct(*model, suite, {}), By::test), items, true);
  }
}

// What has no row in a file of rows would be lost there.
TEST(Reasons, EveryItemHasARowAtEveryPlace) {
  const std::vector<suite::Item> items = mixed_items();
  const engine::SuiteSource suite = source_of(items);
  auto model = model::load_model((source_dir() / "tests/model/golden/bert").string());
  const tidy::Frame rows = effect_rows(read_patches(*model, suite, suite, {}, {}));
  auto text = [&](const std::string& name, size_t row) -> std::string {
    for (size_t c = 0; c < rows.fields().size(); ++c)
      if (rows.fields()[c].name == name) return std::string(rows.columns()[c].text(row));
    throw std::out_of_range(name);
  };
  std::set<std::string> ids, without;
  for (size_t r = 0; r < rows.rows(); ++r) {
    ids.insert(text("id", r));
    if (text("at", r) == "attractor" && !text("excluded", r).empty())
      without.insert(text("id", r) + " " + text("excluded", r));
  }
  EXPECT_EQ(ids.size(), items.size());
  EXPECT_THAT(without, Contains("11 without an attractor"));
}

}  // namespace
}  // namespace minpair::introspect
