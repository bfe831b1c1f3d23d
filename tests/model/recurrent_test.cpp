#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/model.h"
#include "support.h"
#include "tokenizer/make.h"

namespace minpair::model {
namespace {

using Json = nlohmann::json;

fs::path golden() { return testing::source_dir() / "tests/golden/recurrent"; }

std::unique_ptr<query::Model> load(const std::string& file) {
  LoadOptions options;
  options.vocabulary = golden() / "vocab.txt";
  return load_model((golden() / file).string(), options);
}

query::Query whole_vocabulary(const std::vector<tokenizer::TokenId>& ids, uint32_t words) {
  query::Query q{ids, {}};
  std::vector<tokenizer::TokenId> all(words);
  for (uint32_t i = 0; i < words; ++i) all[i] = tokenizer::TokenId(i);
  for (uint32_t p = 0; p < ids.size(); ++p) q.asks.push_back({p, query::Targets{all}});
  return q;
}

}  // namespace

TEST(Recurrent, EveryCellAgreesWithPyTorch) {
  Json all = Json::parse(read_file(golden() / "expected.json"));
  ASSERT_EQ(all.size(), 5u);
  for (const Json& c : all) {
    SCOPED_TRACE(c["file"].get<std::string>());
    auto model = load(c["file"]);
    std::vector<query::Query> queries;
    for (const Json& ids : c["inputs"])
      queries.push_back(whole_vocabulary(ids, model->info().vocabulary));
    std::vector<query::Answer> answers = model->answer(queries);
    double worst = 0;
    for (size_t q = 0; q < queries.size(); ++q)
      for (size_t p = 0; p < answers[q].size(); ++p)
        for (size_t w = 0; w < logits_of(answers[q][p]).logits.size(); ++w)
          worst = std::max(worst, std::abs(logits_of(answers[q][p]).logprob(w) -
                                           c["logprobs"][q][p][w].get<double>()));
    EXPECT_LT(worst, 1e-5);
  }
}

TEST(Recurrent, BranchesShareTheirStateBitForBit) {
  auto model = load("lstm0.pt");
  std::vector<query::Query> queries{whole_vocabulary({1, 5, 9, 2, 30}, 37),
                                    whole_vocabulary({1, 5, 9, 3}, 37),
                                    whole_vocabulary({1, 5}, 37)};
  std::vector<query::Answer> together = model->answer(queries);
  for (size_t i = 0; i < queries.size(); ++i) {
    query::Answer alone = model->answer(std::span(&queries[i], 1))[0];
    EXPECT_EQ(alone, together[i]);
  }
}

TEST(Recurrent, AnotherVocabularyIsRefused) {
  testing::TemporaryFolder folder;
  write_file(folder / "vocab.txt", "<unk>\n<eos>\nonly\n");
  LoadOptions options;
  options.vocabulary = folder / "vocab.txt";
  EXPECT_THROW(load_model((golden() / "lstm0.pt").string(), options), Error);
  EXPECT_THROW(load_model((golden() / "lstm0.pt").string()), Error);
}

TEST(PlainFirstWord, NamesKeepTheirCapital) {
  auto words = tokenizer::with_plain_first_word(
      tokenizer::make_words({"<unk>", "<eos>", "der", "Autor", "Anna", "lacht"}));
  auto ids = [&](const char* text) {
    std::vector<tokenizer::TokenId> v;
    for (const tokenizer::Token& t : words->encode(text, false).tokens) v.push_back(t.id);
    return v;
  };
  EXPECT_EQ(ids("Der Autor lacht"), (std::vector<tokenizer::TokenId>{2, 3, 5}));
  EXPECT_EQ(ids("Anna lacht"), (std::vector<tokenizer::TokenId>{4, 5}));
}

TEST(Ngram, BackOffByHand) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.arpa",
             "\\data\\\nngram 1=5\nngram "
             "2=3\n\n\\1-grams:\n-1.0\t<unk>\n-99\t<s>\t-0.5\n-0.7\t</"
             "s>\n-0.6\tder\t-0.3\n-0.9\thund\t-0.2\n"
             "\n\\2-grams:\n-0.2\t<s> der\n-0.4\tder hund\n-0.1\thund </s>\n\n\\end\\\n");
  auto model = load_model((folder / "x.arpa").string());
  EXPECT_EQ(model->info().kind, query::ModelInfo::Kind::ngram);
  const tokenizer::Tokenizer& words = model->tokenizer();
  tokenizer::TokenId start = model->info().start, der = *words.id("der"), hund = *words.id("hund");
  query::Query q{
      {start, der, hund},
      {{0, query::Targets{{der, hund}}}, {1, query::Targets{{hund}}}, {2, query::Targets{{der}}}},
      {}};
  query::Answer a = model->answer(std::span(&q, 1))[0];
  auto ln = [](double log10) { return log10 * std::log(10.0); };
  EXPECT_NEAR(logits_of(a[0]).logits[0], ln(-0.2), 1e-6);        // <s> der is there
  EXPECT_NEAR(logits_of(a[0]).logits[1], ln(-0.5 - 0.9), 1e-6);  // <s> hund is not: back off
  EXPECT_NEAR(logits_of(a[1]).logits[0], ln(-0.4), 1e-6);
  EXPECT_NEAR(logits_of(a[2]).logits[0], ln(-0.2 - 0.6), 1e-6);
  write_file(folder / "cut.arpa", "\\data\\\nngram 1=5\n\n\\1-grams:\n-1.0\t<unk>\n");
  EXPECT_THROW(load_model((folder / "cut.arpa").string()), Error);
}

}  // namespace minpair::model
