// Formats that are only read: a few lines of each, and the published files where they are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/formats/format.h"
#include "support.h"

namespace minpair::suite {

using testing::data_dir;
using ::testing::ElementsAre;
using testing::no_data;
using testing::TemporaryFolder;

struct Read {
  std::string format;
  std::vector<Item> items;
  std::vector<double> scores;  // of the first item
};

static Read read(const std::string& name, const std::string& text) {
  TemporaryFolder folder;
  write_file(folder / name, text);
  const Format& format = recognise_format(folder / name);
  Read all{format.name, {}, {}};
  auto stream = format.read(folder / name, {});
  for (Item item; stream->next(item);) {
    check_item(item);
    if (all.items.empty() && stream->published()) all.scores = stream->published()->sentences;
    all.items.push_back(item);
  }
  return all;
}

static std::string texts(const Item& item) {
  std::string all;
  for (const Sentence& s : item.sentences) all += (all.empty() ? "" : " | ") + s.text;
  return all;
}

TEST(MoreFormats, Zorro) {
  Read plain = read("x-y.txt", "He go home .\nHe goes home .\nShe see it ?\nShe sees it ?\n");
  EXPECT_EQ(plain.format, "zorro");
  ASSERT_EQ(plain.items.size(), 2u);
  EXPECT_EQ(texts(plain.items[0]), "He goes home . | He go home .");
  EXPECT_TRUE(plain.scores.empty());
  Read scored = read("probing_x-y_results_500.txt", "He go home . 0.2665\nHe goes home . 0.0060\n");
  EXPECT_EQ(scored.items.at(0).test, "x-y");
  EXPECT_EQ(texts(scored.items[0]), texts(plain.items[0]));
  EXPECT_THAT(scored.scores, ElementsAre(0.0060, 0.2665));
  EXPECT_THROW(find_format("zorro").read("/dev/null/x", {})->next(plain.items[0]), Error);
}

TEST(MoreFormats, ContextsAndContinuations) {
  Read bhs = read("hindi-x.json", R"([[["a b", "a b"], ["c d", "c e"]]])");
  EXPECT_EQ(bhs.format, "bhs");
  EXPECT_EQ(bhs.items.at(0).sentences[1].context, "a b");
  EXPECT_EQ(bhs.items[0].language, "hi");
  EXPECT_THROW(read("x.json", R"([[["a b", "other"], ["c d", "c e"]]])"), Error);

  Read circuits =
      read("rc_test.json", R"({"clean_prefix": "The cats", "patch_prefix": "The cat", )"
                           R"("clean_answer": " do", "patch_answer": " does", "case": "plural"})");
  EXPECT_EQ(circuits.format, "feature-circuits");
  EXPECT_EQ(texts(circuits.items.at(0)), "The cats do | The cats does");
  EXPECT_EQ(circuits.items[0].condition, "plural");
  EXPECT_EQ(feature_text(circuits.items[0], "patch_prefix"), "The cat");
}

TEST(MoreFormats, CausalGymUsesEveryWordOnce) {
  Read gym = read("gym.json", R"({"agr": {"templates": ["The {noun} {adv}"], "label": "noun",
    "result_prepend_space": true, "labels": {"sg": ["is", "was"], "pl": ["are", "were"]},
    "variables": {"noun": {"sg": ["cat"], "pl": ["cats"]}, "adv": ["now", "here", "there"]}}})");
  EXPECT_EQ(gym.format, "causalgym");
  ASSERT_EQ(gym.items.size(), 6u);
  EXPECT_EQ(texts(gym.items[1]), "The cat here was | The cat here were");
  EXPECT_EQ(texts(gym.items[5]), "The cats there are | The cats there is");
  EXPECT_EQ(gym.items[1].cluster, gym.items[4].cluster);
  EXPECT_THROW(read("gym.json", R"({"agr": {"templates": ["{x}"], "label": "x",
    "labels": {"a": ["b"], "c": ["d"]}, "variables": {}}})"),
               Error);
}

TEST(MoreFormats, PublishedLists) {
  Read aann = read("aann.csv",
                   "idx,sentence,prefix,construction,default_nan,order_swap,no_article,no_modifier,"
                   "no_numeral\n1,We ran a nice two miles.,We ran,a nice two miles,two nice miles,"
                   "a two nice miles,nice two miles,a two miles,a nice miles\n");
  EXPECT_EQ(aann.format, "aann");
  ASSERT_EQ(aann.items.at(0).sentences.size(), 5u);
  EXPECT_EQ(aann.items[0].sentences[4].text, "a nice miles");
  EXPECT_EQ(aann.items[0].sentences[4].context, "We ran");
  EXPECT_EQ(feature_text(aann.items[0], "default_nan"), "two nice miles");
  Read quebec = read("q.tsv",
                     "id\tsentence_a\tsentence_b\tcategory\ttype\tsubcat\tannotator_1\n"
                     "1\tIl va.\tIl vont.\tsyntax\t7\t\t0\n");
  EXPECT_EQ(quebec.format, "qfrblimp");
  EXPECT_EQ(quebec.items.at(0).id, "syntax/1");
  EXPECT_EQ(quebec.items[0].language, "fr");
  Read dutch =
      read("nl.jsonl", R"({"sentence_good": "Hij gaat.", "sentence_bad": "Hij gaan.", )"
                       R"("linguistic_phenomenon": "agreement", "paradigm": "sv", "item_id": 3})");
  EXPECT_EQ(dutch.format, "blimp-nl");
  EXPECT_EQ(dutch.items.at(0).id, "sv/3");
  EXPECT_EQ(dutch.items[0].language, "nl");
}

TEST(MoreFormats, GulordavaWithFurtherColumns) {
  const std::string head =
      "full_id\tpattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\t"
      "punct\tfreq\tlen_context\tlen_prefix\tsent";
  const auto row = [](const char* form, const char* klass) {
    return std::string("a__1\tP\t1\t0\tsing\t") + form + "\t" + klass +
           "\toriginal\tLei\t0\tFalse\t5\t1\t1\tLei va via . <eos>";
  };
  Read names =
      read("it.tab", head + "\n" + row("va", "correct") + "\n" + row("vanno", "wrong") + "\n");
  EXPECT_EQ(names.format, "gulordava");
  EXPECT_EQ(texts(names.items.at(0)), "Lei va via . | Lei vanno via .");
  EXPECT_EQ(feature_text(names.items[0], "full_id"), "a__1");
  EXPECT_TRUE(names.scores.empty());
  Read scored = read("it.tab", head + "\tlstm\n" + row("va", "correct") + "\t-1.50\n" +
                                   row("vanno", "wrong") + "\t-2.25\n");
  EXPECT_THAT(scored.scores, ElementsAre(-1.5, -2.25));
  Read two = read("it.tab", head + "\tlstm\tngram\n" + row("va", "correct") + "\t-1\t-3\n" +
                                row("vanno", "wrong") + "\t-2\t-4\n");
  EXPECT_TRUE(two.scores.empty());
  EXPECT_EQ(feature_text(two.items.at(0), "ngram_bad"), "-4");
}

TEST(MoreFormats, CountsAreThePublishedOnes) {
  if (data_dir().empty()) GTEST_SKIP() << no_data();
  const auto count = [](const char* path) {
    auto items = read_items(data_dir() / path);
    uint64_t n = 0;
    for (Item item; items->next(item);) ++n;
    return n;
  };
  EXPECT_EQ(count("zorro/sentences"), 30000u);
  EXPECT_EQ(count("bhs/suites"), 22000u);
  EXPECT_EQ(count("aann/items/aann.csv"), 12960u);
  EXPECT_EQ(count("qfrblimp/annotations.tsv"), 1761u);
  EXPECT_EQ(count("qfrblimp/predictions/gpt2_predictions.tsv"), 1761u);
  EXPECT_EQ(count("counterfactuals/feature-circuits"), 5400u);
  EXPECT_EQ(count("gulordava-more/generated.he.tab"), 3730u);
  EXPECT_EQ(count("gulordava-more/generated.ru.text"), 4420u);
}

}  // namespace minpair::suite
