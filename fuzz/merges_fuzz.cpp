// Any bytes as the merges.txt beside a small vocabulary.

#include "base/error.h"
#include "file.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string vocabulary =
      R"({"<|endoftext|>":0,"a":1,"b":2,"c":3,"Ġ":4,"ab":5,"Ġa":6,"abc":7,"Ġab":8})";
  static const auto beside = minpair::fuzzing::file(vocabulary, "vocab.json"),
                    config = minpair::fuzzing::file(R"({"model_type":"gpt2"})", "config.json");
  minpair::fuzzing::file(data, size, "merges.txt");
  try {
    auto tokenizer = minpair::tokenizer::load_tokenizer(minpair::fuzzing::folder());
    for (const minpair::tokenizer::Token& t : tokenizer->encode("abc ab a cab").tokens)
      tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}
