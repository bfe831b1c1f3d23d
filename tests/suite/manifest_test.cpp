#include <gtest/gtest.h>

#include "suite/suite.h"
#include "support.h"

namespace minpair::suite {

using testing::TemporaryFolder;

TEST(Manifest, RoundTrips) {
  Manifest m;
  m.name = "x";
  m.title = "Tests";
  m.citation = "Somebody (2020)";
  m.languages = {"de", "fr"};
  m.method = "pll";
  m.ties = "half";
  m.tests = {{"b", "Second first", "agreement"}, {"a", "", ""}};
  m.results = {{"M", "b", "sg", "", 0.875, 120, "Table 1", 0.25}, {"M", "", "", "de", 1, {}, ""}};
  EXPECT_EQ(parse_manifest(manifest_json(m), "m"), m);
  EXPECT_EQ(m.find("a"), &m.tests[1]);
  EXPECT_EQ(m.find("c"), nullptr);
}

static std::string reason(const std::string& json) {
  try {
    parse_manifest(json, "manifest.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.where().file, "manifest.json");
    return e.message();
  }
  return "no error";
}

TEST(Manifest, SaysWhatIsWrong) {
  EXPECT_EQ(reason("{").substr(0, 9), "not JSON:");
  EXPECT_EQ(reason("[]"), "a manifest must be an object");
  EXPECT_EQ(reason(R"({"titel":"x"})"), "a manifest has no \"titel\"");
  EXPECT_EQ(reason(R"({"ties":"maybe"})"), "\"ties\" must be \"half\", \"wrong\" or \"right\"");
  EXPECT_EQ(reason(R"({"results":[{"model":"m","accuracy":97}]})"),
            "the accuracy 97 is not from 0 to 1");
  EXPECT_EQ(reason(R"({"results":[{"model":"m"}]})"), "a result needs an \"accuracy\" from 0 to 1");
  EXPECT_EQ(reason(R"({"tests":[{"title":"x"}]})"), "a test needs a \"name\"");
}

TEST(FindSuite, AFileAFolderOrAName) {
  TemporaryFolder folder;
  write_file(folder / "b.jsonl", "");
  write_file(folder / "a.jsonl", "");
  write_file(folder / "a.manifest.json", R"({"title":"A"})");
  Suite file = find_suite((folder / "a.jsonl").string());
  EXPECT_EQ(file.manifest.title, "A");
  EXPECT_EQ(file.manifest.name, "a");
  EXPECT_EQ(file.manifest_file, folder / "a.manifest.json");
  EXPECT_EQ(find_suite((folder / "b.jsonl").string()).manifest_file, "");
  write_file(folder / "manifest.json", R"({"title":"both"})");
  Suite both = find_suite(folder.path().string());
  EXPECT_EQ(both.files, (std::vector<fs::path>{folder / "a.jsonl", folder / "b.jsonl"}));
  EXPECT_EQ(both.manifest.title, "both");
  EXPECT_EQ(both.manifest_file, folder / "manifest.json");
  EXPECT_EQ(both.manifest.name, folder.path().filename().string());
  EXPECT_THROW(find_suite("no-such-suite"), Error);
}

}  // namespace minpair::suite
