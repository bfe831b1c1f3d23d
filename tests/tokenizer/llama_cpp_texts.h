#pragma once
// llama.cpp's texts for a vocabulary, with the ids that the model's own tokenizer gives them.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

inline std::vector<std::string> texts_of(const std::filesystem::path& path) {
  const std::string mark = "\n__ggml_vocab_test__\n", all = read_file(path);
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(mark, at), all.size());
    texts.push_back(all.substr(at, end - at));
    at = end + mark.size();
  }
  return texts;
}

inline void check_texts(const Tokenizer& tokenizer, const std::string& vocabulary) {
  const std::filesystem::path folder = testing::models_dir() / "gguf-vocab";
  const std::string file = (folder / ("ggml-vocab-" + vocabulary + ".gguf")).string();
  const std::vector<std::string> texts = texts_of(file + ".inp");
  LineReader ids(file + ".out");
  size_t checked = 0;
  for (std::string_view line; ids.next(line); ++checked) {
    ASSERT_LT(checked, texts.size());
    std::string ours;
    for (const Token& t : tokenizer.encode(texts[checked], false).tokens)
      ours += " " + std::to_string(t.id);
    EXPECT_EQ(ours, line) << texts[checked];
  }
  EXPECT_EQ(checked, texts.size());
  EXPECT_GT(checked, 40u);
}

}  // namespace minpair::tokenizer
