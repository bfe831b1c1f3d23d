#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "report/html_parts.h"
#include "results.h"

namespace minpair::report {
namespace {

std::string unpacked(const std::string& block) {
  static const std::string letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (char c : block) {
    if (c == '=') break;
    bits = bits << 6 | uint32_t(letters.find(c));
    if ((held += 6) >= 8) bytes += char(bits >> (held -= 8) & 255);
  }
  std::string text(1 << 22, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  text.resize(size);
  return text;
}

std::string block_of(const std::string& page, const std::string& id) {
  std::string open = "<script type=\"text/plain\" id=\"" + id + "\">";
  size_t at = page.find(open);
  if (at == page.npos) return "";
  at += open.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(Html, BlocksOfAnyLengthComeBack) {
  for (const char* text : {"", "a", "ab", "abc", "abcd", "a longer text, a longer text"})
    EXPECT_EQ(unpacked(base64(deflated(text))), text);
}

TEST(Html, SpansCountAsBrowsersDo) {
  EXPECT_EQ(utf16_of_byte("aü😀b", 0), 0u);
  EXPECT_EQ(utf16_of_byte("aü😀b", 3), 2u);
  EXPECT_EQ(utf16_of_byte("aü😀b", 7), 4u);  // outside the basic plane: two units
}

TEST(Html, ThePageCarriesTheNumbersOfTheReport) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  testing::add_run_of(store, "s", "A </script>", "masked",
                      {{"easy", "sg", "c", -1, -2.5, ""},
                       {"easy", "pl", "c", -3, -2, ""},
                       {"easy", "pl", "c", -2, -2, ""},
                       {"hard", "pl", "d", 0, 0, "too_long"}});
  write_html(store, {}, folder / "p.html");
  std::string page = read_file(folder / "p.html");
  auto data = nlohmann::json::parse(unpacked(block_of(page, "main")));
  auto run = data["runs"][0];
  EXPECT_EQ(run["outcomes"], "rwtx");
  EXPECT_EQ(run["margins"].dump(), "[1500,-1000,0,null]");
  EXPECT_EQ(run["reasons"]["texts"][1], "too_long");
  EXPECT_EQ(data["suites"][0]["items"]["sentences"][0][1].dump(), "[\"Sie lachen .\",4,10,0]");
  EXPECT_EQ(data["suites"][0]["items"]["features"]["distance"].size(), 4u);
  // The three that count share a cluster.
  EXPECT_EQ(run["intervals"]["all"][0]["clusters"], 1);
  EXPECT_EQ(run["intervals"]["all"][0]["of"], "all");
  auto report = nlohmann::json::parse(json_tables(make_tables(store, {})));
  EXPECT_EQ(data["tests"], report);
  auto tokens = nlohmann::json::parse(unpacked(block_of(page, "shape-0")));
  EXPECT_EQ(tokens["items"].dump(), "[0,1,2]");
  EXPECT_EQ(tokens["counts"].dump(), "[2,2,2,2,2,2,2,2,2]");
  std::string logprobs = unpacked(block_of(page, "logprobs-0"));
  ASSERT_EQ(logprobs.size(), 24u);
  EXPECT_EQ(uint8_t(logprobs[3]) + 256 * uint8_t(logprobs[12 + 3]), 10000 + 250);
  EXPECT_EQ(tokens["flags"][1], 2);
  // Nothing is fetched: the page works without a network.
  EXPECT_EQ(page.find("src=\"http"), page.npos);
  EXPECT_EQ(page.find("<link"), page.npos);
}

TEST(Html, ThePageGetsNumbersThatObeyThePolicy) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  std::vector<testing::GivenItem> given = {{"easy", "", "", -1, -2.5, "", 1},
                                           {"easy", "", "", -2, -2, "", 1},
                                           {"easy", "", "", -3, -2, "", 2},
                                           {"easy", "", "", 0, 0, "unknown_locus", 2}};
  testing::add_run_of(store, "s", "A", "masked", given);
  auto page = [&](const judge::Policy& policy) {
    ReportOptions o;
    o.policy = policy;
    o.cluster = "item";
    write_html(store, o, folder / "p.html");
    return nlohmann::json::parse(unpacked(block_of(read_file(folder / "p.html"), "main")));
  };
  auto half = page({})["runs"][0];
  EXPECT_EQ(half["against"]["distance"].size(), 2u);
  EXPECT_EQ(half["against"]["distance"][0]["accuracy"], 0.75);
  EXPECT_EQ(half["against"]["distance"][0]["n"], 2);
  EXPECT_EQ(half["against"]["distance"][1]["n"], 1);
  stats::Interval all = stats::wilson(1.5, 3);
  EXPECT_DOUBLE_EQ(half["intervals"]["all"][0]["low"], all.low);
  auto right = page({.ties = judge::Ties::right})["runs"][0];
  EXPECT_EQ(right["outcomes"], "rtwx");
  EXPECT_EQ(right["against"]["distance"][0]["accuracy"], 1);
  EXPECT_DOUBLE_EQ(right["against"]["distance"][0]["low"], stats::wilson(2, 2).low);
  EXPECT_DOUBLE_EQ(right["intervals"]["all"][0]["high"], stats::wilson(2, 3).high);
  auto oov = page({.oov = judge::Oov::wrong})["runs"][0];
  EXPECT_EQ(oov["outcomes"], "rtwx");
  EXPECT_EQ(oov["against"]["distance"][1]["n"], 2);
  EXPECT_DOUBLE_EQ(oov["intervals"]["all"][0]["high"], stats::wilson(1.5, 4).high);
}

// web/test/page.mjs says what is looked at.
TEST(Html, WorksInABrowser) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  if (!std::filesystem::exists("/usr/bin/chromium"))
    GTEST_SKIP() << "there is no chromium (tools/bootstrap.sh browser)";
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  std::vector<testing::GivenItem> given;
  for (int i = 0; i < 200; ++i)
    given.push_back(
        {i % 2 ? "easy" : "hard", i % 3 ? "sg" : "pl", "", -1.0 - i % 5, -2.5, "", double(i % 7)});
  given.push_back({"hard", "sg", "", 0, 0, "too_long"});
  testing::add_run_of(store, "s", "A", "masked", given);
  given[3].good = -9;
  testing::add_run_of(store, "s", "B", "masked", given);
  write_html(store, {}, folder / "p.html");
  write_file(folder / "p.json", json_tables(make_tables(store, {})));
  testing::Ran ran = testing::run_in_browser(
      "page.mjs", "'" + (folder / "p.html").string() + "' '" + (folder / "p.json").string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace minpair::report
