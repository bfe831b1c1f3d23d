// Stored scores may be damaged: reading them must throw or give something that packs again.

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "store/pack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<minpair::judge::SentenceScore> scores = minpair::store::unpack_scores(bytes);
    std::string again = minpair::store::pack_scores(scores);
    if (minpair::store::pack_scores(minpair::store::unpack_scores(again)) != again) std::abort();
    minpair::judge::equal_lengths(scores);
  } catch (const minpair::Error&) {
  }
  return 0;
}
