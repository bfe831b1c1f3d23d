// Lists as people type them: names and order of columns, one or more sentences a row, spreadsheets.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/formats/columns.h"
#include "suite/formats/format.h"
#include "suite/formats/spreadsheet.h"
#include "support.h"

namespace minpair::suite {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

static std::string line_of(const Item& item) {
  std::string line;
  append_json_line(line, item);
  return line;
}

static std::vector<Item> items_of(const std::string& text, const std::string& columns = "") {
  TemporaryFolder folder;
  write_file(folder / "l.csv", text);
  EXPECT_EQ(recognise_format(folder / "l.csv").name, "pairs");
  auto stream = find_format("pairs").read(folder / "l.csv", {"", columns});
  std::vector<Item> items;
  for (Item item; stream->next(item);) {
    check_item(item);
    items.push_back(item);
  }
  return items;
}

// "2:3: what", where line and column are those of the list.
static std::string why(const std::string& text, const std::string& columns = "") {
  try {
    items_of(text, columns);
  } catch (const Error& e) {
    return std::to_string(e.where().line) + ":" + std::to_string(e.where().column) + ": " +
           e.message();
  }
  return "no error";
}

TEST(Lists, ColumnsMayHaveAnyOrderAndManyNames) {
  const Item expected = items_of("good,bad,condition\nHe goes.,He go.,sg\n").at(0);
  EXPECT_EQ(line_of(expected),
            "{\"id\":\"l/1\",\"test\":\"l\",\"condition\":\"sg\",\"sentences\":[{\"text\":\"He "
            "goes.\",\"locus\":[3,7],\"grammatical\":true},{\"text\":\"He "
            "go.\",\"locus\":[3,5],\"grammatical\":false}]}\n");
  for (const char* same : {
           "condition,bad,good\nsg,He go.,He goes.\n",
           "Ungrammatical\tCond\tGrammatical\nHe go.\tsg\tHe goes.\n",
           "\xEF\xBB\xBF"
           "Bedingung;Falsch;Richtig;;\r\nsg;He go.;He goes.;;\r\n;;;;\r\n",
           "sep=;\nSentence Good;Sentence-Bad;condition\nHe goes.;*He go.;sg\n",
           "good_sentence,bad_sentence,condition\n\"He goes.\",\"He go.\",sg\n",
       })
    EXPECT_EQ(items_of(same).at(0), expected) << same;
}

TEST(Lists, GermanAndFrenchTypists) {
  for (const char* same :
       {"Nr.;Grammatischer Satz;Ungrammatischer Satz\n1;Er geht.;Er gehen.\n",
        "\"Item\nNr.\";\" Satz  gut \";\"Satz\u00A0schlecht\"\n1;Er geht.;Er gehen.\n",
        "Nr.;Satz\n1;Er geht.\n1;*Er gehen.\n",
        "Item-Nr;Beispielsatz;Urteil:\n1;Er geht.;ok\n1;Er gehen.;*\n",
        "numéro;phrase correcte;phrase incorrecte\n1;Er geht.;Er gehen.\n"})
    EXPECT_EQ(line_of(items_of(same).at(0)),
              line_of(items_of("id,good,bad\n1,Er geht.,Er gehen.\n")[0]))
        << same;
}

TEST(Lists, TitlesMayStandAboveTheNames) {
  const std::string plain = line_of(items_of("good;bad\nHe goes.;He go.\n").at(0));
  EXPECT_EQ(
      line_of(items_of("Experiment 1, March, first list\n\ngood;bad\nHe goes.;He go.\n").at(0)),
      plain);
  EXPECT_EQ(
      line_of(
          items_of("Experiment 1;\nStern;Satz\nHe go.;He goes.\n", "good=Satz,bad=Stern").at(0)),
      plain);
  // As wide as the names, it is no title.
  EXPECT_EQ(why("a;b\nHe goes.;He go.\n", "good=a,bad=b"), "no error");
  EXPECT_EQ(why("a;b\ngood;bad\nHe goes.;He go.\n", "good=a,bad=b"),
            "2:1: 'good' is a judgment, not a sentence");
  TemporaryFolder folder;
  write_file(folder / "t.csv", "My list\ngood,bad\nHe goes.,He go.\n");
  auto stream = read_items(folder / "t.csv");
  for (Item item; stream->next(item);) {
  }
  EXPECT_EQ(stream->skipped().at("above the names of the columns"), 1u);
}

TEST(Lists, OtherColumnsAreFeatures) {
  Item item = items_of(
                  "test,good,bad,item,condition,language,Entfernung,Ende\n"
                  "agr,Er geht.,Er gehen.,7,sg,de,3,\n")
                  .at(0);
  EXPECT_EQ(item.test, "agr");
  EXPECT_EQ(item.id, "agr/7/sg");
  EXPECT_EQ(item.cluster, "agr/7");
  EXPECT_EQ(item.language, "de");
  ASSERT_EQ(item.features.size(), 1u);
  EXPECT_EQ(feature_text(item, "Entfernung"), "3");
}

TEST(Lists, SetsAndContexts) {
  Item item = items_of("context,good,bad_1,bad2\nUnd?,Er geht.,Er gehen.,Er gehst.\n").at(0);
  ASSERT_EQ(item.sentences.size(), 3u);
  EXPECT_FALSE(item.sentences[2].grammatical);
  EXPECT_EQ(item.sentences[2].text, "Er gehst.");
  EXPECT_EQ(item.sentences[1].context, "Und?");
}

TEST(Lists, ColumnsCanBeNamed) {
  const std::string list = "Nr;Satz;Stern;Kondition\n1;Er geht.;Er gehen.;a\n";
  Item item = items_of(list, "good=Satz,bad=Stern").at(0);
  EXPECT_EQ(item.id, "l/1/a");
  EXPECT_EQ(item.sentences[0].text, "Er geht.");
  EXPECT_EQ(why(list, "good=Sätze"), "0:0: there is no column 'Sätze'");
  EXPECT_EQ(why(list, "gut=Satz"), "0:0: a column cannot be 'gut'");
  EXPECT_EQ(why(list, "Satz"), "0:0: --columns needs ROLE=NAME, not 'Satz'");
}

TEST(Lists, OneSentenceARow) {
  std::vector<Item> items = items_of(
      "condition,item,sentence,grammatical,verb,noun\n"
      "sg,1,Der Hund bellen.,0,bellen,Hund\nsg,1,Der Hund bellt.,1,bellt,Hund\n"
      "pl,1,Die Hunde bellen.,ja,bellen,Hund\npl,1,Die Hunde bellt.,nein,bellt,Hund\n");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].id, "l/1/sg");
  EXPECT_EQ(items[0].cluster, "l/1");
  EXPECT_EQ(items[0].sentences[0].text, "Der Hund bellt.");
  EXPECT_EQ(items[1].condition, "pl");
  EXPECT_EQ(feature_text(items[1], "noun"), "Hund");
  EXPECT_EQ(feature_text(items[1], "verb_bad"), "bellt");

  // Conditions that are the two sides, and stars.
  const Item pair = items_of("item,sentence\n1,He goes.\n1,*He go.\n").at(0);
  EXPECT_EQ(pair.sentences[1].text, "He go.");
  EXPECT_EQ(
      items_of("id,condition,sentence\n1,ungrammatical,He go.\n1,grammatical,He goes.\n").at(0),
      pair);
  // A condition that differs inside an item is kept.
  Item split = items_of("item,condition,sentence,label\n1,x,He goes.,1\n1,y,He go.,0\n").at(0);
  EXPECT_EQ(split.condition, "");
  EXPECT_EQ(feature_text(split, "condition_bad"), "y");
}

TEST(Lists, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(why("good,bad\nHe goes.,He go.\nHe runs.,\n"), "3:2: there is no sentence here");
  EXPECT_EQ(why("good,bad\nHe goes.\n"), "2:2: there is 1 column here, and the first row has 2");
  EXPECT_EQ(why("good,bad\nYes, he goes.,He go.\n"),
            "2:3: there are 3 columns here, and the first row has 2");
  EXPECT_EQ(why("good,bad\n*He goes.,He go.\n"),
            "2:1: '*' in front marks what is not grammatical, and this is the good sentence");
  EXPECT_EQ(why("good,bad,a,a\nx,y,1,1\n"), "1:4: two columns are called 'a'");
  EXPECT_EQ(why("good;bad\nM\xFCller geht.;x\n"), "2:1: this is not UTF-8");
  EXPECT_EQ(why("item,good,bad\n1,a b,a c\n1,d e,d f\n"), "3:0: item '1' is there already");
  EXPECT_EQ(why("item,sentence,grammatical\n1,a b,7\n"),
            "2:3: '7' says neither grammatical nor ungrammatical");
  EXPECT_EQ(why("item,sentence,grammatical\n1,a b,1\n2,a c,0\n"),
            "2:1: item '1' has no ungrammatical sentence");
  EXPECT_EQ(why("item,sentence,grammatical\n,a b,1\n"),
            "2:1: which item does this sentence belong to?");
  EXPECT_EQ(why("item,sentence,grammatical\n1,*a b,1\n1,a c,1\n"),
            "2:3: '*' before the sentence says that it is not grammatical, and this column says the "
            "opposite");
  EXPECT_THAT(why("item,text\n1,a b\n1,a c\n"), HasSubstr("no column says which sentences"));
  TemporaryFolder folder;
  write_file(folder / "x.csv", "Satz,Falsch\na b,a c\n");
  Item item;
  EXPECT_THROW(read_items(folder / "x.csv")->next(item), Error);
}

TEST(Lists, ASheetOfExcel) {
  SheetBudget budget("x");
  std::vector<std::string> strings = read_xlsx_strings(
      "<sst><si><t>good</t></si><si><r><t>He </t></r><r><t xml:space=\"preserve\">goes &amp; "
      "co.</t></r><rPh><t>hidden</t></rPh></si></sst>",
      budget);
  EXPECT_THAT(strings, ElementsAre("good", "He goes & co."));
  Sheet sheet = read_xlsx_sheet(
      "<?xml version=\"1.0\"?><x:worksheet><x:sheetData><x:row r=\"2\"><x:c r=\"A2\" "
      "t=\"s\"><x:v>0</x:v></x:c><x:c r=\"C2\" t=\"inlineStr\"><x:is><x:t>bad</x:t></x:is></x:c>"
      "</x:row><x:row r=\"3\"/><x:row r=\"5\"><x:c r=\"B5\"><x:v>1.5</x:v></x:c><x:c r=\"C5\" "
      "t=\"b\"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>",
      strings, budget);
  ASSERT_EQ(sheet.rows.size(), 2u);
  EXPECT_EQ(sheet.rows[1].number, 5u);
  EXPECT_THAT(sheet.rows[0].cells, ElementsAre("good", "", "bad"));
  EXPECT_THAT(sheet.rows[1].cells, ElementsAre("", "1.5", "true"));
  EXPECT_THROW(read_xlsx_sheet("<row><c t=\"s\"><v>9</v></c></row>", strings, budget), Error);
}

TEST(Lists, ASheetOfLibreOffice) {
  SheetBudget budget("x");
  std::vector<Sheet> sheets = read_ods_content(
      "<office:spreadsheet><table:table table:name=\"A\"><table:table-row "
      "table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\">"
      "<office:annotation><text:p>a remark</text:p></office:annotation><text:p>He<text:s "
      "text:c=\"2\"/>goes</text:p><text:p>on</text:p></table:table-cell><table:table-cell "
      "office:value-type=\"float\" office:value=\"1.5\"><text:p>1,5</text:p></table:table-cell>"
      "<table:table-cell table:number-columns-repeated=\"1000\"/></table:table-row>"
      "<table:table-row table:number-rows-repeated=\"1048574\"><table:table-cell "
      "table:number-columns-repeated=\"1024\"/></table:table-row></table:table>"
      "</office:spreadsheet>",
      budget);
  ASSERT_EQ(sheets.size(), 1u);
  EXPECT_EQ(sheets[0].name, "A");
  ASSERT_EQ(sheets[0].rows.size(), 2u);
  EXPECT_THAT(sheets[0].rows[1].cells, ElementsAre("He  goes\non", "1.5"));
}

// One number beside two sentences; a title across the sheet stays one cell.
TEST(Lists, MergedCellsHoldForAllTheirRows) {
  const auto cell = [](const char* at, const char* text) {
    return fmt::format("<c r=\"{}\" t=\"inlineStr\"><is><t>{}</t></is></c>", at, text);
  };
  SheetBudget budget("x");
  Sheet excel = read_xlsx_sheet(
      "<worksheet><sheetData><row r=\"1\">" + cell("A1", "title") + "</row><row r=\"2\">" +
          cell("A2", "1") + cell("B2", "x") + "</row><row r=\"3\">" + cell("B3", "y") +
          "</row><row r=\"4\">" + cell("B4", "z") +
          "</row></sheetData><mergeCells><mergeCell ref=\"A1:B1\"/><mergeCell ref=\"A2:A3\"/>"
          "<mergeCell ref=\"\"/><mergeCell ref=\"A9:A1\"/><mergeCell ref=\"ZZZZZZ2:A3\"/>"
          "</mergeCells></worksheet>",
      {}, budget);
  ASSERT_EQ(excel.rows.size(), 4u);
  EXPECT_THAT(excel.rows[0].cells, ElementsAre("title"));
  EXPECT_THAT(excel.rows[2].cells, ElementsAre("1", "y"));
  EXPECT_THAT(excel.rows[3].cells, ElementsAre("", "z"));
  std::vector<Sheet> office = read_ods_content(
      "<table name=\"A\"><table-row><table-cell number-rows-spanned=\"2\"><p>1</p></table-cell>"
      "<table-cell><p>x</p></table-cell></table-row><table-row><covered-table-cell/><table-cell>"
      "<p>y</p></table-cell></table-row></table><table name=\"B\"><table-row><table-cell/>"
      "<table-cell><p>z</p></table-cell></table-row></table>",
      budget);
  EXPECT_THAT(office.at(0).rows.at(1).cells, ElementsAre("1", "y"));
  EXPECT_THAT(office.at(1).rows.at(0).cells, ElementsAre("", "z"));
}

TEST(Lists, HostileSheetsAreRefused) {
  const auto refuse = [](const std::string& xml, const char* what) {
    try {
      SheetBudget budget("x");
      read_ods_content(xml, budget);
      ADD_FAILURE() << xml;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(what)) << xml;
    }
  };
  refuse("<!DOCTYPE x [<!ENTITY a \"b\">]><x/>", "document type");
  refuse("<a><b></a>", "did not begin");
  refuse("<a>&lol;</a>", "entity");
  refuse("<a>&#xD800;</a>", "entity");
  refuse("<a", "ends inside");
  refuse("<a>", "ends too early");
  refuse(
      "<table><table-row number-rows-repeated=\"99999999999\"><table-cell><p>x</p></table-cell>"
      "</table-row></table>",
      "too large");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<a>";
  refuse(deep, "not a spreadsheet's XML");
}

TEST(Lists, AllPartsOfAFileShareOneBudget) {
  const auto refused = [](uint64_t cells, uint64_t bytes, const auto& read) {
    SheetBudget budget("x");
    try {
      budget.take(8'000'000 - cells, (uint64_t{1} << 28) - bytes);
      read(budget);
      return false;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("too large"));
      return true;
    }
  };
  const std::string row = "<row><c t=\"s\"><v>0</v></c></row>", sheet = row + row;
  const auto excel = [&](SheetBudget& budget) {
    read_xlsx_sheet("<a>" + sheet + "</a>", {std::string(100, 'x')}, budget);
  };
  EXPECT_FALSE(refused(100, 200, excel));
  EXPECT_TRUE(refused(100, 199, excel));
  const auto empty_rows = [](SheetBudget& budget) {
    read_xlsx_sheet("<a><row/><row/><row/></a>", {}, budget);
  };
  EXPECT_FALSE(refused(3, 0, empty_rows));
  EXPECT_TRUE(refused(2, 0, empty_rows));
  const auto spaces = [](SheetBudget& budget) {
    read_ods_content(
        "<table><table-row><table-cell><s c=\"900\"/></table-cell></table-row></table>", budget);
  };
  EXPECT_FALSE(refused(100, 3000, spaces));
  EXPECT_TRUE(refused(100, 899, spaces));
}

}  // namespace minpair::suite
