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

TEST(MoreFormats, TheSameWordsAfterTwoContexts) {
  Read comps = read("comps_base.jsonl",
                    R"({"id": 1, "property": "sweat", "prefix_acceptable": "A sock", )"
                    R"("prefix_unacceptable": "A lamp", "property_phrase": "absorbs sweat."})"
                    "\n");
  EXPECT_EQ(comps.format, "comps");
  EXPECT_EQ(texts(comps.items.at(0)), "absorbs sweat. | absorbs sweat.");
  EXPECT_EQ(comps.items[0].sentences[0].context, "A sock");
  EXPECT_EQ(comps.items[0].sentences[1].context, "A lamp");
  EXPECT_EQ(feature_text(comps.items[0], "property"), "sweat");
}

TEST(MoreFormats, AnEwokRowIsTwoTargets) {
  const std::string names =
                        "Domain,ConceptA,ConceptB,ContextType,Context1,Context2,Target1,Target2",
                    row =
                        "spatial,left,right,direct,\"Ann stands left of Bob, here.\",Ann stands "
                        "right of Bob.,Bob is right of Ann.,Bob is left of Ann.";
  Read table = read("testsuite-x.csv", "# whose data this is # and more\n" + names + "\n" + row);
  EXPECT_EQ(table.format, "ewok");
  ASSERT_EQ(table.items.size(), 2u);
  EXPECT_EQ(texts(table.items[0]), "Bob is right of Ann. | Bob is right of Ann.");
  EXPECT_EQ(table.items[0].sentences[0].context, "Ann stands left of Bob, here.");
  EXPECT_EQ(table.items[0].sentences[1].context, "Ann stands right of Bob.");
  EXPECT_EQ(texts(table.items[1]), "Bob is left of Ann. | Bob is left of Ann.");
  EXPECT_EQ(table.items[1].sentences[0].context, "Ann stands right of Bob.");
  EXPECT_EQ(table.items[1].test, "spatial");
  EXPECT_EQ(table.items[1].condition, "target 2");
  EXPECT_EQ(table.items[1].cluster, "spatial/left/right");
  EXPECT_EQ(feature_text(table.items[1], "ContextType"), "direct");
  EXPECT_NE(table.items[0].id, table.items[1].id);
  EXPECT_TRUE(table.scores.empty());

  const std::string scores =
      ",logp_target1_context1,logp_target1_context2,logp_target2_context1,"
      "logp_target2_context2";
  Read scored = read("results.csv", names + scores + "\n" + row + ",-7.5,-8,-9,-6\n");
  EXPECT_THAT(scored.scores, ElementsAre(-7.5, -8));
  EXPECT_FALSE(feature_text(scored.items.at(0), "logp_target1_context1").size());

  Read lines = read("spatial.jsonl",
                    R"({"Domain": "spatial", "ConceptA": "left", "ConceptB": "right", "Context1": )"
                    R"("A.", "Context2": "B.", "Target1": "C.", "Target2": "D.", "Version": 3})");
  EXPECT_EQ(lines.format, "ewok");
  ASSERT_EQ(lines.items.size(), 2u);
  EXPECT_EQ(lines.items[1].sentences[1].context, "A.");
  EXPECT_THROW(read("x.csv", names + "\nspatial,a,b,c,d,e,f,\n"), Error);  // no target 2
  EXPECT_THROW(read("x.csv", names + "\nspatial,a,b\n"), Error);
  EXPECT_THROW(read("x.jsonl", R"({"Context1": "A.", "Context2": "B.", "Target1": "C.", )"
                               R"("Target2": "D."})"),
               Error);  // no domain
}

TEST(MoreFormats, ClimpHasASentenceARow) {
  const std::string rows =
      "0,classifier,noun,他买了一本书。,1\n1,classifier,noun,他买了一只书。,0\n"
      "2,classifier,noun,她有一只猫。,1\n3,classifier,noun,她有一本猫。,0\n";
  Read numbered = read("classifier_1000.csv", ",0,1,2,3\n" + rows);
  EXPECT_EQ(numbered.format, "climp");
  ASSERT_EQ(numbered.items.size(), 2u);
  EXPECT_EQ(texts(numbered.items[1]), "她有一只猫。 | 她有一本猫。");
  EXPECT_EQ(numbered.items[1].test, "classifier");
  EXPECT_EQ(numbered.items[1].language, "zh");
  EXPECT_EQ(feature_text(numbered.items[1], "phenomenon"), "classifier");
  // Without a header: no judgments either, the good sentence first.
  Read bare = read("ba_construction_1000.csv", "0,ba,他把书买了。\n1,ba,他把书了买。\n");
  EXPECT_EQ(bare.format, "climp");
  EXPECT_EQ(texts(bare.items.at(0)), "他把书买了。 | 他把书了买。");
  EXPECT_EQ(bare.items[0].test, "ba_construction");
  Read turned_round = read("x.csv", ",0,1,2,3\n0,a,b,坏的。,0\n1,a,b,好的。,1\n");
  EXPECT_EQ(texts(turned_round.items.at(0)), "好的。 | 坏的。");
  EXPECT_THROW(read("x.csv", ",0,1,2,3\n0,a,b,好的。,1\n1,a,b,坏的。,1\n"), Error);
  EXPECT_THROW(read("x.csv", ",0,1,2,3\n0,a,b,好的。,1\n"), Error);
  EXPECT_THROW(read("x.csv", ",0,1,2,3\n0,a,b,好的。,yes\n1,a,b,坏的。,0\n"), Error);
  EXPECT_THROW(read("x.csv", ",0,1,2,3\n0,a,b,,1\n1,a,b,坏的。,0\n"), Error);
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

// A published file after somebody opened it: Windows' ends of lines, a byte-order mark, no last
// one.
struct Sample {
  const char* name;
  std::string text;
  char separator = 0;  // of tables, whose columns may also move
};

static const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"g.tab",
       "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\t"
       "freq\tlen_context\tlen_prefix\tsent\n"
       "P\t1\t0\tsing\tva\tcorrect\toriginal\tLei\t0\tF\t5\t1\t1\tLei va via . <eos>\n"
       "P\t1\t0\tsing\tvanno\twrong\toriginal\tLei\t0\tF\t5\t1\t1\tLei va via . <eos>\n",
       '\t'},
      {"q.tsv",
       "id\tsentence_a\tsentence_b\tcategory\ttype\tsubcat\n1\tIl va.\tIl vont.\tsyntax\t7\t\n",
       '\t'},
      {"r.csv",
       "id,PID,source_sentence,target_sentence,source_word,target_word\n1,p,Он идёт.,Он "
       "идут.,a,b\n",
       ','},
      {"t.csv", "phenomenon;good_sentence;bad_sentence;good_cue;bad_cue\np;O gider.;O g.;a;b\n",
       ';'},
      {"m.tsv", "sen\twrong_sen\tphenomenon\tverb\nHe goes.\tHe go.\tSV\tgoes\n", '\t'},
      {"n.csv",
       "sentence_good,sentence_bad,linguistic_phenomenon,paradigm,item_id\nHij gaat.,Hij "
       "gaan.,agr,sv,3\n",
       ','},
      {"w.csv", "Domain,ConceptA,ConceptB,Context1,Context2,Target1,Target2\ns,a,b,A.,B.,C.,D.\n",
       ','},
      {"k_1000.csv", ",0,1,2,3\n0,a,b,好的。,1\n1,a,b,坏的。,0\n", ','},
      {"c.txt", "True\tder Autor lacht\nFalse\tder Autor lachen\n"},
      {"z.txt", "He go home .\nHe goes home .\n"},
      {"b.json", R"([[["a b", "a b"], ["c d", "c e"]]])"
                 "\n"},
      {"f.json", R"({"clean_prefix": "A", "patch_prefix": "B", "clean_answer": " do", )"
                 R"("patch_answer": " does", "case": "x"})"
                 "\n"},
      {"l.jsonl", R"({"sentence_good": "He goes.", "sentence_bad": "He go.", "UID": "u", )"
                  R"("linguistics_term": "a", "simple_LM_method": true, "pairID": "0"})"
                  "\n"},
      {"v.jsonl", R"({"text": "Er lacht.", "text_masked": "Er [MASK].", "candidates": )"
                  R"(["lacht", "lachen"], "indexMASK": 1, "case": "sg"})"
                  "\n"}};
  return all;
}

static std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Every row with its columns the other way round and two more of them.
static std::string turned(const std::string& text, char separator) {
  std::string all;
  size_t number = 0;
  for (std::string_view line : split(std::string_view(text).substr(0, text.size() - 1), '\n')) {
    std::vector<std::string_view> fields = split(line, separator);
    all += number == 0 ? "full_id" : "x";
    for (auto field = fields.rbegin(); field != fields.rend(); ++field)
      (all += separator) += *field;
    (all += separator) += number++ == 0 ? "remark" : "y";
    all += '\n';
  }
  return all;
}

class OpenedAndSaved : public ::testing::TestWithParam<size_t> {};

TEST_P(OpenedAndSaved, IsReadAsBefore) {
  const Sample& sample = samples()[GetParam()];
  const auto all = [&](const std::string& text) {
    Read got = read(sample.name, text);
    std::string said = got.format;
    for (const Item& item : got.items)
      said += "\n" + item.condition + " " + item.language + " " + texts(item);
    return said;
  };
  const std::string before = all(sample.text), mark = "\xEF\xBB\xBF";
  EXPECT_EQ(all(mark + sample.text), before);
  EXPECT_EQ(all(replace_all(sample.text, "\n", "\r\n")), before);
  EXPECT_EQ(all(mark + replace_all(sample.text, "\n", "\r\n") + "\r\n"), before);
  EXPECT_EQ(all(sample.text.substr(0, sample.text.size() - 1)), before);
  if (sample.separator) {
    EXPECT_EQ(all(turned(sample.text, sample.separator)), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, OpenedAndSaved, ::testing::Range(size_t{0}, samples().size()),
                         [](const auto& sample) {
                           return replace_all(samples()[sample.param].name, ".", "_");
                         });

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
