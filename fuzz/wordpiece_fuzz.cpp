// A vocabulary, one piece a line; after a line of dashes a text. Both tokenizers must agree: the
// fast one and the one put together from its parts.

#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "tokenizer/make.h"
#include "tokenizer/pipeline.h"

namespace {

using namespace minpair;

std::unique_ptr<tokenizer::Tokenizer> slow(const std::vector<std::string>& pieces,
                                           const tokenizer::WordPieceOptions& options) {
  tokenizer::PipelineParts parts;
  parts.pieces = pieces;
  parts.around = options.around;
  parts.normalizer = tokenizer::normalize_bert({true, true, options.lowercase, options.lowercase});
  parts.pre_tokenizer = tokenizer::split_bert();
  parts.model = [&](const tokenizer::Vocabulary& v) {
    return tokenizer::make_wordpiece_model(v, v.find("[UNK]"), "##", 100);
  };
  return tokenizer::make_pipeline(std::move(parts));
}

void compare(const std::vector<std::string>& pieces, std::string_view text, bool lowercase) {
  tokenizer::WordPieceOptions options;
  options.lowercase = lowercase;
  const auto fast = tokenizer::make_wordpiece(pieces, options);
  std::vector<tokenizer::Token> a = fast->encode(text).tokens;
  std::vector<tokenizer::Token> b = slow(pieces, options)->encode(text).tokens;
  if (a.size() != b.size()) std::abort();
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].id != b[i].id || a[i].span.end > text.size() || a[i].span.begin > a[i].span.end)
      std::abort();
  for (const tokenizer::Token& t : a) fast->begins_word(t.id);
  // Words that stay whole, as one of them says; the words alone.
  options.never_split = {pieces.back()};
  tokenizer::make_wordpiece(pieces, options)->encode(text);
  tokenizer::word_cutter(options)(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view all(reinterpret_cast<const char*>(data), size);
  size_t cut = all.find("\n---\n");
  std::string_view text = cut == std::string_view::npos ? all : all.substr(cut + 5);
  std::vector<std::string> pieces;
  for (std::string_view line : split(all.substr(0, cut), '\n')) pieces.emplace_back(line);
  if (!valid_utf8(all)) return 0;
  try {
    compare(pieces, text, false);
    compare(pieces, text, true);
  } catch (const minpair::Error&) {
  }
  return 0;
}
