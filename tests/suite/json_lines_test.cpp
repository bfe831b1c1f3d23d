#include <gtest/gtest.h>

#include "suite/suite.h"
#include "support.h"

namespace minpair::suite {

using testing::TemporaryFolder;

static Item parsed(const std::string& line) {
  Item item;
  ItemParser().parse(line, {"suite.jsonl", 7}, item);
  return item;
}

static std::string reason(const std::string& line) {
  try {
    parsed(line);
  } catch (const Error& e) {
    EXPECT_EQ(e.where().str(), "suite.jsonl:7");
    return e.message();
  }
  return "no error";
}

static const char* const kPair =
    R"("sentences":[{"text":"Mäuse singen","locus":[6,12],"grammatical":true},)"
    R"({"text":"Mäuse singt","locus":[6,11],"grammatical":false}])";

TEST(JsonLines, LociAreCharactersOnDiskAndBytesInMemory) {
  Item item = parsed(std::string(R"({"id":"a","test":"t",)") + kPair + "}");
  EXPECT_EQ(item.sentences[0].locus, (Span{7, 13}));
  EXPECT_EQ(slice(item.sentences[1].text, item.sentences[1].locus), "singt");
  std::string line;
  append_json_line(line, item);
  EXPECT_EQ(line, std::string(R"({"id":"a","test":"t",)") + kPair + "}\n");
}

TEST(JsonLines, RoundTrips) {
  Item item;
  item.id = "q\"\\\t";
  item.test = "t";
  item.condition = "sg_pl";
  item.language = "ja";
  item.cluster = "c";
  item.sentences = {{{"猫が \"寝る\""}, {3, 6}, true}, {{"猫を \"寝る\""}, {3, 6}, false}};
  item.features = {{"distance", 3.0}, {"tiny", 1.25e-300}, {"lemma", std::string("寝る\n\x01")}};
  std::string line;
  append_json_line(line, item);
  EXPECT_EQ(parsed(line), item);
}

TEST(JsonLines, AbsentLociAreAligned) {
  Item item = parsed(R"({"id":"a","test":"t","sentences":[{"text":"a b c","grammatical":true},)"
                     R"({"text":"a bb c","grammatical":false}]})");
  EXPECT_EQ(slice(item.sentences[1].text, item.sentences[1].locus), "bb");
}

TEST(JsonLines, SaysWhatIsWrong) {
  std::string pair = kPair;
  EXPECT_EQ(reason("{").substr(0, 9), "not JSON:");
  EXPECT_EQ(reason("[]"), "a line must be one JSON object");
  EXPECT_EQ(reason(R"({"id":"a","test":"t"})"), "an item needs \"sentences\"");
  EXPECT_EQ(reason(R"({"test":"t",)" + pair + "}"), "an item needs an \"id\"");
  EXPECT_EQ(reason(R"({"id":"a",)" + pair + "}"), "an item needs a \"test\"");
  EXPECT_EQ(reason(R"({"id":"a","test":"t","conditon":"sg",)" + pair + "}"),
            "an item has no \"conditon\"");
  EXPECT_EQ(reason(R"({"id":"a","id":"b","test":"t",)" + pair + "}"), "\"id\" is given twice");
  EXPECT_EQ(reason(R"({"id":3,"test":"t",)" + pair + "}"), "\"id\" must be a string");
  EXPECT_EQ(reason(R"({"id":"a","test":"t","features":{"x":[1]},)" + pair + "}"),
            "the feature \"x\" must be a string or a number");
  auto with = [&](const std::string& sentence) {
    return reason(R"({"id":"a","test":"t","sentences":[)" + sentence +
                  R"(,{"text":"ab","locus":[0,1],"grammatical":false}]})");
  };
  EXPECT_EQ(with(R"({"text":"a","locus":[0,2],"grammatical":true})"),
            "the locus [0, 2] is outside the sentence of 1 character");
  EXPECT_EQ(with(R"({"text":"a","locus":[1,0],"grammatical":true})"),
            "the locus [1, 0] ends before it begins");
  EXPECT_EQ(with(R"({"text":"a","locus":[-1,0],"grammatical":true})"),
            "\"locus\" must be [begin, end], counted in characters");
  EXPECT_EQ(with(R"({"text":"a","locus":[0,1],"grammatical":false})"),
            "no sentence of the item is grammatical");
  EXPECT_EQ(with(R"({"text":"a","grammatical":true})"),
            "some sentences have a \"locus\" and some have none; give it to all or to none");
  EXPECT_EQ(with(R"({"text":"","locus":[0,0],"grammatical":true})"), "there is no sentence here");
  EXPECT_EQ(with(R"({"text":"a","locus":[0,1]})"), "a sentence has no \"grammatical\"");
}

TEST(JsonLines, AFileIsReadByItemsWithTheirPlace) {
  TemporaryFolder folder;
  std::string one = std::string(R"({"id":"1","test":"t",)") + kPair + "}\n";
  write_file(folder / "a.jsonl", one + "\n" + one);
  write_file(folder / "b.jsonl", one + "{\n");
  auto items = read_items({folder / "a.jsonl", folder / "b.jsonl"});
  Item item;
  EXPECT_TRUE(items->next(item));
  EXPECT_TRUE(items->next(item));
  EXPECT_EQ(items->where().line, 3u);
  EXPECT_TRUE(items->next(item));
  EXPECT_EQ(items->where().file, (folder / "b.jsonl").string());
  try {
    items->next(item);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where().line, 2u);
  }
}

TEST(JsonLines, ASingleSentenceWithALocusIsACloze) {
  const std::string head = R"({"id":"1","test":"t","sentences":[{"text":"Sie lacht .",)";
  Item cloze = parsed(head + R"("locus":[4,9],"grammatical":true}]})");
  EXPECT_TRUE(cloze.cloze);
  std::string line;
  append_json_line(line, cloze);
  EXPECT_EQ(parsed(line), cloze);
  EXPECT_FALSE(parsed(std::string(R"({"id":"1","test":"t",)") + kPair + "}").cloze);
  EXPECT_THROW(parsed(head + R"("grammatical":true}]})"), Error);
}

TEST(JsonLines, NothingHalfWrittenStaysBehind) {
  TemporaryFolder folder;
  {
    SuiteWriter writer(folder / "a.jsonl");
    Item item = parsed(std::string(R"({"id":"1","test":"t",)") + kPair + "}");
    writer.write(item);
    item.sentences[0].locus = {7, 99};
    EXPECT_THROW(writer.write(item), Error);
    item.sentences[0].locus = {2, 3};  // inside the ä
    EXPECT_THROW(writer.write(item), Error);
    item.sentences[0].locus = {7, 7};
    item.cloze = true;
    EXPECT_THROW(writer.write(item), Error);  // a cloze of two sentences
    item.sentences.pop_back();
    EXPECT_THROW(writer.write(item), Error);  // a cloze without a blank
    item.sentences[0].locus = {0, 3};
    item.cloze = false;
    EXPECT_THROW(writer.write(item), Error);  // a single sentence that is no cloze
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace minpair::suite
