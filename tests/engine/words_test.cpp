#include "tokenizer/word_ends.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "base/error.h"
#include "engine/plan.h"
#include "fake.h"
#include "method/method.h"
#include "model/edges.h"
#include "model/golden.h"
#include "support.h"

namespace minpair::engine {
namespace {

using testing::FakeTokenizer;
using testing::golden;
using testing::TemporaryFolder;

class SomeTokenizer : public FakeTokenizer {
 public:
  explicit SomeTokenizer(tokenizer::SpecialIds special) : special_(special) {}
  const tokenizer::SpecialIds& special() const override { return special_; }

 private:
  tokenizer::SpecialIds special_;
};

struct Found {
  model::Edge edge;
  std::vector<std::string> notes;
};

Found start(const std::string& config, tokenizer::SpecialIds special) {
  query::ModelInfo info;
  info.vocabulary = 1000;
  SomeTokenizer tokenizer(special);
  model::Edge edge = model::start_of_text(model::Config("config.json", config), tokenizer, info);
  return {edge, info.notes};
}

tokenizer::SpecialIds ids(tokenizer::TokenId bos, tokenizer::TokenId eos) {
  tokenizer::SpecialIds s;
  s.bos = bos;
  s.eos = eos;
  return s;
}

bool says(const Found& found, const std::string& what) {
  for (const std::string& note : found.notes)
    if (note.find(what) != std::string::npos) return true;
  return false;
}

TEST(StartOfText, TheTokenizersIsUsed) {
  Found found = start(R"({"bos_token_id": 7})", ids(7, 8));
  EXPECT_EQ(found.edge.id, 7);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(start("{}", ids(-1, 8)).edge.id, 8);
  EXPECT_TRUE(start("{}", ids(-1, 8)).notes.empty());
}

TEST(StartOfText, AWrongConfigurationIsNamed) {
  Found other = start(R"({"bos_token_id": 9})", ids(7, 8));
  EXPECT_EQ(other.edge.id, 7);
  EXPECT_TRUE(says(other, "the tokenizer's files name 7"));
  Found outside = start(R"({"bos_token_id": 50256})", ids(7, 8));
  EXPECT_EQ(outside.edge.id, 7);
  EXPECT_TRUE(says(outside, "outside the vocabulary of 1000"));
  Found far = start("{}", ids(5000, 8));
  EXPECT_EQ(far.edge.id, 8);
  EXPECT_TRUE(says(far, "5000"));
  Found ordinary = start(R"({"bos_token_id": 20})", ids(-1, 8));
  EXPECT_EQ(ordinary.edge.id, 8);
  EXPECT_TRUE(says(ordinary, "an ordinary piece of text"));
  Found special = start(R"({"bos_token_id": 8})", ids(-1, 8));
  EXPECT_EQ(special.edge.from, query::EdgeFrom::config_bos);
  Found nothing = start("{}", ids(-1, -1));
  EXPECT_EQ(nothing.edge.id, -1);
  EXPECT_TRUE(says(nothing, "the first token of a sentence is not scored"));
}

model::LoadOptions with(const std::string& start, const std::string& end) {
  model::LoadOptions options;
  options.start = start;
  options.end = end;
  return options;
}

TEST(Edges, OtherEdgesAreAnotherModel) {
  auto load = [&](const model::LoadOptions& o) {
    return model::load_model(golden("gpt2").string(), o)->info();
  };
  query::ModelInfo own = load({}), none = load(with("none", "auto")),
                   sep = load(with("[SEP]", "auto")), end = load(with("auto", "[SEP]"));
  EXPECT_EQ(own.fingerprint, load(with("auto", "auto")).fingerprint);
  EXPECT_EQ(none.start, -1);
  EXPECT_EQ(text(none.start_from), "--start");
  EXPECT_EQ(sep.start, end.end);
  EXPECT_EQ(end.start, own.start);
  std::set<std::string> all{own.fingerprint, none.fingerprint, sep.fingerprint, end.fingerprint};
  EXPECT_EQ(all.size(), 4u);
  // The same tokens under other names are the same model.
  EXPECT_EQ(load(with("[CLS]", "none")).fingerprint, own.fingerprint);
}

TEST(Edges, MissingTokensAreErrors) {
  EXPECT_THROW(model::load_model(golden("gpt2").string(), with("<nope>", "auto")), Error);
  EXPECT_THROW(model::load_model(golden("bert").string(), with("none", "auto")), Error);
}

// The golden GPT-2 with a vocabulary in which some pieces go on with a word.
class InPieces : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(golden("gpt2"), folder.path(), std::filesystem::copy_options::recursive);
    std::ofstream vocabulary(folder / "vocab.txt");
    for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
      vocabulary << special << '\n';
    for (int i = 5; i < 120; ++i)
      vocabulary << (i == 5 ? "." : i % 3 ? fmt_word(i) : "##" + fmt_word(i)) << '\n';
    vocabulary.close();
    model = model::load_model(folder.path().string());
  }

  static std::string fmt_word(int i) {
    return std::string(1, char('a' + i % 26)) + char('a' + i / 26);
  }

  // log-probabilities of all tokens after `input`, from the model's own logits.
  std::vector<double> next(const std::vector<tokenizer::TokenId>& input) {
    std::vector<tokenizer::TokenId> all(model->info().vocabulary);
    std::iota(all.begin(), all.end(), 0);
    query::Query query{input, {{uint32_t(input.size() - 1), query::Targets{all}}}, {}};
    query::Logits answer = logits_of(model->answer({&query, 1})[0][0]);
    double sum = 0;
    for (float logit : answer.logits) sum += std::exp(double(logit));
    std::vector<double> logprobs;
    for (float logit : answer.logits) logprobs.push_back(double(logit) - std::log(sum));
    return logprobs;
  }

  // How probable it is that no further piece of the same word follows.
  double over(const std::vector<tokenizer::TokenId>& input) {
    std::vector<double> logprobs = next(input);
    double sum = 0;
    for (size_t id = 0; id < logprobs.size(); ++id)
      if (!model->tokenizer().piece(tokenizer::TokenId(id)).starts_with("##"))
        sum += std::exp(logprobs[id]);
    return std::log(sum);
  }

  std::vector<judge::SentenceScore> score(const std::string& method,
                                          const std::vector<std::string>& texts) {
    suite::Item item;
    for (const std::string& t : texts) item.sentences.push_back({{t}, {}, item.sentences.empty()});
    suite::align_loci(item.sentences);
    auto scores = score_items(*model, {&method::find_method(method)}, {&item, 1});
    EXPECT_EQ(scores[0][0].excluded, judge::Reason::none);
    return scores[0][0].sentences;
  }

  std::vector<tokenizer::TokenId> read(const std::string& text) {
    std::vector<tokenizer::TokenId> found{model->info().start};
    for (const tokenizer::Token& t : model->tokenizer().encode(text, false).tokens)
      found.push_back(t.id);
    return found;
  }

  TemporaryFolder folder;
  std::unique_ptr<query::Model> model;
};

TEST_F(InPieces, AWordIsItsPiecesAndItsEnd) {
  // Two pieces against one; both sentences go on.
  std::string good = fmt_word(7) + " " + fmt_word(8) + fmt_word(9) + " " + fmt_word(10),
              bad = fmt_word(7) + " " + fmt_word(11) + " " + fmt_word(10);
  std::vector<judge::SentenceScore> scores = score("whole-word-lp", {good, bad});
  std::vector<tokenizer::TokenId> before = read(fmt_word(7)),
                                  pieces = read(fmt_word(8) + fmt_word(9));
  ASSERT_EQ(pieces.size(), 3u);
  std::vector<tokenizer::TokenId> half = before, whole = before, other = before;
  half.push_back(pieces[1]);
  whole.insert(whole.end(), pieces.begin() + 1, pieces.end());
  other.push_back(*model->tokenizer().id(fmt_word(11)));
  double expected =
      next(before)[size_t(pieces[1])] + next(half)[size_t(pieces[2])] + over(whole) - over(before);
  ASSERT_EQ(scores[0].tokens.size(), 2u);
  EXPECT_NEAR(scores[0].tokens[0].logprob + scores[0].tokens[1].logprob, expected, 1e-5);
  ASSERT_EQ(scores[1].tokens.size(), 1u);
  EXPECT_NEAR(scores[1].tokens[0].logprob,
              next(before)[size_t(other.back())] + over(other) - over(before), 1e-5);
}

TEST_F(InPieces, TheSumOfTheWordsIsTheSentence) {
  std::vector<std::string> texts{fmt_word(8) + fmt_word(9) + " " + fmt_word(10) + ".",
                                 fmt_word(8) + fmt_word(9) + " " + fmt_word(11) + "."};
  std::vector<judge::SentenceScore> pieces = score("lp", texts),
                                    words = score("lp-by-words", texts);
  for (size_t s = 0; s < 2; ++s) {
    double a = 0, b = 0;
    for (const judge::TokenScore& t : pieces[s].tokens) a += t.logprob;
    for (const judge::TokenScore& t : words[s].tokens) b += t.logprob;
    std::vector<tokenizer::TokenId> ids = read(texts[s]);
    EXPECT_NEAR(b, a - over({ids[0]}) + over(ids), 1e-5);
    EXPECT_GT(std::abs(b - a), 1e-3);
  }
}

// Whole words are complete by themselves.
TEST(WordEnd, NothingChangesForWholeWords) {
  model::LoadOptions options;
  options.vocabulary = testing::source_dir() / "tests/golden/recurrent/vocab.txt";
  auto model = model::load_model(
      (testing::source_dir() / "tests/golden/recurrent/lstm0.pt").string(), options);
  suite::Item item;
  item.sentences = {{{"w5 w6 w7"}, {}, true}, {{"w5 w6 w8"}, {}, false}};
  suite::align_loci(item.sentences);
  auto scores = score_items(
      *model, {&method::find_method("word-lp"), &method::find_method("whole-word-lp")}, {&item, 1});
  for (size_t s = 0; s < 2; ++s)
    EXPECT_NEAR(scores[0][0].sentences[s].tokens[0].logprob,
                scores[0][1].sentences[s].tokens[0].logprob, 1e-5);
}

}  // namespace
}  // namespace minpair::engine
