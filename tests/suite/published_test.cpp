// The published data, read whole: how many items there are, and that nothing changes on the way.

#include <gtest/gtest.h>

#include <map>

#include "suite/formats/format.h"
#include "support.h"

namespace minpair::suite {

using testing::data_dir;
using testing::no_data;

static std::map<std::string, uint64_t> count_tests(const fs::path& path) {
  auto items = read_items(path);
  std::map<std::string, uint64_t> counts;
  for (Item item; items->next(item);) {
    check_item(item);
    ++counts[item.test];
    ++counts["all"];
  }
  return counts;
}

TEST(Published, CountsAreThePublishedOnes) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  auto gevalm = count_tests(data_dir() / "gevalm/input");
  EXPECT_EQ(gevalm["all"], 18230u);
  EXPECT_EQ(gevalm.size(), 15u);  // 14 tests
  EXPECT_EQ(gevalm["SVinSentCompl"], 3600u);
  EXPECT_EQ(count_tests(data_dir() / "gevalm/output")["all"], 18230u);
  EXPECT_EQ(count_tests(data_dir() / "clams/de_evalset")["subj_rel"], 11200u);
  EXPECT_EQ(count_tests(data_dir() / "syneval")["simple_npi_anim"], 120u);
  EXPECT_EQ(count_tests(data_dir() / "gulordava/generated.en.tab")["all"], 410u);
  EXPECT_EQ(count_tests(data_dir() / "gulordava/gulordava_results_base.txt")["all"], 383u);
  EXPECT_EQ(count_tests(data_dir() / "linzen")["all"], 7489u);
  // However many of its 67 paradigms are there, each has a thousand pairs.
  for (const auto& [test, pairs] : count_tests(data_dir() / "blimp")) {
    if (test == "all") continue;
    EXPECT_EQ(pairs, 1000u) << test;
  }
}

static std::string all_bytes(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  std::string all;
  for (const auto& [name, bytes] : files) all += name + "\n" + bytes;
  return all;
}

// In the published order there and back: byte for byte.
static void expect_same_bytes(const std::string& format, const fs::path& path,
                              const fs::path& out) {
  auto items = find_format(format).read(path, {});
  auto writer = find_format(format).write(out);
  for (Item item; items->next(item);) ASSERT_EQ(writer->write(item), "");
  writer->commit();
  if (fs::is_directory(path))
    EXPECT_TRUE(all_bytes(path) == all_bytes(out)) << format;
  else
    EXPECT_TRUE(read_file(path) == read_file(out)) << format;
}

TEST(Published, WrittenBackByteForByte) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  testing::TemporaryFolder folder;
  expect_same_bytes("gevalm", data_dir() / "gevalm/input", folder / "gevalm");
  expect_same_bytes("clams", data_dir() / "clams/de_evalset", folder / "de_evalset");
  expect_same_bytes("gulordava", data_dir() / "gulordava/generated.en.tab", folder / "x.tab");
  auto items = find_format("linzen").read(data_dir() / "linzen", {});
  auto writer = find_format("linzen").write(folder / "linzen");
  for (Item item; items->next(item);) ASSERT_EQ(writer->write(item), "");
  writer->commit();
  for (const char* name : {"subj_agr_filtered.text", "subj_agr_filtered.gold"})
    EXPECT_TRUE(read_file(data_dir() / "linzen" / name) == read_file(folder / "linzen" / name));
}

TEST(Published, GulordavaResultsGiveThePapersTable) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  auto items = read_items(data_dir() / "gulordava/gulordava_results_base.txt");
  uint64_t right = 0, all = 0;
  for (Item item; items->next(item); ++all) {
    const std::vector<double>& s = items->published()->sentences;
    right += s[0] > s[1];
  }
  EXPECT_EQ(all, 383u);
  EXPECT_NEAR(double(right) / double(all), 0.83, 0.005);
}

}  // namespace minpair::suite
