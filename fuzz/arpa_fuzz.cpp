// Any bytes as an ARPA file, and a few questions to the model that comes of it.

#include "base/error.h"
#include "file.h"
#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    auto model = minpair::model::load_model(
        minpair::fuzzing::file(data, size, "fuzz.arpa").string(), {.threads = 1});
    minpair::query::Query query{{0, 1, 2, 0}, {{3, minpair::query::Targets{{1}}}}, {}};
    if (model->info().vocabulary > 2) model->answer({&query, 1});
  } catch (const minpair::Error&) {
  }
  return 0;
}
