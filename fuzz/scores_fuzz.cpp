// Stored scores may be damaged: reading them must throw or give something that packs again.

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "judge/score.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<minpair::judge::StoredSentence> scores = minpair::judge::unpack_scores(bytes);
    std::string again = minpair::judge::pack_scores(scores);
    if (minpair::judge::pack_scores(minpair::judge::unpack_scores(again)) != again) std::abort();
    minpair::judge::equal_lengths(scores);
  } catch (const minpair::Error&) {
  }
  return 0;
}
