#include "report/views.h"

#include <algorithm>

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

nlohmann::json block_json(const std::string& page, const std::string& id) {
  return nlohmann::json::parse(unpacked(block_of(page, id)));
}

// The place of a group in the columns of its suite's runs.
size_t group_at(const nlohmann::json& suite, const std::vector<std::string>& group) {
  for (size_t i = 0; i < suite["groups"].size(); ++i)
    if (suite["groups"][i] == nlohmann::json(group)) return i;
  ADD_FAILURE() << "no group " << nlohmann::json(group).dump();
  return 0;
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
  auto data = block_json(page, "main");
  auto judged = block_json(page, "judged-0-0");
  EXPECT_EQ(judged["outcomes"], "rwtx");
  EXPECT_EQ(judged["scale"], 1000);
  EXPECT_EQ(judged["margins"].dump(), "[1500,-1000,0,null]");
  EXPECT_EQ(judged["reasons"]["texts"][1], "too_long");
  auto items = block_json(page, "items-0");
  EXPECT_EQ(items["sentences"][0][1].dump(), "[\"Sie lachen .\",4,10,0]");
  EXPECT_EQ(items["features"]["distance"]["at"].size(), 4u);
  // The three that count share a cluster.
  auto cells = data["runs"][0]["looks"][0]["all"];
  size_t all = group_at(data["suites"][0], {"", "", "", "", ""});
  EXPECT_EQ(cells["items"][all], 3);
  EXPECT_EQ(cells["points"][all], 1.5);
  EXPECT_EQ(cells["ties"][all], 1);
  EXPECT_EQ(cells["clusters"][all], 1);
  EXPECT_EQ(cells["low"][all], nullptr) << "too few clusters";
  EXPECT_EQ(cells["items"][group_at(data["suites"][0], {"", "easy", "pl", "", ""})], 2);
  size_t hard = group_at(data["suites"][0], {"", "hard", "", "", ""});
  auto left_out = nlohmann::json::array({hard, "too_long", 1});
  EXPECT_NE(std::find(cells["excluded"].begin(), cells["excluded"].end(), left_out),
            cells["excluded"].end());
  auto tokens = block_json(page, "shape-0");
  EXPECT_EQ(tokens["items"].dump(), "[0,1,2]");
  EXPECT_EQ(tokens["counts"].dump(), "[2,2,2,2,2,2,2,2,2]");
  EXPECT_EQ(tokens["gaps"][1], 1) << "a space";
  EXPECT_EQ(tokens["lengths"][1], 5);
  std::string logprobs = unpacked(block_of(page, "logprobs-0"));
  ASSERT_EQ(logprobs.size(), 24u);
  EXPECT_EQ(uint8_t(logprobs[3]) + 256 * uint8_t(logprobs[12 + 3]), 10000 + 250);
  // Both sentences begin alike: only the first says how likely that is.
  EXPECT_EQ(uint8_t(logprobs[0]) + 256 * uint8_t(logprobs[12]), 10000 + 50);
  EXPECT_EQ(uint8_t(logprobs[2]) + 256 * uint8_t(logprobs[12 + 2]), 0);
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
  given[0].features = {{"attractors", 2.0}};
  given[1].features = {{"attractors", 0.0}};
  given[2].longer = true;
  testing::add_run_of(store, "s", "A", "masked", given);
  struct Seen {
    double points, items;
    nlohmann::json low, high;
  };
  auto page = [&](const judge::Policy& policy, const std::vector<std::string>& group,
                  const char* lengths = "all") {
    ReportOptions o;
    o.policy = policy;
    o.cluster = "item";
    write_html(store, o, folder / "p.html");
    auto data = block_json(read_file(folder / "p.html"), "main");
    size_t at = group_at(data["suites"][0], group);
    auto c = data["runs"][0]["looks"][0][lengths];
    return Seen{c["points"][at], c["items"][at], c["low"][at], c["high"][at]};
  };
  const std::vector<std::string> all = {"", "", "", "", ""},
                                 near = {"", "easy", "", "distance", "1"},
                                 far = {"", "", "", "distance", "2"};
  EXPECT_EQ(page({}, near).points, 1.5);
  EXPECT_EQ(page({}, near).items, 2);
  EXPECT_EQ(page({}, far).items, 1);
  EXPECT_NEAR(page({}, all).low, stats::wilson(1.5, 3).low, 5e-5);
  EXPECT_EQ(page({}, all, "equal").items, 2) << "the third has sentences of unequal lengths";
  EXPECT_EQ(page({}, {"", "easy", "", "attraction", "with attractors"}).points, 1);
  EXPECT_EQ(page({}, {"", "easy", "", "attraction", "without attractors"}).points, 0.5);
  EXPECT_EQ(page({.ties = judge::Ties::right}, near).points, 2);
  EXPECT_NEAR(page({.ties = judge::Ties::right}, all).high, stats::wilson(2, 3).high, 5e-5);
  EXPECT_EQ(page({.oov = judge::Oov::wrong}, far).items, 2);
  EXPECT_NEAR(page({.oov = judge::Oov::wrong}, all).high, stats::wilson(1.5, 4).high, 5e-5);
}

TEST(Html, NormsThatChangeNothingAreSaidToBeTheSame) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  // Divided by its three tokens the longer sentence is the better one.
  std::vector<testing::GivenItem> given(2, {"easy", "", "", -1, -1.2, ""});
  given[0].longer = true;
  testing::add_run_of(store, "s", "A", "pll", given);
  write_html(store, {}, folder / "p.html");
  std::string page = read_file(folder / "p.html");
  auto looks = block_json(page, "main")["runs"][0]["looks"];
  ASSERT_EQ(looks.size(), 5u);
  EXPECT_EQ(looks[0]["norm"], "sum");
  EXPECT_EQ(looks[1]["norm"], "mean");
  EXPECT_EQ(looks[0]["all"]["points"][0], 2);
  EXPECT_EQ(looks[1]["all"]["points"][0], 1);
  EXPECT_EQ(block_json(page, "judged-0-1")["outcomes"], "wr");
  EXPECT_EQ(looks[2]["as"], 0);
}

TEST(Html, LanguagesAreApart) {
  if (!has_page()) GTEST_SKIP() << "built without npm: there is no page";
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  testing::add_run_of(
      store, "s", "A", "masked",
      {{"easy", "", "", -1, -2, "", 1, "de"}, {"easy", "", "", -2, -1, "", 1, "fr"}});
  write_html(store, {}, folder / "p.html");
  auto data = block_json(read_file(folder / "p.html"), "main");
  auto points = data["runs"][0]["looks"][0]["all"]["points"];
  EXPECT_EQ(points[group_at(data["suites"][0], {"de", "easy", "", "", ""})], 1);
  EXPECT_EQ(points[group_at(data["suites"][0], {"fr", "easy", "", "", ""})], 0);
  EXPECT_EQ(points[group_at(data["suites"][0], {"fr", "", "", "", ""})], 0);
}

testing::Ran in_browser(const std::string& script, store::Store& store,
                        const std::filesystem::path& folder) {
  write_html(store, {}, folder / "p.html");
  ReportOptions all;
  all.policy.lengths = judge::Lengths::all;
  write_file(folder / "p.json", json_tables(make_tables(store, all)));
  return testing::run_in_browser(
      script, "'" + (folder / "p.html").string() + "' '" + (folder / "p.json").string() + "'");
}

bool can_browse() { return has_page() && std::filesystem::exists("/usr/bin/chromium"); }
#define NEEDS_A_BROWSER() \
  if (!can_browse()) GTEST_SKIP() << "no page or no chromium (tools/bootstrap.sh web browser)"

// web/test/page.mjs says what is looked at.
TEST(Html, WorksInABrowser) {
  NEEDS_A_BROWSER();
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  std::vector<testing::GivenItem> given;
  for (int i = 0; i < 200; ++i) {
    given.push_back({i % 2 ? "easy" : "hard", i % 3 ? "sg" : "pl", "c" + std::to_string(i % 17),
                     -1.0 - i % 5, -2.5, "", double(i % 7)});
    given.back().features = {{"attractors", double(i % 4 == 0)}};
    given.back().longer = i % 10 == 1;  // and the better one, token by token
  }
  given.push_back({"hard", "sg", "", 0, 0, "too_long"});
  suite::Manifest manifest;
  manifest.title = "A suite";
  manifest.tests = {{"easy", "An easy test", "First", ""}, {"hard", "A hard test", "Second", ""}};
  // So near that their letters would stand on each other.
  manifest.results = {{"humans", "easy", "", "", 0.97, {}, "somebody 2020", {}},
                      {"apes", "easy", "", "", 0.969, {}, "somebody 2020", {}}};
  testing::add_run_of(store, "s", "A", "masked", given, manifest);
  testing::add_run_of(store, "s", "A", "pll", given, manifest);
  given[3].good = -9;
  testing::add_run_of(store, "s", "B", "masked", given, manifest);
  testing::Ran ran = in_browser("page.mjs", store, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// One test and one model; two languages, one from right to left; checkpoints; a run without a
// single item that counts; four methods of one model.
TEST(Html, TakesAnyShape) {
  NEEDS_A_BROWSER();
  testing::TemporaryFolder folder;
  store::Store one(folder / "1.db", store::Store::Mode::write);
  testing::add_run_of(one, "s", "A", "masked",
                      std::vector<testing::GivenItem>(8, {"only", "", "", -1, -2, ""}));
  testing::Ran ran = in_browser("shapes.mjs", one, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  store::Store two(folder / "3.db", store::Store::Mode::write);
  std::vector<testing::GivenItem> given;
  for (int i = 0; i < 40; ++i)
    given.push_back({"easy", "", "", -1.0 - i % 3, -2, "", double(i % 30), i % 2 ? "he" : "de", "",
                     i % 2 ? "היא" : "Sie"});
  testing::add_run_of(two, "s", "A", "masked", given);
  ran = in_browser("shapes.mjs", two, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  store::Store stages(folder / "4.db", store::Store::Mode::write);
  for (const char* model : {"org/py@step1000", "org/py", "org/py@step9", "org/py@step40"}) {
    given.clear();
    for (size_t i = 0; i < 40; ++i)
      given.push_back({i % 2 ? "easy" : "hard", "", "c" + std::to_string(i % 9),
                       -1.0 - double((i + std::string(model).size()) % 4), -2.5, ""});
    testing::add_run_of(stages, "s", model, "masked", given);
  }
  ran = in_browser("shapes.mjs", stages, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  store::Store excluded(folder / "5.db", store::Store::Mode::write);
  for (const char* model : {"none", "some", "more"}) {
    for (testing::GivenItem& item : given)
      item.excluded = std::string(model) == "none" ? "too_long" : "";
    testing::add_run_of(excluded, "s", model, "masked", given);
  }
  ran = in_browser("shapes.mjs", excluded, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  store::Store methods(folder / "6.db", store::Store::Mode::write);
  for (testing::GivenItem& item : given) item.excluded = "";
  for (const char* method : {"masked", "pll", "ce", "pll-word-l2r"})
    testing::add_run_of(methods, "s", "A", method, given);
  ran = in_browser("shapes.mjs", methods, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST(Html, TakesTwelveModelsAndAHundredTests) {
  NEEDS_A_BROWSER();
  testing::TemporaryFolder folder;
  store::Store many(folder / "r.db", store::Store::Mode::write);
  for (int m = 0; m < 12; ++m) {
    std::vector<testing::GivenItem> given;
    for (int i = 0; i < 800; ++i)
      given.push_back({"test_with_a_long_name_" + std::to_string(i / 8), i % 2 ? "sg" : "pl",
                       "c" + std::to_string(i % 13), -1.0 - (i * 7 + m * 3) % 5, -3.5, ""});
    testing::add_run_of(many, "s", "a/model/of/some/length-" + std::to_string(m), "masked", given);
  }
  testing::Ran ran = in_browser("shapes.mjs", many, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST(Html, ShowsClozesWithTheirBlank) {
  NEEDS_A_BROWSER();
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  {
    store::Store::Transaction t(store);
    int64_t suite = store.add_suite({0, "c", "f", 24, {}});
    int64_t model = store.add_model({0, "M", "w", "t", "fp32", "masked", "bert", 1, {}});
    int64_t run = store.add_run(suite, model, method::find_method("feature-class").info());
    for (size_t i = 0; i < 24; ++i) {
      suite::Item item;
      item.id = "c" + std::to_string(i);
      item.test = i % 2 ? "determiner" : "verb";
      item.cluster = "s" + std::to_string(i % 8);
      item.cloze = true;
      item.features = {{"distance", double(i % 14)}, {"distractors", double(i % 3)}};
      item.sentences = {{{"Sie lacht ."}, {4, 9}, true}};
      std::vector<judge::SentenceScore> sides(2);
      for (size_t side = 0; side < 2; ++side) {
        const bool likely = side == size_t(i % 5 == 0);
        judge::WordScore words;
        words.kind = judge::WordScore::Kind::features;
        words.count = 3;
        words.views[0] = likely ? -1.0F : -2.5F;
        words.views[1] = likely ? 3.0F : 1.0F;
        sides[side].cloze = words;
      }
      store.add_score(run, i, item, judge::Reason::none, sides);
    }
    store.finish_run(run);
    t.commit();
  }
  testing::Ran ran = in_browser("shapes.mjs", store, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST(Html, DrawsTheRegionsOfDesigns) {
  NEEDS_A_BROWSER();
  testing::TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  suite::Manifest manifest;
  manifest.name = "d";
  manifest.criteria = {{"verb", "", "v in odd > v in plain", ""}};
  {
    store::Store::Transaction t(store);
    int64_t suite = store.add_suite({0, "d", "f", 6, manifest});
    int64_t model = store.add_model({0, "M", "w", "t", "fp32", "causal", "gpt2", 1, {}});
    int64_t run = store.add_run(suite, model, method::find_method("lp").info());
    for (size_t i = 0; i < 6; ++i) {
      suite::Item item;
      item.id = "d" + std::to_string(i);
      item.test = "agreement";
      item.design = true;
      item.cluster = item.id;
      for (const char* name : {"plain", "odd"})
        item.sentences.push_back(
            {{"Sie lacht .", "", {{"np", {0, 3}}, {"v", {4, 9}}}}, {}, false, name});
      std::vector<judge::SentenceScore> scores = {
          testing::given_sentence(-1.0 - double(i), {4, 9}),
          testing::given_sentence(-3.0 - double(i), {4, 9})};
      store.add_score(run, i, item, judge::Reason::none, scores);
    }
    store.finish_run(run);
    t.commit();
  }
  testing::Ran ran = in_browser("designs.mjs", store, folder.path());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace minpair::report
