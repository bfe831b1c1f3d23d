// Real vocabularies in GGUF: the ids that each model's own tokenizer gives to llama.cpp's texts.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "support.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

std::vector<std::string> texts_of(const fs::path& path) {
  const std::string mark = "\n__ggml_vocab_test__\n", all = read_file(path);
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(mark, at), all.size());
    texts.push_back(all.substr(at, end - at));
    at = end + mark.size();
  }
  return texts;
}

class GgufVocabulary : public ::testing::TestWithParam<std::string> {};

TEST_P(GgufVocabulary, GivesTheModelsOwnIds) {
  const fs::path folder = testing::models_dir() / "gguf-vocab";
  if (testing::models_dir().empty() || !fs::is_directory(folder))
    GTEST_SKIP() << testing::no_data();
  const fs::path file = folder / ("ggml-vocab-" + GetParam() + ".gguf");
  auto tokenizer = make_gguf_tokenizer(checkpoint::open_checkpoint(file)->metadata());
  const std::vector<std::string> texts = texts_of(file.string() + ".inp");
  LineReader ids(file.string() + ".out");
  size_t checked = 0;
  for (std::string_view line; ids.next(line); ++checked) {
    ASSERT_LT(checked, texts.size());
    std::string ours;
    for (const Token& t : tokenizer->encode(texts[checked], false).tokens)
      ours += " " + std::to_string(t.id);
    EXPECT_EQ(ours, line) << texts[checked];
  }
  EXPECT_EQ(checked, texts.size());
  EXPECT_GT(checked, 40u);
}

INSTANTIATE_TEST_SUITE_P(Published, GgufVocabulary,
                         ::testing::Values("falcon", "gpt-2", "llama-spm", "mpt", "phi-3",
                                           "starcoder"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace minpair::tokenizer
