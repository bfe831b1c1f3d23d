// Any bytes as the merges.txt beside a small vocabulary; or config.json, vocab.json and merges.txt,
// divided by lines of dashes.

#include "base/error.h"
#include "base/text.h"
#include "file.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view
      config = R"({"model_type":"gpt2"})",
      vocabulary = R"({"<|endoftext|>":0,"a":1,"b":2,"c":3,"Ġ":4,"ab":5,"Ġa":6,"abc":7,"Ġab":8})",
      merges(reinterpret_cast<const char*>(data), size);
  for (std::string_view* part : {&config, &vocabulary})
    if (const size_t end = merges.find("\n---\n"); end != merges.npos) {
      *part = merges.substr(0, end);
      merges.remove_prefix(end + 5);
    }
  minpair::fuzzing::file(config, "config.json");
  minpair::fuzzing::file(vocabulary, "vocab.json");
  minpair::fuzzing::file(merges, "merges.txt");
  try {
    auto tokenizer = minpair::tokenizer::load_tokenizer(minpair::fuzzing::folder());
    for (const minpair::tokenizer::Token& t : tokenizer->encode("abc ab a cab<mask>ü").tokens)
      tokenizer->piece(t.id);
  } catch (const minpair::Error&) {
  }
  return 0;
}
