// Any bytes as the vocabulary of an RWKV.

#include "base/error.h"
#include "file.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  minpair::fuzzing::file(data, size, "rwkv_vocab_v20230424.txt");
  try {
    auto tokenizer = minpair::tokenizer::load_tokenizer(minpair::fuzzing::folder());
    for (const minpair::tokenizer::Token& t : tokenizer->encode("abc ü\n中").tokens)
      tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}
