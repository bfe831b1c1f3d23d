#include "tidy/tidy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "support.h"
#include "tidy/fields.h"

namespace minpair::tidy {
namespace {

Frame some() {
  Frame f({{"t", Type::text, ""},
           {"i", Type::integer, ""},
           {"n", Type::number, ""},
           {"b", Type::truth, ""},
           {"v", Type::vector, "", 2}});
  const float values[] = {0.5f, -1};
  f.text("a,\"b\"\tc").integer(-7).number(0.1).truth(true).vector(values);
  f.nothing().nothing().number(std::nan("")).nothing().nothing();
  f.text("").integer(int64_t{1} << 40).number(-HUGE_VAL).truth(false).vector(values);
  return f;
}

std::string text_of(const Frame& frame, Format format) {
  std::string text;
  append_text(text, frame, format);
  return text;
}

TEST(Frame, EveryFormatSaysWhatIsThereAndWhatIsNot) {
  EXPECT_EQ(text_of(some(), Format::csv),
            "\"a,\"\"b\"\"\tc\",-7,0.1,true,0.5 -1\n,,,,\n,1099511627776,-inf,false,0.5 -1\n");
  EXPECT_EQ(text_of(some(), Format::tsv),
            "\"a,\"\"b\"\"\tc\"\t-7\t0.1\ttrue\t0.5 -1\n\t\t\t\t\n"
            "\t1099511627776\t-inf\tfalse\t0.5 -1\n");
  EXPECT_EQ(text_of(some(), Format::jsonl),
            "{\"t\":\"a,\\\"b\\\"\\tc\",\"i\":-7,\"n\":0.1,\"b\":true,\"v\":[0.5,-1]}\n"
            "{\"t\":null,\"i\":null,\"n\":null,\"b\":null,\"v\":null}\n"
            "{\"t\":\"\",\"i\":1099511627776,\"n\":-1e999,\"b\":false,\"v\":[0.5,-1]}\n");
}

TEST(Frame, IsLaidOutAsArrowHasIt) {
  Frame f = some();
  EXPECT_EQ(f.rows(), 3u);
  EXPECT_EQ(f.columns()[0].offsets, (std::vector<int32_t>{0, 7, 7, 7}));
  EXPECT_EQ(f.columns()[0].valid, (std::vector<uint8_t>{0b101}));
  EXPECT_EQ(f.columns()[0].missing, 1u);
  EXPECT_EQ(f.columns()[3].truths, (std::vector<uint8_t>{0b001}));
  EXPECT_EQ(f.columns()[4].values.size(), 6u);
  EXPECT_THROW(f.integer(int64_t{1}), std::logic_error);
}

TEST(Frame, BitsContinueInTheNextByte) {
  Frame f({{"b", Type::truth, ""}});
  for (int i = 0; i < 20; ++i) i % 3 == 0 ? f.nothing() : f.truth(i % 2 == 0);
  ASSERT_EQ(f.rows(), 20u);
  EXPECT_EQ(f.columns()[0].valid.size(), 3u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(f.columns()[0].has(i), i % 3 != 0);
    EXPECT_EQ(f.columns()[0].truth(i), i % 3 != 0 && i % 2 == 0);
  }
}

TEST(Formats, FollowTheNameOfTheFile) {
  EXPECT_EQ(format_for("a/items.csv"), Format::csv);
  EXPECT_EQ(format_for("items.tsv"), Format::tsv);
  EXPECT_EQ(format_for("items.jsonl"), Format::jsonl);
  EXPECT_EQ(format_for("-"), Format::csv);
  EXPECT_EQ(format_for("items"), Format::csv);
  EXPECT_EQ(format_for("items.txt"), Format::csv);
  EXPECT_THROW(format_for("items.xlsx"), Error);
  EXPECT_THROW(find_format("parquet"), Error);
}

// docs/results-format.md has every column of every table, in order.
TEST(Fields, AreThoseOfTheManual) {
  std::string page = read_file(testing::source_dir() / "docs/results-format.md");
  for (const auto& [name, fields] :
       {std::pair{"items", item_fields()}, std::pair{"sentences", sentence_fields()},
        std::pair{"regions", region_fields()}, std::pair{"words", word_fields()},
        std::pair{"tokens", token_fields()}, std::pair{"summary", summary_fields()},
        std::pair{"runs", run_fields()}}) {
    std::string row = std::string("| `") + name + "` |";
    for (const Field& f : fields) row += (&f == fields.data() ? " `" : ", `") + f.name + "`";
    EXPECT_NE(page.find(row), page.npos) << row;
  }
}

}  // namespace
}  // namespace minpair::tidy
