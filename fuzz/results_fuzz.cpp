// Any bytes as a results file: it is refused, or its checks say what is wrong with it.

#include "base/error.h"
#include "file.h"
#include "store/check.h"
#include "store/store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = minpair::fuzzing::file(data, size, "fuzz.db");
  try {
    minpair::store::check_results(path);
  } catch (const minpair::Error&) {
  }
  try {
    minpair::store::Store store(path, minpair::store::Store::Mode::read);
    for (const minpair::store::RunRecord& run : store.runs())
      store.each_item(run.id, true, [](const minpair::store::StoredItem&) {});
  } catch (const minpair::Error&) {
  }
  return 0;
}
