// Directories that transformers itself has written, and the log-probabilities that it computed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/model.h"
#include "support.h"

namespace minpair::model {
namespace {

using Json = nlohmann::json;
using tokenizer::TokenId;

std::filesystem::path parity() {
  std::filesystem::path folder = testing::models_dir() / "parity";
  return !testing::models_dir().empty() && std::filesystem::exists(folder) ? folder : "";
}

double worst_of(query::Model& model, const query::Query& query, const std::vector<double>& theirs) {
  query::Answer answer = model.answer({&query, 1}).at(0);
  EXPECT_EQ(answer.size(), theirs.size());
  double worst = 0;
  for (size_t i = 0; i < answer.size(); ++i)
    worst = std::max(worst, std::abs(logits_of(answer[i]).logprob() - theirs[i]));
  return worst;
}

// Each token given those before it.
query::Query left_to_right(const query::Model& model, const std::vector<TokenId>& ids) {
  query::Query q;
  q.ids.push_back(model.info().start);
  q.ids.insert(q.ids.end(), ids.begin(), ids.end() - 1);
  for (uint32_t i = 0; i < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i]}}});
  return q;
}

query::Query about_all(const std::vector<TokenId>& ids) {
  query::Query q{ids, {}, {}};
  for (uint32_t i = 0; i < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i]}}});
  return q;
}

query::Query masked_at(const query::Model& model, std::vector<TokenId> ids, uint32_t at) {
  query::Query q{ids, {{at, query::Targets{{ids[at]}}}}, {}};
  q.ids[at] = model.tokenizer().special().mask;
  return q;
}

double worst_of(query::Model& model, const Json& sentence) {
  auto ids = sentence.at("ids").get<std::vector<TokenId>>();
  if (sentence.contains("lp")) return worst_of(model, left_to_right(model, ids), sentence.at("lp"));
  double worst = worst_of(model, about_all(ids), sentence.at("ce"));
  auto pll = sentence.value("pll", std::vector<double>());  // not of the longest ones
  for (uint32_t i = 0; i < pll.size(); ++i)
    worst = std::max(worst, worst_of(model, masked_at(model, ids, i + 1), {pll[i]}));
  return worst;
}

TEST(Parity, WhatTransformersWroteIsReadAsItReadsIt) {
  if (parity().empty()) GTEST_SKIP() << testing::no_data();
  size_t compared = 0;
  for (const char* name :
       {"albert-base", "bert-base", "gemma3-base", "gemma3-final-cap", "gemma3-linear",
        "gemma3-thetas", "gpt2-base", "llama-base", "llama-dynamic", "llama-longrope", "llama-yarn",
        "mistral-null", "modernbert-base", "neox-pct05", "neox-pct1", "neox-theta",
        "roberta-base"}) {
    SCOPED_TRACE(name);
    std::unique_ptr<query::Model> model = load_model((parity() / name).string());
    const Json theirs = Json::parse(read_file(parity() / name / "reference.json"));
    for (const Json& s : theirs.at("sentences")) {
      if (s.at("ids").size() > model->info().max_tokens) continue;  // refused, never guessed
      EXPECT_LT(worst_of(*model, s), 1e-4) << s.at("text");
      ++compared;
    }
  }
  EXPECT_GT(compared, 50u);
  EXPECT_NO_THROW(load_model((parity() / "model-max-length").string()));
}

// Made by tools/golden/make_transformers.py with the real library.
TEST(Parity, TinyCheckpointsOfEveryFamily) {
  for (const char* name : {"opt", "opt-after", "opt-bare", "xglm", "xglm-unscaled", "gpt-neo",
                           "gptj", "gptj-inner", "bloom", "bloom-heads", "phi", "phi-rotary"}) {
    SCOPED_TRACE(name);
    std::filesystem::path folder = testing::source_dir() / "tests/model/golden" / name;
    std::unique_ptr<query::Model> model = load_model(folder.string());
    std::vector<query::Query> queries;
    std::vector<std::vector<double>> theirs;
    const Json made = Json::parse(read_file(folder / "reference.json"));
    for (const Json& input : made.at("inputs")) {
      auto ids = input.at("ids").get<std::vector<TokenId>>();
      query::Query q{{ids.begin(), ids.end() - 1}, {}, {}};
      for (uint32_t i = 0; i + 1 < ids.size(); ++i)
        q.asks.push_back({i, query::Targets{{ids[i + 1]}}});
      theirs.push_back(input.at("logprobs"));
      EXPECT_LT(worst_of(*model, q, theirs.back()), 1e-4);
      queries.push_back(std::move(q));
    }
    // The same bits in one batch and on other threads, with the prefixes of the longest.
    query::Query begin = queries.back();
    begin.ids.resize(20);
    begin.asks.resize(20);
    queries.push_back(begin);
    std::vector<query::Answer> together =
        load_model(folder.string(), {.threads = 3})->answer(queries);
    for (size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(model->answer({&queries[i], 1}).at(0), together[i]) << i;
  }
}

TEST(Parity, WhatWouldBeReadWronglyIsRefusedByName) {
  if (parity().empty()) GTEST_SKIP() << testing::no_data();
  const std::pair<const char*, const char*> refused[] = {
      {"bert-is-decoder", "is_decoder"},
      {"electra-is-decoder", "is_decoder"},
      {"roberta-is-decoder", "is_decoder"},
      {"gpt2-base-model-untied", "no language-model head"},
      {"llama-base-model", "no language-model head"},
      {"x-adapter", "adapter"},
      {"x-bnb4", "quantised by bitsandbytes"},
      {"x-bnb8", "quantised by bitsandbytes"},
      {"x-gptq", "quantised by gptq"}};
  for (const auto& [name, why] : refused) try {
      load_model((parity() / name).string());
      ADD_FAILURE() << name << " was loaded";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr(why)) << name;
    }
}

}  // namespace
}  // namespace minpair::model
