// Any bytes as the vocabulary of an RWKV.

#include "base/error.h"
#include "file.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // With ids and lengths; and pieces alone.
  const bool alone = size > 0 && data[0] == 'b';
  minpair::fuzzing::file(data, size, alone ? "vocab.txt" : "rwkv_vocab_v20230424.txt");
  minpair::fuzzing::file(R"({"tokenizer_class": "Rwkv5Tokenizer"})", "tokenizer_config.json");
  std::filesystem::remove(minpair::fuzzing::folder() /
                          (alone ? "rwkv_vocab_v20230424.txt" : "vocab.txt"));
  try {
    auto tokenizer = minpair::tokenizer::load_tokenizer(minpair::fuzzing::folder());
    for (const minpair::tokenizer::Token& t : tokenizer->encode("abc ü\n中").tokens)
      tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}
