// Real vocabularies in GGUF: the ids that each model's own tokenizer gives to llama.cpp's texts.

#include <gtest/gtest.h>

#include <algorithm>

#include "checkpoint/checkpoint.h"
#include "support.h"
#include "tokenizer/gguf_words.h"
#include "tokenizer/llama_cpp_texts.h"
#include "tokenizer/make.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

class GgufVocabulary : public ::testing::TestWithParam<std::string> {};

TEST_P(GgufVocabulary, GivesTheModelsOwnIds) {
  const fs::path folder = testing::models_dir() / "gguf-vocab";
  if (testing::models_dir().empty() || !fs::is_directory(folder))
    GTEST_SKIP() << testing::no_data();
  const fs::path file = folder / ("ggml-vocab-" + GetParam() + ".gguf");
  check_texts(*make_gguf_tokenizer(checkpoint::open_checkpoint(file)->metadata()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Published, GgufVocabulary,
                         ::testing::Values("falcon", "gpt-2", "llama-spm", "mpt", "phi-3",
                                           "starcoder"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Marks stay with their letters, where Qwen 2 cuts them off.
TEST(GgufWords, OfQwen35HaveTheirMarks) {
  const std::string text = "हिन्दी x";
  auto count = [&](const char* pre) {
    Words words{AlignedText(text, {0, text.size()}), {{0, text.size()}}};
    gguf_words(pre)->cutting.words->apply(words);
    return words.spans.size();
  };
  EXPECT_EQ(count("qwen35"), 2u);
  EXPECT_GT(count("qwen2"), 2u);
}

}  // namespace
}  // namespace minpair::tokenizer
