#include "suite/formats/format.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "suite/convert.h"
#include "support.h"

namespace minpair::suite {

using testing::TemporaryFolder;

static std::vector<Item> read_all(const std::string& format, const fs::path& path,
                                  const ReadOptions& options = {}) {
  auto stream = find_format(format).read(path, options);
  std::vector<Item> items;
  for (Item item; stream->next(item);) items.push_back(item);
  return items;
}

static std::string reason(const std::string& format, const fs::path& path) {
  try {
    read_all(format, path);
  } catch (const Error& e) {
    return std::to_string(e.where().line) + ": " + e.message();
  }
  return "no error";
}

static std::string locus(const Item& item, size_t sentence) {
  return std::string(slice(item.sentences[sentence].text, item.sentences[sentence].locus));
}

// Suites of random items that a format claims to hold.
class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  Item pair(const std::string& test, uint64_t number) {
    Item item;
    item.test = test;
    item.id = test + "/" + std::to_string(number);
    std::string front = phrase(), back = phrase();
    for (bool good : {true, false}) {
      std::string form = good ? "läuft" : word() + "x";
      item.sentences.push_back({{front + " " + form + " " + back},
                                {front.size() + 1, front.size() + 1 + form.size()},
                                good});
    }
    return item;
  }

  std::string word() {
    static const char* const all[] = {"der", "Bär", "läuft",  "schön", "猫",   "l'eau",
                                      ",",   "a-b", "\"so\"", "x\\y",  "don't"};
    return all[random_.below(std::size(all))];
  }

  std::string phrase() {
    std::string text = word();
    for (uint64_t n = random_.below(6); n > 0; --n) text += " " + word();
    return text;
  }

  uint64_t below(uint64_t n) { return random_.below(n); }

 private:
  Random random_;
};

static std::vector<Item> there_and_back(const std::string& name, const fs::path& out,
                                        const std::vector<Item>& items) {
  const Format& format = find_format(name);
  auto writer = format.write(out);
  for (const Item& item : items) EXPECT_EQ(writer->write(item), "") << name;
  writer->commit();
  EXPECT_EQ(recognise_format(out).name, name);
  return read_all(name, out);
}

// What formats without ids give: numbers within the test.
static std::vector<Item> random_items(uint64_t seed,
                                      const std::function<void(Item&, Maker&)>& more) {
  Maker make(seed);
  std::vector<Item> items;
  for (const char* test : {"across_pp", "simple"})
    for (uint64_t n = 1; n <= 40; ++n) {
      items.push_back(make.pair(test, n));
      more(items.back(), make);
    }
  return items;
}

TEST(Formats, EveryOneGivesBackWhatItHolds) {
  using More = std::function<void(Item&, Maker&)>;
  More nothing = [](Item&, Maker&) {};
  More aligned = [](Item& item, Maker&) { align_loci(item.sentences); };
  More german = [](Item& item, Maker&) {
    align_loci(item.sentences);
    item.language = "de";
  };
  More attractors = [](Item& item, Maker& make) {
    item.condition = std::to_string(make.below(3));
    item.features.emplace_back("attractors", double(item.condition[0] - '0'));
  };
  More everything = [](Item& item, Maker& make) {
    item.condition = "sg_pl";
    item.language = "de";
    item.cluster = "c" + std::to_string(make.below(5));
    if (make.below(2)) item.id = "odd " + item.id;
    item.features.emplace_back("distance", double(make.below(9)) / 4);
    item.features.emplace_back("lemma", make.phrase());
  };
  More columns = [](Item& item, Maker& make) {
    align_loci(item.sentences);
    item.condition = "sg_pl";
    item.language = "de";
    item.cluster = "c" + std::to_string(make.below(5));
  };
  More sets = [](Item& item, Maker&) {
    item.sentences.push_back({{item.sentences[1].text + " mehr"}, {}, false});
    align_loci(item.sentences);
  };
  const std::vector<std::pair<std::string, More>> all = {
      {"tsv", aligned},       {"clams", sets},
      {"clams-bert", german}, {"bert-syntax", attractors},
      {"linzen", attractors}, {"blimp", everything},
      {"sling", everything},  {"zhoblimp", everything},
      {"jblimp", everything}, {"rublimp", columns},
      {"turblimp", columns},  {"multiblimp", columns},
      {"clams", aligned},     {"blimp", nothing}};
  for (const auto& [name, more] : all)
    for (uint64_t seed = 0; seed < 3; ++seed) {
      TemporaryFolder folder;
      std::vector<Item> items = random_items(seed, more);
      EXPECT_EQ(there_and_back(name, folder / "out", items), items) << name;
    }
}

TEST(Formats, SuiteFilesHoldEverything) {
  TemporaryFolder folder;
  std::vector<Item> items = random_items(7, [](Item& item, Maker& make) {
    item.condition = make.phrase();
    item.cluster = make.word();
    item.features.emplace_back("x", make.phrase());
  });
  EXPECT_EQ(there_and_back("suite", folder / "out.jsonl", items), items);
}

TEST(Formats, PicklesHoldConditions) {
  TemporaryFolder folder;
  std::vector<Item> items = random_items(7, [](Item& item, Maker&) {
    item.condition = "sing_MS";
    size_t slash = item.id.find('/');
    item.id = item.test + "/sing_MS" + item.id.substr(slash);
    align_loci(item.sentences);
  });
  EXPECT_EQ(there_and_back("marvin-linzen", folder / "out", items), items);
}

TEST(Formats, GevalmKeepsSpacingAndWhatTheFilesState) {
  TemporaryFolder folder;
  fs::create_directories(folder / "in/SVX");
  std::string lines =
      R"({"text": "Der Bär brummt und brummt .", "text_masked": "Der Bär brummt und [MASK] .", )"
      R"("candidates": ["brummt", "brummen"], "indexMASK": 4, "case": "SVX_sg"})"
      "\n";
  write_file(folder / "in/SVX/SVX_pl.jsonl", lines);
  std::vector<Item> items = read_all("gevalm", folder / "in");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].id, "SVX_sg/1");
  EXPECT_EQ(items[0].test, "SVX");
  EXPECT_EQ(items[0].condition, "sg");
  EXPECT_EQ(items[0].language, "de");
  EXPECT_EQ(items[0].sentences[0].locus.begin, 20u);
  EXPECT_EQ(items[0].sentences[1].text, "Der Bär brummt und brummen .");
  EXPECT_EQ(feature_text(items[0], "file"), "SVX_pl");
  there_and_back("gevalm", folder / "out", items);
  EXPECT_EQ(read_file(folder / "out/SVX/SVX_pl.jsonl"), lines);
}

TEST(Formats, GevalmOutputHasScores) {
  TemporaryFolder folder;
  fs::create_directories(folder / "RA_acc");
  write_file(folder / "RA_acc/out_ReflVerbs_simple_acc.jsonl",
             R"({"text": "Ich irre mich .", "text_masked": "Ich irre [MASK] .", "candidates": )"
             R"(["mich", "sich"], "indexMASK": 2, "case": "ReflVerbs_simple_acc", "probs": )"
             R"({"mich": 2.5, "sich": 3.25}, "tokenized": [[["Ich", "mich"]], [["Ich"]]]})"
             "\n");
  auto stream = find_format("gevalm").read(folder.path(), {});
  Item item;
  ASSERT_TRUE(stream->next(item));
  EXPECT_EQ(item.test, "RA_acc");
  EXPECT_EQ(item.condition, "simple");
  ASSERT_NE(stream->published(), nullptr);
  EXPECT_EQ(stream->published()->sentences, (std::vector<double>{2.5, 3.25}));
  EXPECT_FALSE(stream->published()->higher_is_better);
  EXPECT_EQ(stream->published()->tokens[0], (std::vector<std::string>{"Ich", "mich"}));
}

static const char* const kTab =
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\t"
    "len_context\tlen_prefix\tsent\n"
    "P\t1\t7\tsing\truns\tcorrect\tgenerated\tThe fox\t1\tFalse\t12\t4\t2\t\"The fox sits "
    "\"\"so\"\" "
    ". <eos>\"\n"
    "P\t1\t7\tsing\trun\twrong\tgenerated\tThe fox\t1\tFalse\t13\t4\t2\t\"The fox sits \"\"so\"\" "
    ". "
    "<eos>\"\n";

TEST(Formats, GulordavaPutsTheFormsWhereTheTableSays) {
  TemporaryFolder folder;
  write_file(folder / "x.tab", kTab);
  std::vector<Item> items = read_all("gulordava", folder / "x.tab");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].sentences[0].text, "The fox runs \"so\" .");
  EXPECT_EQ(locus(items[0], 1), "run");
  EXPECT_EQ(items[0].test, "generated");
  EXPECT_EQ(items[0].condition, "1");
  EXPECT_EQ(feature_text(items[0], "shown"), "sits");
  there_and_back("gulordava", folder / "y.tab", items);
  EXPECT_EQ(read_file(folder / "y.tab"), kTab);
}

TEST(Formats, ClamsFindsTheLocusByAligning) {
  TemporaryFolder folder;
  fs::create_directory(folder / "de_evalset");
  write_file(folder / "de_evalset/vp.txt",
             "True\tder Fuchs läuft und läuft\nFalse\tder Fuchs läuft und laufen\n"
             "True\tkein Fuchs läuft\nFalse\tein Fuchs läuft\nFalse\tder Fuchs läuft\n");
  std::vector<Item> items = read_all("clams", folder / "de_evalset");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].language, "de");
  EXPECT_EQ(items[0].sentences[0].locus.begin, 21u);
  EXPECT_EQ(items[1].sentences.size(), 3u);
  EXPECT_EQ(locus(items[1], 2), "der");
  EXPECT_EQ(read_all("clams", folder / "de_evalset", {"nl"})[0].language, "nl");
}

TEST(Formats, BertSyntaxResultsHaveLogitsAndReasons) {
  TemporaryFolder folder;
  write_file(folder / "r.txt",
             "some notice\n"
             "True\t2\tlikes\t1.5\tlike\t-2.25\tb'the caf\\xc3\\xa9 ***mask*** \\'it\\' .'\n"
             "skipping is/are\nskipping goes go bad wins\n");
  EXPECT_EQ(recognise_format(folder / "r.txt").name, "bert-syntax-results");
  auto stream = find_format("bert-syntax-results").read(folder / "r.txt", {});
  Item item;
  ASSERT_TRUE(stream->next(item));
  EXPECT_EQ(item.sentences[1].text, "the café like 'it' .");
  EXPECT_EQ(item.condition, "2");
  EXPECT_EQ(stream->published()->sentences, (std::vector<double>{1.5, -2.25}));
  EXPECT_FALSE(stream->next(item));
  EXPECT_EQ(stream->skipped().size(), 2u);
}

TEST(Formats, DoesBertAgreeGivesClozes) {
  TemporaryFolder folder;
  std::string csv =
      "uid,lemma,type,pos,number,gender,case,person,masked,other_masked,other_lemma,"
      "intervening_noun,num_distractors\n"
      "s1,Hund,determiner,NOUN,Sing,Masc,Nom,NO VALUE,\"Der [MASK] , so .\",[MASK] Hund "
      ".,der,False,2\n"
      "s2,Hund,verb,NOUN,Sing,Masc,Nom,NO VALUE,kein Loch,x,y,False,2\n";
  write_file(folder / "deu.csv", csv);
  EXPECT_EQ(recognise_format(folder / "deu.csv").name, "does-bert-agree");
  auto stream = find_format("does-bert-agree").read(folder / "deu.csv", {});
  Item item;
  ASSERT_TRUE(stream->next(item));
  EXPECT_EQ(item.test, "determiner");
  EXPECT_EQ(item.language, "de");
  EXPECT_EQ(locus(item, 0), "[MASK]");
  EXPECT_EQ(feature_text(item, "gender"), "Masc");
  EXPECT_FALSE(stream->next(item));
  EXPECT_EQ(stream->skipped().at("no [MASK] in the sentence"), 1u);
  auto back = find_format("does-bert-agree").write(folder / "deu2.csv");
  EXPECT_EQ(back->write(read_all("does-bert-agree", folder / "deu.csv")[0]), "");
  back->commit();
  EXPECT_EQ(read_file(folder / "deu2.csv"), csv.substr(0, csv.find("s2,")));
}

TEST(Formats, SimilarFormatsAreRecognisedByKeys) {
  TemporaryFolder folder;
  auto kind = [&](const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    const Format& format = recognise_format(folder / name);
    std::vector<Item> items = read_all(format.name, folder / name);
    EXPECT_EQ(items.size(), 1u);
    return format.name + " " + items[0].id + " " + items[0].language + " " + locus(items[0], 0);
  };
  EXPECT_EQ(kind("a.jsonl", R"({"sentence_good":"It is.","sentence_bad":"It are.","field":"m",)"
                            R"("linguistics_term":"x","UID":"u","simple_LM_method":true,)"
                            R"("pairID":"4"})"),
            "blimp u/4 en is");
  EXPECT_EQ(kind("b.jsonl", R"({"sentence_good":"他在了。","sentence_bad":"他了在。","phenomenon":)"
                            R"("Aspect","paradigm":"zai","pair_ID":7,"field":"syntax"})"),
            "sling zai/7 zh 在了");
  EXPECT_EQ(kind("c.jsonl", R"({"UID":"ba","phenomenon":"BA","sentence_good":"他买。",)"
                            R"("sentence_bad":"他卖。","pairID":0})"),
            "zhoblimp ba/0 zh 买");
  EXPECT_EQ(
      kind("d.jsonl", R"({"ID":4,"good_sentence":"太郎に会う。","bad_sentence":"太郎を会う。",)"
                      R"("type":"t","phenomenon":"p","phenomenon-2":null,"paradigm":"case"})"),
      "jblimp case/4 ja に");
  EXPECT_EQ(kind("e.csv",
                 "id,source_sentence,target_sentence,source_word,target_word,PID\n"
                 "12,\"Да, он спит.\",\"Да, он спят.\",спит,спят,verb\n"),
            "rublimp verb/12 ru спит");
  EXPECT_EQ(kind("f.csv",
                 "good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon\n"
                 "Ben geldim.;Ben geldin.;a;b;c;agreement\n"),
            "turblimp agreement/1 tr geldim");
  EXPECT_EQ(kind("g.tsv",
                 "sen\twrong_sen\tlang\tphenomenon\n\"Er \"\"lebt\"\".\"\tEr lebe.\tdeu\tSV-P\n"),
            "multiblimp SV-P/1 deu \"lebt\"");
  EXPECT_EQ(kind("h.csv", "acceptable_sent,unacceptable_sent\nIt is.,It are.\n"), "pairs h/1  is");
}

TEST(Formats, RecognisesAFolderByItsFiles) {
  TemporaryFolder folder;
  write_file(folder / "README.md", "two\tcolumns\n");
  fs::create_directory(folder / "x");
  write_file(folder / "x/y.tsv", "He runs .\tHe run .\n");
  EXPECT_EQ(recognise_format(folder.path()).name, "tsv");
  Item item;
  EXPECT_TRUE(read_items(folder.path())->next(item));
  EXPECT_EQ(item.test, "y");
  write_file(folder / "x/y.tsv", "nothing known\n");
  EXPECT_THROW(recognise_format(folder.path()), Error);
}

TEST(Formats, ErrorsSayWhere) {
  TemporaryFolder folder;
  auto why = [&](const std::string& format, const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    return reason(format, folder / name);
  };
  EXPECT_EQ(why("tsv", "a.tsv", "a c.\ta b.\nc\n"),
            "2: there is 1 column here, and the first row has 2");
  EXPECT_EQ(why("clams", "a.txt", "True\ta\nTrue\tb\n"),
            "1: a True sentence with no False one after it");
  EXPECT_EQ(why("clams", "b.txt", "False\ta\n"), "1: a False sentence with no True one before it");
  EXPECT_EQ(why("blimp", "a.jsonl", "{\"sentence_good\":\"a\"}\n").substr(0, 3), "1: ");
  EXPECT_EQ(why("rublimp", "a.csv", "source_sentence,target_sentence\n\"a,b\n"),
            "2: a quoted field does not end");
  EXPECT_EQ(
      why("gulordava", "a.tab", std::string(kTab).substr(0, std::string(kTab).rfind("P\t1\t7"))),
      "2: a correct row with no wrong row after it");
  EXPECT_EQ(why("bert-syntax", "b.tsv", "0\ta b\ta c\tb\tc\n"),
            "1: the third column must have ***mask*** once");
}

TEST(Formats, UnrepresentableItemsAreCountedAndNoPartialFileStays) {
  TemporaryFolder folder;
  {
    auto writer = find_format("tsv").write(folder / "deep/out");
    Maker make(1);
    Item item = make.pair("t", 1);
    EXPECT_EQ(writer->write(item), "");
    item.sentences.push_back(item.sentences[1]);
    EXPECT_EQ(writer->write(item), "more than two sentences");
    item.sentences.resize(1);
    item.cloze = true;
    EXPECT_EQ(writer->write(item), "a cloze, not a pair");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  auto single = find_format("tsv").write(folder / "one.tsv");
  Maker make(1);
  EXPECT_EQ(single->write(make.pair("t", 1)), "");
  EXPECT_THROW(single->write(make.pair("u", 1)), Error);
}

}  // namespace minpair::suite
