#include "judge/criterion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/file.h"
#include "judge/judge.h"
#include "support.h"

namespace minpair::judge {
namespace {

using suite::Metric;
using testing::data_dir;
using testing::no_data;

const View kSum{Unit::sum};

suite::Sentence sentence(const std::string& name,
                         std::vector<std::pair<std::string, std::string>> regions) {
  suite::Sentence s;
  s.name = name;
  suite::set_regions(s, regions);
  return s;
}

// Tokens that follow each other in the text, each of so many bits; "" is a special token.
SentenceScore scored(const suite::Sentence& s,
                     const std::vector<std::pair<std::string, double>>& tokens) {
  SentenceScore score;
  size_t at = 0;
  for (const auto& [text, bits] : tokens) {
    TokenScore t;
    t.special = text.empty();
    t.logprob = -bits * std::numbers::ln2;
    if (!text.empty()) {
      at = s.text.find(text, at);
      EXPECT_NE(at, std::string::npos) << text;
      t.span = {at, at + text.size()};
      at = t.span.end;
    }
    score.tokens.push_back(t);
  }
  return score;
}

// A score of the whole sentence says nothing of its parts, and nothing but its sum.
TEST(Regions, ATotalIsOfTheWholeSentence) {
  suite::Sentence s = sentence("a", {{"np", "The dogs"}, {"verb", "bark"}});
  SentenceScore score;
  score.total = SentenceScore::Total{3, -6 * std::numbers::ln2};
  auto bits = [&](const char* region, Metric metric, View view = kSum) {
    return region_surprisal(s, score, region, metric, view).value_or(-1);
  };
  EXPECT_NEAR(bits("*", Metric::sum), 6, 1e-12);
  EXPECT_EQ(bits("*", Metric::mean), -1);
  EXPECT_EQ(bits("*", Metric::sum, {Unit::token}), -1);
  EXPECT_EQ(bits("verb", Metric::sum), -1);
}

// A special token belongs to the text's end, also where the token before it begins in another
// region.
TEST(Regions, TokensAfterTheTextBelongToTheLastRegion) {
  suite::Sentence s = sentence("a", {{"np", "Dogs"}, {"verb", "bark"}});
  EXPECT_EQ(regions_of(s, scored(s, {{"Dogs bark", 1}, {"", 2}}).tokens), (std::vector<int>{0, 1}));
  TokenScore piece;  // of a character that a token before it has begun
  EXPECT_EQ(regions_of(s, {scored(s, {{"Dogs bark", 1}}).tokens[0], piece}),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(regions_of(s, {piece}), (std::vector<int>{0}));
  suite::Sentence i = sentence("i", {{"np", "I"}, {"verb", "bark"}});
  EXPECT_EQ(regions_of(i, scored(i, {{"", 1}, {"I", 2}}).tokens), (std::vector<int>{0, 0}));
}

TEST(Regions, EveryWhiteSpaceBeforeTheTextIsPassedOver) {
  for (const char* space : {" ", "\t", "\n", "\v", "\f", "\r", " \t\r"}) {
    suite::Sentence s;
    s.text = std::string(space) + "Dogs bark";
    const size_t begin = std::string(space).size();
    s.regions = {{"np", {begin, begin + 4}}, {"verb", {begin + 5, begin + 9}}};
    EXPECT_EQ(regions_of(s, scored(s, {{"", 1}, {"Dogs", 2}}).tokens), (std::vector<int>{0, 0}));
    // A token that begins with the space before its word.
    EXPECT_EQ(regions_of(s, {TokenScore{.span = {0, begin + 4}}}), (std::vector<int>{0}));
  }
}

TEST(Regions, ATokenIsWhereItsFirstCharacterIs) {
  suite::Sentence s =
      sentence("a", {{"np", "The dogs"}, {"gap", ""}, {"verb", "don't"}, {"end", "bark ."}});
  SentenceScore score = scored(s, {{"", 1},
                                   {"The", 2},
                                   {" dog", 3},
                                   {"s", 4},
                                   {" do", 5},
                                   {"n't b", 6},  // reaches over the edge
                                   {"ark", 7},
                                   {" .", 8},
                                   {"", 9}});
  EXPECT_EQ(regions_of(s, score.tokens), (std::vector<int>{0, 0, 0, 0, 2, 2, 3, 3, 3}));
  auto bits = [&](const char* region, Metric metric, View view = kSum) {
    return region_surprisal(s, score, region, metric, view).value_or(-1);
  };
  EXPECT_NEAR(bits("np", Metric::sum), 10, 1e-12);
  EXPECT_NEAR(bits("1", Metric::mean), 2.5, 1e-12);
  EXPECT_NEAR(bits("np", Metric::median), 2.5, 1e-12);
  EXPECT_NEAR(bits("verb", Metric::range), 1, 1e-12);
  EXPECT_NEAR(bits("end", Metric::median), 8, 1e-12);
  EXPECT_NEAR(bits("end", Metric::max), 9, 1e-12);
  EXPECT_NEAR(bits("end", Metric::min), 7, 1e-12);
  EXPECT_NEAR(bits("*", Metric::sum), 45, 1e-12);
  EXPECT_EQ(bits("gap", Metric::sum), 0);
  EXPECT_EQ(bits("gap", Metric::mean), -1);
  EXPECT_EQ(bits("no such", Metric::sum), -1);
  EXPECT_NEAR(bits("np", Metric::sum, {Unit::sum, false}), 9, 1e-12);
  EXPECT_NEAR(bits("np", Metric::sum, {Unit::token}), 2.5, 1e-12);
  EXPECT_NEAR(bits("np", Metric::sum, {Unit::word}), 5, 1e-12);
  EXPECT_NEAR(bits("verb", Metric::sum, {Unit::character}), 11.0 / 5, 1e-12);
}

TEST(Regions, BytesOfACharacterAndLoneSpaces) {
  suite::Sentence s = sentence("a", {{"x", "Tür"}, {"y", "zu"}});
  std::vector<TokenScore> tokens(5);
  tokens[0].span = {0, 1};
  tokens[1].span = {1, 3};  // two pieces of one character
  tokens[2].span = {1, 3};
  tokens[3].span = {4, 5};  // the space
  tokens[4].span = {5, 7};
  EXPECT_EQ(regions_of(s, tokens), (std::vector<int>{0, 0, 0, 1, 1}));
}

Verdict judged(const std::string& formula, std::map<std::string, double> bits) {
  return Criterion({"c", "", formula, ""})
      .judge([&](const std::string& sentence, const std::string& region,
                 Metric) -> std::optional<double> {
        auto at = bits.find(region + "@" + sentence);
        if (at == bits.end()) return {};
        return at->second;
      });
}

TEST(Criterion, ComparisonsHaveMarginsAndTies) {
  Verdict v = judged("v in a < v in b", {{"v@a", 2}, {"v@b", 5}});
  EXPECT_EQ(v.outcome, Outcome::right);
  EXPECT_EQ(v.margin, 3);
  EXPECT_EQ(v.pairs_right, 1);
  EXPECT_EQ(judged("v in a > v in b", {{"v@a", 2}, {"v@b", 5}}).margin, -3);
  EXPECT_EQ(judged("v in a > v in b", {{"v@a", 2}, {"v@b", 2}}).outcome, Outcome::tie);
  EXPECT_EQ(judged("v in a > v in b", {{"v@a", HUGE_VAL}, {"v@b", HUGE_VAL}}).outcome,
            Outcome::tie);
  EXPECT_EQ(judged("v in a > v in b", {{"v@a", 2}}).outcome, Outcome::undefined);
  EXPECT_EQ(judged("v in a - v in b > 1 + 0.5", {{"v@a", 4}, {"v@b", 2}}).margin, 0.5);
}

TEST(Criterion, AndIsAsGoodAsItsWorstOrAsItsBest) {
  std::map<std::string, double> bits = {{"v@a", 1}, {"v@b", 3}, {"v@c", 4}, {"v@d", 4}};
  Verdict both = judged("v in a < v in b and v in a < v in c", bits);
  EXPECT_EQ(both.outcome, Outcome::right);
  EXPECT_EQ(both.margin, 2);
  EXPECT_EQ(judged("v in a < v in b and v in c < v in d", bits).outcome, Outcome::tie);
  EXPECT_EQ(judged("v in b < v in a and v in c < v in d", bits).outcome, Outcome::wrong);
  EXPECT_EQ(judged("v in b < v in a or v in c < v in d", bits).outcome, Outcome::tie);
  EXPECT_EQ(judged("v in b < v in a or v in a < v in b", bits).outcome, Outcome::right);
  EXPECT_EQ(judged("v in a < v in b and v in a < v in x", bits).outcome, Outcome::undefined);
}

TEST(Criterion, EqualsMeansClose) {
  EXPECT_EQ(judged("v in a = v in b", {{"v@a", 10}, {"v@b", 10.001}}).outcome, Outcome::right);
  EXPECT_EQ(judged("v in a = v in b", {{"v@a", 10}, {"v@b", 10.0012}}).outcome, Outcome::wrong);
  EXPECT_EQ(judged("v in a = v in b", {{"v@a", 10}, {"v@b", 10}}).outcome, Outcome::right);
  // A thousandth, and a hundred-thousandth of the second.
  EXPECT_EQ(judged("v in a = v in b", {{"v@a", 1000}, {"v@b", 1000.0109}}).outcome, Outcome::right);
  EXPECT_EQ(judged("v in a = v in b", {{"v@a", 1000}, {"v@b", 1000.0112}}).outcome, Outcome::wrong);
}

TEST(Judge, AllCriteriaOfTheTestMustHold) {
  suite::Item item;
  item.test = "t";
  item.design = true;
  item.sentences = {sentence("a", {{"v", "x"}}), sentence("b", {{"v", "y"}})};
  std::vector<SentenceScore> scores = {scored(item.sentences[0], {{"x", 1}}),
                                       scored(item.sentences[1], {{"y", 2}})};
  suite::Manifest manifest;
  manifest.criteria = {{"first", "t", "v in a < v in b", ""},
                       {"second", "", "v in a > 5", ""},
                       {"elsewhere", "other", "v in a > v in b", ""}};
  Judge judge(manifest);
  EXPECT_EQ(judge.criteria_of(item).size(), 2u);
  EXPECT_EQ(judge.verdict(item, scores, kSum).outcome, Outcome::wrong);
  EXPECT_EQ(judge.verdict(item, scores, kSum).margin, -4);
  manifest.criteria.erase(manifest.criteria.begin() + 1);
  EXPECT_EQ(Judge(manifest).verdict(item, scores, kSum).outcome, Outcome::right);
  EXPECT_EQ(Judge().verdict(item, scores, kSum).outcome, Outcome::undefined);
}

using Json = nlohmann::json;

Json data(const std::string& file) {
  return Json::parse(read_file(data_dir() / "syntaxgym" / file));
}

// The original program's own aggregates of its tokens' surprisals.
void expect_aggregates(const std::string& folder, const std::string& prefix,
                       const std::string& model) {
  Json out = data("fixtures/" + folder + "/" + prefix + "out_" + model + ".json");
  std::ifstream rows(data_dir() / "syntaxgym/fixtures" / folder /
                     (prefix + "surp_" + model + ".txt"));
  std::string line;
  std::getline(rows, line);
  std::map<int, std::vector<std::pair<std::string, double>>> tokens;
  while (std::getline(rows, line)) {
    std::vector<std::string_view> fields = split(line, '\t');
    tokens[std::stoi(std::string(fields[0]))].emplace_back(fields[2],
                                                           std::stod(std::string(fields[3])));
  }
  int number = 0, compared = 0;
  for (const Json& item : out["items"])
    for (const Json& condition : item["conditions"]) {
      std::vector<std::pair<std::string, std::string>> regions;
      for (const Json& r : condition["regions"])
        regions.emplace_back(r["region_number"].dump(), r["content"].get<std::string>());
      suite::Sentence s = sentence("c", regions);
      // What the model does not know stands for the next word; what ends a text is special.
      std::vector<std::pair<std::string, double>> own = tokens[++number];
      size_t at = 0;
      for (auto& [text, bits] : own) {
        if (text == "<eos>") text = "";
        at = s.text.find_first_not_of(' ', at);
        if (text == "<unk>") text = s.text.substr(at, s.text.find_first_of(" ", at) - at);
        at += text.size();
      }
      SentenceScore score = scored(s, own);
      for (const Json& r : condition["regions"])
        for (Metric metric :
             {Metric::sum, Metric::mean, Metric::median, Metric::range, Metric::max, Metric::min}) {
          double expected = r["metric_value"][std::string(name_of(metric))];
          EXPECT_NEAR(region_surprisal(s, score, r["region_number"].dump(), metric, kSum).value(),
                      expected, 1e-12)
              << model << " " << s.text << " " << r["content"];
          ++compared;
        }
    }
  EXPECT_EQ(compared, 144);
}

TEST(SyntaxGym, RegionsOfTheOriginalProgramsFixtures) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  for (const char* model : {"grnn", "transformer-xl"}) {
    expect_aggregates("test", "test_", model);
    expect_aggregates("test-unk", "", model);
  }
}

// The spans that a tokenizer would have given: the fixtures have the tokens alone. `bare` is a
// token without what marks the beginning or the going on of a word.
std::string bare(std::string token) {
  for (const char* mark : {"##", "\xc4\xa0", "@"})
    if (token.starts_with(mark)) token = token.substr(std::string_view(mark).size());
  if (token.ends_with('@')) token.pop_back();
  return token;
}

std::vector<TokenScore> tokens_of_case(const Json& c, const suite::Sentence& s) {
  std::vector<TokenScore> tokens;
  const std::string text = lower(s.text);
  auto among = [](const Json& list, const Json& token) {
    return std::find(list.begin(), list.end(), token) != list.end();
  };
  size_t at = 0;
  for (size_t i = 0; i < c["tokens"].size(); ++i) {
    TokenScore t;
    const Json& token = c["tokens"][i];
    const std::string form = lower(bare(token));
    t.special = (i == 0 && among(c["model"]["prefix"], token)) ||
                (i + 1 == c["tokens"].size() && among(c["model"]["suffix"], token));
    if (!t.special && among(c["model"]["unknown"], token)) {
      at = text.find_first_not_of(' ', at);
      size_t end = std::min(text.find(' ', at), text.size());
      // A full stop after it is a token of its own, where there is one.
      if (i + 1 < c["tokens"].size() && c["tokens"][i + 1] == "." && text[end - 1] == '.') --end;
      t.span = {at, end};
    } else if (!t.special) {
      size_t found = text.find(form, at);
      if (found == text.npos && form == "-") found = text.find("\xe2\x80\x93", at);  // normalised
      EXPECT_NE(found, text.npos) << token;
      t.span = {found, found + form.size()};
    }
    if (!t.special) at = t.span.end;
    tokens.push_back(t);
  }
  return tokens;
}

// What the original program puts into which region, in all its own cases.
TEST(SyntaxGym, AlignmentCasesOfTheOriginalProgram) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  const Json cases = data("fixtures/alignment_cases.json");
  EXPECT_EQ(cases.size(), 19u);
  for (const Json& c : cases) {
    std::vector<std::pair<std::string, std::string>> regions;
    for (const Json& r : c["regions"])
      regions.emplace_back(std::to_string(regions.size() + 1), r.get<std::string>());
    const suite::Sentence s = sentence("c", regions);
    const std::vector<TokenScore> tokens = tokens_of_case(c, s);
    const std::vector<int> places = regions_of(s, tokens);
    Json found = Json::array(), unknown = Json::array();
    for (size_t r = 0; r < regions.size(); ++r) {
      found.push_back(Json::array());
      unknown.push_back(Json::array());
    }
    for (size_t i = 0; i < places.size(); ++i) {
      ASSERT_GE(places[i], 0) << c["description"];
      found[size_t(places[i])].push_back(c["tokens"][i]);
      if (c["tokens"][i] == "<unk>")
        unknown[size_t(places[i])].push_back(std::string(slice(s.text, tokens[i].span)));
    }
    EXPECT_EQ(found, c["expected_tokens"]) << c["description"];
    if (!c["expected_oov"].is_null()) {
      EXPECT_EQ(unknown, c["expected_oov"]) << c["description"];
    }
  }
}

// From distilgpt2's released region surprisals: every verdict.
TEST(SyntaxGym, VerdictsOfReleasedRegionSurprisals) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  Json released = data("distilgpt2_region_surprisals.json")["suites"];
  std::map<std::string, std::vector<int>> right;
  for (const auto& [name, items] : released.items()) {
    suite::Manifest manifest =
        suite::find_suite((data_dir() / "syntaxgym/suites" / (name + ".json")).string()).manifest;
    suite::Manifest later =
        suite::find_suite((data_dir() / "syntaxgym/suites-brainscore" / (name + ".json")).string())
            .manifest;
    for (const Json& item : items) {
      RegionScores scores = [&](const std::string& sentence, const std::string& region,
                                Metric) -> std::optional<double> {
        return item["conditions"][sentence][std::stoul(region) - 1].get<double>();
      };
      Verdict v = Criterion(manifest.criteria.at(0)).judge(scores);
      // The same formula in the later tool's brackets.
      EXPECT_EQ(v.outcome, Criterion(later.criteria.at(0)).judge(scores).outcome);
      if (v.outcome == Outcome::right) right[name].push_back(item["item_number"]);
    }
  }
  EXPECT_EQ(right["subordination_src-src"],
            (std::vector<int>{1, 4, 5, 6, 7, 8, 13, 14, 15, 18, 20, 21, 22}));
  EXPECT_EQ(right["number_prep"], (std::vector<int>{1, 3, 7, 8, 9, 10, 12, 13, 14, 15, 19}));
  EXPECT_EQ(right["cleft_modifier"], std::vector<int>{1});
  EXPECT_EQ(right["npz_ambig"], std::vector<int>{});
  EXPECT_EQ(right["number_orc"], std::vector<int>{});
}

// The released verdicts, counted as every table counts: right of all items of a suite.
std::map<std::string, std::map<std::string, Counts>> released_verdicts(const std::string& file) {
  std::map<std::string, std::map<std::string, Counts>> counts;
  std::ifstream rows(data_dir() / "syntaxgym/results" / file);
  std::string line;
  std::getline(rows, line);
  while (std::getline(rows, line)) {
    std::vector<std::string_view> fields = split(trim(line), ',');
    Verdict v;
    v.outcome = fields[3] == "True" ? Outcome::right : Outcome::wrong;
    counts[std::string(fields[0])][std::string(fields[1])].add(v);
  }
  return counts;
}

// The mean of the accuracies of the paper's 31 suites.
double sg_score(const std::map<std::string, Counts>& suites, uint64_t& right) {
  double sum = 0, n = 0;
  right = 0;
  for (const auto& [suite, counts] : suites) {
    if (suite == "fgd-embed3" || suite == "fgd-embed4" || suite == "nn-nv-rpl") continue;
    sum += points(counts, {}) / double(counts.items);
    right += counts.right;
    ++n;
  }
  EXPECT_EQ(n, 31);
  return sum / n;
}

TEST(SyntaxGym, AccuraciesOfReleasedVerdicts) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  auto xl = released_verdicts("syntaxgym_results_gpt-2-xl-pretrained_.csv").begin()->second;
  auto grnn = released_verdicts("syntaxgym_results_grnn_.csv").begin()->second;
  uint64_t right = 0;
  EXPECT_NEAR(sg_score(xl, right), 0.842415, 5e-7);
  EXPECT_EQ(right, 693u);
  EXPECT_NEAR(sg_score(grnn, right), 0.551400, 5e-7);
  EXPECT_EQ(right, 432u);
  EXPECT_EQ(xl["npi_orc_any"].right, 38u);
  EXPECT_EQ(grnn["number_prep"].right, 9u);
  std::map<std::string, double> rnng;
  for (const auto& [model, suites] : released_verdicts("syntaxgym_results_rnng_bllip-lg.csv"))
    rnng[model] = sg_score(suites, right);
  EXPECT_NEAR(rnng["rnng_bllip-lg_38435"], 0.606093, 5e-7);
  EXPECT_NEAR(rnng["rnng_bllip-lg_62488"], 0.579591, 5e-7);
  EXPECT_NEAR(rnng["rnng_bllip-lg_7245"], 0.563278, 5e-7);
}

}  // namespace
}  // namespace minpair::judge
