// A tokenizer.json, and one text for it.

#include <string_view>

#include "base/error.h"
#include "json_mutation.h"
#include "tokenizer/tokenizer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    auto tokenizer = minpair::tokenizer::parse_tokenizer_json(text, "fuzz");
    for (const char* sentence :
         {"Die Kinder lachen, don't they? 12", "<s> \u00e9\u0301 \u4e2d\U0001F600 [MASK]\n\n"})
      for (const minpair::tokenizer::Token& t : tokenizer->encode(sentence).tokens)
        tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate(data, size, most, seed, minpair::fuzzing::mutate_json);
}
