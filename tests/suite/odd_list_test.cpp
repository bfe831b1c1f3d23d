// What stands in lists beside sentences: headers, missing values, judgments, other columns.
// tests/cli/odd_tables.py puts many more through the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/cells.h"
#include "suite/formats/format.h"
#include "support.h"

namespace minpair::suite {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

// "good|bad" of each item, or the error.
static std::string read(const std::string& name, const std::string& text) {
  TemporaryFolder folder;
  write_file(folder / name, text);
  std::string all;
  try {
    auto items = read_items(folder / name);
    for (Item item; items->next(item);)
      all += item.sentences[0].text + "|" + item.sentences[1].text + "\n";
  } catch (const Error& e) {
    return "error in row " + std::to_string(e.where().line) + ": " + e.what();
  }
  return all;
}

TEST(OddLists, AHeaderIsNeverAPair) {
  const std::string rows =
      "Der Hund bellt.\tDer Hund bellen.\nDie Hunde bellen.\tDie Hunde bellt.\n";
  const std::string pairs =
      "Der Hund bellt.|Der Hund bellen.\nDie Hunde bellen.|Die Hunde bellt.\n";
  EXPECT_EQ(read("a.tsv", rows), pairs);
  for (const char* known : {"good\tbad", "GOOD\tBAD", "Richtig\tFalsch", "правильно\tнеправильно"})
    EXPECT_EQ(read("a.tsv", known + ("\n" + rows)), pairs) << known;
  for (const char* unknown :
       {"Satz\tStern", "Oración correcta\tOración incorrecta", "A\tB", "文\t例"})
    EXPECT_THAT(read("a.tsv", unknown + ("\n" + rows)), HasSubstr("row 1: ")) << unknown;
  // Words are a list, too, but nobody knows whether one alone is.
  EXPECT_EQ(read("a.tsv", "geht\tgehen\nsteht\tstehen\n"), "geht|gehen\nsteht|stehen\n");
  EXPECT_THAT(read("a.tsv", "geht\tgehen\n"), HasSubstr("row 1: "));
  EXPECT_EQ(read("a.tsv", "good\tbad\ngeht\tgehen\n"), "geht|gehen\n");
}

TEST(OddLists, MissingValuesAndNumbersAreNoSentences) {
  for (const char* no :
       {"",          "  ",          "NA",      "N/A",     "#N/A",
        "NaN",       "nan",         "None",    "null",    "<NA>",
        "#NV",       "#REF!",       "#BEZUG!", "Err:502", "=A1",
        "=\"a\"&B2", "12",          "1,5",     "50 %",    "2024-01-05",
        "5-Jan",     "5. Mai 2024", "TRUE",    "falsch",  "M\u00C3\u00BCller geht.",
        "\uFFFDfel"})
    EXPECT_NE(why_no_typed_sentence(no), "") << no;
  for (const char* fine :
       {"geht", "Na!", "None of them.", "Nan schl\u00E4ft.", "1984 war kalt.", "May", "#metoo", "a",
        "S\u00C3O PAULO", "\u00BFQui\u00E9n?", "Der 5. Mai war kalt.", "( ( ) )", "= means equal"})
    EXPECT_EQ(why_no_typed_sentence(fine), "") << fine;
  for (const char* fine : {"sg_pl", "1", "12", "none", "across a phrase", "May", "x.1"})
    EXPECT_EQ(why_no_label(fine), "") << fine;
  EXPECT_NE(why_no_label("The dog barks loudly."), "");
}

TEST(OddLists, JudgmentsInFrontAreNoText) {
  EXPECT_EQ(read("a.tsv", "Er geht.\t*Er gehen.\nEr steht.\t?? Er stehen.\n"),
            "Er geht.|Er gehen.\nEr steht.|Er stehen.\n");
  for (const char* mark : {"*", "?", "#", "%"})
    EXPECT_THAT(read("a.csv", "good,bad\n" + std::string(mark) + "Er geht.,Er gehen.\n"),
                HasSubstr("row 2: "));
  EXPECT_EQ(judgment_before("\u00BFQui\u00E9n?"), "");
}

TEST(OddLists, RowsThatAreNoPairsAreNotScored) {
  const std::string list = "good,bad,condition\nHe goes.,He go.,sg\n";
  for (const char* row :
       {"sg,He goes.,He go.", "They go.,sg,They goes.", "Total,2,2", "They go.,They go.,pl",
        "They go home.,We saw him.,pl", "They go.,They goes.,", "Source,Anna,x"})
    EXPECT_THAT(read("a.csv", list + row + "\n"), HasSubstr("row 3: ")) << row;
  EXPECT_EQ(read("a.csv", list + "good,bad,condition\n"), "He goes.|He go.\n");
  EXPECT_THAT(read("a.csv", "good,bad,condition\n"), HasSubstr("no row below"));
}

TEST(OddLists, FourColumnsWithoutNamesAreNoFormatOfAPaper) {
  EXPECT_THAT(read("a.tsv", "He goes.\tHe go.\tsg\t1\nThey go.\tThey goes.\tpl\t2\n"),
              HasSubstr("which columns are the sentences?"));
  EXPECT_EQ(read("a.tsv", "agr\ten\tHe goes.\tHe go.\n"), "He goes.|He go.\n");
}

}  // namespace minpair::suite
