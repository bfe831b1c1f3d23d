// Items that are designs: on disk, in SyntaxGym's files, and what lint says of them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "suite/convert.h"
#include "suite/lint.h"
#include "support.h"

namespace minpair::suite {

using testing::data_dir;
using testing::no_data;
using testing::TemporaryFolder;

static Item parsed(const std::string& line) {
  Item item;
  ItemParser().parse(line, {}, item);
  return item;
}

static std::string written(const Item& item) {
  std::string line;
  append_json_line(line, item);
  return line;
}

static std::string reason(const std::string& line) {
  try {
    parsed(line);
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

static std::string design(const std::string& sentences) {
  return R"({"id":"a","test":"t","sentences":[)" + sentences + "]}";
}

static const char* const kTwo =
    R"({"name":"plain","context":"Es regnet.","text":"Mäuse  singen","regions":[["np",0,6],["gap",6,6],["v",7,13]]},)"
    R"({"name":"odd","text":"Mäuse singt","regions":[["np",0,5],["gap",5,5],["v",6,11]]})";

TEST(Designs, HaveNamesContextsAndRegionsAndNoLabels) {
  Item item = parsed(design(kTwo));
  EXPECT_TRUE(item.design);
  EXPECT_FALSE(item.cloze);
  EXPECT_EQ(item.sentences[0].context, "Es regnet.");
  EXPECT_EQ(item.sentences[0].regions[2], (Region{"v", {8, 14}}));
  EXPECT_TRUE(item.sentences[1].locus.empty());
  EXPECT_EQ(find_sentence(item, "odd"), &item.sentences[1]);
  EXPECT_EQ(find_region(item.sentences[1], "v"), find_region(item.sentences[1], "3"));
  EXPECT_EQ(find_region(item.sentences[1], "4"), nullptr);
  EXPECT_EQ(written(item), design(kTwo) + "\n");
  EXPECT_EQ(parsed(written(item)), item);
}

TEST(Designs, WordsOfRegionsMakeTheSentence) {
  Item item = parsed(
      design(R"({"name":"a","regions":[["np","The dog"],["adv",""],["v","barks ."]]},)"
             R"({"name":"b","regions":[["np","The dogs"],["adv","never"],["v","bark ."]]})"));
  EXPECT_EQ(item.sentences[0].text, "The dog barks .");
  EXPECT_EQ(slice(item.sentences[1].text, item.sentences[1].regions[1].span), "never");
  EXPECT_EQ(parsed(written(item)), item);
}

TEST(Designs, AMinimalSetMayHaveNamesToo) {
  Item item = parsed(design(
      R"({"name":"good","text":"a b","grammatical":true},{"name":"bad","text":"a c","grammatical":false})"));
  EXPECT_FALSE(item.design);
  EXPECT_EQ(slice(item.sentences[0].text, item.sentences[0].locus), "b");
  EXPECT_EQ(parsed(written(item)), item);
}

TEST(Designs, SayWhatIsWrong) {
  EXPECT_EQ(reason(design(R"({"text":"a b"},{"text":"a c"})")),
            "a sentence has no \"grammatical\"; in a design it has a \"name\" instead");
  EXPECT_EQ(reason(design(R"({"name":"x","text":"a"},{"name":"x","text":"b"})")),
            "two sentences are named \"x\"");
  EXPECT_EQ(reason(design(R"({"name":"x","text":"a"},{"text":"b"})")),
            "a sentence of a design needs a \"name\"");
  EXPECT_EQ(reason(design(R"({"name":"x","text":"ab","regions":[["r",0,3]]})")),
            "the region \"r\" [0, 3] is outside the sentence of 2 characters");
  EXPECT_EQ(reason(design(R"({"name":"x","text":"ab","regions":[["r",1,2],["s",0,1]]})")),
            "the region \"s\" begins before the one before it ends");
  EXPECT_EQ(reason(design(R"({"name":"x","text":"ab","regions":[["r","ab"]]})")),
            "a region must be [name, begin, end], counted in characters");
  EXPECT_EQ(reason(design(R"({"name":"x","regions":[["r",0,1]]})")),
            "a sentence without \"text\" has its words in regions: [name, words]");
  EXPECT_EQ(reason(design(R"({"name":"x"})")), "a sentence has no \"text\"");
}

TEST(Designs, TheJointIsASpaceWhereTheScriptHasAny) {
  EXPECT_EQ(joint("Peter was there.", "He left."), " ");
  EXPECT_EQ(joint("Peter was there. ", "He left."), "");
  EXPECT_EQ(joint("猫が寝る。", "犬も寝る。"), "");
  EXPECT_EQ(joint("", "He left."), "");
}

static std::vector<std::string> checks(const std::vector<Item>& items,
                                       const std::vector<Criterion>& criteria) {
  Linter linter({}, criteria);
  for (const Item& item : items) linter.add(item);
  std::vector<std::string> names;
  for (const Finding& f : linter.finish().findings)
    if (f.check != "no_final_punctuation") names.push_back(f.check);
  return names;
}

using Names = std::vector<std::string>;

TEST(Designs, LintLooksAtRegionsNamesAndCriteria) {
  Item fine = parsed(design(
      R"({"name":"a","regions":[["np","x"],["v","y"]]},{"name":"b","regions":[["np","z"],["v","y"]]})"));
  const std::vector<Criterion> criteria = {{"c", "", "v in a < v in b", ""}};
  EXPECT_EQ(checks({fine}, criteria), Names{});
  EXPECT_EQ(checks({fine}, {{"c", "other", "v in a < v in b", ""}}), Names{"no_criterion"});
  EXPECT_EQ(checks({fine}, {{"c", "t", "v in a < v in c", ""}}), Names{"criterion_names_nothing"});
  EXPECT_EQ(checks({fine}, {{"c", "t", "v in a < 3 in b", ""}}), Names{"criterion_names_nothing"});
  EXPECT_EQ(checks({fine}, {{"c", "t", "np in a < np in b", ""}}),
            Names{"different_words_compared"});
  Item crossed = parsed(design(
      R"({"name":"a","regions":[["np","x"],["v","y"]]},{"name":"b","regions":[["np","x"],["v","z"]]},)"
      R"({"name":"c","regions":[["np","w"],["v","y"]]},{"name":"d","regions":[["np","w"],["v","z"]]})"));
  EXPECT_EQ(checks({crossed}, {{"c", "", "(v in a - v in b) > (v in c - v in d)", ""}}), Names{});
  EXPECT_EQ(checks({crossed}, {{"c", "", "(v in a - v in c) > (v in b - v in d)", ""}}), Names{});
  EXPECT_EQ(checks({crossed}, {{"c", "", "(v in a + v in b) > (v in c - v in d)", ""}}),
            Names{"different_words_compared"});
  EXPECT_EQ(checks({crossed}, {{"c", "", "v in a < v in c and v in b < v in d", ""}}), Names{});
  Item outside = fine;
  outside.sentences[1].regions[0].span = {1, 1};
  EXPECT_EQ(checks({outside}, criteria), Names{"words_in_no_region"});
  Item lacks = fine;
  lacks.sentences[1].regions.pop_back();
  EXPECT_EQ(checks({lacks}, criteria),
            (Names{"criterion_names_nothing", "regions_differ", "words_in_no_region"}));
  Item other = fine;
  other.id = "b";
  other.sentences[0].name = "c";
  other.sentences[0].text = "w y";
  EXPECT_EQ(checks({fine, other}, {{"c", "", "v in b > 1", ""}}), Names{"sentences_missing"});
}

// --- SyntaxGym ---

static const char* const kFile = R"({"meta":{"name":"gap","metric":"mean","author":"me"},
"region_meta":{"1":"np","2":"comma","3":"v"},
"predictions":[{"type":"formula","formula":"[(3;%a%) < (3;%b%)]"}],
"items":[{"item_number":7,"conditions":[
{"condition_name":"a","regions":[{"region_number":1,"content":" The dog "},{"region_number":2,"content":""},{"region_number":3,"content":"barks."}]},
{"condition_name":"b","regions":[{"region_number":1,"content":"The dog"},{"region_number":2,"content":","},{"region_number":3,"content":"barks."}]}]}]})";

TEST(SyntaxGym, ReadsSentencesRegionsAndCriteria) {
  TemporaryFolder folder;
  write_file(folder / "x.json", kFile);
  Suite suite = find_suite((folder / "x.json").string());
  ASSERT_EQ(suite.manifest.criteria.size(), 1u);
  EXPECT_EQ(suite.manifest.criteria[0], (Criterion{"1", "gap", "[(3;%a%) < (3;%b%)]", "mean"}));
  EXPECT_EQ(suite.manifest.ties, "wrong");
  auto items = read_items(suite.path);
  Item item;
  ASSERT_TRUE(items->next(item));
  EXPECT_EQ(item.id, "gap/7");
  // As SyntaxGym joins regions: left-stripped, one space.
  EXPECT_EQ(item.sentences[0].text, "The dog  barks.");
  EXPECT_EQ(item.sentences[1].text, "The dog , barks.");
  EXPECT_EQ(item.sentences[0].regions[2], (Region{"v", {9, 15}}));
  EXPECT_FALSE(items->next(item));
}

static void expect_equal_back(const fs::path& source, const fs::path& folder) {
  // Over a suite on disk, as a user would.
  Suite suite = find_suite(source.string());
  auto items = read_items(source);
  {
    SuiteWriter out(folder / "s.jsonl");
    for (Item item; items->next(item);) out.write(item);
    out.commit();
    write_file(folder / "s.manifest.json", manifest_json(suite.manifest));
  }
  Suite own = find_suite((folder / "s.jsonl").string());
  auto writer = find_format("syntaxgym").write(folder / "back.json");
  writer->describe(own.manifest);
  auto again = read_items(own.path);
  for (Item item; again->next(item);) ASSERT_EQ(writer->write(item), "");
  writer->commit();
  EXPECT_EQ(nlohmann::json::parse(read_file(folder / "back.json")),
            nlohmann::json::parse(read_file(source)))
      << source;
}

TEST(SyntaxGym, IsWrittenBackEqualInContent) {
  TemporaryFolder folder;
  write_file(folder / "x.json", kFile);
  expect_equal_back(folder / "x.json", folder.path());
}

TEST(SyntaxGym, ThePublishedSuitesAreWrittenBackEqualInContent) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(data_dir() / "syntaxgym/suites")) {
    TemporaryFolder folder;
    expect_equal_back(entry.path(), folder.path());
    ++files;
  }
  EXPECT_EQ(files, 34u);
}

TEST(SyntaxGym, AFolderIsOneSuiteOfManyTests) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  Suite suite = find_suite((data_dir() / "syntaxgym/suites").string());
  EXPECT_EQ(suite.manifest.tests.size(), 34u);
  EXPECT_EQ(suite.manifest.criteria.size(), 36u);
  Linter linter({}, suite.manifest.criteria);
  auto items = read_items(suite.path);
  for (Item item; items->next(item);) linter.add(item);
  LintReport report = linter.finish();
  EXPECT_EQ(report.items, 842u);
  EXPECT_EQ(report.tests, 34u);
  for (const Finding& f : report.findings)
    EXPECT_NE(f.check, "criterion_names_nothing") << f.test << f.example;
}

TEST(SyntaxGym, SaysWhatIsWrong) {
  TemporaryFolder folder;
  auto why = [&](std::string from, std::string to) {
    std::string text = kFile;
    text.replace(text.find(from), from.size(), to);
    write_file(folder / "x.json", text);
    try {
      const Format& format = find_format("syntaxgym");
      format.manifest(folder / "x.json");
      auto items = format.read(folder / "x.json", {});
      for (Item item; items->next(item);) {
      }
    } catch (const Error& e) {
      EXPECT_EQ(e.where().file, (folder / "x.json").string());
      return e.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(why("\"items\":", "\"itms\":"), "a SyntaxGym suite needs \"items\"");
  EXPECT_EQ(why("\"region_number\":3", "\"region_number\":4"),
            "item 1: region 4 stands where region 3 should be");
  EXPECT_EQ(why("\"content\":\",\"", "\"content\":5"), "item 1: a region needs \"content\"");
  EXPECT_NE(why("(3;%b%)]", "(3;%b%)").find("']' is missing here"), std::string::npos);
  EXPECT_EQ(why("\"mean\"", "\"average\""), "there is no metric 'average'");
}

TEST(SyntaxGym, PairsFormatsLeaveDesignsOut) {
  TemporaryFolder folder;
  write_file(folder / "x.json", kFile);
  for (const char* name : {"blimp", "clams", "marvin-linzen", "tsv"}) {
    auto items = read_items(folder / "x.json");
    auto writer = find_format(name).write(folder / name);
    Converted done = convert_items(*items, *writer);
    EXPECT_EQ(done.left_out["a design, not a pair"], 1u) << name;
  }
}

}  // namespace minpair::suite
