#include "engine/surprisal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "engine/engine.h"
#include "engine/golden_lstm.h"
#include "engine/perplexity.h"
#include "engine/running_text.h"

namespace minpair::engine {
namespace {

std::unique_ptr<query::Model> stories() {
  return model::load_model((testing::models_dir() / "stories260K").string());
}

std::vector<WordSurprisal> words_of(query::Model& model, const std::vector<std::string>& texts,
                                    const SurprisalOptions& options = {}) {
  std::vector<WordSurprisal> words;
  Surprisal surprisal(model, options, [&](const WordSurprisal& w) { words.push_back(w); });
  for (const std::string& text : texts) surprisal.add(text);
  surprisal.finish();
  EXPECT_EQ(surprisal.words(), words.size());
  return words;
}

// It reads pieces that begin with their space, and answers nothing.
class ByteLevelModel : public query::Model {
 public:
  ByteLevelModel() {
    info_.kind = query::ModelInfo::Kind::causal;
    info_.max_tokens = 64;
  }
  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return *tokenizer_; }
  std::vector<query::Answer> answer(std::span<const query::Query>) override { return {}; }

 private:
  query::ModelInfo info_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_ =
      tokenizer::load_tokenizer(testing::source_dir() / "tests/golden/tokenizer/gpt2");
};

TEST(RunningText, ASpaceStandsBetweenLinesForPiecesThatKnowSpaces) {
  ByteLevelModel model;
  auto ids_of = [&](const std::string& text) {
    std::vector<tokenizer::TokenId> ids;
    for (const tokenizer::Token& t : model.tokenizer().encode(text, false).tokens)
      ids.push_back(t.id);
    return ids;
  };
  for (const bool by_line : {false, true}) {
    Windows windows(model, 0, [](std::span<const query::Record>) {});
    RunningText running(model, by_line);
    for (tokenizer::TokenId id : running.next("The dog", windows).ids) windows.add(id, {});
    const method::Encoded second = running.next("barks", windows);
    EXPECT_EQ(second.ids, ids_of(by_line ? "barks" : " barks"));
    EXPECT_EQ(second.tokens[0].span.begin, 0u);
    EXPECT_EQ(second.tokens.back().span.end, 5u);
  }
}

// The same sentence as the methods score it, by word.
std::vector<std::pair<double, double>> by_methods(query::Model& model, const std::string& text) {
  suite::Item item;
  item.sentences.push_back({{text}, {}, false});
  auto scores =
      score_items(model, method::find_methods("lp,lp-by-words", model.info()), {&item, 1})[0];
  std::vector<std::pair<double, double>> words(minpair::words(text).size());
  for (size_t i = 0; i < scores[0].sentences[0].tokens.size(); ++i) {
    const judge::TokenScore& t = scores[0].sentences[0].tokens[i];
    size_t word = 0;
    for (size_t at = 0; at < t.span.begin; ++at) word += text[at] == ' ';
    words[word].first -= t.logprob;
    words[word].second -= scores[1].sentences[0].tokens[i].logprob;
  }
  return words;
}

TEST(Surprisal, RefusesAnEndOfTextsOnTheirOwn) {
  const std::string gpt2 = (testing::source_dir() / "tests/model/golden/gpt2").string();
  auto model = model::load_model(gpt2, {.end = "none"});
  EXPECT_THROW(words_of(*model, {"wort7"}, {.by_line = true}), Error);
  EXPECT_EQ(words_of(*model, {"wort7 wort8"}).size(), 2u);
}

// It once gave NaN for every word.
TEST(Surprisal, RefusesAMethodThatDoesNotScoreEveryWord) {
  auto model = model::load_model((testing::source_dir() / "tests/model/golden/bert").string());
  for (const char* method : {"masked", "masked-word-l2r", "feature-class"})
    EXPECT_THROW(words_of(*model, {"wort7 wort8"}, {.method = method}), Error) << method;
  EXPECT_EQ(words_of(*model, {"wort7 wort8"}, {.method = "pll"}).size(), 2u);
}

TEST(Surprisal, SaysThatWordsAreUnknown) {
  auto model = model::load_model((testing::source_dir() / "tests/model/golden/bert").string());
  const std::vector<WordSurprisal> words = words_of(*model, {"nobody knows", "wort7 nobody"});
  ASSERT_EQ(words.size(), 4u);
  EXPECT_TRUE(words[0].unknown && words[1].unknown && words[3].unknown);
  EXPECT_TRUE(std::isnan(words[0].surprisal));
  EXPECT_GT(words[3].surprisal, 0);
}

TEST(Surprisal, RunningTextIsThatOfPerplexity) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.txt", "w5 w9 nobody\n\nw7 w30\n");
  Perplexity p = perplexity(*model, folder / "x.txt", {});
  std::vector<WordSurprisal> words = words_of(*model, {"w5 w9 nobody", "", "w7 w30"});
  ASSERT_EQ(words.size(), 5u);
  EXPECT_TRUE(words[2].unknown);
  EXPECT_FALSE(words[1].unknown);
  EXPECT_EQ(words[4].text, 3u);
  EXPECT_EQ(words[4].position, 2u);
  double sum = 0;
  for (const WordSurprisal& w : words) {
    sum += w.surprisal;
    EXPECT_EQ(w.surprisal, w.corrected);  // words of one piece are complete
  }
  // Perplexity has the two ends of sentences, too.
  std::vector<query::Query> ends = {{{1, 5, 9, 0}, {{3, query::Targets{{1}}}}, {}},
                                    {{1, 5, 9, 0, 1, 7, 30}, {{6, query::Targets{{1}}}}, {}}};
  for (const query::Answer& a : model->answer(ends)) sum -= logits_of(a[0]).logprob();
  EXPECT_NEAR(sum, -p.log_probability, 1e-9);
}

TEST(Surprisal, SentencesAreThoseOfTheMethods) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto model = stories();
  SurprisalOptions options;
  options.by_line = true;
  std::vector<std::string> texts = {"The dog saw a butterfly.", "Lily unbelievably laughed at it"};
  std::vector<WordSurprisal> words = words_of(*model, texts, options);
  size_t at = 0;
  for (const std::string& text : texts)
    for (auto [pieces, complete] : by_methods(*model, text)) {
      EXPECT_NEAR(words[at].surprisal, pieces, 1e-9) << words[at].word;
      EXPECT_NEAR(words[at].corrected, complete, 1e-9) << words[at].word;
      ++at;
    }
  EXPECT_EQ(at, words.size());
  EXPECT_GT(words[6].pieces, 1u);
}

TEST(Surprisal, EntropyAndRankAreOfTheFirstPiece) {
  auto model = lstm();
  SurprisalOptions options;
  options.entropy = options.rank = true;
  WordSurprisal w = words_of(*model, {"w5 w9"}, options)[1];
  query::Query q{{1, 5}, {{1, query::Entropy{}}, {1, query::Rank{9}}}, {}};
  query::Answer a = model->answer({&q, 1})[0];
  EXPECT_EQ(w.entropy, std::get<query::Nats>(a[0]).entropy);
  EXPECT_EQ(w.rank, std::get<query::Ranked>(a[1]).rank);
}

TEST(Surprisal, NothingIsKnownOfAFirstWordWithNothingBeforeIt) {
  model::LoadOptions options;
  options.vocabulary = golden() / "vocab.txt";
  options.start = "none";
  auto model = model::load_model((golden() / "lstm0.pt").string(), options);
  SurprisalOptions by_line;
  by_line.by_line = true;
  std::vector<WordSurprisal> words = words_of(*model, {"w5 w9", "w5"}, by_line);
  EXPECT_TRUE(std::isnan(words[0].surprisal) && std::isnan(words[2].surprisal));
  EXPECT_FALSE(std::isnan(words[1].surprisal));
}

TEST(Surprisal, OfMaskedModelsIsThePseudoLikelihoodByWord) {
  auto model = model::load_model((testing::source_dir() / "tests/model/golden/bert").string());
  SurprisalOptions options;
  options.method = "pll";
  std::vector<WordSurprisal> words = words_of(*model, {"wort7 wort8", "wort9"}, options);
  ASSERT_EQ(words.size(), 3u);
  suite::Item item;
  item.sentences.push_back({{"wort7 wort8"}, {}, false});
  auto scores = score_items(*model, {&method::find_method("pll")}, {&item, 1})[0][0].sentences[0];
  EXPECT_EQ(words[1].surprisal, -scores.tokens[1].logprob);
  EXPECT_EQ(words[2].text, 2u);
  options.rank = true;
  EXPECT_THROW(words_of(*model, {"wort7"}, options), Error);
}

std::string all_of(query::Model& model, const fs::path& in, const fs::path& out,
                   const SurprisalFile& how = {}) {
  surprisal_of_file(model, in, out, how);
  return read_file(out);
}

TEST(SurprisalFile, KeepsTheOtherColumns) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.csv", "id,word,s\n1,\"a, \"\"b\"\"\",w5 w9\n2,c,w7\n");
  SurprisalFile how;
  how.column = "s";
  std::string csv = all_of(*model, folder / "x.csv", folder / "o.csv", how);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "id,word_in,text,position,word,pieces,surprisal,corrected,length,unknown");
  EXPECT_NE(csv.find("\n1,\"a, \"\"b\"\"\",1,2,w9,1,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n2,c,2,1,w7,1,"), std::string::npos) << csv;
  write_file(folder / "x.jsonl", "{\"id\":1,\"s\":\"w5 w9\",\"more\":[1]}\n");
  std::string json = all_of(*model, folder / "x.jsonl", folder / "o.jsonl", how);
  EXPECT_EQ(json.substr(0, 69),
            "{\"id\":1,\"more\":[1],\"text\":1,\"position\":1,\"word\":\"w5\",\"pieces\":1,\"surp");
  how.column = "t";
  EXPECT_THROW(all_of(*model, folder / "x.csv", folder / "o.csv", how), Error);
}

// TSV has no quotes: what would end a cell or a row becomes a space.
TEST(SurprisalFile, SeparatorsInACellBecomeSpacesWhereThereAreNoQuotes) {
  auto model = lstm();
  testing::TemporaryFolder folder;
  write_file(folder / "x.jsonl", R"({"id":"a\tb\nc\rd, e","s":"w5"})"
                                 "\n");
  SurprisalFile how;
  how.column = "s";
  std::string tsv = all_of(*model, folder / "x.jsonl", folder / "o.tsv", how);
  EXPECT_EQ(tsv.substr(tsv.find('\n') + 1, 19), "a b c d, e\t1\t1\tw5\t1");
}

// Killed anywhere, the same call makes the same bytes.
struct Interrupted : ::testing::Test {
  Interrupted() : model(lstm()) {
    for (int i = 0; i < 2000; ++i)
      text += "w5 w9 w12 w7 \"big\" w8 w11 w6, w" + std::to_string(i % 20) + "\n";
    write_file(folder / "x.txt", text);
    whole = all_of(*model, folder / "x.txt", folder / "a.csv");
    fs::create_directory(folder / "b");
  }
  SurprisalDone make(uint64_t words = UINT64_MAX) {
    return surprisal_of_file(*model, folder / "x.txt", folder / "b/o.csv", {}, [&](uint64_t done) {
      if (done > words) throw cannot("killed");
    });
  }
  size_t files() {
    size_t n = 0;
    for (const auto& entry : fs::directory_iterator(folder / "b")) n += entry.is_regular_file();
    return n;
  }

  std::unique_ptr<query::Model> model;
  testing::TemporaryFolder folder;
  std::string text, whole;
};

TEST_F(Interrupted, ResumesWhereItStopped) {
  for (uint64_t words : {1, 6000, 12000}) {
    fs::remove(folder / "b/o.csv");
    EXPECT_THROW(make(words), Error);
    EXPECT_FALSE(fs::exists(folder / "b/o.csv"));
    EXPECT_EQ(make().resumed > 0, words > 1);
    EXPECT_EQ(read_file(folder / "b/o.csv"), whole);
    EXPECT_EQ(files(), 1u);
  }
}

// A word of equal length in a line that was answered: once, old and new rows were mixed.
TEST_F(Interrupted, ChangedInputIsAnError) {
  EXPECT_THROW(make(12000), Error);
  std::string changed = text;
  changed.replace(changed.find("w12"), 3, "w13");
  write_file(folder / "x.txt", changed);
  try {
    make();
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("x.txt changed"), std::string::npos) << e.what();
    EXPECT_NE(e.next().find("b/o.csv-"), std::string::npos) << e.what();
  }
  EXPECT_FALSE(fs::exists(folder / "b/o.csv"));
  write_file(folder / "x.txt", text);
  EXPECT_GT(make().resumed, 0u);
  EXPECT_EQ(read_file(folder / "b/o.csv"), whole);
}

}  // namespace
}  // namespace minpair::engine
