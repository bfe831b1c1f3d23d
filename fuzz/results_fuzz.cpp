// Any bytes as a results file: it is refused, or its checks say what is wrong with it, and what it
// has can be read.

#include "base/error.h"
#include "file.h"
#include "results_mutation.h"
#include "store/check.h"
#include "store/effects.h"
#include "store/judgments.h"
#include "store/pack.h"
#include "store/store.h"

using namespace minpair;

static void read(const std::filesystem::path& path) {
  store::Store store(path, store::Store::Mode::read);
  for (const store::RunRecord& run : store.runs()) {
    store.summary(run.id);
    store.shards(run.id);
    store.each_item(run.id, true, [](const store::StoredItem& item) {
      if (item.excluded == judge::Reason::none) store::unpack_scores(item.tokens);
    });
  }
  for (const store::SweepRecord& sweep : store::sweeps(store))
    store::each_effects(store, sweep.id, [](uint64_t, std::string_view, const store::Effects&) {});
  store::read_judgments(path);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = fuzzing::file(data, size, "fuzz.db");
  try {
    store::check_results(path);
  } catch (const Error&) {
  }
  try {
    read(path);
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, fuzzing::changed_results);
}
