// Which tokens are special, and what begins a text: what the files declare, never a guess from the
// names of ordinary pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using testing::TemporaryFolder;

json golden(const std::string& name) {
  return json::parse(
      read_file(testing::source_dir() / "tests/golden/tokenizer" / name / "tokenizer.json"));
}

std::vector<TokenId> ids_of(const Tokenizer& t, std::string_view text, bool special = true) {
  std::vector<TokenId> ids;
  for (const Token& token : t.encode(text, special).tokens) ids.push_back(token.id);
  return ids;
}

// A byte-level vocabulary with ordinary pieces that are named like special tokens, as Qwen's
// 128244 to 128247 are, and with one added token at its end.
struct Qwen {
  json tokenizer = golden("gpt2");
  json settings = {{"bos_token", nullptr}, {"eos_token", "<|endoftext|>"}, {"unk_token", nullptr}};
  json model = {{"model_type", "qwen2"}};
  std::vector<TokenId> ordinary;
  TokenId end = 0;

  Qwen() {
    json& pieces = tokenizer["model"]["vocab"];
    pieces.erase("<|endoftext|>");
    size_t next = pieces.size();
    for (const char* name : {"<unk>", "<s>", "</s>", "<mask>", "[MASK]", "<pad>"}) {
      ordinary.push_back(TokenId(next));
      pieces[name] = next++;
    }
    end = TokenId(next);
    tokenizer["added_tokens"] = {{{"id", end},
                                  {"content", "<|endoftext|>"},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false},
                                  {"normalized", false},
                                  {"special", true}}};
    model["bos_token_id"] = model["eos_token_id"] = end;
    model["vocab_size"] = end + 1;
  }

  std::unique_ptr<Tokenizer> load(std::vector<std::string>* notes = nullptr) const {
    TemporaryFolder folder;
    write_file(folder / "tokenizer.json", tokenizer.dump());
    if (!settings.is_null()) write_file(folder / "tokenizer_config.json", settings.dump());
    if (!model.is_null()) write_file(folder / "config.json", model.dump());
    return load_tokenizer(folder.path(), notes);
  }
};

TEST(Special, OrdinaryPiecesWithUsualNamesHaveNoRole) {
  Qwen qwen;
  std::vector<std::string> notes;
  auto t = qwen.load(&notes);
  EXPECT_THAT(notes, ElementsAre());
  const SpecialIds& s = t->special();
  EXPECT_EQ(s.bos, -1) << "null in tokenizer_config.json: config.json's id is the model's to use";
  EXPECT_EQ(s.eos, qwen.end);
  EXPECT_EQ(s.unk, -1);
  EXPECT_EQ(s.mask, -1);
  EXPECT_EQ(s.pad, -1);
  EXPECT_THAT(ids_of(*t, "x<|endoftext|>"), Contains(qwen.end));
}

TEST(Special, OrdinaryPiecesWithUsualNamesAreNotFoundInTexts) {
  Qwen qwen;
  auto t = qwen.load();
  for (const char* name : {"<unk>", "<s>", "</s>", "<mask>", "[MASK]", "<pad>"}) {
    const std::vector<TokenId> ids = ids_of(*t, std::string("a") + name + "b");
    for (TokenId id : qwen.ordinary) EXPECT_THAT(ids, Not(Contains(id))) << name;
    EXPECT_GT(ids.size(), 3u) << name;
  }
}

TEST(Special, NullMeansNoneAlsoForDeclaredTokens) {
  Qwen qwen;
  qwen.model.erase("bos_token_id");
  EXPECT_EQ(qwen.load()->special().bos, -1);
  qwen.settings.erase("bos_token");
  EXPECT_EQ(qwen.load()->special().bos, qwen.end) << "the usual name, of a declared token";
  qwen.settings = nullptr;
  EXPECT_EQ(qwen.load()->special().bos, qwen.end);
  qwen.tokenizer["added_tokens"][0]["content"] = "<|end|>";
  EXPECT_EQ(qwen.load()->special().bos, -1);
  EXPECT_EQ(qwen.load()->special().eos, qwen.end) << "config.json's id";
}

TEST(Special, ConfigurationNamesPiecesThatAreThenFoundInTexts) {
  Qwen qwen;
  qwen.settings["mask_token"] = "<mask>";
  auto t = qwen.load();
  EXPECT_EQ(t->special().mask, qwen.ordinary[3]);
  EXPECT_THAT(ids_of(*t, "a<mask>b"), Contains(qwen.ordinary[3]));
}

TEST(Special, TokensBesideTokenizerJsonAreAdded) {
  Qwen qwen;
  qwen.settings["added_tokens_decoder"] = {
      {std::to_string(qwen.ordinary[1]), {{"content", "<s>"}, {"special", true}}},
      {std::to_string(qwen.end), {{"content", "<|endoftext|>"}, {"lstrip", true}}}};
  auto t = qwen.load();
  EXPECT_THAT(ids_of(*t, "a<s>b"), Contains(qwen.ordinary[1]));
  EXPECT_EQ(ids_of(*t, "a <|endoftext|>"), ids_of(*Qwen().load(), "a <|endoftext|>"))
      << "what tokenizer.json says of a token stands";
}

// XGLM names "<s>" as beginning of text, and puts "</s>" before every one.
TEST(Special, PostProcessorStatesTheFirstToken) {
  Qwen qwen;
  const auto named = [](const char* name) { return json{{"SpecialToken", {{"id", name}}}}; };
  qwen.settings = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  qwen.tokenizer["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", {named("</s>"), {{"Sequence", {{"id", "A"}}}}}},
      {"special_tokens",
       {{"</s>", {{"id", "</s>"}, {"ids", {qwen.ordinary[2]}}, {"tokens", {"</s>"}}}}}}};
  EXPECT_EQ(qwen.load()->special().bos, qwen.ordinary[2]);
}

// A T5 is asked with its own gap, whatever other tokens there are.
TEST(Special, GapOfT5IsNoOtherToken) {
  Qwen qwen;
  const TokenId gap = qwen.end + 1, mask = qwen.end + 2;
  json token = qwen.tokenizer["added_tokens"][0];
  for (auto [id, name] : {std::pair(gap, "<extra_id_0>"), std::pair(mask, "<mask>")}) {
    token["id"] = id;
    token["content"] = name;
    qwen.tokenizer["added_tokens"].push_back(token);
  }
  qwen.tokenizer["model"]["vocab"].erase("<mask>");
  qwen.tokenizer["model"]["vocab"]["\u0120x"] = qwen.ordinary[3];
  qwen.model = {{"model_type", "t5"}};
  EXPECT_EQ(qwen.load()->special().mask, gap);
}

}  // namespace
}  // namespace minpair::tokenizer
