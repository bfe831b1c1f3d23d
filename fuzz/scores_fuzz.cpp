// Stored scores and effects may be damaged: reading them must throw or give something that packs
// again.

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "store/effects.h"
#include "store/pack.h"

using namespace minpair;

static void scores(std::string_view bytes) {
  std::vector<judge::SentenceScore> scores = store::unpack_scores(bytes);
  std::string again = store::pack_scores(scores);
  if (store::pack_scores(store::unpack_scores(again)) != again) std::abort();
  judge::equal_lengths(scores);
}

static void effects(std::string_view bytes) {
  const std::string again = store::pack_effects(store::unpack_effects(bytes));
  if (store::pack_effects(store::unpack_effects(again)) != again) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (auto read : {scores, effects}) try {
      read(bytes);
    } catch (const Error&) {
    }
  return 0;
}
