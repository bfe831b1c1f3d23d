// A text for a tokenizer of every golden kind: it must end, and its spans must lie in the text. The
// first byte says for which; 255 is for all of them.

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tokenizer/tokenizer.h"

namespace {

using namespace minpair;

const std::vector<std::unique_ptr<tokenizer::Tokenizer>>& tokenizers() {
  static const std::vector<std::unique_ptr<tokenizer::Tokenizer>> all = [] {
    std::vector<std::unique_ptr<tokenizer::Tokenizer>> loaded;
    std::filesystem::path golden(MINPAIR_GOLDEN_TOKENIZERS);
    for (const auto& entry : std::filesystem::directory_iterator(golden))
      if (std::filesystem::exists(entry.path() / "tokenizer.json") ||
          std::filesystem::exists(entry.path() / "vocab.json"))
        loaded.push_back(tokenizer::load_tokenizer(entry.path()));
    if (loaded.empty()) std::abort();
    return loaded;
  }();
  return all;
}

void encode(const tokenizer::Tokenizer& tokenizer, std::string_view text) {
  try {
    for (const tokenizer::Token& t : tokenizer.encode(text).tokens) {
      if (t.span.begin > t.span.end || t.span.end > text.size()) std::abort();
      if (size_t(t.id) >= tokenizer.vocabulary_size()) std::abort();
      if (!valid_utf8(slice(text, t.span))) std::abort();
    }
  } catch (const Error&) {
    if (valid_utf8(text)) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t count = tokenizers().size();
  for (size_t i = 0; i < count; ++i)
    if (data[0] == 255 || data[0] % count == i) encode(*tokenizers()[i], text);
  return 0;
}
