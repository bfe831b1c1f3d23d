// Any bytes as a results file that is merged: refused, or what comes of it can be read.

#include "base/error.h"
#include "file.h"
#include "results_mutation.h"
#include "store/check.h"
#include "store/merge.h"

using namespace minpair;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzzing::fs::path path = fuzzing::file(data, size, "part.db"),
                          merged = fuzzing::folder() / "merged.db";
  ::unlink(merged.c_str());
  try {
    store::merge_results({path}, merged);
  } catch (const Error&) {
    return 0;
  }
  store::check_results(merged);
  try {  // the same parts twice are one too many, wherever they are
    const fuzzing::fs::path copy = fuzzing::file(data, size, "again.db");
    ::unlink(merged.c_str());
    store::merge_results({path, copy}, merged);
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, fuzzing::changed_results);
}
