// Any GGUF file as a whole model, its vocabulary included: refused, or it answers.

#include "base/error.h"
#include "file.h"
#include "gguf_mutation.h"
#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = minpair::fuzzing::file(data, size, "fuzz.gguf");
  try {
    auto model = minpair::model::load_model(path.string(), {.threads = 1});
    auto tokens = model->tokenizer().encode("ab Haus.").tokens;
    minpair::query::Query query;
    for (const minpair::tokenizer::Token& t : tokens) query.ids.push_back(t.id);
    if (query.ids.empty()) return 0;
    query.asks = {{uint32_t(query.ids.size() - 1), minpair::query::Targets{{0}}}};
    model->answer({&query, 1});
  } catch (const minpair::Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate_gguf(data, size, most, seed);
}
