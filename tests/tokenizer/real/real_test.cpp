// Real tokenizers of many families, judged by Hugging Face's library and by llama.cpp's texts; see
// run.mjs, which prepares the folder that this reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "support.h"
#include "tokenizer/llama_cpp_texts.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

using nlohmann::json;

fs::path prepared(const std::string& family) {
  const char* folder = std::getenv("MINPAIR_REAL_TOKENIZERS");
  return fs::path(folder ? folder : "") / family;
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const json& family :
       json::parse(read_file(testing::source_dir() / "tests/tokenizer/real/families.json")))
    names.push_back(family["name"]);
  return names;
}

std::vector<TokenId> ids_of(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenId> ids;
  for (const Token& t : tokenizer.encode(text, false).tokens) ids.push_back(t.id);
  return ids;
}

struct Expected {
  json roles;
  std::vector<std::string> texts;
  std::vector<std::vector<TokenId>> ids;

  explicit Expected(const std::string& family) {
    LineReader reader(prepared(family) / "expected.jsonl", size_t{1} << 24);
    for (std::string_view line; reader.next(line);) {
      json x = json::parse(line);
      if (roles.is_null()) {
        roles = x;
        continue;
      }
      texts.push_back(x["text"]);
      ids.push_back(x["ids"]);
    }
  }
};

void check_ids(const Tokenizer& tokenizer, const Expected& expected) {
  size_t different = 0;
  for (size_t i = 0; i < expected.texts.size(); ++i)
    if (const auto ids = ids_of(tokenizer, expected.texts[i]); ids != expected.ids[i])
      if (++different <= 3)
        ADD_FAILURE() << expected.texts[i] << "\nours:   " << ::testing::PrintToString(ids)
                      << "\ntheirs: " << ::testing::PrintToString(expected.ids[i]);
  ::testing::Test::RecordProperty("lines", int(expected.texts.size()));
  ::testing::Test::RecordProperty("different", int(different));
  EXPECT_EQ(different, 0u) << "of " << expected.texts.size() << " lines";
  EXPECT_GE(expected.texts.size(), 100u);
}

class Real : public ::testing::TestWithParam<std::string> {};

TEST_P(Real, FolderGivesTheLibrarysIds) {
  const Expected expected(GetParam());
  std::vector<std::string> notes;
  auto tokenizer = load_tokenizer(prepared(GetParam()), &notes);
  check_ids(*tokenizer, expected);
  const SpecialIds& s = tokenizer->special();
  for (auto [role, ours] :
       {std::pair("unk", s.unk), std::pair("mask", s.mask), std::pair("eos", s.eos)})
    EXPECT_EQ(ours, expected.roles[role].get<TokenId>()) << role;
  // Baichuan's post-processor begins texts with a token that nothing names.
  const TokenId bos = GetParam() == "baichuan2" || GetParam() == "chatglm3"
                          ? 1
                          : expected.roles["bos"].get<TokenId>();
  EXPECT_EQ(s.bos, bos);
  const json config = json::parse(read_file(prepared(GetParam()) / "config.json"));
  const TokenId begins = bos >= 0 ? bos : config.value("bos_token_id", -1);
  RecordProperty("begins", begins >= 0 ? tokenizer->piece(begins) : "");
  RecordProperty("ends", s.eos >= 0 ? tokenizer->piece(s.eos) : "");
}

TEST_P(Real, GgufIsTheFolder) {
  const fs::path file = prepared(GetParam()) / "vocabulary.gguf";
  if (!fs::exists(file)) return;  // no byte-level vocabulary that a GGUF architecture has
  const Expected expected(GetParam());
  auto gguf = make_gguf_tokenizer(checkpoint::open_checkpoint(file)->metadata());
  check_ids(*gguf, expected);
  auto folder = load_tokenizer(prepared(GetParam()));
  const json config = json::parse(read_file(prepared(GetParam()) / "config.json"));
  const TokenId bos = folder->special().bos;
  EXPECT_EQ(gguf->special().bos, bos >= 0 ? bos : config["bos_token_id"].get<TokenId>());
  EXPECT_EQ(gguf->special().eos, folder->special().eos);
}

// These have texts, but no vocabulary in GGUF form.
TEST(LlamaCpp, TextsOfVocabulariesThatAreRealTokenizers) {
  if (testing::models_dir().empty() || !fs::is_directory(testing::models_dir() / "gguf-vocab"))
    GTEST_SKIP() << testing::no_data();
  for (auto [family, vocabulary] :
       {std::pair("llama3_1", "llama-bpe"), std::pair("qwen1_5", "qwen2"),
        std::pair("command_r_plus", "command-r")}) {
    SCOPED_TRACE(family);
    check_texts(*load_tokenizer(prepared(family)), vocabulary);
    const fs::path gguf = prepared(family) / "vocabulary.gguf";
    check_texts(*make_gguf_tokenizer(checkpoint::open_checkpoint(gguf)->metadata()), vocabulary);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Real, ::testing::ValuesIn(families()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace minpair::tokenizer
