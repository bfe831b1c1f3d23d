// A SentencePiece model file, and texts for it.

#include <string_view>

#include "base/error.h"
#include "tokenizer/make.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    auto tokenizer = minpair::tokenizer::make_sentencepiece(
        minpair::tokenizer::parse_sentencepiece(bytes, "fuzz"), {});
    for (const char* sentence : {"Die  Kinder lachen ", "\uff21 e\u0301 \u4e2d\U0001F600\n"})
      for (const minpair::tokenizer::Token& t : tokenizer->encode(sentence).tokens)
        tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}
