// Attribute-varying grammars: any text is a grammar or an error with a place, never a crash.

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "stimuli/grammar/grammar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace minpair;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t cut = text.find("\n%%\n");  // before it: common.avg
  std::string_view common = cut == std::string_view::npos ? "" : text.substr(0, cut + 1);
  try {
    stimuli::Derivations language = stimuli::read_avg(
        cut == std::string_view::npos ? text : text.substr(cut + 4), common, "fuzz.avg");
    Random random(1);
    if (language.has_locus()) language.sample(3, random, [](const suite::Item&) {});
  } catch (const Error&) {
  }
  return 0;
}
